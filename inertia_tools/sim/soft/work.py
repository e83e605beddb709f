# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a substep of soft bodies works on: particles, the linear system, rows of contacts, and sums."""

from enum import IntEnum

import warp as wp


@wp.struct
class Particles:
    """One entry a particle."""

    mass: wp.array[wp.float64]
    inv_mass: wp.array[wp.float64]  # zero for what is pinned
    radius: wp.array[wp.float64]
    world: wp.array[wp.int32]
    component: wp.array[wp.int32]  # connected by elements
    at_rest: wp.array[wp.vec3d]  # where it was built
    stiff: wp.array[wp.float64]  # greatest implicit share of its elements
    x: wp.array[wp.vec3d]  # iterate
    start: wp.array[wp.vec3d]  # position at the start of the substep
    target: wp.array[wp.vec3d]  # where known forces take it
    v: wp.array[wp.vec3d]  # velocity of the last substep, half a substep before `start`
    v_then: wp.array[wp.vec3d]  # that of the substep before
    velocity: wp.array[wp.vec3d]  # that at the instant of `x`, where a step begins and ends
    lag: wp.array[wp.vec3d]  # acceleration that brings `v` forward to it
    fresh: wp.array[wp.int32]  # it was moved by hand: there is no last substep
    outside: wp.array[wp.vec3d]  # force from outside [N]
    force: wp.array[wp.vec3d]  # explicit part of elastic ones [N]
    elastic: wp.array[wp.vec3d]  # force of elements at `start`
    loose: wp.array[wp.vec3d]  # the part of it that is not integrated by the backward Euler method
    loose_then: wp.array[wp.vec3d]  # that of the last substep
    gradient: wp.array[wp.vec3d]  # of the objective, times h^2 [kg m]
    around: wp.array[wp.vec3d]  # force of air at `start`, and of soft attachments when a step ends [N]
    touching: wp.array[wp.vec3d]  # force of rows on it in the last substep [N]
    loaded: wp.array[wp.float64]  # shares of the masses of bodies that rows on it bear [kg]
    touches: wp.array[wp.int32]  # a row acted on it in this step


@wp.struct
class Matrix:
    """Symmetric matrix of 3 x 3 blocks, by rows."""

    first: wp.array[wp.int32]
    column: wp.array[wp.int32]
    block: wp.array[wp.mat33d]
    diagonal: wp.array[wp.mat33d]
    inverse: wp.array[wp.mat33d]  # of the diagonal
    spring_slot: wp.array2d[wp.int32]
    triangle_slot: wp.array2d[wp.int32]
    edge_slot: wp.array2d[wp.int32]
    solid_slot: wp.array[wp.int32]
    solid_slot_first: wp.array[wp.int32]  # where those of each solid element begin


@wp.struct
class Vectors:
    """Vectors of the conjugate gradients."""

    u: wp.array[wp.vec3d]
    r: wp.array[wp.vec3d]
    z: wp.array[wp.vec3d]
    p: wp.array[wp.vec3d]
    q: wp.array[wp.vec3d]


class Sum(IntEnum):
    """Where sums are kept: those of a gradient, of a search, and others."""

    ENERGY = 0
    GRADIENT = 1
    SLOPE = 2
    FLOOR = 3
    LOAD = 4
    RZ = 5
    RZ_NEXT = 6
    PQ = 7
    DESCENT = 8
    SCALE = 9
    UNSETTLED = 10
    COUNT = 11
