# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity and materials of a stage as properties of a description, so that any format can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inertia_tools.description.link import Surface
from inertia_tools.description.types import Description, Link
from inertia_tools.description.usd.attributes import authored, stated_or
from inertia_tools.description.usd_bodies import UsdBodies

FRICTION = ("physics:dynamicFriction", "physics:staticFriction")
"""Attributes of a material in order of precedence."""

RESTITUTION = "physics:restitution"
TORSIONAL, ROLLING = "newton:torsionalFriction", "newton:rollingFriction"
"""Length attributes of a material in Newton's schema [units of the stage]."""

WITHOUT_GRAVITY = "physxRigidBody:disableGravity"


def with_stage_physics(robot: Description, usd: UsdBodies | None) -> Description:
    """Return a robot with the gravity of its stage, surfaces of its colliders, and bodies without gravity."""
    if usd is None:
        return robot
    of_material = {path: _surface(usd.stage.GetPrimAtPath(path), usd.units.metre) for path in usd.materials}
    surfaces = {
        collider.path: of_material.get(collider.material) for body in usd.bodies.values() for collider in body.colliders
    }
    floating = {name for name, body in usd.bodies.items() if _is_weightless(usd.stage.GetPrimAtPath(body.path))}
    links = {name: _with_surfaces(link, surfaces) for name, link in robot.links.items()}
    links |= {name: replace(links[name], gravity_scale=0.0) for name in floating & set(links)}
    return replace(robot, links=links, gravity=usd.gravity)


def _surface(material: Any, metre: float) -> Surface | None:
    """Return the contact properties of a material; None if it states none."""
    read = Surface(
        friction=next((value for name in FRICTION if (value := _number(material, name)) is not None), None),
        torsional=_number(material, TORSIONAL, metre),
        rolling=_number(material, ROLLING, metre),
        restitution=_number(material, RESTITUTION),
    )
    return None if read == Surface() else read


def _number(material: Any, name: str, unit: float = 1.0) -> float | None:
    """Return a number of a material in SI; None if it states none."""
    value = authored(material, name)
    return None if value is None else float(value) * unit


def _is_weightless(prim: Any) -> bool:
    return bool(stated_or(prim, WITHOUT_GRAVITY, False))


def _with_surfaces(link: Link, surfaces: Mapping[str, Surface | None]) -> Link:
    """Return a link with these surfaces on its colliders, which are named by their paths."""
    return replace(link, collisions=tuple(replace(one, surface=surfaces.get(one.name)) for one in link.collisions))
