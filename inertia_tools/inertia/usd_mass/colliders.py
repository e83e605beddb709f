# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of colliders: each at unit density, and all of a body at their densities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.usd_bodies import AuthoredMass, Collider, UsdBody
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.shape import integrate_shape
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import are_usable

WORTHLESS = "collider-without-mass"
"""Code of colliders that neither state mass properties nor have a volume."""


@dataclass(frozen=True, eq=False)
class UnitCollider:
    """A collider at unit density.

    Attributes:
        collider: The collider.
        unit: Inertial in the frame of the shape, whose mass is the volume [m^3].
        method: How it was found.
        findings: Findings made on the way.
    """

    collider: Collider
    unit: Inertial | None
    method: Method
    findings: tuple[Finding, ...] = ()


def unit_collider(collider: Collider, params: AutoInertiaParams) -> UnitCollider:
    """Return a collider at unit density: from its stated mass and tensor, else from its geometry.

    A stated mass and tensor apply to the volume of the geometry; without one, the volume follows from the stated
    density, or from the mass at the density of water.
    """
    own = replace(collider.shape, pose_link_shape=collider.shape.pose_link_shape, density=None, mass=None)
    chosen = params if collider.shell is None else replace(params, thickness=collider.shell.thickness)
    integral = integrate_shape(own, chosen, 1.0)
    volume = 0.0 if integral.unit is None else integral.unit.mass
    place = collider.shape.place
    notes = tuple(Finding.at(note.severity, note.code, collider.path, note.message, place) for note in integral.notes)
    notes += tuple(_refused_shell(collider))
    stated = _stated_inertial(collider)
    if stated is not None and stated.mass > 0.0:
        density = stated.mass / volume if volume > 0.0 else WATER
        return UnitCollider(collider, _at(stated, 1.0 / density), Method.DECLARED, notes)
    return UnitCollider(collider, integral.unit if volume > 0.0 else None, integral.method, notes)


def _refused_shell(collider: Collider) -> Iterator[Finding]:
    """Report an invalid wall thickness, and the treatment of the collider."""
    shell = collider.shell
    if shell is not None and shell.refused is not None:
        kind = "negative" if shell.refused < 0.0 else "infinite"
        message = (
            f"collider {collider.path} states a {kind} shell thickness, {shell.refused:g}; "
            f"its wall is {shell.thickness:g} m thick, by its contact margin or else as thin sheet"
        )
        yield Finding.at(Severity.WARNING, "invalid-size", collider.path, message, collider.shape.place)


WATER = 1000.0
"""Density where none is given [kg/m^3]; the default of UsdPhysics."""


def _stated_inertial(collider: Collider) -> Inertial | None:
    """Return the complete stated inertial of a collider, in the axes of its body; the default centre is the origin."""
    stated = collider.stated
    if stated is None or stated.mass is None or not stated.has_tensor:
        return None
    if not (are_usable(stated.mass) and _is_usable_tensor(stated)):
        return None
    tensor = tensor_of(stated)
    own = Inertial(stated.mass, np.zeros(3) if stated.com is None else stated.com, tensor)
    return own.transform(collider.pose_link_prim)


def _is_usable_tensor(stated: AuthoredMass) -> bool:
    tensor = stated.tensor if stated.tensor is not None else stated.diagonal
    return (
        tensor is not None
        and are_usable(tensor)
        and bool((np.linalg.eigvalsh(np.diag(tensor) if tensor.ndim == 1 else tensor) >= 0.0).all())
    )


def tensor_of(stated: AuthoredMass) -> np.ndarray:
    """Return the tensor that a prim states, in its own axes [kg m^2], shape (3, 3); axes are the identity if absent."""
    if stated.tensor is not None:
        return stated.tensor
    assert stated.diagonal is not None
    return rotate_tensor(np.eye(3) if stated.axes is None else stated.axes, np.diag(stated.diagonal))


def density_of(part: UnitCollider, body: UsdBody, default: float) -> float:
    """Return the density of a collider [kg/m^3].

    Its own mass takes precedence, then its own density, the body's, that of its material, and the default. In the
    schema a density of zero means "not given"; a negative or non-finite one counts as not given, too.
    """
    stated = part.collider.stated
    assert part.unit is not None
    if stated is not None and is_quantity(stated.mass):
        assert stated.mass is not None
        return stated.mass / part.unit.mass
    wished = (
        None if stated is None else stated.density,
        None if body.stated is None else body.stated.density,
        part.collider.material_density,
    )
    return next((density for density in wished if density is not None and is_quantity(density)), default)


def is_free_of_fault(value: float | None) -> bool:
    """Return whether a mass or density is positive and finite, or is zero or absent, which both mean not given."""
    return value is None or (math.isfinite(value) and value >= 0.0)


def is_quantity(value: float | None) -> bool:
    """Return whether a mass or density is one that a body can have."""
    return value is not None and math.isfinite(value) and value > 0.0


def accumulated(parts: list[UnitCollider], body: UsdBody, default: float) -> Inertial | None:
    """Add up the colliders of a body at their densities, in its axes; None if they have no mass."""
    total = Inertial.sum(_at(part.unit, density_of(part, body, default)) for part in parts if part.unit is not None)
    return total if total.mass > 0.0 else None


def _at(unit: Inertial, density: float) -> Inertial:
    return Inertial(unit.mass * density, unit.com, unit.inertia * density)


def worthless(part: UnitCollider, link: str) -> Finding:
    """Report that a collider gives its body no mass."""
    shape = part.collider.shape
    message = (
        f"collider {part.collider.path} states no mass with a tensor, and its geometry has no volume; it is skipped"
    )
    return Finding.at(Severity.WARNING, WORTHLESS, link, message, shape.place)
