# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Line numbers of prims in the text of layers, for messages."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
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
"""The relevant tokens of a layer's text: starts of prims, and brackets around them; numbers are skipped."""

LONGEST = 4_000_000
"""Texts longer than this [bytes] are mostly numbers of meshes, and are not searched."""


class Lines:
    """Places of prims in the document of a stage, and in the files that it is composed of."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._others: dict[str, tuple[str, dict[str, int]]] = {}
        self.whole = Place(document.name)

    def place(self, prim: Any) -> Place:
        """Return the place of a prim in the document, else of its source: a prototype, a variant, or another file.

        If that file is binary or very long, it is the whole file.
        """
        own = self.place_of(str(prim.GetPath()))
        return own if own.line is not None else self._origin(prim)

    def place_of(self, path: str) -> Place:
        """Return the place of a path's prim in the document itself; the whole document if it has none."""
        line = self._by_path.get(path)
        return self.whole if line is None else Place(self._document.name, line)

    def place_of_file(self, path: str) -> Place:
        """Return the first place in the document that names a file; the whole document if none does."""
        name, data = os.path.basename(path).encode(), self._document.data
        start = data.find(name) if data.startswith(b"#usda") else -1
        return self.whole if start < 0 else Place(self._document.name, data.count(b"\n", 0, start) + 1)

    def _origin(self, prim: Any) -> Place:
        """Return the place of the strongest opinion about a prim in a text layer."""
        root = prim.GetStage().GetRootLayer()
        for spec in prim.GetPrimStack():
            path = str(spec.path.StripAllVariantSelections())
            name, lines = (self._document.name, self._by_path) if spec.layer == root else self._other(spec.layer, root)
            if path in lines:
                return Place(name, lines[path])
        return self.whole

    def _other(self, layer: Any, root: Any) -> tuple[str, dict[str, int]]:
        """Return the name of another file, relative as the document's name is, and the lines of its prims."""
        real = str(layer.realPath)
        if real not in self._others:
            path = Path(real)
            is_near = self._document.path is not None and bool(root.realPath)
            name = os.path.relpath(real, Path(root.realPath).parent) if is_near and real else real
            data = path.read_bytes() if path.is_file() and path.stat().st_size <= LONGEST else b""
            self._others[real] = os.path.join(os.path.dirname(self._document.name), name), _lines_in(data)
        return self._others[real]

    @cached_property
    def _by_path(self) -> dict[str, int]:
        return _lines_in(self._document.data)


def _lines_in(data: bytes) -> dict[str, int]:
    """Return the lines of the prims of a file; none for a binary or very long one."""
    if not data.startswith(b"#usda") or len(data) > LONGEST:
        return {}
    return lines_of(data.decode("utf-8", errors="replace"))


def lines_of(text: str) -> dict[str, int]:
    """Return the first line of each prim of a layer, counted from 1, by its path."""
    found: dict[str, int] = {}
    inside: list[str | None] = []
    waiting: str | None = None
    depth = 0
    line, counted = 1, 0
    for token in TOKEN.finditer(text):
        if token["prim"]:
            if text[token.start() - 1].isalnum():
                continue
            line += text.count("\n", counted, token.start())
            counted = token.start()
            parent = next((path for path in reversed(inside) if path is not None), "")
            waiting, depth = f"{parent}/{token['name']}", len(inside)
            found.setdefault(waiting, line)
        elif token["open"]:
            is_body = token["open"] == "{" and waiting is not None and len(inside) == depth
            inside.append(waiting if is_body else None)
            waiting = None if is_body else waiting
        elif token["close"] and inside:
            inside.pop()
    return found
