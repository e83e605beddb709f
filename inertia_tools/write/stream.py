# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A new file that grows during a process, in a format that is readable up to its end."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from inertia_tools.write.target import failure


def new_stream(path: Path) -> BinaryIO:
    """Create and open a file.

    Raises:
        WriteError: It exists already, or cannot be created.
    """
    try:
        return path.open("xb")
    except OSError as error:
        raise failure(path, error) from error
