# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lines on which prims begin in the text of a layer, for messages."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from inertia_tools.description.source import Document, Place

TOKEN = re.compile(
    r"""
    \[[^\[\]"'@{}]*\] | \([^()"'@{}]*\) | \#[^\n]* | \"{3}.*?\"{3} | '{3}.*?'{3} | @{3}.*?@{3} | @[^@\n]*@
    | (?P<prim> (?:def|over|class) (?:[ \t]+\w+)? [ \t]* "(?P<name>[^"\n]+)" )
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | (?P<open> [{(\[] ) | (?P<close> [})\]] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""What matters of the text of a layer: where prims begin, and what brackets are around them; numbers are skipped."""

LONGEST = 4_000_000
"""Texts longer than this [bytes] are mostly numbers of meshes, and are not searched."""


class Lines:
    """Places of prims in the document that a stage was opened from."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.whole = Place(document.name)

    def place(self, prim: Any) -> Place:
        """Return the place of a prim; the whole document for one of another file, or a binary or very long one."""
        return self.place_of(str(prim.GetPath()))

    def place_of(self, path: str) -> Place:
        """Return the place of the prim of a path, likewise."""
        line = self._by_path.get(path)
        return self.whole if line is None else Place(self._document.name, line)

    @cached_property
    def _by_path(self) -> dict[str, int]:
        if not self._document.data.startswith(b"#usda") or len(self._document.data) > LONGEST:
            return {}
        return lines_of(self._document.data.decode("utf-8", errors="replace"))


def lines_of(text: str) -> dict[str, int]:
    """Return the line on which each prim of a layer begins, counted from 1, by its path."""
    found: dict[str, int] = {}
    inside: list[str | None] = []
    waiting: str | None = None
    line, counted = 1, 0
    for token in TOKEN.finditer(text):
        if token["prim"]:
            if text[token.start() - 1].isalnum():
                continue
            line += text.count("\n", counted, token.start())
            counted = token.start()
            parent = next((path for path in reversed(inside) if path is not None), "")
            waiting = f"{parent}/{token['name']}"
            found.setdefault(waiting, line)
        elif token["open"]:
            is_body = token["open"] == "{" and waiting is not None and (not inside or inside[-1] is not None)
            inside.append(waiting if is_body else None)
            waiting = None if is_body else waiting
        elif token["close"] and inside:
            inside.pop()
    return found
