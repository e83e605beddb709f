# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Stated mass properties that have no effect: without their schema, or on prims that have no mass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from inertia_tools.description.types import Remark
from inertia_tools.description.usd.attributes import applied_schemas, authored
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd.mass import DENSITY, DIAGONAL, MASS, MASS_API, MASS_APIS, NAMES
from inertia_tools.description.usd.misfits import naming_misfits
from inertia_tools.description.usd.survey import COLLISION_API, Survey


def unused_masses(found: Survey, links: Mapping[str, str], lines: Lines) -> Iterator[Remark]:
    """Report mass properties of prims that readers ignore.

    Args:
        found: The prims of the stage.
        links: Names of links by the path of the body.
        lines: Places of prims in the files.
    """

    def remark(code: str, prim: Any, body: Any | None, message: str) -> Remark:
        link = "" if body is None else links[str(body.GetPath())]
        return Remark("warning", code, link, f"{prim.GetPath()} states mass properties{message}", lines.place(prim))

    bare = [
        (prim, prim)
        for prim in found.bodies
        if MASS_APIS.isdisjoint(applied_schemas(prim)) and _stated(prim, NAMES, lines)
    ]
    bare += [
        (prim, body)
        for prim, body, apis in found.gprims
        if COLLISION_API in apis
        and MASS_API not in apis
        and body is not None
        and body != prim
        and _states_mass(prim, lines)
    ]
    for prim, body in bare:
        yield remark("missing-mass-api", prim, body, " without PhysicsMassAPI, so they are ignored; apply it")
    for prim, body in found.stray_masses:
        if _states_mass(prim, lines):
            what = ", but is neither a body nor a collider, so they are ignored; state them on one"
            yield remark("stray-mass", prim, body, what)


def _stated(prim: Any, names: Iterable[str], lines: Lines) -> list[Any]:
    with naming_misfits(prim, lines):
        return [value for name in names if (value := authored(prim, name)) is not None]


def _states_mass(prim: Any, lines: Lines) -> bool:
    """Return whether a prim states a mass, density or moments; zero is the schema's value for none."""
    return any(np.any(value) for value in _stated(prim, (MASS, DENSITY, DIAGONAL), lines))
