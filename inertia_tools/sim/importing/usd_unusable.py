# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that prims of a stage state of mass and that nothing can have, which count as not stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.description.usd_bodies import AuthoredMass, Collider, UsdBodies, UsdBody
from inertia_tools.inertia.usd_mass.colliders import is_free_of_fault


def unusable_values(usd_bodies: UsdBodies) -> Iterator[str]:
    """Say of each number that it counts as not stated, and why; zero is the schemas' own word for "not given"."""
    for body in usd_bodies.bodies.values():
        yield from _densities(body.path, body.stated)
        yield from _moments(body.path, body.stated, "it is ignored")
        for collider in body.colliders:
            yield from _of_collider(collider)


def _of_collider(collider: Collider) -> Iterator[str]:
    stated, path = collider.stated, collider.path
    yield from _densities(path, stated)
    if not is_free_of_fault(collider.material_density):
        yield f"{path}: material density must be finite, and is {collider.material_density}; the default is taken"
    if stated is None:
        return
    if not is_free_of_fault(stated.mass):
        yield (
            f"{path}: the mass must be positive and finite, and is {stated.mass}; the mass is computed from the density"
        )
    yield from _moments(path, stated, "it is computed")


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


def are_moments(moments: np.ndarray | None) -> bool:
    """Return whether principal moments are finite and not negative, or absent."""
    return moments is None or bool(np.isfinite(moments).all() and (moments >= 0.0).all())


def _moments(path: str, stated: AuthoredMass | None, outcome: str) -> Iterator[str]:
    if stated is not None and not are_moments(stated.diagonal):
        assert stated.diagonal is not None
        said = np.array2string(stated.diagonal)
        yield f"{path}: diagonalInertia must have finite, nonnegative components, and is {said}; {outcome}"


def _densities(path: str, stated: AuthoredMass | None) -> Iterator[str]:
    if stated is not None and not is_free_of_fault(stated.density):
        yield f"{path}: MassAPI density must be positive and finite, and is {stated.density}; it is ignored"
