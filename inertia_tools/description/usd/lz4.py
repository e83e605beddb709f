# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking the tables of a crate: LZ4 blocks, and the integers encoded in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

WIDTHS = np.array([0, 1, 2, 4])
"""Bytes of a difference by its code of two bits; none for the most frequent one, which is stored once."""

KINDS = {1: np.int8, 2: np.int16, 4: np.int32}
LONGEST_RATIO = 255
"""Maximum number of bytes that one byte of an LZ4 block unpacks to."""


def unpacked_size(packed: bytes) -> int:
    """Return the unpacked size of a table [bytes].

    Raises:
        ValueError: It is not a sequence of LZ4 blocks.
    """
    return sum(_size_of(block) for block in _blocks(packed))


def unpacked(packed: bytes) -> bytes:
    """Unpack a table.

    Raises:
        ValueError: It is not a sequence of LZ4 blocks.
    """
    return b"".join(map(_unpacked_block, _blocks(packed)))


def integers(packed: bytes, count: int) -> np.ndarray:
    """Unpack integers of 32 bits.

    They are differences to the previous one: the most frequent difference, a code of two bits for each that gives its
    size in bytes, and the bytes.

    Args:
        packed: The table.
        count: Number of integers in it.

    Raises:
        ValueError: It has another number.
    """
    data = unpacked(packed)
    most, end = np.frombuffer(data[:4].ljust(4, b"\0"), dtype="<i4")[0], 4 + (count + 3) // 4
    if len(data) < end:
        raise ValueError
    bytes_of_codes = np.frombuffer(data, dtype=np.uint8, count=end - 4, offset=4)
    codes = ((bytes_of_codes[:, None] >> np.array([0, 2, 4, 6], dtype=np.uint8)) & 3).reshape(-1)[:count]
    widths = WIDTHS[codes]
    ends = end + np.cumsum(widths)
    if (ends[-1] if count else end) != len(data):
        raise ValueError
    raw = np.frombuffer(data, dtype=np.uint8)
    steps = np.full(count, most, dtype=np.int64)
    for width, kind in KINDS.items():
        at = np.flatnonzero(widths == width)
        places = (ends[at] - width)[:, None] + np.arange(width)
        steps[at] = raw[places].view(np.dtype(kind).newbyteorder("<"))[:, 0] if len(at) else 0
    return np.asarray(np.cumsum(steps))


def _blocks(packed: bytes) -> Iterator[bytes]:
    """Yield the LZ4 blocks: one if the first byte is 0, else that many, each after its size."""
    if not packed:
        raise ValueError
    if packed[0] == 0:
        yield packed[1:]
        return
    at = 1
    for _ in range(packed[0]):
        size = int.from_bytes(packed[at : at + 4], "little")
        block = packed[at + 4 : at + 4 + size]
        if not size or len(block) < size:
            raise ValueError
        yield block
        at += 4 + size


def _sequences(block: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield the position and length of the literals, and the distance and length of the repeat after them."""
    at = 0
    while at < len(block):
        token = block[at]
        literals, at = _length(block, at + 1, token >> 4)
        start, at = at, at + literals
        if at > len(block):
            raise ValueError
        if at == len(block):
            yield start, literals, 0, 0
            return
        distance = int.from_bytes(block[at : at + 2], "little")
        repeated, at = _length(block, at + 2, token & 15)
        yield start, literals, distance, repeated + 4
    raise ValueError


def _length(block: bytes, at: int, length: int) -> tuple[int, int]:
    """Return a length and the offset after it: 15 in four bits continues in bytes, up to the first one below 255.

    Raises:
        ValueError: The block ends before the length does.
    """
    more = 255 if length == 15 else 0
    while more == 255:
        if at >= len(block):
            raise ValueError
        more = block[at]
        length, at = length + more, at + 1
    return length, at


def _size_of(block: bytes) -> int:
    return sum(literals + repeated for _, literals, _, repeated in _sequences(block))


def _unpacked_block(block: bytes) -> bytes:
    out = bytearray()
    for start, literals, distance, repeated in _sequences(block):
        out += block[start : start + literals]
        if not repeated:
            continue
        if not 0 < distance <= len(out):
            raise ValueError
        pattern = out[len(out) - distance : len(out) - distance + min(distance, repeated)]
        out += (pattern * (repeated // len(pattern) + 1))[:repeated]
    return bytes(out)
