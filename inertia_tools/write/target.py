# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where a file is to go: a regular file, whatever links lead there, or a stream such as a device or a pipe."""

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
"""Links followed before a path counts as a circle, as in Linux."""

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
    errno.EBUSY: "it is a mount of its own; write to another file",
}
"""What to do about an error of the system."""


@dataclass(frozen=True)
class Target:
    """A place to write to.

    Attributes:
        name: The path as it was given.
        path: The path with all links followed; of no meaning for a stream.
        status: What is there; None when nothing is.
        descriptor: The open file of this process that the path means, as /dev/stdout does; None for others.
    """

    name: Path
    path: Path
    status: os.stat_result | None = None
    descriptor: int | None = None

    @property
    def is_stream(self) -> bool:
        """Whether bytes go straight there: nothing can be put in its place."""
        return self.descriptor is not None or (self.status is not None and not stat.S_ISREG(self.status.st_mode))

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and number of the regular file there, the same for all of its names; None for none."""
        return None if self.status is None or self.is_stream else (self.status.st_dev, self.status.st_ino)


def find_target(name: Path) -> Target:
    """Find where a path leads.

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
    """Return device and number of those files that are there."""
    found = set()
    for file in set(files):
        with suppress(OSError, ValueError):
            status = os.stat(file)
            found.add((status.st_dev, status.st_ino))
    return found


def is_stream(name: Path) -> bool:
    """Tell whether a path means a device, a pipe or an open file rather than a file that can be replaced.

    Raises:
        WriteError: It leads to a folder, a disk or a socket, or nowhere.
    """
    return find_target(name).is_stream


def is_standard_output(name: Path) -> bool:
    """Tell whether a path means what this process prints to."""
    try:
        target, printed = find_target(name), os.fstat(1)
    except (WriteError, OSError):
        return False
    return target.is_stream and target.status is not None and os.path.samestat(target.status, printed)


def failure(name: Path, error: Exception) -> WriteError:
    """Return the error that says why a file cannot be written, and what to do."""
    reason = getattr(error, "strerror", None) or str(error)
    remedy = REMEDIES.get(getattr(error, "errno", None) or 0, "")
    return WriteError(f"{name} cannot be written: {reason}" + (f"; {remedy}" if remedy else ""))


def _descriptor_of(name: Path) -> int | None:
    """Return the open file that a path means, such as 1 for /dev/stdout; opening it again would begin at its start.

    Raises:
        OSError: Its links go in a circle.
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
