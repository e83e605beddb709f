# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The sources of the elements of an expanded xacro: file, line and macro.

xacro keeps no lines. Therefore each element that it reads is given an attribute with a number, which macros copy like
any other attribute; after the expansion the numbers are collected by the elements' paths, and removed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from inertia_tools.description.source import Origin
from inertia_tools.description.xml import Element, parse_xml

MARK = "inertia-tools-origin"
"""Attribute that holds the number."""

PREFIX = "xacro:"
MACRO = "xacro:macro"
ARGUMENT = "xacro:arg"
ELEMENT_NODE = 1


class OriginMarks:
    """The numbers given to elements, and their sources.

    Attributes:
        arguments: Names of the `<xacro:arg>` in all files read, whether or not a condition left them out.
    """

    def __init__(self) -> None:
        self.arguments: set[str] = set()
        self._origins: list[Origin] = []

    @contextlib.contextmanager
    def marking(self, xacro: Any, name: str) -> Iterator[None]:
        """Mark the elements of all files that xacro reads in this context.

        Args:
            xacro: The package.
            name: Name of the expanded document in messages.
        """
        original = xacro.parse

        def parse(source: Any, filename: str | None = None) -> Any:
            document = original(source, filename)
            if isinstance(source, str):
                self._mark(document, source, name)
            elif source is None and filename is not None:
                self._mark(document, Path(xacro.root_dir or "", filename).read_bytes(), filename)
            return document

        xacro.parse = parse
        try:
            yield
        finally:
            xacro.parse = original

    def collect(self, document: Any) -> dict[str, Origin]:
        """Return sources by path, and remove the marks from the document.

        Args:
            document: The expansion, of xml.dom.minidom.
        """
        marked = parse_xml(document.toxml(encoding="utf-8"), "")
        found = {element.place.path: self._origins[int(number)] for element, number in _numbers(marked)}
        for element in _elements(document.documentElement):
            if element.hasAttribute(MARK):
                element.removeAttribute(MARK)
        return found

    def _mark(self, document: Any, text: str | bytes, file: str) -> None:
        lines = _lines(text)
        elements = list(_elements(document.documentElement))
        self.arguments.update(one.getAttribute("name") for one in elements if one.tagName == ARGUMENT)
        if len(lines) != len(elements):
            return  # its lines are unknown
        for element, line in zip(elements, lines, strict=True):
            origin = Origin(file, line, _macro_around(element))
            element.setUserData(MARK, origin, _HandedOn)
            if not element.tagName.startswith(PREFIX):
                element.setAttribute(MARK, str(len(self._origins)))
                self._origins.append(origin)


def origin_of(element: Any) -> Origin | None:
    """Return the source of an element that xacro works on, also of a macro's copy; None if it is unknown."""
    return element.getUserData(MARK) if getattr(element, "nodeType", None) == ELEMENT_NODE else None


class _HandedOn:
    """Gives the copy of an element its source."""

    @staticmethod
    def handle(operation: int, key: str, origin: Origin, element: Any, copy: Any) -> None:
        """Copy the source; called by xml.dom.minidom."""
        copy.setUserData(key, origin, _HandedOn)


def _lines(text: str | bytes) -> list[int]:
    """Return the line of every start tag, in document order; none if the text is not read as xacro reads it."""
    lines: list[int] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: lines.append(parser.CurrentLineNumber)
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return []
    return lines


def _elements(root: Any) -> Iterator[Any]:
    """Yield an element and its descendants, in document order."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(child for child in reversed(element.childNodes) if child.nodeType == ELEMENT_NODE)


def _numbers(root: Element) -> Iterator[tuple[Element, str]]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if MARK in element.attributes:
            yield element, element.attributes[MARK]
        waiting.extend(element.children)


def _macro_around(element: Any) -> str:
    """Return the name of the macro that contains an element; empty if none does."""
    node = element.parentNode
    while node is not None and node.nodeType == ELEMENT_NODE:
        if node.tagName == MACRO:
            return str(node.getAttribute("name"))
        node = node.parentNode
    return ""
