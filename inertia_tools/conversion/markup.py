# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing XML text: elements, and numbers that are read back to the last bit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from inertia_tools.spatial import Array

INDENT = "  "
DEEPEST_INDENT = 60
"""Maximum number of indented levels; a deep chain of nested bodies would otherwise be mostly blanks."""


class NotFiniteError(ValueError):
    """A number to write is not finite."""


@dataclass(eq=False)
class Node:
    """An element to write.

    Attributes:
        tag: Its name.
        attributes: Attribute values as text, in order.
        text: Character data; an element with text has no children.
        children: Child elements, or XML text to insert unchanged.
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Node | str] = field(default_factory=list)

    def add(self, tag: str, text: str = "", **attributes: str) -> Node:
        """Add an element as the last child, and return it."""
        child = Node(tag, attributes, text)
        self.children.append(child)
        return child

    def add_number(self, tag: str, value: float) -> Node:
        """Add an element that holds a number."""
        return self.add(tag, number(value))


def number(value: float) -> str:
    """Write a number with as many digits, up to 17, as needed to read the same one back.

    Raises:
        NotFiniteError: It is not finite.
    """
    if not math.isfinite(value):
        raise NotFiniteError(f"a value of it is {value:g}, which readers refuse; write a finite number")
    text = repr(float(value))
    return text.removesuffix(".0") if value else "0"


def numbers(values: Iterable[float] | Array) -> str:
    """Write numbers with spaces between."""
    return " ".join(number(value) for value in np.asarray(values, dtype=np.float64).ravel().tolist())


def render(root: Node, remark: str = "") -> bytes:
    """Return a document with this root, in UTF-8.

    Args:
        root: The root element.
        remark: A comment above it.
    """
    lines = ['<?xml version="1.0"?>']
    if remark:
        lines.append(f"<!-- {remark.replace('--', '- -')} -->")
    lines += _lines(root)
    return ("\n".join(lines) + "\n").encode()


def _lines(root: Node) -> Iterator[str]:
    """Iterate over the lines of an element without recursion, so that nesting may be deep."""
    waiting: list[tuple[Node | str, int]] = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        indent = INDENT * min(depth, DEEPEST_INDENT)
        if isinstance(node, str):
            yield indent + node
            continue
        attributes = "".join(f" {name}={quoteattr(text)}" for name, text in node.attributes.items())
        opening = f"{indent}<{node.tag}{attributes}"
        if not node.children:
            yield f"{opening}>{escape(node.text)}</{node.tag}>" if node.text else f"{opening}/>"
            continue
        yield f"{opening}>"
        waiting.append((f"</{node.tag}>", depth))
        waiting += [(child, depth + 1) for child in reversed(node.children)]
