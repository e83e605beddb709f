# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties as one matrix about the frame's origin: spatial inertia 6x6 and pseudo-inertia 4x4.

Both are linear in the moments m, m c and I_o (the tensor about the origin), so that the matrices of rigidly joined
parts add up. The spatial inertia here has the angular part first, as Featherstone writes it; libraries that put the
linear part first swap its blocks.
"""

from __future__ import annotations

import numpy as np

from inertia_tools.inertial import ASYMMETRY_TOLERANCE, Inertial, point_tensor
from inertia_tools.spatial import Array, ArrayLike, read_only, skew


def spatial_inertia(body: Inertial) -> Array:
    """Return the spatial inertia of a body, angular part first, shape (6, 6) (Featherstone 2008, eq. 2.63).

    The blocks are [[I_o [kg m^2], m [c]x [kg m]], [m [c]x^T [kg m], m 1 [kg]]]. With the twist v = (angular [rad/s],
    linear at the origin [m/s]) the kinetic energy is v^T M v / 2.
    """
    coupling = body.mass * skew(body.com)
    return np.block([[_about_origin(body), coupling], [coupling.T, body.mass * np.eye(3)]])


def inertial_of_spatial(matrix: ArrayLike) -> Inertial:
    """Return the body that has this spatial inertia, angular part first; the inverse of `spatial_inertia`.

    Args:
        matrix: Spatial inertia about the frame's origin, shape (6, 6).

    Raises:
        ValueError: The matrix has another shape or is not of that form, or it has a first moment and no mass.
    """
    whole = read_only(matrix, (6, 6))
    tensor, coupling, linear = whole[:3, :3], whole[:3, 3:], whole[3:, 3:]
    mass = float(linear[0, 0])
    first_moment = np.array([coupling[2, 1], coupling[0, 2], coupling[1, 0]])
    size = _first_moment_size(tensor, mass)
    if not (
        _agree(linear, mass * np.eye(3), abs(mass))
        and _agree(coupling, skew(first_moment), size)
        and _agree(whole[3:, :3], coupling.T, size)
    ):
        raise ValueError("this is not a spatial inertia [[I, m [c]x], [m [c]x^T, m 1]], angular part first")
    return _inertial(mass, first_moment, tensor)


def pseudo_inertia(body: Inertial) -> Array:
    """Return the second moments of a body's mass in homogeneous coordinates, shape (4, 4) (Wensing et al. 2018).

    The blocks are [[S [kg m^2], m c [kg m]], [m c^T [kg m], m [kg]]] with S = tr(I_o)/2 1 - I_o. The matrix is
    positive definite exactly for bodies with volume, and becomes T J T^T when the body is moved by the homogeneous
    matrix T.
    """
    tensor = _about_origin(body)
    second_moments = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    first_moment = body.mass * body.com[:, np.newaxis]
    return np.block([[second_moments, first_moment], [first_moment.T, np.array([[body.mass]])]])


def inertial_of_pseudo(matrix: ArrayLike) -> Inertial:
    """Return the body that has this pseudo-inertia; the inverse of `pseudo_inertia`.

    Args:
        matrix: Pseudo-inertia about the frame's origin, shape (4, 4).

    Raises:
        ValueError: The matrix has another shape or is not symmetric, or it has a first moment and no mass.
    """
    whole = read_only(matrix, (4, 4))
    second_moments, first_moment, mass = whole[:3, :3], whole[:3, 3], float(whole[3, 3])
    if not _agree(whole[3, :3], first_moment, _first_moment_size(second_moments, mass)):
        raise ValueError("a pseudo-inertia must be symmetric")
    return _inertial(mass, first_moment, np.trace(second_moments) * np.eye(3) - second_moments)


def _about_origin(body: Inertial) -> Array:
    return body.inertia_about(np.zeros(3))


def _first_moment_size(second: Array, mass: float) -> float:
    """Return what the first moment of a real body stays below [kg m], by Cauchy and Schwarz."""
    return float(np.sqrt(np.abs(second).sum() * abs(mass)))


def _agree(block: Array, form: Array, size: float) -> bool:
    return bool(np.allclose(block, form, rtol=0.0, atol=ASYMMETRY_TOLERANCE * size))


def _inertial(mass: float, first_moment: Array, tensor: Array) -> Inertial:
    """Build from the moments about the frame's origin: m [kg], m c [kg m], tensor [kg m^2]."""
    if mass == 0.0 and first_moment.any():
        raise ValueError("a first moment without a mass has no centre of mass")
    com = first_moment / mass if mass else np.zeros(3)
    symmetric = Inertial(mass, inertia=tensor).inertia  # judged before the part of a far origin is taken away
    return Inertial(mass, com, symmetric - mass * point_tensor(com))
