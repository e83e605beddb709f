# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that compute the states of links, joints and bodies for observers, in double precision, on the host.

Observers read all of them after every step, for which NumPy took as long as the step itself.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS

wp.set_module_options(MODULE_OPTIONS)

vec3d, transformd = wp.vec3d, wp.transformd


@wp.struct
class SeenBodies:
    """Bodies at one instant, and the world at rest as the last row; velocities are those of centres of mass."""

    q: wp.array(dtype=wp.transformd)  # frame in the world [m]
    qd: wp.array(dtype=wp.spatial_vectord)  # velocity [m/s], angular velocity [rad/s]
    com: wp.array(dtype=wp.vec3d)  # in that frame [m]
    mass: wp.array(dtype=wp.float64)  # [kg], zero for static bodies
    inertia: wp.array(dtype=wp.mat33d)  # about the centre of mass [kg m^2], zero for static bodies
    fall: wp.array(dtype=wp.vec3d)  # acceleration by gravity [m/s^2]


@wp.struct
class SeenLinks:
    """Links and their poses in their bodies."""

    body: wp.array(dtype=wp.int32)
    place: wp.array(dtype=wp.transformd)  # frame in the body's frame [m]


@wp.struct
class SeenJoints:
    """Joints with one coordinate, with their parent and child bodies."""

    parent: wp.array(dtype=wp.int32)
    child: wp.array(dtype=wp.int32)
    axis: wp.array(dtype=wp.vec3d)  # unit vector in the parent's frame
    anchor: wp.array(dtype=wp.vec3d)  # in the child's frame [m]
    turns: wp.array(dtype=wp.int32)  # 1 for rotation about the axis, 0 for translation along it


@wp.func
def unless_lost(bodies: SeenBodies, b: int) -> wp.float64:
    """Return zero, or no number for a body that has left the finite ones: what is added to it is lost as well."""
    q = bodies.q[b]
    is_placed = wp.isfinite(wp.transform_get_translation(q)) and wp.isfinite(wp.transform_get_rotation(q))
    if is_placed and wp.isfinite(bodies.qd[b]):
        return wp.float64(0.0)
    return wp.float64(wp.nan)


@wp.func
def frame_of(bodies: SeenBodies, b: int) -> transformd:
    """Return the frame of a body in the world."""
    q = bodies.q[b]
    return transformd(wp.transform_get_translation(q), wp.normalize(wp.transform_get_rotation(q)))


@wp.func
def velocity_at(bodies: SeenBodies, b: int, point: vec3d) -> vec3d:
    """Return the velocity of a body's material at a point of the world."""
    com = wp.transform_point(frame_of(bodies, b), bodies.com[b])
    return wp.spatial_top(bodies.qd[b]) + wp.cross(wp.spatial_bottom(bodies.qd[b]), point - com)


@wp.func
def see_link(link: int, bodies: SeenBodies, links: SeenLinks, states: wp.array2d(dtype=wp.float64)):
    """Write position, quaternion with w >= 0, velocity of the origin and angular velocity of a link on its body."""
    b = links.body[link]
    unknown = unless_lost(bodies, b)
    frame = frame_of(bodies, b) * links.place[link]
    x, turn = wp.transform_get_translation(frame), wp.normalize(wp.transform_get_rotation(frame))
    if turn[3] < wp.float64(0.0):
        turn = -turn
    v, omega = velocity_at(bodies, b, x), wp.spatial_bottom(bodies.qd[b])
    for k in range(3):
        states[link, k] = unknown + x[k]
        states[link, 7 + k] = unknown + v[k]
        states[link, 10 + k] = unknown + omega[k]
    for k in range(4):
        states[link, 3 + k] = unknown + turn[k]


@wp.func
def see_joint(joint: int, bodies: SeenBodies, joints: SeenJoints, rates: wp.array(dtype=wp.float64)):
    """Write the rate of a joint [rad/s or m/s]."""
    parent, child = joints.parent[joint], joints.child[joint]
    axis = wp.transform_vector(frame_of(bodies, parent), joints.axis[joint])
    point = wp.transform_point(frame_of(bodies, child), joints.anchor[joint])
    apart = velocity_at(bodies, child, point) - velocity_at(bodies, parent, point)
    if joints.turns[joint] == 1:
        apart = wp.spatial_bottom(bodies.qd[child]) - wp.spatial_bottom(bodies.qd[parent])
    rates[joint] = unless_lost(bodies, parent) + unless_lost(bodies, child) + wp.dot(axis, apart)


@wp.func
def see_energy(b: int, bodies: SeenBodies, energies: wp.array2d(dtype=wp.float64)):
    """Write the kinetic energy of a body, and that in gravity, zero at the world's origin [J]."""
    frame, v, m = frame_of(bodies, b), wp.spatial_top(bodies.qd[b]), bodies.mass[b]
    spin = wp.quat_rotate_inv(wp.transform_get_rotation(frame), wp.spatial_bottom(bodies.qd[b]))
    unknown = unless_lost(bodies, b)
    energies[b, 0] = unknown + wp.float64(0.5) * (m * wp.dot(v, v) + wp.dot(spin, bodies.inertia[b] * spin))
    energies[b, 1] = unknown - m * wp.dot(bodies.fall[b], wp.transform_point(frame, bodies.com[b]))


@wp.kernel
def see(
    bodies: SeenBodies,
    links: SeenLinks,
    joints: SeenJoints,
    states: wp.array2d(dtype=wp.float64),
    rates: wp.array(dtype=wp.float64),
    energies: wp.array2d(dtype=wp.float64),
):
    """Write all of it, for the link, the joint and the body of one number."""
    i = wp.tid()
    if i < states.shape[0]:
        see_link(i, bodies, links, states)
    if i < rates.shape[0]:
        see_joint(i, bodies, joints, rates)
    if i < energies.shape[0]:
        see_energy(i, bodies, energies)
