# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of several robots and objects as YAML files.

    entities:
      - name: left/arm
        file: package://franka_description/robots/panda.urdf
        pose: {xyz: [0, 0.5, 0], rpy: [0, 0, 1.57]}
        fixed_base: true
      - name: box
        file: box.sdf

    soft_bodies:
      - name: flag
        cloth: {size: [1.5, 1.0], cells: [30, 20], mass: 0.3, fixed: [left]}
        pose: {xyz: [0, 0, 2], rpy: [1.57, 0, 0]}
      - name: block
        soft_box: {size: [0.2, 0.2, 0.1], cells: [4, 4, 2], density: 1000, young: 1e5, poisson: 0.3}
      - name: grains
        particles: {count: [5, 5, 5], spacing: [0.05, 0.05, 0.05], mass: 0.001, radius: 0.02}

A soft body may set the attributes of `Cloth`, `SoftBox` or `Particles`. A file is referenced like a mesh in a
description: by a `package://` or `file://` URI, or by a path relative to the scene file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.load import PathLike, folders_of, load
from inertia_tools.description.resources import absence_of, resolve_uri
from inertia_tools.description.source import Document
from inertia_tools.errors import InertiaToolsError, ParseError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.simulation.entity import Entity
from inertia_tools.sim.simulation.soft_body import KINDS, SoftBody, soft_body_of
from inertia_tools.spatial import Pose
from inertia_tools.wording import not_opened
from inertia_tools.yaml_text import read_yaml

SUFFIXES = (".yaml", ".yml")

EXPONENT = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+")
"""A number that YAML 1.1 parses as text, because its exponent has no sign or its mantissa no decimal point."""

KEYS = frozenset({"name", "file", "pose", "fixed_base"})


def load_scene(
    path: PathLike, *, package_path: Iterable[PathLike] = (), allowed_roots: Iterable[PathLike] = ()
) -> list[Entity]:
    """Read the entities of a scene from a YAML file.

    Args:
        path: The YAML file.
        package_path: Folders to search first for referenced files.
        allowed_roots: Folders that must contain every file, after resolving symbolic links; by default any folder.

    Raises:
        ParseError: The scene, or a file that it references, cannot be read or is invalid.
        MissingDependencyError: PyYAML is not installed.
    """
    folders, roots = folders_of("package_path", package_path), folders_of("allowed_roots", allowed_roots)
    file = Path(path)
    try:
        document = Document(file.read_bytes(), str(path), file, folders, allowed_roots=roots)
    except OSError as error:
        raise ParseError(not_opened(error), str(path)) from error
    content = read_yaml(document.data, document.name, "reading a scene")
    if not isinstance(content, Mapping) or not isinstance(content.get("entities"), list) or not content["entities"]:
        raise ParseError("a scene needs a list of `entities`", document.name)
    if unknown := set(content) - {"entities", "soft_bodies"}:
        raise ParseError(f"{min(map(str, unknown))!r} is not a key of a scene", document.name)
    entities = [_entity(document, number, entry) for number, entry in enumerate(content["entities"], 1)]
    return [replace(entities[0], soft=_soft_bodies(document, content.get("soft_bodies"))), *entities[1:]]


def _entity(document: Document, number: int, entry: Any) -> Entity:
    """Read one entry of the list.

    Raises:
        ParseError: The entry is invalid.
    """
    if not isinstance(entry, Mapping) or not {"name", "file"} <= set(entry) or not set(entry) <= KEYS:
        raise ParseError(f"entity {number}: needs name and file, and may have pose and fixed_base", document.name)
    uri = str(entry["file"])
    file = resolve_uri(uri, document)
    if file is None:
        raise ParseError(f"entity {number}: {absence_of(uri, document)}", document.name)
    try:
        robot = load(file, package_path=document.package_path, allowed_roots=document.allowed_roots)
        fixed = entry.get("fixed_base", False)
        if not isinstance(fixed, bool):
            raise ParseError("fixed_base must be true or false", document.name)
        return Entity(entry["name"], robot, _pose(entry.get("pose")), fixed)
    except (TypeError, ValueError, InertiaToolsError) as error:
        raise ParseError(f"entity {number}: {error}", document.name) from error


def _soft_bodies(document: Document, entries: Any) -> tuple[SoftBody, ...]:
    """Read the list of soft bodies.

    Raises:
        ParseError: An entry is invalid, or two have the same name.
    """
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise ParseError("`soft_bodies` must be a list", document.name)
    found = [_soft_body(document, number, entry) for number, entry in enumerate(entries, 1)]
    names = [one.name for one in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ParseError(f"two soft bodies are named {twice[0]!r}; each needs its own name", document.name)
    return tuple(found)


def _soft_body(document: Document, number: int, entry: Any) -> SoftBody:
    """Read one soft body, and check that it can be built."""
    words = ", ".join(KINDS)
    stated = set(entry) & set(KINDS) if isinstance(entry, Mapping) else set()
    if len(stated) != 1 or "name" not in entry or not set(entry) <= {"name", "pose", *stated}:
        raise ParseError(f"soft body {number}: needs name and one of {words}, and may have pose", document.name)
    kind = stated.pop()
    try:
        body = soft_body_of(str(entry["name"]), kind, _numbers(entry[kind]), _pose(entry.get("pose")) or Pose())
        body.add_to(ModelBuilder())
    except (TypeError, ValueError, InertiaToolsError) as error:
        raise ParseError(f"soft body {number}: {error}", document.name) from error
    return body


def _numbers(values: Any) -> Any:
    """Convert numbers such as 1e5, which YAML 1.1 parses as text."""
    if isinstance(values, Mapping):
        return {name: _numbers(value) for name, value in values.items()}
    if isinstance(values, list):
        return [_numbers(value) for value in values]
    if isinstance(values, str) and EXPONENT.fullmatch(values):
        return float(values)
    return values


def _pose(given: Any) -> Pose | None:
    """Read a pose.

    Raises:
        ValueError: The value is not a mapping with xyz and rpy, three finite numbers each.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping) or not set(given) <= {"xyz", "rpy"}:
        raise ValueError(f"a pose must be a mapping with xyz [m] and rpy [rad], not {given!r}")
    numbers = [np.asarray(given.get(name, (0.0, 0.0, 0.0)), dtype=np.float64) for name in ("xyz", "rpy")]
    if any(part.shape != (3,) or not np.isfinite(part).all() for part in numbers):
        raise ValueError(f"a pose must have three finite numbers in xyz and in rpy, not {given!r}")
    return Pose.from_xyz_rpy(*numbers)
