# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The models that one MJCF document is made of: its own, and those that it attaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from inertia_tools.description.circle import circle_of, circle_text
from inertia_tools.description.colour import Colour
from inertia_tools.description.mjcf.assets import read_meshes
from inertia_tools.description.mjcf.compiler import read_compiler
from inertia_tools.description.mjcf.defaults import Defaults
from inertia_tools.description.mjcf.hfields import HeightField, read_hfields
from inertia_tools.description.mjcf.include import bytes_of, expand_includes
from inertia_tools.description.mjcf.materials import read_material_colours
from inertia_tools.description.mjcf.vocabulary import NEVER_BLANK
from inertia_tools.description.mjcf_bodies import Compiler, MeshAsset
from inertia_tools.description.source import Document
from inertia_tools.description.xacro import refuse_xacro
from inertia_tools.description.xml import Element, parse_xml

UNNAMED = "MuJoCo Model"
"""Name of a model that states none."""


@dataclass(frozen=True, eq=False)
class Part:
    """One model: its text and the settings that apply to it.

    Attributes:
        root: Its `<mujoco>` element, with includes expanded.
        compiler: Its settings.
        defaults: Its classes.
        meshes: Its meshes by name.
        hfields: Its height fields by name.
        colours: Colours of its materials by name.
        models: The models that it may attach, by name.
        files: Documents that it is made of besides the main one, those of its models too, by the name of the file.
        document: Its own document.
    """

    root: Element
    compiler: Compiler
    defaults: Defaults
    meshes: Mapping[str, MeshAsset]
    hfields: Mapping[str, HeightField]
    colours: Mapping[str, Colour]
    models: Mapping[str, Part]
    files: Mapping[str, Document]
    document: Document

    @property
    def name(self) -> str:
        """The model's name."""
        return self.root.attributes.get("model", UNNAMED)


def read_part(root: Element, document: Document, around: tuple[str, ...] = ()) -> Part:
    """Read a model without its bodies, and the models that it may attach.

    Args:
        root: Its `<mujoco>` element.
        document: Its text.
        around: Names of the documents that attach it, the main one first.

    Raises:
        ParseError: The document, or one that it includes or attaches, cannot be read.
    """
    files = expand_includes(root, document)
    _forget_blanks(root)
    compiler, defaults = read_compiler(root), Defaults.read(root)
    models: dict[str, Part] = {}
    for element in [model for section in root.all("asset") for model in section.all("model")]:
        part = _read_model(element, document, (*around, document.name))
        name = element.attributes.get("name", part.name)
        if name in models:
            raise element.error(f"a second model is named {name!r}; rename one")
        models[name] = part
        files.update(part.files)
    meshes = read_meshes(root, compiler, defaults, document)
    hfields = read_hfields(root, compiler, document)
    colours = read_material_colours(root, defaults)
    return Part(root, compiler, defaults, meshes, hfields, colours, models, files, document)


def _forget_blanks(root: Element) -> None:
    """Remove empty attributes, which count as absent; a keyword may not be empty."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        blank = [name for name, text in element.attributes.items() if not text.strip() and name not in NEVER_BLANK]
        for name in blank:
            del element.attributes[name]
        waiting += element.children


def _read_model(element: Element, document: Document, around: tuple[str, ...]) -> Part:
    """Read the file of a `<model>`; its name is relative to the folder of the document that names it."""
    file = element.attribute("file").strip()
    folder = document.path.parent if document.path is not None else Path()
    path = folder / file
    name = str(path)
    if circle := circle_of(around, name):
        raise element.error(circle_text(circle, "model"))
    data = bytes_of(path, element, document, "model")
    own = document.naming(path, data)
    root = parse_xml(own.data, name)
    refuse_xacro(root)
    if root.tag != "mujoco":
        raise element.error(f"the model {name!r} begins with <{root.tag}>; only MJCF is attached, convert it first")
    part = read_part(root, own, around)
    return replace(part, files={name: own, **part.files})
