# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sources of a node's robot description: a topic, a parameter, or a request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import inertia_tools.msg as msg
from inertia_tools.description.load import load, load_text
from inertia_tools.description.resources import absence_of, resolve_uri
from inertia_tools.description.source import Document
from inertia_tools.description.types import Description
from inertia_tools.errors import ParseError
from inertia_tools.ros.codes import ModelFormat
from inertia_tools.ros.failures import NoModelError
from inertia_tools.ros.requests import word_of

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Entity

SCENE_SUFFIXES = (".yaml", ".yml")

_FORMATS = {"urdf": ("urdf", "xacro")}  # An expanded xacro is URDF.


class ModelSource:
    """Reads descriptions and holds the last good one.

    Attributes:
        topic: Name of the topic of descriptions, for messages.
        package_path: Folders to search first for packages.
        allowed_roots: Folders that must contain all files that are read; no restriction if empty.
        held: The last readable description; None before the first.
    """

    def __init__(self, topic: str, package_path: Sequence[str] = (), allowed_roots: Sequence[str] = ()) -> None:
        self.topic = topic
        self.package_path = tuple(folder for folder in package_path if folder)
        self.allowed_roots = tuple(folder for folder in allowed_roots if folder)
        self.held: Description | None = None

    def read(self, text: str, name: str) -> Description:
        """Read a description from text, without storing it in `held`.

        Raises:
            ParseError: The text is not a valid description, or is xacro, which is never expanded here.
        """
        return load_text(text, name=name, package_path=self.package_path, allowed_roots=self.allowed_roots)

    def resolve(self, source: msg.ModelSource) -> Description:
        """Return the description of a request.

        Raises:
            NoModelError: The request names no model, and none is held.
            OptionError: The format is not one of the constants.
            ParseError: The document cannot be read, or has another format than stated.
        """
        wanted = word_of("format", source.format, ModelFormat)
        if source.uri or source.text:
            robot = self.read_resource(source.uri, source.text)
        elif self.held is not None:
            robot = self.held
        else:
            raise NoModelError(self.topic)
        if wanted != "auto" and robot.format.value not in _FORMATS.get(wanted, (wanted,)):
            raise ParseError(f"this is {robot.format.value}, and the request says {wanted}", robot.document.name)
        return robot

    def read_resource(self, uri: str, text: str) -> Description:
        """Return the description at a URI, or in a text if the URI is empty.

        Raises:
            ParseError: The document cannot be read.
        """
        if not uri:
            return self.read(text, "<request>")
        return load(self.path_of(uri), package_path=self.package_path, allowed_roots=self.allowed_roots)

    def read_world(self, uri: str, text: str) -> Description | list[Entity]:
        """Return the description or scene at a URI, or in a text if the URI is empty.

        Raises:
            ParseError: The document cannot be read.
        """
        is_scene = Path(uri).suffix.lower() in SCENE_SUFFIXES
        return self.scene(uri.removeprefix("file://")) if is_scene else self.read_resource(uri, text)

    def scene(self, path: str) -> list[Entity]:
        """Read a scene.

        Raises:
            ParseError: The scene cannot be read, or is outside of the permitted folders.
        """
        from inertia_tools.sim.simulation.scene_file import load_scene

        return load_scene(self.path_of(path), package_path=self.package_path, allowed_roots=self.allowed_roots)

    def path_of(self, uri: str) -> Path:
        """Return the file of a URI or path.

        Raises:
            ParseError: The file does not exist, or is outside of the permitted folders.
        """
        folders, roots = (tuple(map(Path, paths)) for paths in (self.package_path, self.allowed_roots))
        document = Document(b"", uri, None, folders, allowed_roots=roots)
        path = resolve_uri(uri, document)
        if path is None:
            allowed = "; the parameter allowed_roots names the allowed folders" if roots else ""
            raise ParseError(f"{absence_of(uri, document)}{allowed}", uri)
        return path
