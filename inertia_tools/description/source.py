# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The text a description was read from, and places in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from inertia_tools.description.encoding import as_utf8, codec_of

PathResolver = Callable[[str | None, str], str]
"""Returns the path of a file, or the text of an included one, of the folder that names count from (None for text from
elsewhere) and of the name in the document."""

LONGEST_PATH = 100
"""Steps of a path at most; those of a chain of bodies nested in one another would else fill the memory."""

LONGEST_TEXT = 4000
"""Characters of a path at most; names may be as long as the file."""


@dataclass(frozen=True)
class Origin:
    """Where an element of an expanded xacro was written.

    Attributes:
        file: The xacro.
        line: The line there, counted from 1.
        macro: The macro that it stands in; empty outside of macros.
    """

    file: str
    line: int
    macro: str = ""


@dataclass(frozen=True)
class Place:
    """A place in a document: the file's name and the line, counted from 1.

    Attributes:
        file: The document's name.
        line: The line; None when no single one is meant.
        offset: Byte at which the element there begins, for writers; None when no element is meant.
        step: The element there, as one step of a path; empty when no element is meant.
        within: The place of the element around it.
        origin: Where a person finds the element, or the one around it, in the xacro that the document was expanded
            from; None for documents as they are.
    """

    file: str
    line: int | None = None
    offset: int | None = field(default=None, compare=False)
    step: str = field(default="", compare=False)
    within: Place | None = field(default=None, compare=False, repr=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def element(self) -> tuple[str, int | None]:
        """File and byte of the element there: of one element alone, where several may stand in a line."""
        return self.file, self.offset

    @property
    def path(self) -> str:
        """The element's path from the root, as XPath writes it; empty when no element is meant.

        Of an element that is nested deeper than `LONGEST_PATH`, or whose path is longer than `LONGEST_TEXT`, it has
        the last steps, after a double slash.
        """
        steps: list[str] = []
        place, length = self if self.step else None, 0
        while place is not None and len(steps) < LONGEST_PATH:
            length += len(place.step)
            if length > LONGEST_TEXT:
                break
            steps.append(place.step)
            place = place.within
        if not steps:
            return ""
        path = "".join(f"/{step}" for step in reversed(steps))
        return path if place is None else f"/{path}"

    def __str__(self) -> str:
        place = self.origin or self
        return place.file if place.line is None else f"{place.file}:{place.line}"


@dataclass(frozen=True)
class Document:
    """The bytes of a description and where they came from.

    Attributes:
        data: The text as stored, byte for byte; that of a document in UTF-16 as UTF-8.
        name: The file's path, or a name in angle brackets for text from elsewhere.
        path: The file itself; None for text from elsewhere.
        package_path: Folders that were searched for packages and models before all others.
        generated: The text was made from the file (an expanded xacro), so it cannot be written back there.
        origins: Where elements were written, by their paths, where the text was made from a xacro.
        replaced: Content of files that it includes, to be taken instead of what is on disk, by the file's name.
        allowed_roots: Folders that every file it names must lie in, once links are followed; anywhere when empty.
        codec: Encoding of two bytes a character in which it is stored; empty for others.
        path_resolver: Says where a file that it names is, or what an included one holds; None for the usual places.
    """

    data: bytes
    name: str
    path: Path | None = None
    package_path: tuple[Path, ...] = ()
    generated: bool = False
    replaced: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    allowed_roots: tuple[Path, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))
    codec: str = ""
    path_resolver: PathResolver | None = None

    def __post_init__(self) -> None:
        """Hold a document in UTF-16 as UTF-8.

        Raises:
            ParseError: It begins as UTF-16 and is not.
        """
        codec = codec_of(self.data)
        if codec:
            object.__setattr__(self, "codec", codec)
            object.__setattr__(self, "data", as_utf8(self.data, codec, self.name))

    @property
    def stored(self) -> bytes:
        """The document in the encoding of its file."""
        return self.data.decode().encode(self.codec) if self.codec else self.data

    def resolved(self, name: str) -> str:
        """Return what the document's own resolver makes of the name of a file; the name itself without one."""
        if self.path_resolver is None:
            return name
        return self.path_resolver(None if self.path is None else str(self.path.parent), name)

    def naming(self, path: Path, data: bytes) -> Document:
        """Return the document of a file that this one names, which may read what this one may."""
        return replace(self, data=data, name=str(path), path=path, generated=False, codec="")
