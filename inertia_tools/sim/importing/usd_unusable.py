# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Masses and moments that bodies of a stage state and that nothing can have, which count as not stated in a scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inertia_tools.description.types import Description
from inertia_tools.description.usd_bodies import UsdBodies, UsdBody
from inertia_tools.inertia.usd_mass.colliders import is_free_of_fault
from inertia_tools.inertia.usd_mass.unusable import are_moments, moments_message


def unusable_moments(usd_bodies: UsdBodies) -> Iterator[str]:
    """Say of each body whose moments count as not stated why they do."""
    for body in usd_bodies.bodies.values():
        moments = None if body.stated is None else body.stated.diagonal
        if moments is not None and not are_moments(moments):
            yield f"{moments_message(body.path, moments)}; it is ignored"


def without_unusable(robot: Description) -> Description:
    """Return the stage with masses and moments of bodies that nothing can have as if they were not stated."""
    assert robot.usd is not None
    bodies = {name: _usable(body) for name, body in robot.usd.bodies.items()}
    return replace(robot, usd=replace(robot.usd, bodies=bodies))


def _usable(body: UsdBody) -> UsdBody:
    stated = body.stated
    if stated is None or (is_free_of_fault(stated.mass) and are_moments(stated.diagonal)):
        return body
    mass = stated.mass if is_free_of_fault(stated.mass) else None
    diagonal = stated.diagonal if are_moments(stated.diagonal) else None
    return replace(body, stated=replace(stated, mass=mass, diagonal=diagonal))
