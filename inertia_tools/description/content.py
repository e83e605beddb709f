# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The content of files and streams, up to a limit, so that endless ones are refused."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 512 * 2**20
"""Size of the largest file that is read; descriptions of robots have some megabytes, and meshes some tens."""

BLOCK = 2**20

USD_BEGINNINGS = (b"#usda", b"PXR-USDC", b"PK\x03\x04")
"""The first bytes of USD files: text, binary, and a package of both."""


def is_usd(data: bytes) -> bool:
    """Return whether content is that of a USD layer or package."""
    return data.startswith(USD_BEGINNINGS)


def content_of(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file or pipe.

    Raises:
        OSError: It cannot be opened, or holds more than `MOST_BYTES`; `strerror` says which.
        ValueError: The name holds a zero byte.
    """
    with Path(path).open("rb") as file:
        check_size(os.fstat(file.fileno()).st_size)
        return content_of_stream(file)


def content_of_stream(stream: BinaryIO) -> bytes:
    """Return the rest of a stream.

    Raises:
        OSError: The rest is longer than `MOST_BYTES`.
    """
    blocks: list[bytes] = []
    size = 0
    while block := stream.read(BLOCK):
        size += len(block)
        check_size(size)
        blocks.append(block)
    return b"".join(blocks)


def check_size(size: int) -> None:
    """Refuse a size above `MOST_BYTES` [bytes].

    Raises:
        OSError: The size is larger.
    """
    if size > MOST_BYTES:
        raise OSError(
            errno.EFBIG,
            f"it holds more than {MOST_BYTES // 2**20} MiB, more than this program reads; name a robot description",
        )
