# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Stated mass properties that have no effect: misspelt, without their schema, or on prims that have no mass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from inertia_tools.description.schema.unknown_words import UNKNOWN_ATTRIBUTE, closest
from inertia_tools.description.types import Remark
from inertia_tools.description.usd.attributes import applied_schemas, authored
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd.mass import DENSITY, DIAGONAL, MASS, MASS_API, MASS_APIS, NAMES
from inertia_tools.description.usd.misfits import naming_misfits
from inertia_tools.description.usd.survey import COLLISION_API, Survey

PREFIX = "physics:"

BARE = "states mass properties without PhysicsMassAPI, so they are ignored; apply it"
STRAY = "states mass properties, but is neither a body nor a collider, so they are ignored; state them on one"


def unused_masses(found: Survey, links: Mapping[str, str], lines: Lines) -> Iterator[Remark]:
    """Report mass properties of prims that readers ignore.

    Args:
        found: The prims of the stage.
        links: Names of links by the path of the body.
        lines: Places of prims in the files.
    """

    def remark(code: str, prim: Any, body: Any | None, message: str) -> Remark:
        link = "" if body is None else links[str(body.GetPath())]
        return Remark("warning", code, link, f"{prim.GetPath()} {message}", lines.place(prim))

    for body in found.bodies:
        if MASS_APIS.isdisjoint(applied_schemas(body)) and _stated(body, NAMES, lines):
            yield remark("missing-mass-api", body, body, BARE)
    colliders = [(prim, body, apis) for prim, body, apis in found.gprims if body is not None and COLLISION_API in apis]
    for prim, body, apis in colliders:
        if prim != body and MASS_API not in apis and _states_mass(prim, lines):
            yield remark("missing-mass-api", prim, body, BARE)
    for prim, body in found.stray_masses:
        if _states_mass(prim, lines):
            yield remark("stray-mass", prim, body, STRAY)
    owners = dict.fromkeys([*((body, body) for body in found.bodies), *((prim, body) for prim, body, _ in colliders)])
    for prim, body in owners:
        for name, meant in _misspelt(prim):
            message = f"states {name!r}, which UsdPhysics does not have, so it is ignored; did you mean {meant!r}?"
            yield remark(UNKNOWN_ATTRIBUTE, prim, body, message)


def _misspelt(prim: Any) -> Iterator[tuple[str, str]]:
    """Iterate over the properties of a prim whose names are close to that of a mass property, and that name."""
    known = [name.removeprefix(PREFIX) for name in NAMES]
    for name in prim.GetAuthoredPropertyNames():
        word = name.removeprefix(PREFIX)
        if name in NAMES or ":" in word or prim.GetPrimDefinition().GetSpecType(name) != pxr().Sdf.SpecTypeUnknown:
            continue
        if meant := closest(word, known):
            yield name, PREFIX + meant


def _stated(prim: Any, names: Iterable[str], lines: Lines) -> list[Any]:
    with naming_misfits(prim, lines):
        return [value for name in names if (value := authored(prim, name)) is not None]


def _states_mass(prim: Any, lines: Lines) -> bool:
    """Return whether a prim states a mass, density or moments; zero is the schema's value for none."""
    return any(np.any(value) for value in _stated(prim, (MASS, DENSITY, DIAGONAL), lines))
