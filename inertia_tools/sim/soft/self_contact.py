# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of cloth: particles with triangles, and edges with edges, where particles leave gaps between them."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import EDGE_SLOTS, PAIR_SLOTS, SURFACE_SLOTS, TRIANGLE_SLOTS, Slots
from inertia_tools.sim.soft.finding import FORESIGHT, ContactParameters, new_row, set_contact, slot_of_key
from inertia_tools.sim.soft.rows import Rows
from inertia_tools.sim.soft.surface_distance import triangle_weights
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d, vec4d = wp.vec3d, wp.vec4d
ZERO, ONE, TWO = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))

HALF = wp.constant(wp.float64(0.5))

FIRST = wp.constant(SURFACE_SLOTS + PAIR_SLOTS)
TRIANGLE_CAPACITY, EDGE_CAPACITY = wp.constant(TRIANGLE_SLOTS), wp.constant(EDGE_SLOTS)

FAST = wp.constant(wp.float64(1.0e30))
"""More than any velocity [m/s]."""

STRAY = wp.constant(wp.float64(0.1))
"""Deviation of a particle from its extrapolated path in two substeps, relative to the length of the path."""

ROUNDING = wp.constant(wp.float64(1.0e-5))
"""Bounding boxes grow by this, relative to the distance from the origin, as hierarchies are in single precision."""


@wp.struct
class Skin:
    """Triangles through which particles could pass, and their edges."""

    triangle: wp.array2d(dtype=wp.int32)
    edge: wp.array2d(dtype=wp.int32)
    triangles: wp.uint64  # bounding volume hierarchies
    edges: wp.uint64
    first_slot: wp.int32  # first slot of edges
    velocity_range: wp.array(dtype=wp.vec3d)  # least and greatest velocity of particles along each axis [m/s]


@wp.func
def to_single(v: vec3d) -> wp.vec3:
    """Return a vector in single precision."""
    return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))


@wp.kernel
def reset_velocity_range(skin: Skin):
    """Reset the range of velocities."""
    skin.velocity_range[0] = vec3d(FAST, FAST, FAST)
    skin.velocity_range[1] = -vec3d(FAST, FAST, FAST)


@wp.kernel
def measure_velocity_range(skin: Skin, particles: Particles):
    """Compute the range of particle velocities along each axis."""
    v = vec3d(particles.v[wp.tid()])
    wp.atomic_min(skin.velocity_range, 0, v)
    wp.atomic_max(skin.velocity_range, 1, v)


@wp.func
def path_of(skin: Skin, particles: Particles, i: int, h: wp.float64) -> vec3d:
    """Return the relative displacement of a particle in two substeps [m].

    Particles that move together do not approach each other, so the displacement is relative to the mean of the velocity
    range.
    """
    return TWO * h * (vec3d(particles.v[i]) - HALF * (skin.velocity_range[0] + skin.velocity_range[1]))


@wp.func
def contact_distance(particles: Particles, i: int, path: vec3d) -> vec3d:
    """Return the contact distance of a particle beside its path, along each axis [m]."""
    radius = particles.radius[i] * (ONE + FORESIGHT)
    room = radius + STRAY * wp.length(path) + ROUNDING * (ONE + wp.length(particles.start[i]))
    return vec3d(room, room, room)


@wp.func
def lower_corner(skin: Skin, particles: Particles, i: int, h: wp.float64) -> vec3d:
    """Return the lower corner of the bounding box of a particle's path in two substeps."""
    x, path = vec3d(particles.start[i]), path_of(skin, particles, i, h)
    return wp.min(x, x + path) - contact_distance(particles, i, path)


@wp.func
def upper_corner(skin: Skin, particles: Particles, i: int, h: wp.float64) -> vec3d:
    """Return the upper corner of that box."""
    x, path = vec3d(particles.start[i]), path_of(skin, particles, i, h)
    return wp.max(x, x + path) + contact_distance(particles, i, path)


@wp.func
def closest_of_segments(a: vec3d, b: vec3d, c: vec3d, d: vec3d) -> wp.vec2d:
    """Return the parameters, from 0 to 1, of the nearest points of two segments (Ericson 2004, 5.1.9)."""
    u, v, off = b - a, d - c, a - c
    uu, vv, uv = wp.dot(u, u), wp.dot(v, v), wp.dot(u, v)
    uo, vo = wp.dot(u, off), wp.dot(v, off)
    across = uu * vv - uv * uv
    s = ZERO
    if across > wp.float64(1.0e-12) * uu * vv:
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
def share_world(particles: Particles, i: int, j: int) -> bool:
    """Return whether two particles are of one world."""
    first, second = particles.world[i], particles.world[j]
    return first == second or first < 0 or second < 0


@wp.kernel
def bound_triangles(
    skin: Skin, particles: Particles, h: wp.float64, low: wp.array(dtype=wp.vec3), high: wp.array(dtype=wp.vec3)
):
    """Compute the bounding boxes of triangles over two substeps."""
    t = wp.tid()
    i, j, k = int(skin.triangle[t, 0]), int(skin.triangle[t, 1]), int(skin.triangle[t, 2])
    least = wp.min(lower_corner(skin, particles, i, h), lower_corner(skin, particles, j, h))
    most = wp.max(upper_corner(skin, particles, i, h), upper_corner(skin, particles, j, h))
    low[t] = to_single(wp.min(least, lower_corner(skin, particles, k, h)))
    high[t] = to_single(wp.max(most, upper_corner(skin, particles, k, h)))


@wp.kernel
def bound_edges(
    skin: Skin, particles: Particles, h: wp.float64, low: wp.array(dtype=wp.vec3), high: wp.array(dtype=wp.vec3)
):
    """Compute the bounding boxes of edges over two substeps."""
    e = wp.tid()
    i, j = int(skin.edge[e, 0]), int(skin.edge[e, 1])
    low[e] = to_single(wp.min(lower_corner(skin, particles, i, h), lower_corner(skin, particles, j, h)))
    high[e] = to_single(wp.max(upper_corner(skin, particles, i, h), upper_corner(skin, particles, j, h)))


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


@wp.kernel
def find_points(
    skin: Skin, particles: Particles, rows: Rows, slots: Slots, parameters: ContactParameters, capacity: int
):
    """Add the rows of particles with triangles of which they are not a corner."""
    i = wp.tid()
    if particles.radius[i] <= ZERO:
        return
    used, t = int(0), int(0)
    low, high = lower_corner(skin, particles, i, parameters.h), upper_corner(skin, particles, i, parameters.h)
    first = i * parameters.slots + FIRST
    query = wp.bvh_query_aabb(skin.triangles, to_single(low), to_single(high))
    while wp.bvh_query_next(query, t):
        a, b, c = int(skin.triangle[t, 0]), int(skin.triangle[t, 1]), int(skin.triangle[t, 2])
        mobility = particles.inv_mass[i] + particles.inv_mass[a] + particles.inv_mass[b] + particles.inv_mass[c]
        is_corner = wp.min(wp.min(wp.abs(i - a), wp.abs(i - b)), wp.abs(i - c)) == 0
        if used < TRIANGLE_CAPACITY and not is_corner and mobility > ZERO and share_world(particles, i, a):
            nodes, ahead = wp.vec4i(i, a, b, c), ZERO
            weights, off = nearest_on_triangle(particles, nodes, ZERO)
            weights_ahead, off_ahead = nearest_on_triangle(particles, nodes, parameters.h)
            if stays_in_front(particles, nodes, off, off_ahead):
                weights = weights_ahead
                ahead = parameters.h
            used = add_row(
                particles, rows, slots, parameters, nodes, weights, ahead, t, first, used, TRIANGLE_CAPACITY, capacity
            )


@wp.kernel
def find_edges(
    skin: Skin, particles: Particles, rows: Rows, slots: Slots, parameters: ContactParameters, capacity: int
):
    """Add the rows of edges with later ones that share no end, if the nearest points are inside both edges."""
    e = wp.tid()
    i, j = int(skin.edge[e, 0]), int(skin.edge[e, 1])
    a, b = vec3d(particles.start[i]), vec3d(particles.start[j])
    low = wp.min(lower_corner(skin, particles, i, parameters.h), lower_corner(skin, particles, j, parameters.h))
    high = wp.max(upper_corner(skin, particles, i, parameters.h), upper_corner(skin, particles, j, parameters.h))
    used, f = int(0), int(0)
    first = skin.first_slot + e * EDGE_CAPACITY
    query = wp.bvh_query_aabb(skin.edges, to_single(low), to_single(high))
    while wp.bvh_query_next(query, f):
        k, m = int(skin.edge[f, 0]), int(skin.edge[f, 1])
        mobility = particles.inv_mass[i] + particles.inv_mass[j] + particles.inv_mass[k] + particles.inv_mass[m]
        is_apart = i != k and i != m and j != k and j != m
        if f > e and used < EDGE_CAPACITY and is_apart and mobility > ZERO and share_world(particles, i, k):
            at = closest_of_segments(a, b, particles.start[k], particles.start[m])
            if at[0] > ZERO and at[0] < ONE and at[1] > ZERO and at[1] < ONE:
                nodes, weights = wp.vec4i(i, j, k, m), vec4d(ONE - at[0], at[0], at[1] - ONE, -at[1])
                used = add_row(
                    particles, rows, slots, parameters, nodes, weights, ZERO, f, first, used, EDGE_CAPACITY, capacity
                )
