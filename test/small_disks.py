# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Small file systems in memory, which are full soon."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(folder: Path, options: str) -> Iterator[Path]:
    """Mount a file system on a folder, which is made where it is missing.

    Args:
        folder: Where.
        options: Of tmpfs, such as `size=64k`.

    Raises:
        PermissionError: Mounting is not permitted, or there is no command for it.
    """
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise PermissionError("there is no mount command") from None
    if done.returncode:
        raise PermissionError(f"mounting is not permitted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def leave_free(folder: Path, size: int) -> None:
    """Fill a file system but for about so many bytes, by a file `filler`."""
    filler = folder / "filler"
    filler.unlink(missing_ok=True)
    status = os.statvfs(folder)
    filler.write_bytes(bytes(max(0, status.f_bavail * status.f_frsize - size)))
