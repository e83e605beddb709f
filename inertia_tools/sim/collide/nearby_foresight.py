# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact distances in large scenes, from bounds of the motion in a step: for each collider, and for each pair."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.kinematic_motion import kinematic_functions
from inertia_tools.sim.kernels.precision import Precision

CLOSENESS = 0.01
"""Half the least contact distance, relative to the smallest half edge of the bounding box of a shape."""

SAFETY = 2.0
"""Factor on the displacement at the greatest current speed, as collisions may accelerate bodies during a step."""

PUSH_BOUND = 0.5
"""Bound on the displacement in a step of a shape that the fastest body around hits, relative to that half edge."""


@lru_cache(maxsize=2)
def approach_functions(p: Precision) -> Any:
    """Return the device functions of one precision that bound speeds and give least contact distances."""
    scalar, vec3 = p.scalar, p.vec3
    Colliders, (Bodies, State) = wp.ref[collision_types(p).Colliders], p.references("Bodies", "State")
    closeness, expected_rate = wp.constant(scalar(CLOSENESS)), kinematic_functions(p).expected_rate

    @wp.func
    def smallest(half: vec3) -> scalar:
        """Return the smallest component of a vector."""
        return wp.min(half[0], wp.min(half[1], half[2]))

    @wp.func
    def smallest_half(colliders: Colliders, a: int, b: int) -> scalar:
        """Return the smallest half edge of the bounding box of collider a, or of b if a is a plane."""
        half = smallest(colliders.half[a])
        if half <= scalar(0.0):
            half = smallest(colliders.half[b])
        return half

    @wp.func
    def closeness_of(colliders: Colliders, c: int) -> scalar:
        """Return the part of the contact distance that does not depend on speed [m]."""
        return wp.max(closeness * smallest(colliders.half[c]), scalar(0.0))

    @wp.func
    def rotation_speed(bodies: Bodies, state: State, b: int) -> scalar:
        """Return an upper bound of the speed of a body's points due to its rotation [m/s]."""
        if b < 0:
            return scalar(0.0)
        qd = state.qd[b]
        return wp.length(vec3(qd[3], qd[4], qd[5])) * bodies.extent[b]

    @wp.func
    def velocity(bodies: Bodies, state: State, b: int, dt: scalar) -> vec3:
        """Return the velocity of a body's centre of mass [m/s]; for a kinematic body, that of this step."""
        if b < 0:
            return vec3()
        qd = state.qd[b]
        if bodies.inv_mass[b] == scalar(0.0):
            qd = expected_rate(bodies, state, b, dt)
        return vec3(qd[0], qd[1], qd[2])

    @wp.func
    def speed_gain(bodies: Bodies, state: State, b: int, dt: scalar) -> scalar:
        """Return the speed that a body may gain from its external force in a step, without gravity [m/s]."""
        if b < 0:
            return scalar(0.0)
        f = state.f[b]
        return dt * bodies.inv_mass[b] * wp.length(vec3(f[0], f[1], f[2]))

    return SimpleNamespace(
        smallest=smallest,
        smallest_half=smallest_half,
        closeness_of=closeness_of,
        rotation_speed=rotation_speed,
        velocity=velocity,
        speed_gain=speed_gain,
    )


@lru_cache(maxsize=2)
def foresight_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar = p.scalar
    Colliders, Bodies, State = collision_types(p).Colliders, p.Bodies, p.State
    CollidersRef = wp.ref[Colliders]
    approach = approach_functions(p)
    smallest, closeness_of, rotation_speed = approach.smallest, approach.closeness_of, approach.rotation_speed
    velocity, speed_gain = approach.velocity, approach.speed_gain
    safety, push_bound = wp.constant(scalar(SAFETY)), wp.constant(scalar(PUSH_BOUND))

    @wp.func
    def push_distance(colliders: CollidersRef, c: int, fastest: scalar) -> scalar:
        """Return how far the fastest body around may push a collider in a step [m]."""
        if colliders.still[c] == 1:
            return scalar(0.0)
        return wp.clamp(fastest, scalar(0.0), push_bound * wp.max(smallest(colliders.half[c]), scalar(0.0)))

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def compute_reach(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        fastest: wp.array(dtype=scalar),
        of_world: int,
        reach: wp.array(dtype=scalar),
    ):
        """Compute the search distance of each collider [m]; `fastest` is the path of each world's fastest body [m]."""
        c = wp.tid()
        b = colliders.body[c]
        speed = (
            wp.length(velocity(bodies, state, b, dt))
            + rotation_speed(bodies, state, b)
            + speed_gain(bodies, state, b, dt)
        )
        if colliders.still[c] == 0:
            speed = speed + dt * bodies.max_gravity[0]
        reach[c] = (
            closeness_of(colliders, c) + safety * dt * speed + push_distance(colliders, c, fastest[c // of_world])
        )

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def compute_pair_foresight(
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
        """Compute by how far the two colliders of each pair may approach; bodies that fall together do not."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], pair_a.shape[0]):
            c, d = pair_a[pair], pair_b[pair]
            a, b = colliders.body[c], colliders.body[d]
            relative_velocity = velocity(bodies, state, a, dt) - velocity(bodies, state, b, dt)
            speed = wp.length(relative_velocity) + dt * bodies.max_gravity[0]
            speed = speed + rotation_speed(bodies, state, a) + rotation_speed(bodies, state, b)
            speed = speed + speed_gain(bodies, state, a, dt) + speed_gain(bodies, state, b, dt)
            far = closeness_of(colliders, c) + closeness_of(colliders, d) + safety * dt * speed
            most = fastest[c // of_world]
            foresight[pair] = wp.float64(far + push_distance(colliders, c, most) + push_distance(colliders, d, most))
            pair += threads

    return SimpleNamespace(compute_reach=compute_reach, compute_pair_foresight=compute_pair_foresight)
