# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""XML with byte offsets: each element has its start and end in the file, so that a writer can splice.

expat is used directly because it reports byte positions (lxml has none). Entity declarations are refused, which
rules out entity bombs and external entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from xml.parsers import expat

import numpy as np

from inertia_tools.description.encoding import UTF8
from inertia_tools.description.source import Origin, Place
from inertia_tools.description.xml_remedies import remedy
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Array

ATTRIBUTE = re.compile(rb"""([^\s=<>/"']+)\s*=\s*("[^"]*"|'[^']*')""")
TAG_END = re.compile(rb"""(?:[^"'>]++|"[^"]*+"|'[^']*+')*+>""")
COMMENT = re.compile(rb"<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!--(?P<text>.*?)-->", re.DOTALL)
"""A comment, or what may hold the characters of one without being one."""
INNER_HYPHEN = re.compile(rb"-(?=-)|-\Z")
"""A hyphen that XML forbids in a comment: before another one, or at the end."""
NumberReader = Callable[[str], list[float]]
"""Reads the numbers of a text; raises `ValueError` for an invalid word."""

NO_ORIGINS: Mapping[str, Origin] = MappingProxyType({})


@dataclass(eq=False)
class Element:
    """One element with its location in the file.

    Attributes:
        tag: Its name, with prefix.
        attributes: Attribute values as text.
        place: File and line of its start tag.
        start: Byte offset of its opening angle bracket.
        open_end: Byte offset after the closing angle bracket of its start tag.
        close_start: Byte offset of its end tag; equal to `open_end` for an element without content.
        end: Byte offset after the whole element.
        children: Elements inside it, in order.
        text: Character data directly inside it.
    """

    tag: str
    attributes: dict[str, str]
    place: Place
    start: int
    open_end: int
    close_start: int = 0
    end: int = 0
    children: list[Element] = field(default_factory=list)
    text: str = ""

    @property
    def is_self_closing(self) -> bool:
        """Whether it is written as a single tag, <like_this/>."""
        return self.end == self.open_end

    def with_attributes(self, attributes: dict[str, str]) -> Element:
        """Return the same element with other attributes."""
        return Element(
            self.tag,
            attributes,
            self.place,
            self.start,
            self.open_end,
            self.close_start,
            self.end,
            self.children,
            self.text,
        )

    def all(self, tag: str) -> Iterator[Element]:
        """Iterate over the direct children of that name."""
        return (child for child in self.children if child.tag == tag)

    def only(self, tag: str) -> Element | None:
        """Return the direct child of that name; None when there is none.

        Raises:
            ParseError: There are several.
        """
        found = None
        for child in self.children:
            if child.tag == tag:
                if found is not None:
                    raise self.error(f"<{self.tag}> has {len(list(self.all(tag)))} <{tag}> elements; keep one", child)
                found = child
        return found

    def required(self, tag: str) -> Element:
        """Return the one direct child of that name.

        Raises:
            ParseError: There is none, or there are several.
        """
        child = self.only(tag)
        if child is None:
            raise self.error(f"<{self.tag}> has no <{tag}>; add one")
        return child

    def attribute(self, name: str) -> str:
        """Return a required attribute.

        Raises:
            ParseError: It is absent.
        """
        if name not in self.attributes:
            raise self.error(f"<{self.tag}> has no attribute {name!r}; add one")
        return self.attributes[name]

    def number(self, name: str, default: float | None = None, parse: NumberReader | None = None) -> float:
        """Return an attribute as a number; it is required without a default.

        Raises:
            ParseError: It is absent without a default, or is not a number.
        """
        if default is not None and name not in self.attributes:
            return default
        return float(self.numbers(name, 1, parse=parse)[0])

    def numbers(
        self, name: str, count: int, default: tuple[float, ...] | None = None, parse: NumberReader | None = None
    ) -> Array:
        """Return an attribute as that many numbers, in XML notation, or read by another reader.

        Raises:
            ParseError: It is absent without a default, has another count, or holds something that is not a number.
        """
        if default is not None and name not in self.attributes:
            return np.array(default)
        text = self.attribute(name)
        try:
            values = np.array((parse or parse_numbers)(text))
        except ValueError as error:
            raise self.error(f"{name}={text!r} of <{self.tag}> is not a number; {number_remedy(text)}") from error
        if len(values) != count:
            raise self.error(f"{name}={text!r} of <{self.tag}> has {len(values)} numbers; {count} are needed")
        return values

    def error(self, reason: str, at: Element | None = None) -> ParseError:
        """Build the error for this element, or for another one."""
        place = (at or self).place
        written = place.origin or place
        return ParseError(reason, written.file, written.line)


def parse_numbers(text: str) -> list[float]:
    """Read numbers in XML notation; Python's digit separators and digits of other scripts are not permitted.

    Raises:
        ValueError: A word is not a number.
    """
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return [float(word) for word in text.split()]


def number_remedy(text: str) -> str:
    """Return what to write in place of a text that is not a number."""
    return "write a decimal point, and spaces between numbers, but no comma" if "," in text else "write digits"


def parse_xml(data: bytes, name: str, origins: Mapping[str, Origin] = NO_ORIGINS) -> Element:
    """Parse a document into elements with byte offsets.

    Two hyphens in a comment are permitted, as in the parser of Gazebo, MuJoCo and robot_state_publisher.

    Args:
        data: The document in UTF-8, whatever it declares (see `as_utf8`).
        name: Name of the document in messages.
        origins: Sources of elements by their paths, if the document was made from a xacro.

    Raises:
        ParseError: The text is empty, not well-formed, declares entities, or exceeds the memory.
    """
    if not data.strip():
        raise ParseError("the document is empty; check its path, or the program that writes it", name)
    try:
        return _TreeBuilder(data, name, origins).parse()
    except ParseError:
        permitted = with_plain_comments(data)
        if permitted == data:
            raise
    return _TreeBuilder(permitted, name, origins).parse()


def with_plain_comments(data: bytes) -> bytes:
    """Return a document with spaces for the hyphens that XML forbids in comments; all offsets stay the same."""
    return COMMENT.sub(_plain, data)


def _plain(match: re.Match[bytes]) -> bytes:
    if match["text"] is None:
        return match[0]
    return b"<!--" + INNER_HYPHEN.sub(b" ", match["text"]) + b"-->"


def new_parser() -> expat.XMLParserType:
    """Return a parser for a document in UTF-8; one that was converted may still declare another encoding."""
    return expat.ParserCreate(UTF8)


class _TreeBuilder:
    """Collects expat's events into elements; no recursion, so depth costs only memory."""

    def __init__(self, data: bytes, name: str, origins: Mapping[str, Origin]) -> None:
        self._data = data
        self._origins = origins
        self._name = name
        self._open: list[Element] = []
        self._met: list[dict[str, int]] = [{}]
        self._root: Element | None = None
        self._parser = new_parser()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._finish
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity

    def parse(self) -> Element:
        try:
            self._parser.Parse(self._data, True)
        except ParseError:
            raise
        except MemoryError as error:
            size = len(self._data) / 2**20
            raise ParseError(
                f"its {size:.0f} MiB need more memory than is available; split the document", self._name
            ) from error
        except (expat.ExpatError, ValueError) as error:
            line = getattr(error, "lineno", None)
            raise ParseError(f"not well-formed XML ({error}); {self._remedy(error)}", self._name, line) from error
        assert self._root is not None
        return self._root

    def _remedy(self, error: Exception) -> str:
        inner = self._open[-1] if self._open else None
        opened = None if inner is None else (inner.tag, inner.place.line or 1)
        return remedy(error, self._data, self._parser.ErrorByteIndex, opened)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        start = self._parser.CurrentByteIndex
        match = TAG_END.match(self._data, start)
        assert match is not None
        around = self._open[-1] if self._open else None
        step = self._step(tag, attributes.get("name"))
        place = Place(self._name, self._parser.CurrentLineNumber, start, step, around.place if around else None)
        if self._origins:
            place = replace(place, origin=self._origins.get(place.path, around.place.origin if around else None))
        element = Element(tag, attributes, place, start, match.end())
        if around:
            around.children.append(element)
        else:
            self._root = element
        self._open.append(element)
        self._met.append({})

    def _step(self, tag: str, name: str | None) -> str:
        """Return an element as a step of a path: with its name, else numbered from the second of its kind on."""
        met = self._met[-1]
        met[tag] = met.get(tag, 0) + 1
        if name is not None:
            quote = '"' if "'" in name else "'"
            return f"{tag}[@name={quote}{name}{quote}]"
        return tag if met[tag] == 1 else f"{tag}[{met[tag]}]"

    def _finish(self, _tag: str) -> None:
        element = self._open.pop()
        self._met.pop()
        if self._data[element.open_end - 2 : element.open_end] == b"/>":
            element.close_start = element.end = element.open_end
            return
        element.close_start = self._parser.CurrentByteIndex
        element.end = self._data.index(b">", element.close_start) + 1

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text

    def _refuse_entity(self, entity: str, *_rest: object) -> None:
        raise ParseError(
            f"the document declares the entity {entity!r}; entities are refused; write the text in place of the entity",
            self._name,
            self._parser.CurrentLineNumber,
        )


def attribute_spans(data: bytes, element: Element) -> dict[str, tuple[int, int]]:
    """Return the byte range of each attribute's value, without its quotes, by attribute name."""
    opening = data[element.start : element.open_end]
    first_space = re.match(rb"<[^\s/>]+", opening)
    assert first_space is not None
    return {
        match.group(1).decode(): (element.start + match.start(2) + 1, element.start + match.end(2) - 1)
        for match in ATTRIBUTE.finditer(opening, first_space.end())
    }
