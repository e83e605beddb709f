# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of cloth: particles with triangles, and edges with edges, where particles leave gaps between them."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import EDGE_SLOTS, PAIR_SLOTS, SURFACE_SLOTS, TRIANGLE_SLOTS, Slots
from inertia_tools.sim.soft.finding import FORESIGHT, ContactParameters, new_row, set_contact, slot_of_key
from inertia_tools.sim.soft.near_groups import (
    Groups,
    Paths,
    are_of_one_world,
    boxes_overlap,
    list_edges,
    list_triangles,
    renew_box,
)
from inertia_tools.sim.soft.rows import Rows
from inertia_tools.sim.soft.surface_distance import triangle_weights
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d, vec4d = wp.vec3d, wp.vec4d
ZERO, ONE, TWO = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))

FIRST = wp.constant(SURFACE_SLOTS + PAIR_SLOTS)
TRIANGLE_CAPACITY, EDGE_CAPACITY = wp.constant(TRIANGLE_SLOTS), wp.constant(EDGE_SLOTS)

PARALLEL = wp.constant(wp.float64(1.0e-12))
"""Segments are parallel if the squared sine of their angle is below this."""


@wp.struct
class Skin:
    """Triangles through which particles could pass, and their edges."""

    triangle: wp.array2d(dtype=wp.int32)  # its particles
    edge: wp.array2d(dtype=wp.int32)
    triangle_of: wp.array(dtype=wp.int32)  # a triangle with each particle as a corner, or -1
    first_slot: wp.int32  # first slot of edges


@wp.func
def closest_of_segments(a: vec3d, b: vec3d, c: vec3d, d: vec3d) -> wp.vec2d:
    """Return the parameters, from 0 to 1, of the nearest points of two segments (Ericson 2004, 5.1.9)."""
    u, v, off = b - a, d - c, a - c
    uu, vv, uv = wp.dot(u, u), wp.dot(v, v), wp.dot(u, v)
    uo, vo = wp.dot(u, off), wp.dot(v, off)
    across = uu * vv - uv * uv
    s = ZERO
    if across > PARALLEL * uu * vv:
        s = wp.clamp((uv * vo - uo * vv) / across, ZERO, ONE)
    t = (uv * s + vo) / vv
    if t < ZERO:
        t = ZERO
        s = wp.clamp(-uo / uu, ZERO, ONE)
    elif t > ONE:
        t = ONE
        s = wp.clamp((uv - uo) / uu, ZERO, ONE)
    return wp.vec2d(s, t)


@wp.func
def add_row(
    particles: Particles,
    rows: Rows,
    slots: Slots,
    parameters: ContactParameters,
    nodes: wp.vec4i,
    weights: vec4d,
    ahead: wp.float64,
    key: int,
    first: int,
    used: int,
    room: int,
    capacity: int,
) -> int:
    """Add the row of two points with the weights of four particles, unless they are far apart or touch at rest.

    The normal is that after `ahead` [s] at the current velocities. Return the number of rows of this particle or edge.
    """
    start, rest_offset, relative_velocity, radius = vec3d(), vec3d(), vec3d(), ZERO
    for k in range(4):
        i = nodes[k]
        start += weights[k] * particles.start[i]
        rest_offset += weights[k] * particles.at_rest[i]
        relative_velocity += weights[k] * particles.v[i]
        radius += wp.abs(weights[k]) * particles.radius[i]
    off = start + ahead * relative_velocity
    distance = wp.length(off)
    if distance == ZERO or distance - radius >= FORESIGHT * radius + TWO * parameters.h * wp.length(relative_velocity):
        return used
    is_one_body = particles.component[nodes[0]] == particles.component[nodes[3]]
    if is_one_body and wp.length(rest_offset) <= radius * (ONE + FORESIGHT):
        return used
    r = new_row(rows, capacity)
    if r < 0:
        return used
    rows.slot[r] = first + used
    rows.key[r] = key
    rows.particle[r] = nodes[0]
    rows.other[r] = nodes[1]
    rows.third[r] = nodes[2]
    rows.fourth[r] = nodes[3]
    rows.weights[r] = weights
    rows.body[r] = -1
    rows.body_motion[r] = vec3d()
    rows.arm[r] = vec3d()
    rows.normal[r] = off / distance
    rows.mu[r] = parameters.pair_mu
    old = slot_of_key(slots, first, first + room, key)
    gap = wp.dot(off, start) / distance - radius
    set_contact(rows, slots, parameters, r, old, gap, off, wp.quat_identity(dtype=wp.float64), ZERO)
    return used + 1


@wp.func
def nearest_on_triangle(particles: Particles, nodes: wp.vec4i, ahead: wp.float64):
    """Return the weights of a particle and its nearest point on a triangle, and the vector between them.

    Positions are those after `ahead` [s] at the current velocities.
    """
    x = particles.start[nodes[0]] + ahead * particles.v[nodes[0]]
    a = particles.start[nodes[1]] + ahead * particles.v[nodes[1]] - x
    b = particles.start[nodes[2]] + ahead * particles.v[nodes[2]] - x
    c = particles.start[nodes[3]] + ahead * particles.v[nodes[3]] - x
    at = triangle_weights(a, b, c)
    return vec4d(ONE, -at[0], -at[1], -at[2]), -(at[0] * a + at[1] * b + at[2] * c)


@wp.func
def stays_in_front(particles: Particles, nodes: wp.vec4i, off: vec3d, off_ahead: vec3d) -> bool:
    """Return whether a particle stays on its side of a triangle, given its offsets now and at the end of the substep.

    If so, the later normal counts. The current one leans back over the edge of a triangle that the particle is about to
    slide onto, and would stop it.
    """
    a = particles.start[nodes[1]]
    up = wp.cross(particles.start[nodes[2]] - a, particles.start[nodes[3]] - a)
    is_before = wp.dot(up, off) * wp.dot(up, off_ahead) > ZERO
    return is_before and wp.dot(off, off_ahead) > ZERO


@wp.func
def add_triangle_row(
    skin: Skin, particles: Particles, rows: Rows, slots: Slots, parameters: ContactParameters, capacity: int,
    i: int, t: int, used: int,
) -> int:  # fmt: skip
    """Add the row of a particle and a triangle if they may touch; return the number of rows of the particle."""
    a, b, c = int(skin.triangle[t, 0]), int(skin.triangle[t, 1]), int(skin.triangle[t, 2])
    mobility = particles.inv_mass[i] + particles.inv_mass[a] + particles.inv_mass[b] + particles.inv_mass[c]
    if mobility <= ZERO or not are_of_one_world(particles.world[i], particles.world[a]):
        return used
    nodes, ahead = wp.vec4i(i, a, b, c), ZERO
    weights, off = nearest_on_triangle(particles, nodes, ZERO)
    weights_ahead, off_ahead = nearest_on_triangle(particles, nodes, parameters.h)
    if stays_in_front(particles, nodes, off, off_ahead):
        weights = weights_ahead
        ahead = parameters.h
    first = i * parameters.slots + FIRST
    return add_row(
        particles, rows, slots, parameters, nodes, weights, ahead, t, first, used, TRIANGLE_CAPACITY, capacity
    )


@wp.func
def may_be_inside(a: vec3d, b: vec3d, c: vec3d, d: vec3d) -> bool:
    """Return whether the nearest points of two segments may be inside both: that of the first line is in the first."""
    u, v, off = b - a, d - c, a - c
    uu, vv, uv = wp.dot(u, u), wp.dot(v, v), wp.dot(u, v)
    across, s = uu * vv - uv * uv, uv * wp.dot(v, off) - wp.dot(u, off) * vv
    return s > ZERO and s < across and across > PARALLEL * uu * vv


@wp.kernel
def find_points(
    skin: Skin, triangles: Groups, paths: Paths, particles: Particles, rows: Rows, slots: Slots,
    parameters: ContactParameters, capacity: int,
):  # fmt: skip
    """Add the rows of particles with triangles of which they are not a corner."""
    i = wp.tid()
    if particles.radius[i] <= ZERO:
        return
    t, g, used, room = skin.triangle_of[i], int(-1), int(0), triangles.near.shape[1]
    if t >= 0:
        g = triangles.group_of[t]
    low, high, count = paths.low[i], paths.high[i], int(triangles.near_count[i])
    if renew_box(paths, particles, i, parameters.h) or count > room:
        count = list_triangles(paths, particles, triangles, i, g, -1)
        triangles.near_count[i] = count
    while count > 0:
        for n in range(wp.min(count, room)):
            r = triangles.near[i, n]
            if used < TRIANGLE_CAPACITY and boxes_overlap(low, high, triangles.box[r, 0], triangles.box[r, 1]):
                used = add_triangle_row(
                    skin, particles, rows, slots, parameters, capacity, i, triangles.member[r], used
                )
        if count <= room:
            break
        count = list_triangles(paths, particles, triangles, i, g, triangles.near[i, room - 1])


@wp.func
def add_edge_row(
    skin: Skin, particles: Particles, rows: Rows, slots: Slots, parameters: ContactParameters, capacity: int,
    e: int, f: int, used: int,
) -> int:  # fmt: skip
    """Add the row of two edges if they may touch with nearest points inside both; return the number of the first."""
    i, j, k, m = int(skin.edge[e, 0]), int(skin.edge[e, 1]), int(skin.edge[f, 0]), int(skin.edge[f, 1])
    if not may_be_inside(particles.start[i], particles.start[j], particles.start[k], particles.start[m]):
        return used
    mobility = particles.inv_mass[i] + particles.inv_mass[j] + particles.inv_mass[k] + particles.inv_mass[m]
    if mobility <= ZERO or not are_of_one_world(particles.world[i], particles.world[k]):
        return used
    at = closest_of_segments(particles.start[i], particles.start[j], particles.start[k], particles.start[m])
    if not (at[0] > ZERO and at[0] < ONE and at[1] > ZERO and at[1] < ONE):
        return used
    nodes, weights = wp.vec4i(i, j, k, m), vec4d(ONE - at[0], at[0], at[1] - ONE, -at[1])
    first = skin.first_slot + e * EDGE_CAPACITY
    return add_row(particles, rows, slots, parameters, nodes, weights, ZERO, f, first, used, EDGE_CAPACITY, capacity)


@wp.kernel
def find_edges(
    skin: Skin, edges: Groups, paths: Paths, particles: Particles, rows: Rows, slots: Slots,
    parameters: ContactParameters, capacity: int,
):  # fmt: skip
    """Add the rows of edges with later ones that share no end, if the nearest points are inside both edges."""
    e = wp.tid()
    own, used, room, count = edges.rank[e], int(0), edges.near.shape[1], int(edges.near_count[e])
    low, high = edges.box[own, 0], edges.box[own, 1]
    if paths.is_stale[0] == 1 or count > room:
        count = list_edges(edges, e, own, -1)
        edges.near_count[e] = count
    while count > 0:
        for n in range(wp.min(count, room)):
            r = edges.near[e, n]
            if used < EDGE_CAPACITY and boxes_overlap(low, high, edges.box[r, 0], edges.box[r, 1]):
                used = add_edge_row(skin, particles, rows, slots, parameters, capacity, e, edges.member[r], used)
        if count <= room:
            break
        count = list_edges(edges, e, own, edges.near[e, room - 1])
