# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Finding and reading the models that an `<include>` names, on this machine only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inertia_tools.description.content import content_of
from inertia_tools.description.encoding import as_utf8
from inertia_tools.description.resources import readable, resolve_uri
from inertia_tools.description.sdf.values import text_in
from inertia_tools.description.source import Document
from inertia_tools.description.xacro import refuse_xacro
from inertia_tools.description.xml import Element, parse_xml
from inertia_tools.errors import ParseError
from inertia_tools.wording import not_opened

MANIFEST = "model.config"
USUAL_NAME = "model.sdf"


@dataclass(frozen=True, eq=False)
class IncludedModel:
    """The model of a file.

    Attributes:
        root: The file's `<sdf>`.
        element: Its `<model>`; None if it holds a light or an actor.
        document: The file.
    """

    root: Element
    element: Element | None
    document: Document


class Library:
    """The files that a document includes, each read once."""

    def __init__(self) -> None:
        self._read: dict[Path, IncludedModel] = {}

    def find(self, include: Element, document: Document) -> IncludedModel | str:
        """Return the model that an include names, or the reason why there is none.

        Raises:
            ParseError: The include names none, or the file exists and is not well-formed.
        """
        uri = text_in(include, "uri")
        if not uri:
            raise include.error("<include> has no <uri>; name a model's folder or file")
        if uri.startswith(("http://", "https://")):
            return f"{uri} is on the network and is not fetched; download it and name the local file"
        path = _file_of(uri, document)
        if path is None:
            return f"{uri} was not found; name the folder that holds it with --package-path"
        if path not in self._read:
            self._read[path] = _read_model(path, document)
        model = self._read[path]
        holds_other = model.element is None and any(child.tag in ("light", "actor") for child in model.root.children)
        if model.element is None and not holds_other:
            return f"{path} holds no <model>; include a file that has one"
        return model


def _file_of(uri: str, document: Document) -> Path | None:
    """Return the SDFormat file that a URI refers to: that file, or the one in that folder."""
    base = uri.rstrip("/")
    for start in (base, f"model://{base}") if "://" not in base else (base,):
        direct = resolve_uri(start, document)
        if direct is not None:
            return direct.resolve()
        manifest = resolve_uri(f"{start}/{MANIFEST}", document)
        named = None if manifest is None else _named_in(manifest, document)
        if named is not None:
            return named.resolve()
        usual = resolve_uri(f"{start}/{USUAL_NAME}", document)
        if usual is not None:
            return usual.resolve()
    return None


def _named_in(manifest: Path, document: Document) -> Path | None:
    """Return the existing file of the newest version in a model.config; None if there is none."""
    try:
        root = parse_xml(as_utf8(content_of(manifest), str(manifest)), str(manifest))
    except (OSError, ParseError):
        return None
    entries = sorted(root.all("sdf"), key=lambda entry: version_of(entry) or (0, 0), reverse=True)
    files = (manifest.parent / entry.text.strip() for entry in entries if entry.text.strip())
    return next((file for file in files if readable(file, document) is not None), None)


def _read_model(path: Path, document: Document) -> IncludedModel:
    try:
        data = content_of(path)
    except OSError as error:
        raise ParseError(not_opened(error), str(path)) from error
    included = document.naming(path, data)
    root = parse_xml(included.data, str(path))
    refuse_xacro(root)
    return IncludedModel(root, next(root.all("model"), None) if root.tag == "sdf" else None, included)


def version_of(root: Element) -> tuple[int, int] | None:
    """Return the version that an element states; None if it states none, or an invalid one."""
    major, _, minor = root.attributes.get("version", "").strip().partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        return None
    return int(major), int(minor)
