# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The one writer of users' files: all of a file or nothing, whatever happens in between.

A file is written under another name beside its target, flushed to the disk, and put in the target's place in one step.
Links stay, and what they lead to is replaced. What is no regular file is written straight.
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
from inertia_tools.write.target import Target, failure, find_target, identities
from inertia_tools.write.temporary import create_temporary, remove_left

LOG = logging.getLogger(__name__)

NEW_MODE, PRIVATE_MODE = 0o666, 0o600
"""Permissions of a new file before the process's mask, and of one that will get those of the file it replaces."""

GROUP_BITS, OTHER_BITS = 0o070, 0o007

MOST_NAMES = 3
"""Hard links that a message names."""


def write_whole(
    target: str | os.PathLike[str], data: bytes, *, make_folder: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Write a file, all of it or nothing; a device, pipe or open file such as /dev/stdout is written straight.

    Mode, owner and extended attributes of a file that is replaced are kept where that is permitted.

    Args:
        target: The file.
        data: Its content.
        make_folder: Make the folder where it is missing.
        inputs: Files that must not be overwritten.

    Raises:
        WriteError: It cannot be written, is read-only, or is one of the inputs.
    """
    write_files({Path(target): data}, make_folders=make_folder, inputs=inputs)


def write_files(files: Mapping[Path, bytes], *, make_folders: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Write several files, each all of it or nothing, and none before the disk holds all of them.

    They take their places in the order given.

    Args:
        files: Content by path.
        make_folders: Make folders where they are missing.
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
        raise WriteError(f"{target.name} is an input; write to another file")
    has_write_bit = target.status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    as_effective_user = os.access in os.supports_effective_ids
    if not (has_write_bit and os.access(target.path, os.W_OK, effective_ids=as_effective_user)):
        raise WriteError(f"{target.name} is read-only; make it writable, or write to another file")


def _name_hard_links(target: Target) -> None:
    """Say which other names of a replaced file keep the old content: those that lie beside it, and how many more."""
    if target.status is None or target.status.st_nlink < 2:
        return
    found = []
    with suppress(OSError), os.scandir(target.path.parent) as entries:
        found = sorted(e.name for e in entries if e.inode() == target.status.st_ino and e.name != target.path.name)
    rest = target.status.st_nlink - 1 - len(found[:MOST_NAMES])
    names = ", ".join([*found[:MOST_NAMES], *([f"{rest} more"] if rest > 0 else [])])
    LOG.warning("%s is replaced; the old content stays under its hard links: %s", target.name, names)


@contextmanager
def _failures_of(name: Path) -> Iterator[None]:
    """Say of what goes wrong to which file it belongs."""
    try:
        yield
    except OSError as error:
        raise failure(name, error) from error


class _Staging:
    """Files that are written and not yet in their places; on leaving, those that are not are removed."""

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
            with suppress(OSError):  # it is not empty, when all went well
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
        """Put all files in their places.

        Raises:
            WriteError: A file cannot take its place.
        """
        for target, _, temporary in self._staged:
            with _failures_of(target.name):
                os.replace(temporary, target.path)
            _flush_folder(target.path.parent)
            _name_hard_links(target)

    def _make(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            with suppress(FileExistsError):  # somebody else made it
                one.mkdir()
                self._made.append(one)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of some data, however little the system takes at a time.

    Raises:
        OSError: It cannot be written.
    """
    waiting = memoryview(data)
    while waiting:
        waiting = waiting[os.write(descriptor, waiting) :]


def _take_after(descriptor: int, path: Path, status: os.stat_result) -> None:
    """Give a file the owner, the mode and the extended attributes of the one it will replace, where permitted.

    A group that may not be kept gets no more than everybody does.
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
    if is_same and hasattr(os, "listxattr"):  # they may hold permissions of the owner and the group
        with suppress(OSError):
            for name in os.listxattr(path):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(path, name))


def _flush_folder(folder: Path) -> None:
    """Let a change of names reach the disk, where the file system can be asked to."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_straight(target: Target, data: bytes) -> None:
    """Write to what cannot be replaced.

    Raises:
        OSError: It cannot be written.
    """
    if target.descriptor is None:
        descriptor = os.open(target.name, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    else:
        for stream in (sys.stdout, sys.stderr):  # what was printed before comes first
            with suppress(OSError, ValueError):
                stream.flush()
        descriptor = os.dup(target.descriptor)
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)
