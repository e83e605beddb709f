# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of large scenes before a step: how far each shape looks around, and each pair of shapes."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.kinematic_motion import kinematic_functions
from inertia_tools.sim.kernels.precision import Precision

CLOSENESS = 0.01
"""Half the distance, over the smallest half edge of the box around a shape, from which its contacts are foreseen."""

SAFETY = 2.0
"""Displacements are estimated with this many times the highest speed nearby, as bodies may be hit during a step."""

PUSHED_BY = 0.5
"""What is hit by the fastest body around is foreseen to go no farther than this, over that half edge, in a step."""


@lru_cache(maxsize=2)
def approach_functions(p: Precision) -> Any:
    """Return the device functions of one precision that tell how fast bodies are, and what is close."""
    scalar, vec3 = p.scalar, p.vec3
    Colliders, Bodies, State = collision_types(p).Colliders, p.Bodies, p.State
    closeness, expected_rate = wp.constant(scalar(CLOSENESS)), kinematic_functions(p).expected_rate

    @wp.func
    def smallest(half: vec3) -> scalar:
        return wp.min(half[0], wp.min(half[1], half[2]))

    @wp.func
    def smallest_half(colliders: Colliders, a: int, b: int) -> scalar:
        """Return the smallest half edge of the box around a collider; of another one where it is a plane."""
        half = smallest(colliders.half[a])
        if half <= scalar(0.0):
            half = smallest(colliders.half[b])
        return half

    @wp.func
    def closeness_of(colliders: Colliders, c: int) -> scalar:
        return wp.max(closeness * smallest(colliders.half[c]), scalar(0.0))

    @wp.func
    def turning(bodies: Bodies, state: State, b: int) -> scalar:
        """Return how fast a point of a body may be for its rotation [m/s]."""
        if b < 0:
            return scalar(0.0)
        qd = state.qd[b]
        return wp.length(vec3(qd[3], qd[4], qd[5])) * bodies.extent[b]

    @wp.func
    def velocity(bodies: Bodies, state: State, b: int, dt: scalar) -> vec3:
        if b < 0:
            return vec3()
        qd = state.qd[b]
        if bodies.inv_mass[b] == scalar(0.0):
            qd = expected_rate(bodies, state, b, dt)
        return vec3(qd[0], qd[1], qd[2])

    @wp.func
    def gained(bodies: Bodies, state: State, b: int, dt: scalar) -> scalar:
        """Return how much faster a body may get in a step, but for gravity [m/s]."""
        if b < 0:
            return scalar(0.0)
        f = state.f[b]
        return dt * bodies.inv_mass[b] * wp.length(vec3(f[0], f[1], f[2]))

    return SimpleNamespace(
        smallest=smallest,
        smallest_half=smallest_half,
        closeness_of=closeness_of,
        turning=turning,
        velocity=velocity,
        gained=gained,
    )


@lru_cache(maxsize=2)
def foresight_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar = p.scalar
    Colliders, Bodies, State = collision_types(p).Colliders, p.Bodies, p.State
    approach = approach_functions(p)
    smallest, closeness_of, turning = approach.smallest, approach.closeness_of, approach.turning
    velocity, gained = approach.velocity, approach.gained
    safety, pushed_by = wp.constant(scalar(SAFETY)), wp.constant(scalar(PUSHED_BY))

    @wp.func
    def pushed_of(colliders: Colliders, c: int, fastest: scalar) -> scalar:
        """Return how far a collider is foreseen to be pushed when the fastest body around hits it."""
        if colliders.still[c] == 1:
            return scalar(0.0)
        return wp.clamp(fastest, scalar(0.0), pushed_by * wp.max(smallest(colliders.half[c]), scalar(0.0)))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def look_around(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        fastest: wp.array(dtype=scalar),
        of_world: int,
        reach: wp.array(dtype=scalar),
    ):
        """Find how far a point of each collider may come in a step; `fastest` has the way of each world's fastest."""
        c = wp.tid()
        b = colliders.body[c]
        speed = wp.length(velocity(bodies, state, b, dt)) + turning(bodies, state, b) + gained(bodies, state, b, dt)
        if colliders.still[c] == 0:
            speed = speed + dt * bodies.max_gravity[0]
        reach[c] = closeness_of(colliders, c) + safety * dt * speed + pushed_of(colliders, c, fastest[c // of_world])

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def foresee_pairs(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        fastest: wp.array(dtype=scalar),
        of_world: int,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        threads: int,
        foresight: wp.array(dtype=wp.float64),
    ):
        """Find how far the two colliders of each pair may come closer: what falls together does not."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], pair_a.shape[0]):
            c, d = pair_a[pair], pair_b[pair]
            a, b = colliders.body[c], colliders.body[d]
            apart = velocity(bodies, state, a, dt) - velocity(bodies, state, b, dt)
            speed = wp.length(apart) + dt * bodies.max_gravity[0]
            speed = speed + turning(bodies, state, a) + turning(bodies, state, b)
            speed = speed + gained(bodies, state, a, dt) + gained(bodies, state, b, dt)
            far = closeness_of(colliders, c) + closeness_of(colliders, d) + safety * dt * speed
            most = fastest[c // of_world]
            foresight[pair] = wp.float64(far + pushed_of(colliders, c, most) + pushed_of(colliders, d, most))
            pair += threads

    return SimpleNamespace(look_around=look_around, foresee_pairs=foresee_pairs)
