# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Templates of messages that differ only in their numbers: serialised once, then filled in.

Building a message of nested Python objects and serialising it takes a millisecond for fifty links; writing numbers into
bytes takes microseconds. To find the positions of the numbers, a message with unique numbers is serialised and searched
for these, so the templates do not depend on the structure of a message.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message

from inertia_tools.ros.simulation_messages import NANOSECONDS_A_SECOND
from inertia_tools.spatial import Array

HEADER = 4
"""Bytes of the encapsulation header; numbers are aligned relative to its end."""

WORD = 4
"""Bytes of each part of a stamp; a count has twice as many."""

SECONDS, NANOSECONDS, COUNT = 0x5EC0_0D51, 0x5A30_0D52, 0x5C0D_5EC0_7A30_0D53
"""Unique numbers that mark a stamp, and a count of steps."""


class MessageTemplate:
    """One message, to be filled repeatedly."""

    def __init__(self, make: Callable[[Array, Time, int], Any], count: int) -> None:
        """Serialise a message and find the positions of its numbers.

        Args:
            make: Builds the message from its numbers, a stamp and a count of steps, which it may ignore.
            count: Number of float64 values.

        Raises:
            ValueError: A number is not in the message, or occurs several times.
        """
        marks = _marks(count)
        data = serialize_message(make(marks, Time(sec=SECONDS, nanosec=NANOSECONDS), COUNT))
        padding = -(len(data) - HEADER) % 8
        # Bytes before the header that align the numbers.
        self._bytes = bytearray(bytes(HEADER) + data + bytes(padding))
        self._message = memoryview(self._bytes)[HEADER : HEADER + len(data)]
        self._doubles, words = (np.frombuffer(self._bytes, dtype=kind) for kind in ("<f8", "<u4"))
        self._places = _places(self._doubles, marks)
        # The stamp comes first; elsewhere its bits may be in padding, which is never cleared.
        self._stamps = (WORD * np.flatnonzero(words == SECONDS)[:1]).tolist()
        self._counts = (2 * WORD * np.flatnonzero(self._doubles.view("<u8") == COUNT)).tolist()

    def filled(self, numbers: Array, nanoseconds: int, count: int = 0) -> bytes:
        """Return the serialised message, with a simulated time as its stamp [ns]."""
        if len(self._places):
            self._doubles[self._places] = numbers
        for place in self._stamps:
            struct.pack_into("<iI", self._bytes, place, *divmod(nanoseconds, NANOSECONDS_A_SECOND))
        for place in self._counts:
            struct.pack_into("<Q", self._bytes, place, count)
        return bytes(self._message)


def _marks(count: int) -> Array:
    """Return unlikely numbers in ascending order.

    The padding of a serialised message is uninitialised memory of at most seven bytes, and the byte before it is the
    terminating zero of a string. No mark therefore has a zero as its first byte.
    """
    drawn = np.random.default_rng(0).random(count) + 1.0
    return np.asarray(np.unique((drawn.view(np.uint64) | np.uint64(1)).view(np.float64)))


def _places(values: Array, marks: Array) -> Any:
    """Return the positions of marks among values, in their order.

    Raises:
        ValueError: A mark is missing, or occurs more than once.
    """
    found = np.flatnonzero(np.isin(values, marks))
    if len(found) != len(marks):
        raise ValueError(f"{len(found)} numbers of a message were found where {len(marks)} were expected")
    return found[np.argsort(values[found], kind="stable")]
