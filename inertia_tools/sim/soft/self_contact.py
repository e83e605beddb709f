# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which particles meet triangles of cloth, and which of their edges meet, where particles leave holes between them."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import EDGE_SLOTS, PAIR_SLOTS, SURFACE_SLOTS, TRIANGLE_SLOTS, Slots
from inertia_tools.sim.soft.finding import FORESIGHT, Meeting, fill, new_row, remembered
from inertia_tools.sim.soft.rows import Rows
from inertia_tools.sim.soft.surface_distance import triangle_weights
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d, vec4d = wp.vec3d, wp.vec4d
ZERO, ONE, TWO = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))

HALF = wp.constant(wp.float64(0.5))

FIRST = wp.constant(SURFACE_SLOTS + PAIR_SLOTS)
TRIANGLE_ROOM, EDGE_ROOM = wp.constant(TRIANGLE_SLOTS), wp.constant(EDGE_SLOTS)

FAST = wp.constant(wp.float64(1.0e30))
"""More than any velocity [m/s]."""

STRAY = wp.constant(wp.float64(0.1))
"""How far what acts in two substeps may take a particle off its way, over the length of the way."""

ROUNDING = wp.constant(wp.float64(1.0e-5))
"""What boxes grow by, over the distance from the origin, as trees of boxes are of single precision."""


@wp.struct
class Skin:
    """Triangles that particles leave holes in, and their edges."""

    triangle: wp.array2d(dtype=wp.int32)
    edge: wp.array2d(dtype=wp.int32)
    triangles: wp.uint64  # trees of boxes
    edges: wp.uint64
    first_slot: wp.int32  # of edges
    pace: wp.array(dtype=wp.vec3d)  # least and greatest velocity of particles along each axis [m/s]


@wp.func
def shorter(v: vec3d) -> wp.vec3:
    return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))


@wp.kernel
def begin_pace(skin: Skin):
    """Begin with no velocity at all."""
    skin.pace[0] = vec3d(FAST, FAST, FAST)
    skin.pace[1] = -vec3d(FAST, FAST, FAST)


@wp.kernel
def measure_pace(skin: Skin, particles: Particles):
    """Find between which velocities particles move."""
    v = vec3d(particles.v[wp.tid()])
    wp.atomic_min(skin.pace, 0, v)
    wp.atomic_max(skin.pace, 1, v)


@wp.func
def way_of(skin: Skin, particles: Particles, i: int, h: wp.float64) -> vec3d:
    """Return the way of a particle in two substeps.

    What moves together does not come nearer, so that motion counts from the middle of all velocities.
    """
    return TWO * h * (vec3d(particles.v[i]) - HALF * (skin.pace[0] + skin.pace[1]))


@wp.func
def room_of(particles: Particles, i: int, way: vec3d) -> vec3d:
    """Return how far from its way a particle may meet something of its own kind, along each axis."""
    radius = particles.radius[i] * (ONE + FORESIGHT)
    room = radius + STRAY * wp.length(way) + ROUNDING * (ONE + wp.length(particles.start[i]))
    return vec3d(room, room, room)


@wp.func
def low_of(skin: Skin, particles: Particles, i: int, h: wp.float64) -> vec3d:
    """Return the lower corner of the box around what a particle meets within two substeps."""
    x, way = vec3d(particles.start[i]), way_of(skin, particles, i, h)
    return wp.min(x, x + way) - room_of(particles, i, way)


@wp.func
def high_of(skin: Skin, particles: Particles, i: int, h: wp.float64) -> vec3d:
    """Return its upper corner."""
    x, way = vec3d(particles.start[i]), way_of(skin, particles, i, h)
    return wp.max(x, x + way) + room_of(particles, i, way)


@wp.func
def closest_of_segments(a: vec3d, b: vec3d, c: vec3d, d: vec3d) -> wp.vec2d:
    """Return where the nearest points of two segments lie along them, from 0 to 1 (Ericson, 5.1.9)."""
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
def are_together(particles: Particles, i: int, j: int) -> bool:
    """Tell whether two particles are of one world."""
    first, second = particles.world[i], particles.world[j]
    return first == second or first < 0 or second < 0


@wp.kernel
def bound_triangles(
    skin: Skin, particles: Particles, h: wp.float64, low: wp.array(dtype=wp.vec3), high: wp.array(dtype=wp.vec3)
):
    """Find the boxes of triangles and of what meets them within two substeps."""
    t = wp.tid()
    i, j, k = int(skin.triangle[t, 0]), int(skin.triangle[t, 1]), int(skin.triangle[t, 2])
    least = wp.min(low_of(skin, particles, i, h), low_of(skin, particles, j, h))
    most = wp.max(high_of(skin, particles, i, h), high_of(skin, particles, j, h))
    low[t] = shorter(wp.min(least, low_of(skin, particles, k, h)))
    high[t] = shorter(wp.max(most, high_of(skin, particles, k, h)))


@wp.kernel
def bound_edges(
    skin: Skin, particles: Particles, h: wp.float64, low: wp.array(dtype=wp.vec3), high: wp.array(dtype=wp.vec3)
):
    """Find the boxes of edges and of what meets them within two substeps."""
    e = wp.tid()
    i, j = int(skin.edge[e, 0]), int(skin.edge[e, 1])
    low[e] = shorter(wp.min(low_of(skin, particles, i, h), low_of(skin, particles, j, h)))
    high[e] = shorter(wp.max(high_of(skin, particles, i, h), high_of(skin, particles, j, h)))


@wp.func
def add_row(
    particles: Particles,
    rows: Rows,
    slots: Slots,
    meeting: Meeting,
    nodes: wp.vec4i,
    weights: vec4d,
    ahead: wp.float64,
    key: int,
    first: int,
    used: int,
    room: int,
    capacity: int,
) -> int:
    """List the row of two points with the weights of four particles, unless they are far apart or were built touching.

    Its normal is that of so much later, by the velocities of now [s].

    Returns:
        How many rows of the same particle, or edge, there are now.
    """
    start, then, moves, radius = vec3d(), vec3d(), vec3d(), ZERO
    for k in range(4):
        i = nodes[k]
        start += weights[k] * particles.start[i]
        then += weights[k] * particles.at_rest[i]
        moves += weights[k] * particles.v[i]
        radius += wp.abs(weights[k]) * particles.radius[i]
    off = start + ahead * moves
    distance = wp.length(off)
    if distance == ZERO or distance - radius >= FORESIGHT * radius + TWO * meeting.h * wp.length(moves):
        return used
    is_one_body = particles.component[nodes[0]] == particles.component[nodes[3]]
    if is_one_body and wp.length(then) <= radius * (ONE + FORESIGHT):
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
    rows.mu[r] = meeting.pair_mu
    old = remembered(slots, first, first + room, key)
    gap = wp.dot(off, start) / distance - radius
    fill(rows, slots, meeting, r, old, gap, off, wp.quat_identity(dtype=wp.float64), ZERO)
    return used + 1


@wp.func
def nearest_on_triangle(particles: Particles, nodes: wp.vec4i, ahead: wp.float64):
    """Return the way from the nearest point of a triangle to a particle, so much later [s], after its weights."""
    x = particles.start[nodes[0]] + ahead * particles.v[nodes[0]]
    a = particles.start[nodes[1]] + ahead * particles.v[nodes[1]] - x
    b = particles.start[nodes[2]] + ahead * particles.v[nodes[2]] - x
    c = particles.start[nodes[3]] + ahead * particles.v[nodes[3]] - x
    at = triangle_weights(a, b, c)
    return vec4d(ONE, -at[0], -at[1], -at[2]), -(at[0] * a + at[1] * b + at[2] * c)


@wp.func
def stays_before(particles: Particles, nodes: wp.vec4i, off: vec3d, off_ahead: vec3d) -> bool:
    """Tell whether a particle does not go through a triangle, from which it is so far off now and later.

    Then the later normal counts: that of now leans back over the edge of a triangle that the particle is about to slide
    onto, and would stop it.
    """
    a = particles.start[nodes[1]]
    up = wp.cross(particles.start[nodes[2]] - a, particles.start[nodes[3]] - a)
    is_before = wp.dot(up, off) * wp.dot(up, off_ahead) > ZERO
    return is_before and wp.dot(off, off_ahead) > ZERO


@wp.kernel
def find_points(skin: Skin, particles: Particles, rows: Rows, slots: Slots, meeting: Meeting, capacity: int):
    """List the rows of particles with triangles that they are no corner of."""
    i = wp.tid()
    if particles.radius[i] <= ZERO:
        return
    used, t = int(0), int(0)
    low, high = low_of(skin, particles, i, meeting.h), high_of(skin, particles, i, meeting.h)
    first = i * meeting.slots + FIRST
    query = wp.bvh_query_aabb(skin.triangles, shorter(low), shorter(high))
    while wp.bvh_query_next(query, t):
        a, b, c = int(skin.triangle[t, 0]), int(skin.triangle[t, 1]), int(skin.triangle[t, 2])
        lightest = particles.inv_mass[i] + particles.inv_mass[a] + particles.inv_mass[b] + particles.inv_mass[c]
        is_corner = wp.min(wp.min(wp.abs(i - a), wp.abs(i - b)), wp.abs(i - c)) == 0
        if used < TRIANGLE_ROOM and not is_corner and lightest > ZERO and are_together(particles, i, a):
            nodes, ahead = wp.vec4i(i, a, b, c), ZERO
            weights, off = nearest_on_triangle(particles, nodes, ZERO)
            weights_ahead, off_ahead = nearest_on_triangle(particles, nodes, meeting.h)
            if stays_before(particles, nodes, off, off_ahead):
                weights = weights_ahead
                ahead = meeting.h
            used = add_row(
                particles, rows, slots, meeting, nodes, weights, ahead, t, first, used, TRIANGLE_ROOM, capacity
            )


@wp.kernel
def find_edges(skin: Skin, particles: Particles, rows: Rows, slots: Slots, meeting: Meeting, capacity: int):
    """List the rows of edges with those of higher number that have none of their ends, where both meet between them."""
    e = wp.tid()
    i, j = int(skin.edge[e, 0]), int(skin.edge[e, 1])
    a, b = vec3d(particles.start[i]), vec3d(particles.start[j])
    low = wp.min(low_of(skin, particles, i, meeting.h), low_of(skin, particles, j, meeting.h))
    high = wp.max(high_of(skin, particles, i, meeting.h), high_of(skin, particles, j, meeting.h))
    used, f = int(0), int(0)
    first = skin.first_slot + e * EDGE_ROOM
    query = wp.bvh_query_aabb(skin.edges, shorter(low), shorter(high))
    while wp.bvh_query_next(query, f):
        k, m = int(skin.edge[f, 0]), int(skin.edge[f, 1])
        lightest = particles.inv_mass[i] + particles.inv_mass[j] + particles.inv_mass[k] + particles.inv_mass[m]
        is_apart = i != k and i != m and j != k and j != m
        if f > e and used < EDGE_ROOM and is_apart and lightest > ZERO and are_together(particles, i, k):
            at = closest_of_segments(a, b, particles.start[k], particles.start[m])
            if at[0] > ZERO and at[0] < ONE and at[1] > ZERO and at[1] < ONE:
                nodes, weights = wp.vec4i(i, j, k, m), vec4d(ONE - at[0], at[0], at[1] - ONE, -at[1])
                used = add_row(
                    particles, rows, slots, meeting, nodes, weights, ZERO, f, first, used, EDGE_ROOM, capacity
                )
