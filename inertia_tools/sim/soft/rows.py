# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Constraint rows of the soft-body solve: contacts and attachments, between particles, or a particle and a body.

The relative motion of a row is the weighted sum of its particles' motions. Weights are 1 for a particle; 1 and -1 for a
pair; 1 and minus the barycentric coordinates for a particle and a triangle; and those of the nearest points for two
edges.

A row's impulse times the substep is y = y0 - K (gap + motion), projected onto the admissible set: no pull along the
normal, and Coulomb friction across it. This is the augmented Lagrangian method with penalty stiffness K: y0 is the last
estimate of y, so the forces become exact whatever K is.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.soft_state import Slots
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.soft.work import Matrix, Particles, Sum, Vectors

wp.set_module_options(MODULE_OPTIONS)

vec3d, mat33d = wp.vec3d, wp.mat33d
DOUBLE = precision("float64")
vec6d, mat66d = DOUBLE.vec6, DOUBLE.mat66

ONE_SIDED, COHESIVE, BOTH_WAYS, SPRING = wp.constant(0), wp.constant(1), wp.constant(2), wp.constant(3)
"""Kind of a row: a contact, a contact with cohesion, a rigid attachment, or a spring and damper to a point."""

ENERGY, UNSETTLED = wp.constant(int(Sum.ENERGY)), wp.constant(int(Sum.UNSETTLED))
CHANGE = wp.constant(int(Sum.CHANGE))
LOAD, PQ = wp.constant(int(Sum.LOAD)), wp.constant(int(Sum.PQ))


@wp.struct
class Rows:
    """Constraint rows, one entry each; the first `count[0]` are in use."""

    count: wp.array(dtype=wp.int32)
    kind: wp.array(dtype=wp.int32)
    slot: wp.array(dtype=wp.int32)  # entry of `Slots` that stores its impulse between substeps
    key: wp.array(dtype=wp.int32)  # the other side: a surface, a particle, a triangle or an edge
    particle: wp.array(dtype=wp.int32)
    other: wp.array(dtype=wp.int32)  # particle, or -1, as are the next two
    third: wp.array(dtype=wp.int32)
    fourth: wp.array(dtype=wp.int32)
    weights: wp.array(dtype=wp.vec4d)  # of these four
    body: wp.array(dtype=wp.int32)  # body, or -1
    arm: wp.array(dtype=wp.vec3d)  # from the body's centre of mass
    normal: wp.array(dtype=wp.vec3d)  # towards the particle
    gap: wp.array(dtype=wp.float64)  # at the start of the substep [m]
    anchor: wp.array(dtype=wp.vec3d)  # see `Slots`
    slip: wp.array(dtype=wp.vec3d)  # tangential displacement from the anchor, or all of it for attachments [m]
    body_motion: wp.array(dtype=wp.vec3d)  # displacement of the body in this substep without the rows [m]
    mu: wp.array(dtype=wp.float64)
    stiffness: wp.array(dtype=wp.float64)  # K [kg]
    known: wp.array(dtype=wp.vec3d)  # y0 [kg m]
    bound: wp.array(dtype=wp.float64)  # bound of the friction impulse [kg m]
    impulse: wp.array(dtype=wp.vec3d)  # y [kg m]
    block: wp.array(dtype=wp.mat33d)  # negative derivative of y with respect to the motion [kg]


@wp.struct
class Carriers:
    """Bodies that rows act on, one entry each.

    Vectors of six are translation and rotation about the centre of mass, or coordinates y of these: w = L y for all
    bodies of a cluster, where L L^T is their mobility (`coupling.py`).
    """

    origin: wp.array(dtype=wp.vec3d)
    turn: wp.array(dtype=wp.quatd)
    centre: wp.array(dtype=wp.vec3d)
    velocity: wp.array(dtype=vec6d)  # mean velocity of the substep, extrapolated from the last one
    own_mass: wp.array(dtype=wp.float64)  # as a free body [kg]
    mass: wp.array(dtype=wp.float64)  # along x, as joints and supports hold it [kg]
    is_dynamic: wp.array(dtype=wp.int32)
    is_held: wp.array(dtype=wp.int32)  # the mobility that joints and supports leave it is known
    factor: wp.array(dtype=mat66d)  # diagonal block of L; zero for bodies that forces do not move
    coupling: wp.array(dtype=mat66d)  # the other blocks, one entry a pair of bodies of a cluster
    cluster: wp.array(dtype=wp.int32)  # this and the next five as in `Clusters`
    place: wp.array(dtype=wp.int32)
    first_body: wp.array(dtype=wp.int32)
    body_count: wp.array(dtype=wp.int32)
    body: wp.array(dtype=wp.int32)
    first_pair: wp.array(dtype=wp.int32)
    near: wp.array(dtype=wp.int32)  # particles are near the body or attached to it
    supported_load: wp.array(dtype=wp.float64)  # sum of the estimated impulses of its rows [kg m]
    row_count: wp.array(dtype=wp.float64)  # number of its rows
    then: wp.array(dtype=vec6d)  # reaction in the last substep, contained in `velocity` [N, N m]
    reaction: wp.array(dtype=vec6d)  # reaction in this substep
    w: wp.array(dtype=vec6d)  # displacement in the substep beyond that at `velocity`
    load: wp.array(dtype=vec6d)  # derivative of the objective by w, without inertia
    carried: wp.array(dtype=vec6d)  # L p
    pushed: wp.array(dtype=vec6d)  # load that the rows' matrix makes of it
    stiffness: wp.array(dtype=mat66d)  # of its rows
    x: wp.array(dtype=vec6d)  # from here on coordinates: y, the gradient, and the vectors of the conjugate gradients
    inverse: wp.array(dtype=mat66d)  # of the diagonal block
    gradient: wp.array(dtype=vec6d)
    u: wp.array(dtype=vec6d)
    r: wp.array(dtype=vec6d)
    z: wp.array(dtype=vec6d)
    p: wp.array(dtype=vec6d)
    q: wp.array(dtype=vec6d)


@wp.func
def point_motion(motion: vec6d, arm: vec3d) -> vec3d:
    """Return the motion of a point of a body."""
    turn = vec3d(motion[3], motion[4], motion[5])
    return vec3d(motion[0], motion[1], motion[2]) + wp.cross(turn, arm)


@wp.func
def displacement(motion: vec6d, arm: vec3d) -> vec3d:
    """Return the displacement of a point of a body by a translation and a finite rotation, by Rodrigues' formula."""
    turn = vec3d(motion[3], motion[4], motion[5])
    angle, one, half = wp.length(turn), wp.float64(1.0), wp.float64(0.5)
    first, second = one, one
    if angle > wp.float64(0.0):
        first = wp.sin(angle) / angle
        second = wp.sin(half * angle) / (half * angle)
    across = wp.cross(turn, arm)
    turned = first * across + half * second * second * wp.cross(turn, across)
    return vec3d(motion[0], motion[1], motion[2]) + turned


@wp.func
def turned(motion: vec6d, v: vec3d) -> vec3d:
    """Return where the rotation of a motion turns a vector."""
    return v + displacement(motion, v) - vec3d(motion[0], motion[1], motion[2])


@wp.func
def wrench(force: vec3d, arm: vec3d) -> vec6d:
    """Return force and torque about the centre of mass."""
    torque = wp.cross(arm, force)
    return vec6d(force[0], force[1], force[2], torque[0], torque[1], torque[2])


@wp.func
def tangential_part(v: vec3d, n: vec3d) -> vec3d:
    """Return the part of a vector perpendicular to unit n."""
    return v - wp.dot(v, n) * n


@wp.func
def particle_of(rows: Rows, r: int, k: int) -> int:
    """Return the k-th of the four particles of a row, or -1."""
    if k == 0:
        return rows.particle[r]
    if k == 1:
        return rows.other[r]
    if k == 2:
        return rows.third[r]
    return rows.fourth[r]


@wp.func
def inverse_mass(rows: Rows, particles: Particles, carriers: Carriers, r: int) -> wp.float64:
    """Return the inverse effective mass of a row's particles, or of its body if those are pinned [1/kg]."""
    total = wp.float64(0.0)
    for k in range(4):
        i = particle_of(rows, r, k)
        if i >= 0:
            total += rows.weights[r][k] * rows.weights[r][k] * particles.inv_mass[i]
    if total == wp.float64(0.0) and rows.body[r] >= 0:
        if carriers.is_dynamic[rows.body[r]] == 1:
            total = wp.float64(1.0) / carriers.mass[rows.body[r]]
    return total


@wp.func
def least_inverse_mass(rows: Rows, particles: Particles, r: int, total: wp.float64) -> wp.float64:
    """Return the inverse mass of the heaviest particle of a row that moves, given that of all [1/kg]."""
    least = wp.float64(total)
    for k in range(4):
        i = particle_of(rows, r, k)
        if i >= 0:
            if particles.inv_mass[i] > wp.float64(0.0):
                least = wp.min(least, particles.inv_mass[i])
    return least


@wp.func
def relative_motion(rows: Rows, carriers: Carriers, particles: Particles, r: int) -> vec3d:
    """Return the displacement of a row's particle relative to the other side in this substep [m]."""
    b = rows.body[r]
    moved = -rows.body_motion[r]
    for k in range(4):
        i = particle_of(rows, r, k)
        if i >= 0:
            moved += rows.weights[r][k] * (particles.x[i] - particles.start[i])
    if b >= 0:
        moved -= point_motion(carriers.w[b], rows.arm[r])
    return moved


@wp.func
def trial_impulse(rows: Rows, r: int, moved: vec3d) -> vec3d:
    """Return y = y0 - K (gap + motion) before the projection."""
    k, n = rows.stiffness[r], rows.normal[r]
    if rows.kind[r] > COHESIVE:
        return rows.known[r] - k * (rows.slip[r] + moved)
    off = rows.gap[r] * n + rows.slip[r] + moved
    return rows.known[r] - k * off


@wp.func
def is_open(rows: Rows, r: int, y_n: wp.float64) -> bool:
    """Return whether a contact carries no normal load."""
    return rows.kind[r] == ONE_SIDED and y_n <= wp.float64(0.0)


@wp.func
def is_inactive(block: mat33d) -> bool:
    """Return whether a row does not respond to motion.

    Its block is positive semidefinite, so it is zero if its trace is.
    """
    return wp.trace(block) == wp.float64(0.0)


@wp.func
def projected_impulse(rows: Rows, r: int, y: vec3d) -> vec3d:
    """Return y projected onto the admissible set: no pull without cohesion, and friction of at most its bound.

    The bound does not depend on the normal impulse that is being solved for. So y is the gradient of a convex
    objective, even where a loaded contact opens. The next estimate bounds friction by the impulse found here.
    """
    if rows.kind[r] > COHESIVE:
        return y
    n = rows.normal[r]
    y_n = wp.dot(y, n)
    if is_open(rows, r, y_n):
        y_n = wp.float64(0.0)
    y_t = tangential_part(y, n)
    length = wp.length(y_t)
    if length > rows.bound[r]:
        y_t = y_t * (rows.bound[r] / length)
    return y_n * n + y_t


@wp.func
def friction_bound(rows: Rows, r: int, impulse: vec3d) -> wp.float64:
    """Return the bound of friction that a contact's impulse gives [kg m]."""
    return rows.mu[r] * wp.abs(wp.dot(impulse, rows.normal[r]))


@wp.func
def square_of_change(rows: Rows, r: int, impulse: vec3d) -> wp.float64:
    """Return the square of the change from the estimates of impulse and friction bound to those found [kg^2 m^2]."""
    change = impulse - rows.known[r]
    if rows.kind[r] > COHESIVE:
        return wp.dot(change, change)
    n = rows.normal[r]
    if wp.dot(impulse, n) == wp.float64(0.0) and wp.dot(rows.known[r], n) == wp.float64(0.0):
        change = vec3d()
    bound_change = friction_bound(rows, r, impulse) - rows.bound[r]
    return wp.dot(change, change) + bound_change * bound_change


@wp.kernel
def row_gradient(rows: Rows, particles: Particles, carriers: Carriers, sums: wp.array(dtype=wp.float64)):
    """Compute the impulses of rows and their change, and add their terms of the objective and its gradient."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    y = trial_impulse(rows, r, relative_motion(rows, carriers, particles, r))
    impulse = projected_impulse(rows, r, y)
    rows.impulse[r] = impulse
    w = inverse_mass(rows, particles, carriers, r)
    if rows.kind[r] != SPRING:
        change = square_of_change(rows, r, impulse)
        wp.atomic_add(sums, UNSETTLED, w * change)
        wp.atomic_add(sums, CHANGE, least_inverse_mass(rows, particles, r, w) * change)
    if rows.kind[r] <= COHESIVE and impulse == vec3d():
        return
    stiffness = rows.stiffness[r]
    if rows.kind[r] <= COHESIVE:
        n = rows.normal[r]
        y_n = wp.dot(impulse, n)
        energy = y_n * y_n
        length, bound = wp.length(tangential_part(y, n)), rows.bound[r]
        if length <= bound:
            energy += length * length
        else:
            energy += wp.float64(2.0) * bound * length - bound * bound
        wp.atomic_add(sums, ENERGY, wp.float64(0.5) * energy / stiffness)
    else:
        wp.atomic_add(sums, ENERGY, wp.float64(0.5) * wp.dot(y, y) / stiffness)
    wp.atomic_add(sums, LOAD, w * wp.dot(impulse, impulse))
    for k in range(4):
        i = particle_of(rows, r, k)
        if i >= 0:
            wp.atomic_sub(particles.gradient, i, rows.weights[r][k] * impulse)
    if rows.body[r] >= 0:
        wp.atomic_add(carriers.load, rows.body[r], wrench(impulse, rows.arm[r]))


@wp.kernel
def row_stiffness(rows: Rows, particles: Particles, carriers: Carriers, matrix: Matrix):
    """Compute the derivatives of the impulses with respect to motion, and add them to the diagonal blocks."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    stiffness, n = rows.stiffness[r], rows.normal[r]
    block = stiffness * wp.identity(n=3, dtype=wp.float64)
    if rows.kind[r] <= COHESIVE:
        y = trial_impulse(rows, r, relative_motion(rows, carriers, particles, r))
        y_t, bound = tangential_part(y, n), rows.bound[r]
        length = wp.length(y_t)
        block = mat33d()
        if bound > wp.float64(0.0):
            block = stiffness * (wp.identity(n=3, dtype=wp.float64) - wp.outer(n, n))
        if length > bound:
            t = y_t / length
            block = (bound / length) * (block - stiffness * wp.outer(t, t))
        if not is_open(rows, r, wp.dot(y, n)):
            block += stiffness * wp.outer(n, n)
    rows.block[r] = block
    if is_inactive(block):
        return
    for k in range(4):
        i = particle_of(rows, r, k)
        if i >= 0:
            wp.atomic_add(matrix.diagonal, i, rows.weights[r][k] * rows.weights[r][k] * block)
    b = rows.body[r]
    if b >= 0:
        arm = rows.arm[r]
        whole = mat66d()
        for c in range(6):
            unit = vec6d()
            unit[c] = wp.float64(1.0)
            column = wrench(block * point_motion(unit, arm), arm)
            for a in range(6):
                whole[a, c] = column[a]
        wp.atomic_add(carriers.stiffness, b, whole)


@wp.kernel
def row_multiply(
    rows: Rows, particles: Particles, carriers: Carriers, vectors: Vectors, sums: wp.array(dtype=wp.float64)
):
    """Multiply the search direction by the off-diagonal part of the rows' matrix."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    i, b = rows.particle[r], rows.body[r]
    block = rows.block[r]
    if is_inactive(block):
        return
    if rows.other[r] >= 0:
        moved = vec3d()
        for k in range(4):
            a = particle_of(rows, r, k)
            if a >= 0:
                moved += rows.weights[r][k] * vectors.p[a]
        for k in range(4):
            a = particle_of(rows, r, k)
            if a >= 0:
                weight = rows.weights[r][k]
                pushed = weight * (block * (moved - weight * vectors.p[a]))
                wp.atomic_add(vectors.q, a, pushed)
                wp.atomic_add(sums, PQ, wp.dot(pushed, vectors.p[a]))
    if b >= 0:
        carried = point_motion(carriers.carried[b], rows.arm[r])
        on_i = -(block * carried)
        on_b = wrench(block * (carried - vectors.p[i]), rows.arm[r])
        wp.atomic_add(vectors.q, i, on_i)
        wp.atomic_add(carriers.pushed, b, on_b)
        wp.atomic_add(sums, PQ, wp.dot(on_i, vectors.p[i]) + wp.dot(on_b, carriers.carried[b]))


@wp.kernel
def update_estimates(rows: Rows):
    """Set the estimates and friction bounds to the impulses found."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    if rows.kind[r] == SPRING:
        return
    if rows.kind[r] <= COHESIVE:
        rows.bound[r] = friction_bound(rows, r, rows.impulse[r])
    rows.known[r] = rows.impulse[r]


@wp.kernel
def store_rows(rows: Rows, slots: Slots, particles: Particles, carriers: Carriers, h: wp.float64):
    """Store impulses as forces, and anchors, for the next substep; sum the reactions on bodies."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    impulse, n, slot = rows.impulse[r], rows.normal[r], rows.slot[r]
    if rows.body[r] >= 0:
        wp.atomic_sub(carriers.reaction, rows.body[r], wrench(impulse, rows.arm[r]) / (h * h))
    if wp.length(impulse) > wp.float64(0.0):
        for k in range(4):
            i = particle_of(rows, r, k)
            if i >= 0:
                particles.touches[i] = 1
                if rows.kind[r] != SPRING:
                    wp.atomic_add(particles.touching, i, rows.weights[r][k] * impulse / (h * h))
    if slot >= 0:
        slots.key[slot] = rows.key[r] + 1
        slots.force[slot] = impulse / (h * h)
        slots.anchor[slot] = rows.anchor[r]
        tangential = wp.length(tangential_part(impulse, n))
        slots.sticks[slot] = int(
            wp.dot(impulse, n) != wp.float64(0.0) and tangential < rows.bound[r] * wp.float64(1.0 - 1.0e-9)
        )


@wp.kernel
def clear_slots(slots: Slots):
    """Clear the state of all contacts."""
    slots.key[wp.tid()] = 0
