# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading numbers from a crate, never past its end."""

from __future__ import annotations

from dataclasses import dataclass


class Damage(Exception):
    """A crate is inconsistent."""


@dataclass(frozen=True)
class Bytes:
    """Bytes of a crate.

    Attributes:
        data: The bytes.
        name: Their name in messages.
    """

    data: bytes
    name: str = "it"

    def at(self, start: int, size: int) -> bytes:
        """Return a slice.

        Raises:
            Damage: It extends past the end.
        """
        if start < 0 or start + size > len(self.data):
            raise Damage(f"{self.name} claims {size} bytes at {start} and has {len(self.data)}")
        return self.data[start : start + size]

    def count(self, start: int, size: int = 8) -> int:
        """Return an unsigned number of that many bytes.

        Raises:
            Damage: It extends past the end.
        """
        return int.from_bytes(self.at(start, size), "little")

    def vector(self, start: int, size: int) -> int:
        """Return the offset after a count and that many items.

        Args:
            start: Offset of the count.
            size: Least size of an item in bytes.

        Raises:
            Damage: They would extend past the end.
        """
        return self.things(start + 8, self.count(start), size)

    def things(self, start: int, count: int, size: int) -> int:
        """Return the offset after that many items of `size` bytes.

        Raises:
            Damage: They would extend past the end.
        """
        if start + count * size > len(self.data):
            raise Damage(f"{self.name} claims {count} entries at {start} and has no room for them")
        return start + count * size
