# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic, lock-free writing of cache files: readers see a complete file or none, without waiting for the disk.

A cache lost in a crash is computed again, so nothing is flushed to disk, unlike users' files (`whole`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from inertia_tools.write.target import failure
from inertia_tools.write.temporary import create_temporary, remove_left
from inertia_tools.write.whole import NEW_MODE, write_all


def store(path: Path, data: bytes) -> None:
    """Write a file into a cache, creating its folder if needed.

    Args:
        path: The file.
        data: Its content.

    Raises:
        WriteError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        descriptor, temporary = create_temporary(path.parent, NEW_MODE)
        try:
            write_all(descriptor, data)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise failure(path, error) from error


@lru_cache(maxsize=64)
def _sweep(folder: Path) -> None:
    """Remove leftovers of killed runs from a folder, once per process, since caches have many files."""
    remove_left(folder)
