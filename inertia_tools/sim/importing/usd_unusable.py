# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that prims of a stage state of mass and that nothing can have, which count as not stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.description.usd_bodies import AuthoredMass, Collider, UsdBodies
from inertia_tools.inertia.usd_mass.colliders import is_free_of_fault


def unusable_values(usd_bodies: UsdBodies) -> Iterator[str]:
    """Say of each number that it counts as not stated, and why; zero is the schemas' own word for "not given"."""
    for body in usd_bodies.bodies.values():
        yield from _densities(body.path, body.stated)
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
        yield f"{path}: the mass must be positive and finite, and is {stated.mass}; the collider is weighed by density"
    moments = stated.diagonal
    if moments is not None and not (np.isfinite(moments).all() and (moments >= 0.0).all()):
        said = np.array2string(moments)
        yield f"{path}: diagonalInertia must have finite, nonnegative components, and is {said}; it is computed"


def _densities(path: str, stated: AuthoredMass | None) -> Iterator[str]:
    if stated is not None and not is_free_of_fault(stated.density):
        yield f"{path}: MassAPI density must be positive and finite, and is {stated.density}; it counts as not stated"
