# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of users' files: a file is written completely or not at all, even after a crash.

A file is written under another name beside its target, flushed to the disk, and renamed to the target in one step.
Links are kept, and the file that they refer to is replaced. Anything but a regular file is written in place.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from inertia_tools.errors import WriteError
from inertia_tools.write.target import Target, failure, file_of, find_target, identities
from inertia_tools.write.temporary import create_temporary, remove_left

LOG = logging.getLogger(__name__)

NEW_MODE, PRIVATE_MODE = 0o666, 0o600
"""Permissions of a new file before the umask, and of one that will get those of the file it replaces."""

GROUP_BITS, OTHER_BITS = 0o070, 0o007

MOST_NAMES = 3
"""Hard links listed in a message."""


def write_whole(
    target: str | os.PathLike[str], data: bytes, *, make_folder: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Write a file completely or not at all; a device, pipe or open file such as /dev/stdout is written in place.

    Mode, owner and extended attributes of a replaced file are kept if permitted.

    Args:
        target: The file.
        data: Its content.
        make_folder: Create the folder if it is missing.
        inputs: Files that must not be overwritten.

    Raises:
        WriteError: It cannot be written, is read-only, or is one of the inputs.
    """
    write_files({file_of(target): data}, make_folders=make_folder, inputs=inputs)


def write_files(files: Mapping[Path, bytes], *, make_folders: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Write several files, each completely or not at all, and rename none before all are on the disk.

    They are renamed in the given order.

    Args:
        files: Content by path.
        make_folders: Create missing folders.
        inputs: Files that must not be overwritten.

    Raises:
        WriteError: One cannot be written, is read-only, or is one of the inputs.
    """
    kept = identities(inputs)
    targets = {name: find_target(name) for name in files}
    for target in targets.values():
        _require_replaceable(target, kept)
    streams = [name for name, target in targets.items() if target.is_stream]
    with _Staging() as staging:
        for name, target in targets.items():
            if not target.is_stream:
                with _failures_of(name):
                    staging.add(target, files[name], make_folder=make_folders)
        for name in streams:
            with _failures_of(name):
                _write_straight(targets[name], files[name])
        staging.commit()


def _require_replaceable(target: Target, inputs: set[tuple[int, int]]) -> None:
    """Check that a target may be replaced.

    Args:
        target: The target.
        inputs: Identities of files that must not be overwritten.

    Raises:
        WriteError: It is read-only, or one of the inputs.
    """
    if target.status is None or target.is_stream:
        return
    if target.identity in inputs:
        raise WriteError(f"{target.name} is an input file; write to another file")
    has_write_bit = target.status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    as_effective_user = os.access in os.supports_effective_ids
    if not (has_write_bit and os.access(target.path, os.W_OK, effective_ids=as_effective_user)):
        raise WriteError(f"{target.name} is read-only; make it writable, or write to another file")


def _name_hard_links(target: Target) -> None:
    """Warn of hard links that keep the content of a replaced file: those in its folder, and the number of others."""
    if target.status is None or target.status.st_nlink < 2:
        return
    found = []
    with suppress(OSError), os.scandir(target.path.parent) as entries:
        found = sorted(e.name for e in entries if e.inode() == target.status.st_ino and e.name != target.path.name)
    rest = target.status.st_nlink - 1 - len(found[:MOST_NAMES])
    names = ", ".join([*found[:MOST_NAMES], *([f"{rest} more"] if rest > 0 else [])])
    LOG.warning("%s is replaced; its hard links keep the old content: %s", target.name, names)


@contextmanager
def _failures_of(name: Path) -> Iterator[None]:
    """Turn failures into errors that name the file."""
    try:
        yield
    except OSError as error:
        raise failure(name, error) from error


class _Staging:
    """Files that are written but not yet renamed to their targets; leaving the context removes the remaining ones."""

    def __init__(self) -> None:
        self._staged: list[tuple[Target, int, Path]] = []
        self._made: list[Path] = []

    def __enter__(self) -> _Staging:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for _, descriptor, temporary in self._staged:
            with suppress(OSError):
                temporary.unlink()
            with suppress(OSError):
                os.close(descriptor)
        for folder in reversed(self._made):
            with suppress(OSError):  # it is not empty after success
                folder.rmdir()

    def add(self, target: Target, data: bytes, *, make_folder: bool) -> None:
        """Write a file beside its target.

        Raises:
            OSError: It cannot be written.
        """
        folder = target.path.parent
        if make_folder:
            self._make(folder)
        remove_left(folder)
        descriptor, temporary = create_temporary(folder, NEW_MODE if target.status is None else PRIVATE_MODE)
        self._staged.append((target, descriptor, temporary))
        write_all(descriptor, data)
        if target.status is not None:
            _take_after(descriptor, target.path, target.status)
        os.fsync(descriptor)

    def commit(self) -> None:
        """Rename all files to their targets.

        Raises:
            WriteError: A file cannot be renamed to its target.
        """
        for target, _, temporary in self._staged:
            with _failures_of(target.name):
                os.replace(temporary, target.path)
            _flush_folder(target.path.parent)
            _name_hard_links(target)

    def _make(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            with suppress(FileExistsError):  # another process created it
                one.mkdir()
                self._made.append(one)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all data, however little the system accepts at a time.

    Raises:
        OSError: It cannot be written.
    """
    waiting = memoryview(data)
    while waiting:
        waiting = waiting[os.write(descriptor, waiting) :]


def _take_after(descriptor: int, path: Path, status: os.stat_result) -> None:
    """Copy owner, mode and extended attributes from the file that will be replaced, if permitted.

    If the group cannot be kept, the new group gets at most the permissions of others.
    """
    with suppress(OSError):
        os.fchown(descriptor, -1, status.st_gid)
    with suppress(OSError):
        os.fchown(descriptor, status.st_uid, -1)
    mode = stat.S_IMODE(status.st_mode)
    now = os.fstat(descriptor)
    is_same = (now.st_uid, now.st_gid) == (status.st_uid, status.st_gid)
    if not is_same:
        mode &= ~(stat.S_ISUID | stat.S_ISGID)
    if now.st_gid != status.st_gid:
        mode &= ~GROUP_BITS | (mode & OTHER_BITS) << 3
    with suppress(OSError):
        os.fchmod(descriptor, mode)
    if is_same and hasattr(os, "listxattr"):  # extended attributes may hold permissions of the owner and the group
        with suppress(OSError):
            for name in os.listxattr(path):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(path, name))


def _flush_folder(folder: Path) -> None:
    """Flush a change of file names to the disk, if the file system supports that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_straight(target: Target, data: bytes) -> None:
    """Write in place, for a target that cannot be replaced.

    Raises:
        OSError: It cannot be written.
    """
    if target.descriptor is None:
        descriptor = os.open(target.name, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    else:
        for stream in (sys.stdout, sys.stderr):  # output printed before comes first
            with suppress(OSError, ValueError):
                stream.flush()
        descriptor = os.dup(target.descriptor)
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)
