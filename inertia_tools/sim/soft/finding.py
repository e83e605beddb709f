# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which particles meet which surfaces and each other in a substep, and what holds them to bodies."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import PAIR_SLOTS, SURFACE_SLOTS, Slots
from inertia_tools.sim.soft.element_kernels import act
from inertia_tools.sim.soft.elements import next_weight
from inertia_tools.sim.soft.motion import pull_on
from inertia_tools.sim.soft.rows import (
    BOTH_WAYS,
    COHESIVE,
    ONE_SIDED,
    SPRING,
    Carriers,
    Rows,
    across,
    at_arm,
    motion_of,
    node,
    wrench,
)
from inertia_tools.sim.soft.surface_distance import distance_to
from inertia_tools.sim.soft.surfaces import Surfaces
from inertia_tools.sim.soft.work import Matrix, Particles

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

FIRMNESS = wp.constant(wp.float64(100.0))
"""Stiffness of a row over that of its particle: an impulse is off by the inverse of it after one solve."""

FIRMNESS_OF_CLOTH = wp.constant(wp.float64(10.0))
"""The same of a row of four particles: the inverse diagonal does not see how it couples them, and searches grow."""

FIRMNESS_OF_BODIES = wp.constant(wp.float64(10.0))
"""Stiffness of all rows of a body together over its mass, at least.

Impulses go on from substep to substep, y <- y - K x with m x'' = y: what rests on particles that cannot give way, as
they lie on something, comes to rest only if K exceeds m, however light they are.
"""

OVERLAP_LEFT = wp.constant(wp.float64(0.95))
"""Share of the overlap of two particles that bore something which a substep leaves.

Impulses go on from substep to substep, y <- y - K (x' - x) - (1 - share) K x. With m x'' = y, the slowest mode of a
stack of n particles decays where 1 - share < K (pi / 2n)^2 / m: with a share of 0, 16 do not come to rest.
"""


@wp.struct
class Meeting:
    """How particles meet: coefficients of theirs, and the length of the substep [s]."""

    mu: wp.float64  # with surfaces
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


@wp.kernel
def find_surfaces(
    particles: Particles,
    gravity: wp.array(dtype=wp.vec3d),
    surfaces: Surfaces,
    carriers: Carriers,
    rows: Rows,
    slots: Slots,
    meeting: Meeting,
    capacity: int,
):
    """List the rows of particles and surfaces, of which one moves."""
    i = wp.tid()
    h, x, v = meeting.h, particles.start[i], particles.v[i]
    used = int(0)
    world = particles.world[i]
    for s in range(surfaces.count):
        b = int(surfaces.body[s])
        origin, turn = vec3d(), wp.quat_identity(dtype=wp.float64)
        moves = bool(particles.inv_mass[i] > wp.float64(0.0))
        if b >= 0:
            b += world * surfaces.bodies
            moves = moves or carriers.answers[b] == 1
            origin = vec3d(carriers.origin[b])
            turn = wp.quatd(carriers.turn[b])
        apart = surfaces.world[s] >= 0 and world >= 0 and surfaces.world[s] != world
        middle = origin + wp.quat_rotate(turn, surfaces.point[s])
        radius = particles.radius[i] + surfaces.margin[s]
        far = surfaces.reach[s]
        near = radius * (wp.float64(1.0) + FORESIGHT) + wp.float64(2.0) * h * wp.length(v) + CLOSE + meeting.slow
        if b >= 0:
            near += wp.float64(2.0) * h * wp.length(at_arm(carriers.velocity[b], x - carriers.centre[b]))
        if (
            moves
            and used < SURFACE_ROOM
            and not apart
            and (far < wp.float64(0.0) or wp.length(x - middle) < far + near)
        ):
            if b >= 0:
                carriers.near[b] = 1
            frame = turn * surfaces.turn[s]
            local = wp.quat_rotate_inv(frame, x - middle)
            found = distance_to(surfaces.kind[s], surfaces.size[s], surfaces.mesh[s], local, far + near)
            n = wp.quat_rotate(frame, vec3d(found[0], found[1], found[2]))
            gap = found[3] - radius
            led = vec3d()
            arm = x - found[3] * n
            if b >= 0:
                arm -= carriers.centre[b]
                led = h * at_arm(carriers.velocity[b], arm)
            closing = wp.dot(led - h * v, n)
            seen = FORESIGHT * radius + wp.float64(2.0) * wp.max(closing, wp.float64(0.0)) + CLOSE + meeting.slow
            old = remembered(slots, i * meeting.slots, i * meeting.slots + SURFACE_ROOM, s)
            if gap < wp.max(seen, meeting.adhesion) or bears(slots, old):
                r = new_row(rows, capacity)
                if r >= 0:
                    rows.slot[r] = i * meeting.slots + used
                    rows.key[r] = s
                    alone(rows, r, i)
                    rows.body[r] = b
                    rows.arm[r] = arm
                    rows.normal[r] = n
                    rows.mu[r] = wp.float64(0.5) * (meeting.mu + surfaces.mu[s])
                    fill(rows, slots, meeting, r, old, gap, x - origin, turn, meeting.adhesion)
                    rows.led[r] = led
                    fall = -h * h * wp.dot(pull_on(particles, gravity, i), n)
                    fast = closing + wp.max(fall, wp.float64(0.0)) > wp.max(gap, meeting.slow)
                    if fast and not bears(slots, old) and meeting.restitution > wp.float64(0.0):
                        rows.gap[r] = -rebound(meeting.restitution, closing, gap, fall)
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


@wp.struct
class Attachments:
    """Points of bodies that hold particles, one entry each."""

    particle: wp.array(dtype=wp.int32)
    body: wp.array(dtype=wp.int32)
    point: wp.array(dtype=wp.vec3d)  # in the body's frame
    stiffness: wp.array(dtype=wp.float64)  # [N/m]; infinite for a point that is held
    damping: wp.array(dtype=wp.float64)
    enabled: wp.array(dtype=wp.int32)
    share: wp.array(dtype=wp.float64)  # how much of a soft one is integrated by the backward Euler method
    pull: wp.array(dtype=wp.vec3d)  # force of a soft one on its particle when the last substep ended [N]


@wp.func
def held_at(attachments: Attachments, carriers: Carriers, a: int) -> vec3d:
    """Return the point that holds a particle."""
    b = attachments.body[a]
    return carriers.origin[b] + wp.quat_rotate(carriers.turn[b], attachments.point[a])


@wp.kernel
def start_attachments(
    attachments: Attachments, particles: Particles, carriers: Carriers, held: wp.array(dtype=wp.vec3d)
):
    """Find the forces of soft attachments where the substep starts: what of them is known acts on both ends."""
    a = wp.tid()
    k = attachments.stiffness[a]
    attachments.pull[a] = vec3d()
    if attachments.enabled[a] == 0 or wp.isinf(k):
        return
    i, b = attachments.particle[a], attachments.body[a]
    place = held_at(attachments, carriers, a)
    force = k * (place - particles.start[i])
    act(particles, i, force, attachments.share[a])
    loose = (wp.float64(1.0) - attachments.share[a]) * force
    then = held[a]
    if particles.fresh[i] == 1:
        then = loose
    held[a] = loose
    known = wrench((wp.float64(10.0) * loose + then) / wp.float64(12.0), place - carriers.centre[b])
    wp.atomic_sub(carriers.reaction, b, known)
    wp.atomic_add(carriers.then, b, known)


@wp.kernel
def find_attachments(
    attachments: Attachments,
    particles: Particles,
    carriers: Carriers,
    rows: Rows,
    held: wp.array(dtype=wp.vec3d),
    h: wp.float64,
    capacity: int,
):
    """List the rows of attachments."""
    a = wp.tid()
    if attachments.enabled[a] == 0:
        return
    i, b = attachments.particle[a], attachments.body[a]
    r = new_row(rows, capacity)
    if r < 0:
        return
    carriers.near[b] = 1
    place = held_at(attachments, carriers, a)
    k = next_weight(attachments.share[a]) * attachments.stiffness[a]
    alone(rows, r, i)
    rows.body[r] = b
    rows.slot[r] = -1
    rows.key[r] = a
    rows.arm[r] = place - carriers.centre[b]
    rows.normal[r] = vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    rows.gap[r] = wp.float64(0.0)
    rows.mu[r] = wp.float64(0.0)
    rows.bound[r] = wp.float64(0.0)
    rows.led[r] = h * at_arm(carriers.velocity[b], rows.arm[r])
    off = particles.start[i] - place
    if wp.isinf(k):
        rows.kind[r] = BOTH_WAYS
        rows.slip[r] = off
        rows.known[r] = h * h * held[a]
    else:
        rows.kind[r] = SPRING
        rows.stiffness[r] = h * h * k + h * attachments.damping[a]
        rows.slip[r] = vec3d()
        rows.known[r] = -h * h * k * off
    rows.impulse[r] = rows.known[r]


@wp.kernel
def keep_attachments(
    rows: Rows,
    attachments: Attachments,
    particles: Particles,
    carriers: Carriers,
    held: wp.array(dtype=wp.vec3d),
    h: wp.float64,
):
    """Keep the forces of points that are held, and of soft attachments as the substep ends."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    a = rows.key[r]
    if rows.kind[r] == BOTH_WAYS:
        held[a] = rows.impulse[r] / (h * h)
    elif rows.kind[r] == SPRING:
        moved = motion_of(rows, carriers, particles, r)
        off = particles.start[rows.particle[r]] - held_at(attachments, carriers, a) + moved
        attachments.pull[a] = -attachments.stiffness[a] * off - attachments.damping[a] / h * moved


@wp.kernel
def report_attachments(attachments: Attachments, particles: Particles):
    """Count soft attachments among the forces that act when a step ends."""
    a = wp.tid()
    wp.atomic_add(particles.around, attachments.particle[a], attachments.pull[a])


@wp.kernel
def load_carriers(rows: Rows, carriers: Carriers):
    """Sum what the rows of each body bear, and count them."""
    r = wp.tid()
    if r < rows.count[0]:
        if rows.body[r] >= 0 and rows.kind[r] != SPRING:
            wp.atomic_add(carriers.borne, rows.body[r], wp.length(rows.known[r]))
            wp.atomic_add(carriers.row_count, rows.body[r], wp.float64(1.0))


@wp.func
def mass_on(rows: Rows, carriers: Carriers, r: int) -> wp.float64:
    """Return a row's share of the mass of its body: half of it by what it bears, half by the number of rows."""
    b = rows.body[r]
    mobility = carriers.inverse[b][0, 0]
    if mobility == wp.float64(0.0):
        return mobility
    share = wp.float64(1.0) / carriers.row_count[b]
    if carriers.borne[b] > wp.float64(0.0):
        share = wp.float64(0.5) * (share + wp.length(rows.known[r]) / carriers.borne[b])
    return share / mobility


@wp.kernel
def load_particles(rows: Rows, particles: Particles, carriers: Carriers):
    """Sum the shares of bodies that press on each particle, or hang from it."""
    r = wp.tid()
    if r < rows.count[0]:
        if rows.body[r] >= 0 and rows.kind[r] != SPRING:
            wp.atomic_add(particles.loaded, rows.particle[r], mass_on(rows, carriers, r))


@wp.kernel
def stiffen(rows: Rows, particles: Particles, carriers: Carriers, matrix: Matrix):
    """Set the stiffness of rows by that of the particles that they push, and by the bodies that load these."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    if rows.kind[r] == SPRING:
        return
    own, load = wp.float64(0.0), wp.float64(0.0)
    for k in range(4):
        i = node(rows, r, k)
        if i >= 0:
            load = wp.max(load, particles.loaded[i])
            if particles.inv_mass[i] > wp.float64(0.0) and rows.weights[r][k] != wp.float64(0.0):
                own = wp.max(own, wp.trace(matrix.diagonal[i]) / wp.float64(3.0))
    if own == wp.float64(0.0) and rows.body[r] >= 0:
        own = carriers.mass[rows.body[r]][0, 0]
    firm = wp.where(rows.third[r] >= 0, FIRMNESS_OF_CLOTH, FIRMNESS) * own
    rows.stiffness[r] = wp.max(firm, FIRMNESS_OF_BODIES * load)
