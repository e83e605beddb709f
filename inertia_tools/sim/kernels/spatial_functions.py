# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of rotations, twists and wrenches for kernels of users; they may be called on the host too.

Twists are (linear, angular) and wrenches (force, torque), as in `State.body_qd` and `State.body_f`.
"""

import warp as wp

from inertia_tools.sim.kernels.scalar_functions import orthonormal_basis

PARALLEL = wp.constant(1e-8)
"""Distance of the cosine from one or minus one at which two unit vectors count as parallel; Newton's."""


@wp.func
def quat_between_vectors_robust(from_vec: wp.vec3, to_vec: wp.vec3, eps: float = PARALLEL) -> wp.quat:
    """Return the shortest rotation of one unit vector into another; of opposite ones, half a turn about some normal."""
    cosine = wp.dot(from_vec, to_vec)
    if cosine >= 1.0 - eps:
        return wp.quat_identity()
    if cosine <= -1.0 + eps:
        across, _second = orthonormal_basis(from_vec)
        return wp.quat(across[0], across[1], across[2], 0.0)
    axis = wp.cross(from_vec, to_vec)
    return wp.normalize(wp.quat(axis[0], axis[1], axis[2], 1.0 + cosine))


@wp.func
def velocity_at_point(qd: wp.spatial_vector, r: wp.vec3) -> wp.vec3:
    """Return v + omega x r, the velocity [m/s] of a point seen from where the twist is taken [m]."""
    return wp.spatial_top(qd) + wp.cross(wp.spatial_bottom(qd), r)


@wp.func
def transform_twist(t: wp.transform, x: wp.spatial_vector) -> wp.spatial_vector:
    """Return a twist in another frame: omega' = R omega, v' = R v + p x omega'."""
    omega = wp.transform_vector(t, wp.spatial_bottom(x))
    v = wp.transform_vector(t, wp.spatial_top(x)) + wp.cross(wp.transform_get_translation(t), omega)
    return wp.spatial_vector(v[0], v[1], v[2], omega[0], omega[1], omega[2])


@wp.func
def transform_wrench(t: wp.transform, x: wp.spatial_vector) -> wp.spatial_vector:
    """Return a wrench in another frame: f' = R f, tau' = R tau + p x f'."""
    force = wp.transform_vector(t, wp.spatial_top(x))
    torque = wp.transform_vector(t, wp.spatial_bottom(x)) + wp.cross(wp.transform_get_translation(t), force)
    return wp.spatial_vector(force[0], force[1], force[2], torque[0], torque[1], torque[2])


@wp.func
def quat_decompose(q: wp.quat) -> wp.vec3:
    """Return the angles [rad] with R = Rx Ry Rz, as the coordinates of a joint that turns about x, then y, then z."""
    rotation = wp.quat_to_matrix(q)
    about_y = wp.asin(wp.clamp(rotation[0, 2], -1.0, 1.0))
    return wp.vec3(wp.atan2(-rotation[1, 2], rotation[2, 2]), about_y, wp.atan2(-rotation[0, 1], rotation[0, 0]))


@wp.func
def quat_velocity(q_now: wp.quat, q_prev: wp.quat, dt: float) -> wp.vec3:
    """Return the constant angular velocity [rad/s], world axes, that turns one rotation into another the short way."""
    turn = q_now * wp.quat_inverse(q_prev)
    if turn[3] < 0.0:
        turn = -turn
    part = wp.vec3(turn[0], turn[1], turn[2])
    sine = wp.length(part)
    if sine == 0.0:
        return wp.vec3()
    return part * (2.0 * wp.atan2(sine, turn[3]) / (sine * dt))
