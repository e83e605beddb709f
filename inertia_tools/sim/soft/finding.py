# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact search of particles: with the surfaces of shapes, and with each other."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import PAIR_SLOTS, SURFACE_SLOTS, Slots
from inertia_tools.sim.soft.motion import external_acceleration
from inertia_tools.sim.soft.rows import (
    COHESIVE,
    ONE_SIDED,
    Carriers,
    Rows,
    displacement,
    point_motion,
    tangential_part,
    turned,
)
from inertia_tools.sim.soft.surface_distance import distance_to
from inertia_tools.sim.soft.surfaces import Surfaces
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d = wp.vec3d

SURFACE_CAPACITY, PAIR_CAPACITY = wp.constant(SURFACE_SLOTS), wp.constant(PAIR_SLOTS)

FORESIGHT = wp.constant(wp.float64(0.1))
"""A particle gets a contact row if its gap is below this share of its radius, plus the distance that closes in two
substeps."""

CLOSE = wp.constant(wp.float64(1.0e-9))
"""A contact with a gap below this always gets a row [m].

So does one that carried load in the last substep: a force on a particle without a radius would push it through a
surface within a substep if a search had left it farther away than this."""

PUSH_OUT = wp.constant(wp.float64(1.0))
"""Greatest speed at which an initial overlap, or the gap of cohesion, is closed [m/s]."""

REMAINING_OVERLAP = wp.constant(wp.float64(0.95))
"""Share of the overlap of two particles in a loaded contact that remains after a substep.

Impulses persist from substep to substep, y <- y - K (x' - x) - (1 - share) K x. With m x'' = y, the slowest mode of a
stack of n particles decays if 1 - share < K (pi / 2n)^2 / m: with a share of 0, a stack of 16 does not come to rest."""


@wp.struct
class ContactParameters:
    """Contact parameters of particles, and the length of the substep [s]."""

    restitution: wp.float64  # with surfaces
    pair_mu: wp.float64
    cohesion: wp.float64  # gap up to which particles stick together [m]
    adhesion: wp.float64  # gap up to which particles stick to surfaces [m]
    slow: wp.float64  # closing distance in a substep below which particles do not bounce [m]
    h: wp.float64
    slots: wp.int32  # of each particle


@wp.func
def new_row(rows: Rows, capacity: int) -> int:
    """Reserve a row and return its index; -1 beyond the capacity."""
    r = wp.atomic_add(rows.count, 0, 1)
    if r >= capacity:
        wp.atomic_sub(rows.count, 0, 1)
        return int(-1)
    return r


@wp.func
def set_single_particle(rows: Rows, r: int, i: int):
    """Set the particles of a row to a single one."""
    rows.particle[r] = i
    rows.other[r] = -1
    rows.third[r] = -1
    rows.fourth[r] = -1
    rows.weights[r] = wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))


@wp.func
def slot_of_key(slots: Slots, first: int, end: int, key: int) -> int:
    """Return the slot with this key, or -1."""
    for k in range(first, end):
        if slots.key[k] == key + 1:
            return k
    return int(-1)


@wp.func
def carried_load(slots: Slots, old: int) -> bool:
    """Return whether a contact carried load in the last substep."""
    if old < 0:
        return False
    return wp.length(slots.force[old]) > wp.float64(0.0)


@wp.func
def set_contact(
    rows: Rows,
    slots: Slots,
    parameters: ContactParameters,
    r: int,
    old: int,
    gap: wp.float64,
    place: vec3d,
    turn: wp.quatd,
    reach: wp.float64,
):
    """Set the fields that all contacts share: warm start, gap, and the limit on the speed of push-out.

    Args:
        rows: The rows.
        slots: State of contacts from the last substep.
        parameters: Contact parameters.
        r: The row.
        old: Its slot, or -1.
        gap: Distance [m].
        place: Position of the particle relative to the other side, world axes [m].
        turn: Rotation of the frame in which anchors are stored.
        reach: Gap up to which the two sides stick together; zero for none [m].
    """
    h, n = parameters.h, rows.normal[r]
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
            rows.gap[r] = (wp.float64(1.0) - REMAINING_OVERLAP) * rows.gap[r]
        rows.known[r] = h * h * force
        rows.bound[r] = h * h * rows.mu[r] * wp.abs(wp.dot(force, n))
        if slots.sticks[old] == 1:
            rows.anchor[r] = slots.anchor[old]
            rows.slip[r] = tangential_part(place - wp.quat_rotate(turn, slots.anchor[old]), n)


@wp.func
def rebound_displacement(restitution: wp.float64, closing: wp.float64, gap: wp.float64, fall: wp.float64) -> wp.float64:
    """Return the displacement in the substep of a particle that bounces at a gap from a surface [m].

    The particle has the energy that it would have at that height after reaching the surface and coming back. `closing`
    is its displacement in the last substep and `fall` the acceleration towards the surface times h^2 [m]; both
    velocities lack half of the latter.
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
def body_displacement(carriers: Carriers, b: int, point: vec3d, h: wp.float64) -> vec3d:
    """Return the displacement of a material point of a body in a substep, to first order in its rotation [m]."""
    if b < 0:
        return vec3d()
    return h * point_motion(carriers.velocity[b], point - carriers.centre[b])


@wp.func
def bends_as_normals_say(first: wp.vec4d, second: wp.vec4d, step: vec3d) -> bool:
    """Return whether normals and distances at two points, a step apart, can be those of one bent surface.

    If not, the step leads behind another part of the surface.
    """
    n, m = vec3d(first[0], first[1], first[2]), vec3d(second[0], second[1], second[2])
    rise = wp.abs(second[3] - first[3])
    return wp.dot(n, m) > wp.float64(0.0) and rise <= wp.length(step) * wp.length(wp.cross(n, m))


@wp.func
def found_from(surfaces: Surfaces, s: int, origin: vec3d, turn: wp.quatd, point: vec3d, reach: wp.float64) -> wp.vec4d:
    """Return normal, in the frame of a surface, and distance [m] of a point from a surface on a body of a pose."""
    middle = origin + wp.quat_rotate(turn, surfaces.point[s])
    local = wp.quat_rotate_inv(turn * surfaces.turn[s], point - middle)
    return distance_to(surfaces.kind[s], surfaces.size[s], surfaces.mesh[s], local, reach)


@wp.func
def set_place_on_surface(
    surfaces: Surfaces, carriers: Carriers, rows: Rows, r: int, s: int, x: vec3d, v: vec3d, found: wp.vec4d,
    reach: wp.float64, share: wp.float64, h: wp.float64,
) -> wp.float64:  # fmt: skip
    """Set point, normal and motion of the surface where a particle slides to; return its distance at the start [m].

    The forces of elements act at the end of the substep as far as the backward Euler method integrates them, which is
    `share`. So does the normal that balances them: that of the start would lag behind the tension of a rope on a drum.

    Args:
        surfaces: The surfaces.
        carriers: Their bodies.
        rows: The rows.
        r: The row.
        s: The surface.
        x: The particle's position at the start [m].
        v: Its velocity [m/s].
        found: Normal in the frame of the surface, and distance [m], at the start.
        reach: Distance beyond which triangles are not searched [m].
        share: Part of the substep after which the normal counts.
        h: Length of the substep [s].
    """
    b = rows.body[r]
    origin, turn = pose_of(carriers, b)
    frame, at, place = turn * surfaces.turn[s], wp.vec4d(found), vec3d(x)
    facing = wp.quat_rotate(frame, vec3d(found[0], found[1], found[2]))
    slide = share * tangential_part(h * v - body_displacement(carriers, b, x, h), facing)
    if wp.length(slide) > wp.float64(0.0):
        there = found_from(surfaces, s, origin, turn, x + slide, reach)
        if bends_as_normals_say(found, there, wp.quat_rotate_inv(frame, slide)):
            at = there
            place = x + slide
    n = wp.quat_rotate(frame, vec3d(at[0], at[1], at[2]))
    distance = at[3] - wp.dot(n, place - x)
    rows.normal[r] = n
    rows.arm[r] = place - at[3] * n
    rows.body_motion[r] = vec3d()
    if b >= 0:
        motion, part = h * carriers.velocity[b], share * h * carriers.velocity[b]
        arm, start = rows.arm[r] - carriers.centre[b], x - carriers.centre[b]
        led = displacement(part, start) + (wp.float64(1.0) - share) * point_motion(motion, turned(part, start))
        material = start - found[3] * facing
        n = turned(part, n)
        rows.normal[r] = n
        rows.arm[r] = turned(part, arm)
        rows.body_motion[r] = wp.dot(led, n) * n + tangential_part(displacement(motion, material), n)
    return distance


@wp.func
def add_surface_row(
    particles: Particles, gravity: wp.array(dtype=wp.vec3d), surfaces: Surfaces, carriers: Carriers, rows: Rows,
    slots: Slots, parameters: ContactParameters, i: int, s: int, b: int, mu: wp.float64, capacity: int,
) -> int:  # fmt: skip
    """Add the row of a particle near a surface if they may touch in the substep; return the row, or -1."""
    h, x, v = parameters.h, particles.start[i], particles.v[i]
    origin, turn = pose_of(carriers, b)
    radius, far = particles.radius[i] + surfaces.margin[s], surfaces.reach[s]
    middle = origin + wp.quat_rotate(turn, surfaces.point[s])
    near = radius * (wp.float64(1.0) + FORESIGHT) + wp.float64(2.0) * h * wp.length(v) + CLOSE + parameters.slow
    near += wp.float64(2.0) * wp.length(body_displacement(carriers, b, x, h))
    if not (far < wp.float64(0.0) or wp.length(x - middle) < far + near):
        return int(-1)
    if b >= 0:
        carriers.near[b] = 1
    found = found_from(surfaces, s, origin, turn, x, far + near)
    n = wp.quat_rotate(turn * surfaces.turn[s], vec3d(found[0], found[1], found[2]))
    gap = found[3] - radius
    point = x - found[3] * n
    body_motion = body_displacement(carriers, b, point, h)
    closing = wp.dot(body_motion - h * v, n)
    search_distance = FORESIGHT * radius + wp.float64(2.0) * wp.max(closing, wp.float64(0.0)) + CLOSE + parameters.slow
    old = slot_of_key(slots, i * parameters.slots, i * parameters.slots + SURFACE_CAPACITY, s)
    if not (gap < wp.max(search_distance, parameters.adhesion) or carried_load(slots, old)):
        return int(-1)
    r = new_row(rows, capacity)
    if r < 0:
        return r
    rows.key[r] = s
    set_single_particle(rows, r, i)
    rows.body[r] = b
    rows.mu[r] = mu
    share = particles.stiff[i]
    distance = set_place_on_surface(surfaces, carriers, rows, r, s, x, v, found, far + near, share, h)
    set_contact(rows, slots, parameters, r, old, distance - radius, x - origin, turn, parameters.adhesion)
    fall = -h * h * wp.dot(external_acceleration(particles, gravity, i), n)
    fast = closing + wp.max(fall, wp.float64(0.0)) > wp.max(gap, parameters.slow)
    if fast and not carried_load(slots, old) and parameters.restitution > wp.float64(0.0):
        rows.gap[r] = -rebound_displacement(parameters.restitution, closing, gap, fall)
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
    parameters: ContactParameters,
    capacity: int,
):
    """Add rows of particles and surfaces, at least one of which moves.

    `friction` is the combined coefficient of particles with each shape.
    """
    i = wp.tid()
    world, used = particles.world[i], int(0)
    for s in range(surfaces.count):
        b = int(surfaces.body[s])
        moves = bool(particles.inv_mass[i] > wp.float64(0.0))
        if b >= 0:
            b += world * surfaces.bodies
            moves = moves or carriers.is_dynamic[b] == 1
        apart = surfaces.world[s] >= 0 and world >= 0 and surfaces.world[s] != world
        if moves and used < SURFACE_CAPACITY and not apart:
            mu = friction[world * surfaces.shapes + surfaces.shape[s]]
            r = add_surface_row(particles, gravity, surfaces, carriers, rows, slots, parameters, i, s, b, mu, capacity)
            if r >= 0:
                rows.slot[r] = i * parameters.slots + used
                used += 1


@wp.func
def may_collide(particles: Particles, i: int, j: int) -> bool:
    """Return whether two particles are of one world and at least one of them moves."""
    first, second = particles.world[i], particles.world[j]
    together = first == second or first < 0 or second < 0
    return together and particles.inv_mass[i] + particles.inv_mass[j] > wp.float64(0.0)


@wp.func
def pair_normal(off: vec3d, distance: wp.float64) -> vec3d:
    """Return the normal of two particles at an offset; particles at one point separate along z, as from a sphere."""
    if distance > wp.float64(0.0):
        return off / distance
    return vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))


@wp.kernel
def find_pairs(
    particles: Particles,
    grid: wp.uint64,
    rows: Rows,
    slots: Slots,
    parameters: ContactParameters,
    reach: wp.float64,
    capacity: int,
):
    """Add rows of particles with those of a higher index.

    Particles of one body whose rest positions touch are excluded.
    """
    i = wp.tid()
    h, x = parameters.h, particles.start[i]
    used = int(0)
    first = i * parameters.slots + SURFACE_CAPACITY
    j = int(0)
    query = wp.hash_grid_query(grid, x, reach)
    while wp.hash_grid_query_next(query, j):
        if j > i and used < PAIR_CAPACITY:
            off = x - particles.start[j]
            distance = wp.length(off)
            radius = particles.radius[i] + particles.radius[j]
            gap = distance - radius
            closing = wp.length(particles.v[i] - particles.v[j])
            search_distance = wp.max(FORESIGHT * radius + wp.float64(2.0) * h * closing, parameters.cohesion)
            if gap < search_distance and may_collide(particles, i, j):
                apart = bool(True)
                if particles.component[i] == particles.component[j]:
                    at_rest = wp.length(particles.at_rest[i] - particles.at_rest[j])
                    apart = at_rest > radius * (wp.float64(1.0) + FORESIGHT)
                if apart:
                    r = new_row(rows, capacity)
                    if r >= 0:
                        rows.slot[r] = first + used
                        rows.key[r] = j
                        set_single_particle(rows, r, i)
                        rows.other[r] = j
                        rows.weights[r][1] = wp.float64(-1.0)
                        rows.body[r] = -1
                        rows.body_motion[r] = vec3d()
                        rows.arm[r] = vec3d()
                        rows.normal[r] = pair_normal(off, distance)
                        rows.mu[r] = parameters.pair_mu
                        old = slot_of_key(slots, first, first + PAIR_CAPACITY, j)
                        set_contact(
                            rows,
                            slots,
                            parameters,
                            r,
                            old,
                            gap,
                            off,
                            wp.quat_identity(dtype=wp.float64),
                            parameters.cohesion,
                        )
                        used += 1
