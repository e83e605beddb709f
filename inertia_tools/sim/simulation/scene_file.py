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

A file is named as a description names a mesh: `package://`, `file://`, or relative to the scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.load import PathLike, load
from inertia_tools.description.resources import absence_of, resolve_uri
from inertia_tools.description.source import Document
from inertia_tools.errors import InertiaToolsError, MissingDependencyError, ParseError
from inertia_tools.sim.simulation.entity import Entity
from inertia_tools.spatial import Pose

SUFFIXES = (".yaml", ".yml")

KEYS = frozenset({"name", "file", "pose", "fixed_base"})


def load_scene(
    path: PathLike, *, package_path: Iterable[PathLike] = (), allowed_roots: Iterable[PathLike] = ()
) -> list[Entity]:
    """Read a scene.

    Args:
        path: The YAML file.
        package_path: Folders to search first for what the files name.
        allowed_roots: Folders that every file must lie in, links followed; anywhere by default.

    Raises:
        ParseError: It cannot be read, or says something that has no meaning; or a file that it names cannot.
        MissingDependencyError: PyYAML is not installed.
    """
    folders, roots = tuple(map(Path, package_path)), tuple(map(Path, allowed_roots))
    file = Path(path)
    try:
        document = Document(file.read_bytes(), str(path), file, folders, allowed_roots=roots)
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}", str(path)) from error
    content = _yaml_of(document)
    if not isinstance(content, Mapping) or not isinstance(content.get("entities"), list) or not content["entities"]:
        raise ParseError("a scene has a list of `entities`", document.name)
    if unknown := set(content) - {"entities"}:
        raise ParseError(f"{min(map(str, unknown))!r} has no meaning in a scene", document.name)
    return [_entity(document, number, entry) for number, entry in enumerate(content["entities"], 1)]


def _yaml_of(document: Document) -> Any:
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise MissingDependencyError("pyyaml", "reading a scene", "pip install pyyaml") from error
    try:
        return yaml.safe_load(document.data)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "it is no YAML"
        raise ParseError(str(reason), document.name, None if mark is None else mark.line + 1) from error


def _entity(document: Document, number: int, entry: Any) -> Entity:
    """Read one entry of the list.

    Raises:
        ParseError: It makes no sense.
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
            raise ParseError("fixed_base is true or false", document.name)
        return Entity(entry["name"], robot, _pose(entry.get("pose")), fixed)
    except (TypeError, ValueError) as error:
        raise ParseError(f"entity {number}: {error}", document.name) from error
    except InertiaToolsError as error:
        raise ParseError(f"entity {number}: {error}", document.name) from error


def _pose(given: Any) -> Pose | None:
    """Read a pose.

    Raises:
        ValueError: It is no mapping of xyz and rpy, of three finite numbers each.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping) or not set(given) <= {"xyz", "rpy"}:
        raise ValueError(f"a pose has xyz [m] and rpy [rad], not {given!r}")
    numbers = [np.asarray(given.get(name, (0.0, 0.0, 0.0)), dtype=np.float64) for name in ("xyz", "rpy")]
    if any(part.shape != (3,) or not np.isfinite(part).all() for part in numbers):
        raise ValueError(f"a pose has three finite numbers in xyz and in rpy, not {given!r}")
    return Pose.from_xyz_rpy(*numbers)
