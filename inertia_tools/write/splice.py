# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Replacing a few bytes of a document and keeping all others."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from inertia_tools.description.xml import Element


@dataclass(frozen=True, order=True)
class Splice:
    """`text` replaces bytes `start` to `end` of a document; for an insertion start equals end."""

    start: int
    end: int
    text: bytes


def elements_at(root: Element, starts: Container[int]) -> Iterator[Element]:
    """Iterate over the elements of a document that begin at any of these byte offsets."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        waiting.extend(element.children)
        if element.start in starts:
            yield element


def apply_splices(data: bytes, splices: Iterable[Splice]) -> bytes:
    """Return the document with all splices applied; their offsets refer to the original document.

    Raises:
        ValueError: Two splices overlap.
    """
    pieces: list[bytes] = []
    done = 0
    for splice in sorted(splices):
        if splice.start < done:
            raise ValueError(f"two changes meet at byte {splice.start}")
        pieces += [data[done : splice.start], splice.text]
        done = splice.end
    return b"".join([*pieces, data[done:]])
