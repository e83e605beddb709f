# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Files that an MJCF document includes: their elements replace the `<include>`."""

from __future__ import annotations

from pathlib import Path

from inertia_tools.description.circle import circle_of, circle_text
from inertia_tools.description.content import content_of
from inertia_tools.description.resources import readable
from inertia_tools.description.source import Document
from inertia_tools.description.xacro import refuse_xacro
from inertia_tools.description.xml import Element, parse_xml
from inertia_tools.errors import MissingFileError


def expand_includes(root: Element, document: Document) -> dict[str, Document]:
    """Replace each `<include>` by the content of its file, and return those files by name.

    File names are relative to the folder of the main document, else to that of the file with the include; a file is
    included once. If the document has a resolver, that returns the location or the content of a file.

    Raises:
        ParseError: A file is missing, not XML, included a second time, or includes itself.
    """
    files: dict[str, Document] = {}
    from_where: dict[str, str] = {}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        while any(child.tag == "include" for child in element.children):
            element.children = [
                inner
                for child in element.children
                for inner in (_included(child, document, files, from_where) if child.tag == "include" else [child])
            ]
        waiting.extend(element.children)
    return files


def _included(
    include: Element, document: Document, files: dict[str, Document], from_where: dict[str, str]
) -> list[Element]:
    """Return the content of an include, and record the file and the file that includes it."""
    file = include.attribute("file").strip()
    answer = document.resolved(file)
    is_text = answer.lstrip().startswith("<")
    path = _found(answer, include, document) if not is_text else Path()
    name = f"<{file}>" if is_text else str(path)
    circle = circle_of(_chain(include.place.file, from_where), name)
    if circle:
        raise include.error(circle_text(circle))
    if name in files:
        raise include.error(f"{file!r} is included a second time, first by {from_where[name]}; include it once")
    from_where[name] = include.place.file
    if is_text:
        return _elements(answer.encode(), name)
    data = bytes_of(path, include, document, "included file")
    files[name] = document.naming(path, data)
    return _elements(files[name].data, name)


def _chain(name: str, from_where: dict[str, str]) -> list[str]:
    """Return the files from the main document to one of those that it includes."""
    chain = [name]
    while chain[-1] in from_where:
        chain.append(from_where[chain[-1]])
    return chain[::-1]


def _elements(data: bytes, name: str) -> list[Element]:
    """Return the top-level elements of an included document."""
    root = parse_xml(data, name)
    refuse_xacro(root)
    return root.children


def bytes_of(path: Path, element: Element, document: Document, what: str) -> bytes:
    """Return the content of another file of a document, or its replacement.

    Args:
        path: The file.
        element: The element that names it.
        document: The document.
        what: The kind of file, for the message.

    Raises:
        ParseError: It cannot be opened.
    """
    name = str(path)
    if name in document.replaced:
        return document.replaced[name]
    try:
        if readable(path, document) is None and path.exists():
            raise OSError(None, "it is not a regular file, or lies outside the allowed folders")
        return content_of(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if document.path is None and not path.is_absolute():
            refusal = element.error(
                f"Cannot resolve relative path {name!r} of the {what} without base directory, as the document is text "
                f"({reason} in the working folder); give the document as a file, or an absolute path"
            )
        else:
            hint = "write its path from the folder of the main file"
            refusal = element.error(f"the {what} {name!r} cannot be opened ({reason}); {hint}")
        if isinstance(error, FileNotFoundError):
            raise MissingFileError(refusal.reason, refusal.path, refusal.line) from error
        raise refusal from error


def _found(file: str, include: Element, document: Document) -> Path:
    """Return the path of an included file, whether or not it exists."""
    first = (document.path.parent if document.path is not None else Path()) / file
    second = Path(include.place.file).parent / file
    is_second = readable(first, document) is None and readable(second, document) is not None
    return second if is_second else first
