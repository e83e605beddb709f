# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which particles meet which surfaces and each other in a substep."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import PAIR_SLOTS, SURFACE_SLOTS, Slots
from inertia_tools.sim.soft.motion import pull_on
from inertia_tools.sim.soft.rows import COHESIVE, ONE_SIDED, Carriers, Rows, across, at_arm
from inertia_tools.sim.soft.surface_distance import distance_to
from inertia_tools.sim.soft.surfaces import Surfaces
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d = wp.vec3d

SURFACE_ROOM, PAIR_ROOM = wp.constant(SURFACE_SLOTS), wp.constant(PAIR_SLOTS)

FORESIGHT = wp.constant(wp.float64(0.1))
"""Share of its radius at which a particle's contacts are looked at, beyond what closes in two substeps."""

CLOSE = wp.constant(wp.float64(1.0e-9))
"""Gap at which a contact is looked at in any case [m].

One that bore something is, too: what presses on a particle without a radius takes it through a surface within a
substep, once a search has left it further away than this.
"""

PUSH_OUT = wp.constant(wp.float64(1.0))
"""Speed at which an overlap that was there from the start, or the gap of cohesion, is closed at most [m/s]."""

OVERLAP_LEFT = wp.constant(wp.float64(0.95))
"""Share of the overlap of two particles that bore something which a substep leaves.

Impulses go on from substep to substep, y <- y - K (x' - x) - (1 - share) K x. With m x'' = y, the slowest mode of a
stack of n particles decays where 1 - share < K (pi / 2n)^2 / m: with a share of 0, 16 do not come to rest.
"""


@wp.struct
class Meeting:
    """How particles meet: coefficients of theirs, and the length of the substep [s]."""

    restitution: wp.float64  # with surfaces
    pair_mu: wp.float64
    cohesion: wp.float64  # gap at which particles stick to each other [m]
    adhesion: wp.float64  # the same for surfaces
    slow: wp.float64  # approach in a substep below which nothing bounces [m]
    h: wp.float64
    slots: wp.int32  # of each particle


@wp.func
def new_row(rows: Rows, capacity: int) -> int:
    r = wp.atomic_add(rows.count, 0, 1)
    if r >= capacity:
        wp.atomic_sub(rows.count, 0, 1)
        return int(-1)
    return r


@wp.func
def alone(rows: Rows, r: int, i: int):
    """Let a row be of one particle."""
    rows.particle[r] = i
    rows.other[r] = -1
    rows.third[r] = -1
    rows.fourth[r] = -1
    rows.weights[r] = wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))


@wp.func
def remembered(slots: Slots, first: int, end: int, key: int) -> int:
    """Return the slot of a key, or -1."""
    for k in range(first, end):
        if slots.key[k] == key + 1:
            return k
    return int(-1)


@wp.func
def bears(slots: Slots, old: int) -> bool:
    """Tell whether a contact bore something in the last substep."""
    if old < 0:
        return False
    return wp.length(slots.force[old]) > wp.float64(0.0)


@wp.func
def fill(
    rows: Rows,
    slots: Slots,
    meeting: Meeting,
    r: int,
    old: int,
    gap: wp.float64,
    place: vec3d,
    turn: wp.quatd,
    reach: wp.float64,
):
    """Set what contacts have in common: memory, gap, and no faster way out of an overlap than allowed.

    Args:
        rows: The rows.
        slots: What was kept of the last substep.
        meeting: How particles meet.
        r: The row.
        old: Its slot, or -1.
        gap: Distance [m].
        place: The particle seen from what it meets, in world axes [m].
        turn: Rotation of the frame in which anchors are kept.
        reach: Gap up to which the two stick to each other; zero for none [m].
    """
    h, n = meeting.h, rows.normal[r]
    rows.led[r] = vec3d()
    rows.known[r] = vec3d()
    rows.slip[r] = vec3d()
    rows.bound[r] = wp.float64(0.0)
    rows.impulse[r] = vec3d()
    rows.gap[r] = wp.max(gap, -PUSH_OUT * h)
    rows.kind[r] = ONE_SIDED
    if reach > wp.float64(0.0) and gap <= reach:
        rows.kind[r] = COHESIVE
        rows.gap[r] = wp.min(rows.gap[r], PUSH_OUT * h)
    rows.anchor[r] = wp.quat_rotate_inv(turn, place)
    if old >= 0:
        force = slots.force[old]
        if rows.other[r] >= 0 and gap < wp.float64(0.0) and wp.length(force) > wp.float64(0.0):
            rows.gap[r] = (wp.float64(1.0) - OVERLAP_LEFT) * rows.gap[r]
        rows.known[r] = h * h * force
        rows.bound[r] = h * h * rows.mu[r] * wp.abs(wp.dot(force, n))
        if slots.sticks[old] == 1:
            rows.anchor[r] = slots.anchor[old]
            rows.slip[r] = across(place - wp.quat_rotate(turn, slots.anchor[old]), n)


@wp.func
def rebound(restitution: wp.float64, closing: wp.float64, gap: wp.float64, fall: wp.float64) -> wp.float64:
    """Return the way in the substep of a particle that turns round at a gap from a surface [m].

    It has the energy that is left at that height if it goes on to the surface and comes back. `closing` is its way in
    the last substep and `fall` what pulls it to the surface times h^2: half of that is missing in both [m].
    """
    half = wp.float64(0.5) * wp.max(fall, wp.float64(0.0))
    climb = wp.float64(4.0) * half * gap
    square = restitution * restitution * ((closing + half) * (closing + half) + climb) - climb
    return wp.max(wp.sqrt(wp.max(square, wp.float64(0.0))) - half, wp.float64(0.0))


@wp.func
def pose_of(carriers: Carriers, b: int):
    """Return origin and rotation of a body, or of the world if its index is negative."""
    origin, turn = vec3d(), wp.quat_identity(dtype=wp.float64)
    if b >= 0:
        origin = vec3d(carriers.origin[b])
        turn = wp.quatd(carriers.turn[b])
    return origin, turn


@wp.func
def way_with(carriers: Carriers, b: int, point: vec3d, h: wp.float64) -> vec3d:
    """Return the displacement in a substep of the material of a body at a point [m]."""
    if b < 0:
        return vec3d()
    return h * at_arm(carriers.velocity[b], point - carriers.centre[b])


@wp.func
def touch_surface(
    particles: Particles, gravity: wp.array(dtype=wp.vec3d), surfaces: Surfaces, carriers: Carriers, rows: Rows,
    slots: Slots, meeting: Meeting, i: int, s: int, b: int, mu: wp.float64, capacity: int,
) -> int:  # fmt: skip
    """Add the row of a particle near a surface of a body, if they may touch in the substep; return it, or -1."""
    h, x, v = meeting.h, particles.start[i], particles.v[i]
    origin, turn = pose_of(carriers, b)
    radius, far = particles.radius[i] + surfaces.margin[s], surfaces.reach[s]
    middle = origin + wp.quat_rotate(turn, surfaces.point[s])
    near = radius * (wp.float64(1.0) + FORESIGHT) + wp.float64(2.0) * h * wp.length(v) + CLOSE + meeting.slow
    near += wp.float64(2.0) * wp.length(way_with(carriers, b, x, h))
    if not (far < wp.float64(0.0) or wp.length(x - middle) < far + near):
        return int(-1)
    if b >= 0:
        carriers.near[b] = 1
    frame = turn * surfaces.turn[s]
    local = wp.quat_rotate_inv(frame, x - middle)
    found = distance_to(surfaces.kind[s], surfaces.size[s], surfaces.mesh[s], local, far + near)
    n = wp.quat_rotate(frame, vec3d(found[0], found[1], found[2]))
    gap = found[3] - radius
    point = x - found[3] * n
    led = way_with(carriers, b, point, h)
    closing = wp.dot(led - h * v, n)
    seen = FORESIGHT * radius + wp.float64(2.0) * wp.max(closing, wp.float64(0.0)) + CLOSE + meeting.slow
    old = remembered(slots, i * meeting.slots, i * meeting.slots + SURFACE_ROOM, s)
    if not (gap < wp.max(seen, meeting.adhesion) or bears(slots, old)):
        return int(-1)
    r = new_row(rows, capacity)
    if r < 0:
        return r
    rows.key[r] = s
    alone(rows, r, i)
    rows.body[r] = b
    rows.mu[r] = mu
    rows.arm[r] = point
    if b >= 0:
        rows.arm[r] = point - carriers.centre[b]
    rows.normal[r] = n
    fill(rows, slots, meeting, r, old, gap, x - origin, turn, meeting.adhesion)
    rows.led[r] = led
    fall = -h * h * wp.dot(pull_on(particles, gravity, i), n)
    fast = closing + wp.max(fall, wp.float64(0.0)) > wp.max(gap, meeting.slow)
    if fast and not bears(slots, old) and meeting.restitution > wp.float64(0.0):
        rows.gap[r] = -rebound(meeting.restitution, closing, gap, fall)
    return r


@wp.kernel
def find_surfaces(
    particles: Particles,
    gravity: wp.array(dtype=wp.vec3d),
    surfaces: Surfaces,
    friction: wp.array(dtype=wp.float64),
    carriers: Carriers,
    rows: Rows,
    slots: Slots,
    meeting: Meeting,
    capacity: int,
):
    """List the rows of particles and surfaces, of which one moves; friction is that of particles with each shape."""
    i = wp.tid()
    world, used = particles.world[i], int(0)
    for s in range(surfaces.count):
        b = int(surfaces.body[s])
        moves = bool(particles.inv_mass[i] > wp.float64(0.0))
        if b >= 0:
            b += world * surfaces.bodies
            moves = moves or carriers.answers[b] == 1
        apart = surfaces.world[s] >= 0 and world >= 0 and surfaces.world[s] != world
        if moves and used < SURFACE_ROOM and not apart:
            mu = friction[world * surfaces.shapes + surfaces.shape[s]]
            r = touch_surface(particles, gravity, surfaces, carriers, rows, slots, meeting, i, s, b, mu, capacity)
            if r >= 0:
                rows.slot[r] = i * meeting.slots + used
                used += 1


@wp.func
def may_meet(particles: Particles, i: int, j: int) -> bool:
    """Tell whether two particles are of one world, and one of them moves."""
    first, second = particles.world[i], particles.world[j]
    together = first == second or first < 0 or second < 0
    return together and particles.inv_mass[i] + particles.inv_mass[j] > wp.float64(0.0)


@wp.kernel
def find_pairs(
    particles: Particles, grid: wp.uint64, rows: Rows, slots: Slots, meeting: Meeting, reach: wp.float64, capacity: int
):
    """List the rows of particles with those of higher number; parts of one body that were built touching do not."""
    i = wp.tid()
    h, x = meeting.h, particles.start[i]
    used = int(0)
    first = i * meeting.slots + SURFACE_ROOM
    j = int(0)
    query = wp.hash_grid_query(grid, x, reach)
    while wp.hash_grid_query_next(query, j):
        if j > i and used < PAIR_ROOM:
            off = x - particles.start[j]
            distance = wp.length(off)
            radius = particles.radius[i] + particles.radius[j]
            gap = distance - radius
            closing = wp.length(particles.v[i] - particles.v[j])
            seen = wp.max(FORESIGHT * radius + wp.float64(2.0) * h * closing, meeting.cohesion)
            if gap < seen and distance > wp.float64(0.0) and may_meet(particles, i, j):
                apart = bool(True)
                if particles.component[i] == particles.component[j]:
                    at_rest = wp.length(particles.at_rest[i] - particles.at_rest[j])
                    apart = at_rest > radius * (wp.float64(1.0) + FORESIGHT)
                if apart:
                    r = new_row(rows, capacity)
                    if r >= 0:
                        rows.slot[r] = first + used
                        rows.key[r] = j
                        alone(rows, r, i)
                        rows.other[r] = j
                        rows.weights[r][1] = wp.float64(-1.0)
                        rows.body[r] = -1
                        rows.arm[r] = vec3d()
                        rows.normal[r] = off / distance
                        rows.mu[r] = meeting.pair_mu
                        old = remembered(slots, first, first + PAIR_ROOM, j)
                        fill(
                            rows, slots, meeting, r, old, gap, off, wp.quat_identity(dtype=wp.float64), meeting.cohesion
                        )
                        used += 1
