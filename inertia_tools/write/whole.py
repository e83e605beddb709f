# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are written all of it or nothing."""

from __future__ import annotations

import os
from pathlib import Path

from inertia_tools.errors import WriteError


def write_whole(target: Path, data: bytes, *, make_folder: bool = False) -> None:
    """Write a file, all of it or nothing.

    Args:
        target: The file.
        data: Its content.
        make_folder: Make the folder where it is missing.

    Raises:
        WriteError: It cannot be written.
    """
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if make_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        if target.exists():
            part.chmod(target.stat().st_mode)
        part.replace(target.resolve() if target.is_symlink() else target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise WriteError(f"{target} cannot be written: {error.strerror}") from error
