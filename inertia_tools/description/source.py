# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The text of a description, and places in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from inertia_tools.description.encoding import UTF8, as_utf8, codec_of

PathResolver = Callable[[str | None, str], str]
"""Returns the path of a file, or the text of an included one.

It is given the folder that names are relative to (None for text from elsewhere), and the name in the document.
"""

LONGEST_PATH = 100
"""Maximum number of steps of a path; the paths of a deep chain of nested bodies would otherwise fill the memory."""

LONGEST_TEXT = 4000
"""Maximum number of characters of a path; names may be as long as the file."""


@dataclass(frozen=True)
class Origin:
    """The source of an element of an expanded xacro.

    Attributes:
        file: The xacro.
        line: The line there, counted from 1.
        macro: The macro that contains it; empty outside of macros.
    """

    file: str
    line: int
    macro: str = ""


@dataclass(frozen=True)
class Place:
    """A place in a document: the file's name and the line, counted from 1.

    Attributes:
        file: The document's name.
        line: The line; None if it refers to no single line.
        offset: Byte offset of the element, for writers; None if it refers to no element.
        step: The element, as one step of a path; empty if it refers to no element.
        within: The place of the parent element.
        origin: Source of the element, or of its parent, in the xacro from which the document was expanded; None for
            other documents.
    """

    file: str
    line: int | None = None
    offset: int | None = field(default=None, compare=False)
    step: str = field(default="", compare=False)
    within: Place | None = field(default=None, compare=False, repr=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def element(self) -> tuple[str, int | None]:
        """File and byte of the element, which identify it even if several are in one line."""
        return self.file, self.offset

    @property
    def path(self) -> str:
        """The element's path from the root, in XPath notation; empty if it refers to no element.

        For an element that is nested deeper than `LONGEST_PATH`, or whose path is longer than `LONGEST_TEXT`, it has
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
    """The bytes of a description and their source.

    Attributes:
        data: The text as stored, byte for byte; converted to UTF-8 from other encodings.
        name: The file's path, or a name in angle brackets for text from elsewhere.
        path: The file itself; None for text from elsewhere.
        package_path: Folders that were searched for packages and models before all others.
        generated: The text was made from the file (an expanded xacro), so it cannot be written back there.
        origins: Sources of elements by their paths, if the text was made from a xacro.
        replaced: Content in UTF-8 that replaces files on disk that the document includes, by the file's name.
        allowed_roots: Folders that must contain every file it names, after following links; no restriction if empty.
        codec: Encoding in which it is stored; found in the data if empty, which then stays so for UTF-8.
        path_resolver: Returns the location of a file that it names, or the content of an included one; None for the
            default.
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
        """Convert a document in another encoding to UTF-8; with a codec it was converted already.

        Raises:
            ParseError: It is not in the encoding that it declares.
        """
        codec = "" if self.codec else codec_of(self.data)
        if codec:
            object.__setattr__(self, "codec", codec)
            object.__setattr__(self, "data", as_utf8(self.data, self.name))

    @property
    def stored(self) -> bytes:
        """The document in the encoding of its file."""
        return self.data.decode().encode(self.codec) if self.codec else self.data

    def resolved(self, name: str) -> str:
        """Return the resolver's result for the name of a file; the name itself without a resolver."""
        if self.path_resolver is None:
            return name
        return self.path_resolver(None if self.path is None else str(self.path.parent), name)

    def naming(self, path: Path, data: bytes) -> Document:
        """Return the document of a file that this one names, with the same permissions to read files."""
        codec = UTF8 if str(path) in self.replaced else ""  # replacements are in UTF-8, whatever the file declares
        return replace(self, data=data, name=str(path), path=path, generated=False, codec=codec)
