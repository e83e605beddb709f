# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading numbers out of a crate, never past its end."""

from __future__ import annotations

from dataclasses import dataclass


class Damage(Exception):
    """A crate cannot be what was written."""


@dataclass(frozen=True)
class Bytes:
    """Bytes of a crate.

    Attributes:
        data: The bytes.
        name: What to call them in messages.
    """

    data: bytes
    name: str = "it"

    def at(self, start: int, size: int) -> bytes:
        """Return a part.

        Raises:
            Damage: It lies past the end.
        """
        if start < 0 or start + size > len(self.data):
            raise Damage(f"{self.name} claims {size} bytes at {start} and has {len(self.data)}")
        return self.data[start : start + size]

    def count(self, start: int, size: int = 8) -> int:
        """Return an unsigned number of so many bytes.

        Raises:
            Damage: It lies past the end.
        """
        return int.from_bytes(self.at(start, size), "little")

    def vector(self, start: int, size: int) -> int:
        """Return the place after a count and so many things.

        Args:
            start: Where the count is.
            size: Bytes that one of them takes at least.

        Raises:
            Damage: They would lie past the end.
        """
        return self.things(start + 8, self.count(start), size)

    def things(self, start: int, count: int, size: int) -> int:
        """Return the place after so many things, `size` bytes each.

        Raises:
            Damage: They would lie past the end.
        """
        if start + count * size > len(self.data):
            raise Damage(f"{self.name} claims {count} entries at {start} and has no room for them")
        return start + count * size
