# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where to write a file: a regular file, after following links, or a stream such as a device or a pipe."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from inertia_tools.errors import WriteError

MOST_LINKS = 40
"""Links followed before a path counts as circular, as in Linux."""

REMEDIES = {
    errno.ENOSPC: "free some space, or write to another disk",
    errno.EDQUOT: "free some space, or write to another disk",
    errno.EROFS: "write to another folder",
    errno.EACCES: "write to another folder, or change the permissions of this one",
    errno.EPERM: "write to another folder, or change the permissions of this one",
    errno.ENOENT: "make its folder first",
    errno.ENOTDIR: "correct the path",
    errno.ELOOP: "correct the links",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EEXIST: "write to a new file",
    errno.EISDIR: "name a file",
    errno.EBUSY: "it is a mount point; write to another file",
}
"""Remedies for errors of the operating system."""


@dataclass(frozen=True)
class Target:
    """A place to write to.

    Attributes:
        name: The path as it was given.
        path: The path with all links followed; meaningless for a stream.
        status: Status of the existing file; None if there is none.
        descriptor: This process's open file that the path refers to, as /dev/stdout does; None for others.
    """

    name: Path
    path: Path
    status: os.stat_result | None = None
    descriptor: int | None = None

    @property
    def is_stream(self) -> bool:
        """Whether bytes are written in place: the target cannot be replaced."""
        return self.descriptor is not None or (self.status is not None and not stat.S_ISREG(self.status.st_mode))

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode of the existing regular file, equal for all of its names; None without one."""
        return None if self.status is None or self.is_stream else (self.status.st_dev, self.status.st_ino)


def file_of(name: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write.

    Raises:
        WriteError: It ends like a folder, as `corrected/`, of which a path keeps only the name.
    """
    text = os.fspath(name)
    if text.endswith(tuple(filter(None, (os.sep, os.altsep)))):
        raise WriteError(f"{text} names a folder; name a file in it")
    return Path(text)


def find_target(name: Path) -> Target:
    """Resolve a path.

    Raises:
        WriteError: It leads to a folder, a disk or a socket, or nowhere.
    """
    try:
        descriptor = _descriptor_of(name)
        status = os.stat(name)
    except FileNotFoundError:
        return Target(name, Path(os.path.realpath(name)))
    except (OSError, ValueError) as error:
        raise failure(name, error) from error
    for test, what in ((stat.S_ISDIR, "a folder"), (stat.S_ISBLK, "a disk"), (stat.S_ISSOCK, "a socket")):
        if test(status.st_mode):
            raise WriteError(f"{name} is {what}; name a file")
    return Target(name, Path(os.path.realpath(name)), status, descriptor)


def identities(files: Iterable[Path]) -> set[tuple[int, int]]:
    """Return device and inode of the files that exist."""
    found = set()
    for file in set(files):
        with suppress(OSError, ValueError):
            status = os.stat(file)
            found.add((status.st_dev, status.st_ino))
    return found


def is_stream(name: Path) -> bool:
    """Return whether a path means a device, a pipe or an open file rather than a file that can be replaced.

    Raises:
        WriteError: It leads to a folder, a disk or a socket, or nowhere.
    """
    return find_target(name).is_stream


def is_standard_output(name: Path) -> bool:
    """Return whether a path refers to the standard output of this process."""
    try:
        target, printed = find_target(name), os.fstat(1)
    except (WriteError, OSError):
        return False
    return target.is_stream and target.status is not None and os.path.samestat(target.status, printed)


def failure(name: Path, error: Exception) -> WriteError:
    """Return the error that a file cannot be written, with the reason and the remedy."""
    reason = getattr(error, "strerror", None) or str(error)
    remedy = REMEDIES.get(getattr(error, "errno", None) or 0, "")
    return WriteError(f"{name} cannot be written: {reason}" + (f"; {remedy}" if remedy else ""))


def _descriptor_of(name: Path) -> int | None:
    """Return the open file that a path refers to, such as 1 for /dev/stdout; reopening it would start at its beginning.

    Raises:
        OSError: Its links are circular.
    """
    own = {os.path.realpath(folder) for folder in ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")}
    path = os.path.abspath(name)
    for _ in range(MOST_LINKS):
        folder, last = os.path.split(path)
        if last.isdecimal() and os.path.realpath(folder) in own:
            return int(last)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
