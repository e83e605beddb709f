# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A new file that grows while something goes on, in a format that can be read up to where it ends."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from inertia_tools.errors import WriteError


def new_stream(path: Path) -> BinaryIO:
    """Open a file that is not there yet.

    Raises:
        WriteError: It is there already, or cannot be made.
    """
    try:
        return path.open("xb")
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror}") from error
