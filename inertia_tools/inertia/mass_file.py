# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Known masses of a robot, read from a YAML file."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inertia_tools.description.types import Description
from inertia_tools.errors import (
    MassContradictionError,
    MissingDependencyError,
    OptionError,
    ParseError,
    UnknownLinkError,
)
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.inertia.link_patterns import links_matching
from inertia_tools.inertia.mass_model import TOTAL, GroupMass, MassModel, Payload
from inertia_tools.inertia.materials import DENSITY, density_of
from inertia_tools.inertia.writable import changeable
from inertia_tools.inertial import Inertial
from inertia_tools.wording import not_opened

KEYS = frozenset({"total_mass", "density", "materials", "links", "groups", "payloads"})
OF_LINKS = frozenset({"mass", "density", "material", "locked"})
OF_GROUPS = OF_LINKS | {"links"}
OF_PAYLOADS = frozenset({"link", "mass", "at", "size", "name"})


def read_mass_model(
    path: str | os.PathLike[str], robot: Description, materials: Mapping[str, float] = DENSITY
) -> MassModel:
    """Read a mass model for a robot.

    Args:
        path: The file.
        robot: The robot whose links it names.
        materials: Density by name of the material [kg/m^3]; the file may add more.

    Raises:
        ParseError: The file cannot be read, or has an entry that a mass model has no place for.
        MissingDependencyError: PyYAML is not installed.
    """
    return _Reader(str(path), robot, dict(materials)).read()


class _Reader:
    """Reads one file; every message has a line number."""

    def __init__(self, path: str, robot: Description, materials: dict[str, float]) -> None:
        self._path = path
        self._robot = robot
        self._materials = materials
        self._masses: dict[str, float] = {}
        self._densities: dict[str, float] = {}
        self._locked: set[str] = set()
        self._groups: list[GroupMass] = []
        self._payloads: list[Payload] = []
        self._changeable = changeable(robot)
        self._sources: dict[str, str] = {}

    def read(self) -> MassModel:
        entries = self._mapping(self._document(), KEYS)
        for name, node in self._mapping(entries["materials"]).items() if "materials" in entries else ():
            self._materials[name] = self._positive(node)
        for pattern, node in self._mapping(entries["links"]).items() if "links" in entries else ():
            self._read_links(self._matching(pattern, node), node, OF_LINKS, pattern in self._robot.links)
        for name, node in self._mapping(entries["groups"]).items() if "groups" in entries else ():
            self._read_group(name, node)
        for node in self._sequence(entries["payloads"]) if "payloads" in entries else ():
            self._payloads.append(self._payload(node))
        total = self._positive(entries["total_mass"]) if "total_mass" in entries else None
        if total is not None:
            self._sources[TOTAL] = self._place(entries["total_mass"])
        model = MassModel(
            link_density=self._densities,
            link_mass=self._masses,
            total_mass=total,
            groups=tuple(self._groups),
            locked=frozenset(self._locked),
            payloads=tuple(self._payloads),
            sources=self._sources,
        )
        return replace(model, density=self._positive(entries["density"])) if "density" in entries else model

    def _document(self) -> Any:
        try:
            import yaml
        except ImportError as error:
            raise MissingDependencyError("PyYAML", f"reading {self._path}", "pip install pyyaml") from error
        try:
            node = yaml.compose(Path(self._path).read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
        except OSError as error:
            raise ParseError(not_opened(error), self._path) from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or error
            raise ParseError(
                f"is not valid YAML: {reason}", self._path, None if mark is None else mark.line + 1
            ) from error
        if node is None:
            raise ParseError("is empty; state total_mass, links, groups or payloads", self._path)
        return node

    def _read_links(self, links: list[str], node: Any, allowed: Collection[str], is_named: bool = True) -> None:
        """Read the values of each of some links; a link's own name takes precedence over patterns."""
        said = self._mapping(node, allowed)
        self._require_one(said, node)
        for link in links:
            if not is_named and link not in self._changeable:
                continue
            for key, known in (("mass", self._masses), ("density", self._densities), ("material", self._densities)):
                if key in said and (is_named or link not in self._masses | self._densities):
                    known[link] = self._material(said[key]) if key == "material" else self._positive(said[key])
                    self._sources[link] = self._place(said[key])
            if "locked" in said and self._text(said["locked"]).lower() in ("true", "yes", "on"):
                self._locked.add(link)

    def _read_group(self, name: str, node: Any) -> None:
        """Read the values of a group: its mass is that of all its links together, other values apply to each link."""
        said = self._mapping(node, OF_GROUPS)
        if "links" not in said:
            raise self._error(f"group {name!r} names no links; write links: [...]", node)
        patterns = self._sequence(said["links"]) if _is_sequence(said["links"]) else [said["links"]]
        links = [link for one in patterns for link in self._matching(self._text(one), one)]
        self._require_one(said, node)
        if "mass" in said:
            self._groups.append(GroupMass(name, tuple(dict.fromkeys(links)), self._positive(said["mass"])))
            self._sources[name] = self._place(said["mass"])
        for link in links:
            for key in ("density", "material"):
                if key in said:
                    self._densities[link] = (
                        self._material(said[key]) if key == "material" else self._positive(said[key])
                    )
                    self._sources[link] = self._place(said[key])
            if "locked" in said and self._text(said["locked"]).lower() in ("true", "yes", "on"):
                self._locked.add(link)

    def _payload(self, node: Any) -> Payload:
        said = self._mapping(node, OF_PAYLOADS)
        if not {"link", "mass"} <= said.keys():
            raise self._error("a payload needs a link and a mass", node)
        (link,) = self._matching(self._text(said["link"]), said["link"])[:1]
        mass, at = self._positive(said["mass"]), self._three(said["at"]) if "at" in said else (0.0, 0.0, 0.0)
        box = (
            solid_box(self._three(said["size"], self._positive)).scaled_to_mass(mass)
            if "size" in said
            else Inertial(mass)
        )
        name = self._text(said["name"]) if "name" in said else "payload"
        return Payload(link, box.shift(at), name, is_at_com="at" not in said)

    def _require_one(self, said: Mapping[str, Any], node: Any) -> None:
        if {"density", "material"} <= said.keys():
            raise self._error("has both a density and a material; keep one", node)

    def _matching(self, pattern: str, node: Any) -> list[str]:
        try:
            return links_matching(self._robot, pattern)
        except (OptionError, UnknownLinkError) as error:
            raise self._error(str(error), node) from error

    def _material(self, node: Any) -> float:
        try:
            return density_of(self._text(node), self._materials)
        except OptionError as error:
            raise self._error(str(error), node) from error

    def _mapping(self, node: Any, allowed: Collection[str] = ()) -> dict[str, Any]:
        if not isinstance(node.value, list) or _is_sequence(node):
            raise self._error("must map names to values", node)
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = self._text(key)
            if allowed and name not in allowed:
                raise self._error(f"{name!r} is unknown; write one of {', '.join(sorted(allowed))}", key)
            if name in found:
                raise self._error(f"{name!r} is given twice; keep one", key)
            found[name] = value
        return found

    def _sequence(self, node: Any) -> list[Any]:
        if not _is_sequence(node):
            raise self._error("must be a list", node)
        return list(node.value)

    def _text(self, node: Any) -> str:
        if not isinstance(node.value, str):
            raise self._error("must be a word or a number", node)
        return node.value

    def _number(self, node: Any) -> float:
        try:
            return float(self._text(node))
        except ValueError as error:
            raise self._error(f"{node.value!r} is not a number", node) from error

    def _positive(self, node: Any) -> float:
        number = self._number(node)
        if not 0.0 < number < math.inf:
            raise self._error(f"{node.value} is not a positive number", node)
        return number

    def _finite(self, node: Any) -> float:
        number = self._number(node)
        if not math.isfinite(number):
            raise self._error(f"{node.value} is not a finite number", node)
        return number

    def _three(self, node: Any, read: Callable[[Any], float] | None = None) -> tuple[float, float, float]:
        numbers = [(read or self._finite)(one) for one in self._sequence(node)]
        if len(numbers) != 3:
            raise self._error("must be three numbers in metres", node)
        x, y, z = numbers
        return x, y, z

    def _place(self, node: Any) -> str:
        return f"{self._path}:{node.start_mark.line + 1}"

    def _error(self, reason: str, node: Any) -> ParseError:
        return ParseError(reason, self._path, node.start_mark.line + 1)


def _is_sequence(node: Any) -> bool:
    return str(node.tag).endswith(":seq")


def merged(first: MassModel, second: MassModel) -> MassModel:
    """Return two models combined; a link's mass in one takes precedence over its density in the other.

    Raises:
        MassContradictionError: They give different values for one link, or for the whole robot.
    """
    conflicts = list(_conflicts(first, second))
    if conflicts:
        raise MassContradictionError(conflicts)
    default = MassModel().density
    return MassModel(
        density=first.density if second.density == default else second.density,
        link_density={**first.link_density, **second.link_density},
        link_mass={**first.link_mass, **second.link_mass},
        total_mass=first.total_mass if second.total_mass is None else second.total_mass,
        groups=(*first.groups, *second.groups),
        locked=first.locked | second.locked,
        payloads=(*first.payloads, *second.payloads),
        estimated=(first.estimated | second.estimated) - (first.link_density.keys() - first.estimated),
        sources={**first.sources, **second.sources},
    )


def _conflicts(first: MassModel, second: MassModel) -> Iterator[str]:
    pairs = [
        (f"mass of {link}", link, "kg", first.link_mass[link], second.link_mass[link])
        for link in first.link_mass.keys() & second.link_mass.keys()
    ]
    pairs += [
        (f"density of {link}", link, "kg/m^3", first.link_density[link], second.link_density[link])
        for link in (first.link_density.keys() & second.link_density.keys()) - second.estimated
    ]
    if first.total_mass is not None and second.total_mass is not None:
        pairs.append((TOTAL, TOTAL, "kg", first.total_mass, second.total_mass))
    for words, key, unit, one, other in pairs:
        if one != other:
            sources = first.sources.get(key, "file"), second.sources.get(key, "options")
            yield f"{words} = {one:g} {unit} ({sources[0]}), and {other:g} {unit} ({sources[1]})"
