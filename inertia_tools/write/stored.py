# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The writer of caches: readers see all of a file or none of it, and nobody waits for the disk.

What a machine loses that stops is found again, so nothing is flushed as it is for users' files (`whole`).
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
    """Put a file into a cache, whose folder is made where it is missing.

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
    """Remove what killed runs left in a folder: once a process, since caches have many files."""
    remove_left(folder)
