# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Brightness of the pixels of a PNG file (ISO/IEC 15948), for terrain stored as an image."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

MAGIC = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Number of values per pixel, by the colour type of the file."""

PALETTE = 3
"""The colour type whose pixels are palette indices."""

MOST_PIXELS = 50_000_000
"""Larger images are refused before they are unpacked."""


def read_brightness(data: bytes) -> Bytes:
    """Return the first channel of an image, red where it has colours, from 0 to 255, shape (rows, columns).

    For 16 bits the upper eight are used. The first row is the top one.

    Raises:
        ValueError: It is not a PNG, damaged, interlaced, or has pixels of fewer than eight bits.
    """
    if not data.startswith(MAGIC):
        raise ValueError("it is not a PNG")
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13:
        raise ValueError("it has no header")
    columns, rows, bits, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    if interlace or bits not in (8, 16) or colour not in CHANNELS or not 0 < columns * rows <= MOST_PIXELS:
        raise ValueError("it is interlaced, too large, or of an unusual depth; save it with 8 or 16 bits")
    step = CHANNELS[colour] * bits // 8
    packed = b"".join(content for name, content in chunks if name == b"IDAT")
    try:
        raw = zlib.decompressobj().decompress(packed, rows * (1 + columns * step))
    except zlib.error as error:
        raise ValueError(f"its pixels cannot be unpacked ({error})") from error
    if len(raw) < rows * (1 + columns * step):
        raise ValueError("it ends too early")
    first = _unfiltered(np.frombuffer(raw, np.uint8).reshape(rows, -1), step)[:, ::step]
    if colour != PALETTE:
        return first
    reds = np.frombuffer(b"".join(content for name, content in chunks if name == b"PLTE"), np.uint8)[::3]
    if first.max() >= len(reds):
        raise ValueError("it uses colours that it does not have")
    return np.asarray(reds[first])


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield name and content of the file's chunks."""
    at = len(MAGIC)
    while at + 8 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += length + 12


def _unfiltered(lines: Bytes, step: int) -> Bytes:
    """Undo the filter of each line, which its first byte selects; all sums are modulo 256."""
    above = np.zeros(lines.shape[1] - 1, np.uint8)
    result = np.empty((len(lines), len(above)), np.uint8)
    for row, line in enumerate(lines):
        kind, now = line[0], line[1:].copy()
        if kind == 1:
            now = np.cumsum(now.reshape(-1, step), axis=0, dtype=np.uint8).ravel()
        elif kind == 2:
            now += above
        elif kind in (3, 4):
            now = _by_neighbours(now, above, step, paeth=kind == 4)
        elif kind:
            raise ValueError("a line has an unknown filter")
        result[row] = above = now
    return result


def _by_neighbours(line: Bytes, above: Bytes, step: int, *, paeth: bool) -> Bytes:
    """Undo a filter that uses the previous pixel and those above."""
    upper, now = above.tolist(), line.tolist()
    for i in range(len(now)):
        left, up = (now[i - step] if i >= step else 0), upper[i]
        if paeth:
            corner = upper[i - step] if i >= step else 0
            guess = left + up - corner
            distances = abs(guess - left), abs(guess - up), abs(guess - corner)
            nearest = (left, up, corner)[distances.index(min(distances))]
        else:
            nearest = (left + up) // 2
        now[i] = (now[i] + nearest) & 0xFF
    return np.array(now, np.uint8)
