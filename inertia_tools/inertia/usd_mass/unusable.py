# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values that colliders, materials and the densities of bodies cannot have, and that count as not stated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from inertia_tools.description.source import Place
from inertia_tools.description.usd_bodies import AuthoredMass, Collider, UsdBody
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.usd_mass.colliders import is_free_of_fault
from inertia_tools.spatial import Array

IGNORED = "ignored-value"
"""Code of stated values that nothing can have; zero means "not given" and is no fault."""


def ignored_values(link: str, body: UsdBody, place: Place) -> Iterator[Finding]:
    """Report the values that count as not stated in the computation of a body's mass.

    Args:
        link: Name of the body's link.
        body: The body. Its own mass and moments are in force, and other checks report them.
        place: Where the body is.
    """
    report = partial(Finding.at, Severity.WARNING, IGNORED, link)
    for message in _densities(body.path, body.stated):
        yield report(message, place)
    for collider in body.colliders:
        for message in _of_collider(collider):
            yield report(message, collider.shape.place)


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
    if stated.diagonal is not None and not are_moments(stated.diagonal):
        yield f"{moments_message(path, stated.diagonal)}; it is computed"


def _densities(path: str, stated: AuthoredMass | None) -> Iterator[str]:
    if stated is not None and not is_free_of_fault(stated.density):
        yield f"{path}: MassAPI density must be positive and finite, and is {stated.density}; it is ignored"


def are_moments(moments: Array | None) -> bool:
    """Return whether principal moments are finite and not negative, or absent."""
    return moments is None or bool(np.isfinite(moments).all() and (moments >= 0.0).all())


def moments_message(path: str, moments: Array) -> str:
    """Return the message that the principal moments which a prim states are those of no body."""
    return f"{path}: diagonalInertia must have finite, nonnegative components, and is {np.array2string(moments)}"
