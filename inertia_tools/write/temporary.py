# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Temporary files that take the place of others, and those that killed runs have left.

Each is locked as long as its writer lives, and the system drops the lock of a process that dies. So whoever gets the
lock of such a file knows that nobody will finish it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

NAME = re.compile(r"\.inertia-tools-[0-9a-f]{16}\.part")
"""Their names, which nothing else has; of one length, however long the name of the file to come is."""

MOST_TRIES = 100
"""Names tried; the next is needed only where somebody sweeps between the making and the locking of a file."""


def create_temporary(folder: Path, mode: int) -> tuple[int, Path]:
    """Make a temporary file, locked, and return its descriptor and path.

    Args:
        folder: Where.
        mode: Permissions, of which the process's mask takes some away.

    Raises:
        OSError: It cannot be made.
    """
    for _ in range(MOST_TRIES):
        path = folder / f".inertia-tools-{secrets.token_hex(8)}.part"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        if _lock(descriptor) is not False and os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()
    raise OSError("no temporary file stays there")


def remove_left(folder: Path) -> None:
    """Remove the temporary files of runs that were killed; what cannot be removed stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [entry.path for entry in entries if NAME.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_if_left(path)


def _remove_if_left(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and _lock(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Lock a file and return True; False when somebody else has, None where the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
