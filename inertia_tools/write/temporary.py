# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Temporary files that will replace others, and the removal of those left by killed runs.

Each is locked while its writer lives, and the system releases the lock of a dead process. A process that gets the lock
of such a file therefore knows that its writer is gone.
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
"""Names of temporary files, which no other file has; their length does not depend on that of the target's name."""

MOST_TRIES = 100
"""Names tried; another one is needed only if a process removes the file between its creation and its locking."""


def create_temporary(folder: Path, mode: int) -> tuple[int, Path]:
    """Create a temporary file, locked, and return its descriptor and path.

    Args:
        folder: Its folder.
        mode: Permissions, before the process's umask applies.

    Raises:
        OSError: It cannot be created.
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
    """Remove the temporary files of killed runs; those that cannot be removed stay."""
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
    """Lock a file and return True; False if another process has the lock, None if the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
