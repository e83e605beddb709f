# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Removal of contacts that cannot close in a step, with the speeds that chains of impacts may cause."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.collide.nearby_foresight import SAFETY, approach_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions


@lru_cache(maxsize=2)
def hit_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types, Bodies, State = collision_types(p), p.Bodies, p.State
    Followed, Colliders, rounded = types.Followed, types.Colliders, rounding_functions(p).rounded
    CollidersRef, (BodiesRef, StateRef) = wp.ref[Colliders], p.references("Bodies", "State")
    approach = approach_functions(p)
    closeness_of, rotation_speed, speed_gain = approach.closeness_of, approach.rotation_speed, approach.speed_gain
    safety = wp.constant(scalar(SAFETY))

    @wp.func
    def velocity_at(state: StateRef, x: wp.array(dtype=vec3), b: int, at: vec3) -> vec3:
        """Return the velocity of a material point of a body at a position in the world [m/s]."""
        if b < 0:
            return vec3()
        qd = state.qd[b]
        return vec3(qd[0], qd[1], qd[2]) + wp.cross(vec3(qd[3], qd[4], qd[5]), at - x[b])

    @wp.func
    def closing_speed(state: StateRef, colliders: CollidersRef, x: wp.array(dtype=vec3), c: Followed) -> scalar:
        """Return the speed at which the gap of a contact closes [m/s]."""
        a, b = colliders.body[c.a], colliders.body[c.b]
        closing = velocity_at(state, x, b, rounded(c.on_b)) - velocity_at(state, x, a, rounded(c.on_a))
        return wp.dot(closing, rounded(c.normal))

    @wp.func
    def may_close(
        bodies: BodiesRef, state: StateRef, colliders: CollidersRef, c: Followed, speed: scalar, dt: scalar
    ) -> bool:
        """Return whether a gap that closes at `speed` may close within the step, with external forces and gravity."""
        a, b = colliders.body[c.a], colliders.body[c.b]
        most = wp.max(speed, scalar(0.0)) + dt * bodies.max_gravity[0]
        most = most + speed_gain(bodies, state, a, dt) + speed_gain(bodies, state, b, dt)
        rotated = dt * (rotation_speed(bodies, state, a) + rotation_speed(bodies, state, b))
        return (
            scalar(c.gap) < closeness_of(colliders, c.a) + closeness_of(colliders, c.b) + rotated + safety * dt * most
        )

    @wp.func
    def record_hit(hits: wp.array(dtype=scalar, ndim=2), b: int, push: vec3):
        """Record the greatest velocity that an impact may give a body along each axis, in both directions."""
        if b >= 0:
            for axis in range(3):
                wp.atomic_max(hits, b, 2 * axis, push[axis])
                wp.atomic_max(hits, b, 2 * axis + 1, -push[axis])

    @wp.func
    def hit_speed(hits: wp.array(dtype=scalar, ndim=2), b: int, n: vec3) -> scalar:
        """Return the greatest velocity along a direction that impacts may give a body [m/s]."""
        most = scalar(0.0)
        if b >= 0:
            for axis in range(3):
                if n[axis] > scalar(0.0):
                    most = most + n[axis] * hits[b, 2 * axis]
                else:
                    most = most - n[axis] * hits[b, 2 * axis + 1]
        return most

    @wp.func
    def speed_after_hits(
        state: StateRef,
        colliders: CollidersRef,
        x: wp.array(dtype=vec3),
        hits: wp.array(dtype=scalar, ndim=2),
        c: Followed,
    ) -> scalar:
        """Return the closing speed of a contact after possible impacts on its bodies [m/s]."""
        speed = closing_speed(state, colliders, x, c)
        speed = speed + hit_speed(hits, colliders.body[c.b], rounded(c.normal))
        return speed + hit_speed(hits, colliders.body[c.a], -rounded(c.normal))

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def find_hits(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        x: wp.array(dtype=vec3),
        pair_count: wp.array(dtype=wp.int32),
        threads: int,
        found: wp.array(dtype=Followed),
        found_count: wp.array(dtype=wp.int32),
        known: wp.array(dtype=scalar, ndim=2),
        hits: wp.array(dtype=scalar, ndim=2),
    ):
        """Compute the greatest velocities of bodies after impacts in a step, given those known so far."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], found_count.shape[0]):
            for i in range(MAX_CONTACTS * pair, MAX_CONTACTS * pair + found_count[pair]):
                c = found[i]
                speed = speed_after_hits(state, colliders, x, known, c)
                if speed > scalar(0.0) and may_close(bodies, state, colliders, c, speed, dt):
                    record_hit(hits, colliders.body[c.a], speed * rounded(c.normal))
                    record_hit(hits, colliders.body[c.b], -speed * rounded(c.normal))
            pair += threads

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def remove_separated(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        x: wp.array(dtype=vec3),
        pair_count: wp.array(dtype=wp.int32),
        threads: int,
        found: wp.array(dtype=Followed),
        found_count: wp.array(dtype=wp.int32),
        hits: wp.array(dtype=scalar, ndim=2),
    ):
        """Remove contacts that cannot close in a step, such as those of bodies that fall past each other."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], found_count.shape[0]):
            first = MAX_CONTACTS * pair
            kept = int(0)
            for i in range(found_count[pair]):
                c = found[first + i]
                speed = speed_after_hits(state, colliders, x, hits, c)
                if may_close(bodies, state, colliders, c, speed, dt):
                    found[first + kept] = c
                    kept += 1
            found_count[pair] = kept
            pair += threads

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def clear_counts(pair_count: wp.array(dtype=wp.int32), count: wp.array(dtype=wp.int32)):
        """Set the number of contacts of unused pair slots to zero."""
        pair = wp.tid()
        if pair >= pair_count[0]:
            count[pair] = int(0)

    return SimpleNamespace(find_hits=find_hits, remove_separated=remove_separated, clear_counts=clear_counts)
