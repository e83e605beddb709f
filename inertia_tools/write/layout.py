# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The layout of a document, which added elements adopt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.description.xml import Element
from inertia_tools.write.splice import Splice

DEFAULT_INDENT = b"  "
"""Indentation of a child if the file itself shows none."""


LINE_ENDS = (b"\r\n", b"\n", b"\r")
"""Line endings of files in search order: the first contains the others, and the last is that of the classic Mac."""


@dataclass(frozen=True)
class Layout:
    """Line endings and indentation of a document.

    Attributes:
        newline: The bytes that end a line.
        unit: The step from the indentation of a parent to that of its children.
    """

    newline: bytes
    unit: bytes

    @classmethod
    def of(cls, data: bytes, root: Element) -> Layout:
        """Take the indentation of the root's first child as the step from parent to child."""
        unit = indent_of(data, root.children[0]) if root.children else b""
        newline = next((end for end in LINE_ENDS if end in data), LINE_ENDS[1])
        return cls(newline, unit or DEFAULT_INDENT)

    def inside(self, data: bytes, parent: Element) -> bytes:
        """Return the indentation of a parent's children."""
        return indent_of(data, parent.children[0]) if parent.children else indent_of(data, parent) + self.unit


def insert_children(data: bytes, parent: Element, texts: list[bytes], layout: Layout, at_front: bool = False) -> Splice:
    """Insert elements as the first or last children, each on its own line, indented like its siblings.

    Args:
        data: The document.
        parent: The element that receives the children.
        texts: The elements.
        layout: Layout of the document.
        at_front: Insert before the existing children instead of after them.
    """
    body = b"".join(layout.newline + layout.inside(data, parent) + text for text in texts)
    if parent.is_self_closing:
        opening = data[parent.start : parent.end - 2].rstrip()
        closing = layout.newline + indent_of(data, parent) + b"</" + parent.tag.encode() + b">"
        return Splice(parent.start + len(opening), parent.end, b">" + body + closing)
    if parent.children and not at_front:
        return Splice(parent.children[-1].end, parent.children[-1].end, body)
    if not parent.children and not data[parent.open_end : parent.close_start].strip():
        return Splice(parent.open_end, parent.close_start, body + layout.newline + indent_of(data, parent))
    return Splice(parent.open_end, parent.open_end, body)


def same_numbers(old: str, new: str) -> bool:
    """Return whether two texts hold the same numbers, in any notation."""
    try:
        return np.array_equal([float(word) for word in old.split()], [float(word) for word in new.split()])
    except ValueError:
        return False


def indent_of(data: bytes, element: Element) -> bytes:
    """Return the white space before an element on its line; none if other text precedes it."""
    begin = max(data.rfind(end, 0, element.start) for end in (b"\n", b"\r")) + 1
    before = data[begin : element.start]
    return before if not before.strip() else b""
