# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Data of a substep of soft bodies: particles, the linear system, and sums."""

from enum import IntEnum

import warp as wp


@wp.struct
class Particles:
    """Particles, one entry each."""

    mass: wp.array[wp.float64]
    inv_mass: wp.array[wp.float64]  # zero for pinned particles
    flags: wp.array[wp.int32]  # `ParticleFlags`
    radius: wp.array[wp.float64]
    world: wp.array[wp.int32]
    component: wp.array[wp.int32]  # connected component
    at_rest: wp.array[wp.vec3d]  # rest position
    stiff: wp.array[wp.float64]  # greatest implicit share of its elements
    x: wp.array[wp.vec3d]  # iterate
    start: wp.array[wp.vec3d]  # position at the start of the substep
    target: wp.array[wp.vec3d]  # position after the substep under explicit forces
    v: wp.array[wp.vec3d]  # velocity of the last substep, half a substep before `start`
    v_then: wp.array[wp.vec3d]  # velocity of the substep before
    lead: wp.array[wp.vec3d]  # velocity that leads to the first iterate where elements are fast
    velocity: wp.array[wp.vec3d]  # velocity at the instant of `x`, at the start and end of a step
    lag: wp.array[wp.vec3d]  # acceleration that extrapolates `v` to `velocity`
    fresh: wp.array[wp.int32]  # the user moved it, so there is no last substep
    outside: wp.array[wp.vec3d]  # applied force [N]
    mean: wp.array[wp.vec3d]  # mean of `x` over the substeps of this step so far, times their share of the step
    force: wp.array[wp.vec3d]  # explicit part of damping forces [N]
    elastic: wp.array[wp.vec3d]  # force of elements at `start`
    loose: wp.array[wp.vec3d]  # the part of it that is not integrated by the backward Euler method
    loose_then: wp.array[wp.vec3d]  # that of the last substep
    gradient: wp.array[wp.vec3d]  # of the objective, times h^2 [kg m]
    around: wp.array[wp.vec3d]  # force of air at `start`, and of soft attachments when a step ends [N]
    touching: wp.array[wp.vec3d]  # force of rows on it in the last substep [N]
    loaded: wp.array[wp.float64]  # masses of bodies that it supports through rows [kg]
    touches: wp.array[wp.int32]  # a row or the limit of speed acted on it in this step


@wp.struct
class Matrix:
    """Symmetric sparse matrix of 3 x 3 blocks, by rows."""

    first: wp.array[wp.int32]
    column: wp.array[wp.int32]
    block: wp.array[wp.mat33d]
    diagonal: wp.array[wp.mat33d]
    inverse: wp.array[wp.mat33d]  # of the diagonal
    spring_slot: wp.array2d[wp.int32]
    triangle_slot: wp.array2d[wp.int32]
    edge_slot: wp.array2d[wp.int32]
    solid_slot: wp.array[wp.int32]
    solid_slot_first: wp.array[wp.int32]  # first slot of each solid element


@wp.struct
class Vectors:
    """Vectors of the conjugate gradients."""

    u: wp.array[wp.vec3d]
    r: wp.array[wp.vec3d]
    z: wp.array[wp.vec3d]
    p: wp.array[wp.vec3d]
    q: wp.array[wp.vec3d]


class Sum(IntEnum):
    """Indices of sums: of the objective and its gradient, of conjugate gradients, and others."""

    ENERGY = 0
    GRADIENT = 1
    SLOPE = 2
    FLOOR = 3
    LOAD = 4
    UNSETTLED = 5
    CHANGE = 6
    RZ = 7
    RZ_NEXT = 8
    PQ = 9
    DESCENT = 10
    SCALE = 11
    COUNT = 12
