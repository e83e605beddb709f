# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties stated by prims.

"Stated" means stated by some layer: a value equal to the schema's default counts, a blocked one does not. Invalid
values (a centre of minus infinity, axes of length zero: the schema's values for "not given") count as not stated.

The attributes of UsdPhysics are single precision. Files that this package writes also have the numbers in double
precision; those count as long as they round to the single ones, so that an edit of the single ones is never ignored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import applied_schemas, authored, is_blocked, numbers, rotation
from inertia_tools.description.usd_bodies import AuthoredMass, Units
from inertia_tools.inertial import rotate_tensor, tensor_from_six
from inertia_tools.spatial import Array

MASS_API = "PhysicsMassAPI"
MASS, DENSITY = "physics:mass", "physics:density"
COM, DIAGONAL, AXES = "physics:centerOfMass", "physics:diagonalInertia", "physics:principalAxes"
NAMES = (MASS, DENSITY, COM, DIAGONAL, AXES)

EXACT_MASS, EXACT_COM, EXACT_TENSOR = "inertiaTools:mass", "inertiaTools:centerOfMass", "inertiaTools:inertia"
"""Mass, centre of mass, and tensor (ixx, ixy, ixz, iyy, iyz, izz) in double precision, in the units of the stage."""

NEWTON_API, NEWTON_TENSOR = "NewtonMassAPI", "newton:inertia"
"""Newton's schema for a tensor about the centre of mass in the prim's axes: xx, yy, zz, xy, xz, yz."""

MASS_APIS = frozenset({MASS_API, NEWTON_API})
"""Schemas with which a body states mass properties; Newton's is applied together with that of UsdPhysics."""

SINGLE = 1e-6
"""Relative difference that single precision explains: some units in the last place, in the axes too."""


def read_mass(prim: Any, units: Units, stretch: Array) -> AuthoredMass:
    """Read the mass properties of a prim with PhysicsMassAPI.

    Args:
        prim: The prim.
        units: Units of the stage.
        stretch: Scale of the prim's frame, in which its centre of mass is given, shape (3, 3).
    """
    mass, density = authored(prim, MASS), authored(prim, DENSITY)
    com, diagonal, axes = (numbers(authored(prim, COM)), numbers(authored(prim, DIAGONAL)), authored(prim, AXES))
    turn = rotation(axes)
    com = com if com is not None and np.isfinite(com).all() else None
    tensor = _newton_tensor(prim)
    if tensor is None:
        tensor = _exact_tensor(prim, diagonal, turn)
    mass = _exact(prim, EXACT_MASS, mass)
    com = _exact(prim, EXACT_COM, com)
    return AuthoredMass(
        mass=None if mass is None else float(mass) * units.kilogram,
        density=None if density is None else float(density) * units.density,
        com=None if com is None else stretch @ com * units.metre,
        diagonal=None if diagonal is None else diagonal * units.inertia,
        axes=turn,
        tensor=None if tensor is None else tensor * units.inertia,
    )


def unfit(prim: Any) -> tuple[str, ...]:
    """Return the attributes of a body, collider or material from which OpenUSD computes nonsense.

    OpenUSD reads blocked values, uses invalid ones, uses axes of any length as a rotation, and ignores samples.
    """
    return tuple(name for name in NAMES if prim.HasAttribute(name) and _is_unfit(prim, name))


def _is_unfit(prim: Any, name: str) -> bool:
    value = authored(prim, name)
    is_sampled = prim.GetAttribute(name).GetNumTimeSamples() > 0
    return is_sampled or is_blocked(prim, name) or fit(name, value) is not value


def fit(name: str, value: Any) -> Any | None:
    """Return an attribute's value in a form that OpenUSD can use; None if it counts as not stated."""
    if value is None:
        return None
    if name == AXES:
        length = value.GetLength()
        if abs(length - 1.0) <= SINGLE:
            return value
        return value.GetNormalized() if 0.0 < length < np.inf else None
    found = numbers(value)
    assert found is not None
    return value if np.isfinite(found).all() and (name == COM or (found >= 0.0).all()) else None


def _exact(prim: Any, name: str, single: Any) -> Any:
    """Return the prim's double-precision value if it rounds to the single one; else the single one."""
    double = None if single is None else authored(prim, name)
    try:
        value = np.asarray(double, dtype=np.float64)
    except (TypeError, ValueError):  # it has another type than this package writes
        return single
    near = np.asarray(single, dtype=np.float64)
    size = max(float(np.abs(near).max()), 1e-30)
    if not np.isfinite(near).all():
        return single
    return value if value.shape == near.shape and np.abs(value - near).max() <= SINGLE * size else single


def _newton_tensor(prim: Any) -> Array | None:
    """Return the tensor of Newton's schema; None if it is not stated, or physically impossible."""
    value: Any = authored(prim, NEWTON_TENSOR)
    return None if _is_no_opinion(value) or tensor_fault(prim) else _tensor_of(_six(value))


def tensor_fault(prim: Any) -> str:
    """Return why a prim's tensor by Newton's schema is invalid; empty if it is valid, or not stated."""
    value: Any = authored(prim, NEWTON_TENSOR)
    if _is_no_opinion(value):
        return ""
    if NEWTON_API not in applied_schemas(prim):
        return "it needs NewtonMassAPI; apply it"
    six = _six(value)
    if six is None:
        return f"it has {np.size(value)} numbers in place of 6; write xx, yy, zz, xy, xz, yz"
    if not np.isfinite(six).all():
        return "it holds a non-finite number; write xx, yy, zz, xy, xz, yz in digits"
    if six[:3].min() < 0.0:
        return f"it has a negative diagonal, {six[:3].tolist()}; write xx, yy, zz, xy, xz, yz of a body"
    if np.linalg.eigvalsh(_tensor_of(six))[0] < 0.0:
        return "it is not positive semidefinite; write xx, yy, zz, xy, xz, yz of a body"
    return ""


def _is_no_opinion(value: Any) -> bool:
    """Return whether a tensor is not stated, as with an empty array."""
    return value is None or np.size(value) == 0


def _tensor_of(six: Any) -> Array:
    """Return the tensor of six numbers in Newton's order."""
    xx, yy, zz, xy, xz, yz = six.tolist()
    return tensor_from_six((xx, xy, xz, yy, yz, zz))


def _exact_tensor(prim: Any, diagonal: Array | None, turn: Array | None) -> Array | None:
    """Return the tensor in double precision if it agrees with the moments and axes in single precision."""
    six = None if diagonal is None else _six(authored(prim, EXACT_TENSOR))
    if six is None or diagonal is None:
        return None
    tensor = tensor_from_six(six)
    near = rotate_tensor(np.eye(3) if turn is None else turn, np.diag(diagonal))
    if not np.isfinite(near).all():
        return None
    size = float(np.abs(near).max())
    return tensor if np.abs(tensor - near).max() <= SINGLE * size else None


def _six(value: Any) -> Array | None:
    """Return six numbers; None if a value is anything else."""
    try:
        six = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return six if six.shape == np.triu_indices(3)[0].shape else None
