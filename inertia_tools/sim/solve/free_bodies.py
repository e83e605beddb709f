# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Outer iterates for an island of free bodies: Newton's method and relaxation alternate until they converge.

This is step 3 of docs/solver.md, with the relaxation that "The merit function" describes there.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import (
    ACCEPTED_RESIDUAL,
    FAST_BODY_RATIO,
    FIXED_POINT_ITERATES,
    MOST_ITERATES,
    MOST_NEWTON_STEPS,
    MOST_RELAXATIONS,
    NEARLY_SETTLED,
    RELAXATION_PERIOD,
    RELAXATIONS,
    RESIDUAL_REDUCTION,
)
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.convergence import convergence_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.jamming import jam_functions
from inertia_tools.sim.solve.outer_iterates import outer_iterate_functions
from inertia_tools.sim.solve.relaxation import relaxation_functions
from inertia_tools.sim.solve.resting import resting_functions


@lru_cache(maxsize=2)
def free_body_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    solve, outer_iterates = island_solve_functions(p), outer_iterate_functions(p)
    measure_contacts, start_displacements, minimise = solve.measure_contacts, solve.start_displacements, solve.minimise
    apply_minimum, end_iterate, reset_friction = solve.apply_minimum, solve.end_iterate, solve.reset_friction
    exceeds_accepted_residual, is_settled = outer_iterates.exceeds_accepted_residual, outer_iterates.is_settled
    choose_bounds = outer_iterates.choose_bounds
    add_closed_rows, restart_solve = outer_iterates.add_closed_rows, outer_iterates.restart_solve
    end_solve = outer_iterates.end_solve
    is_jammed, clear_friction = jam_functions(p).is_jammed, jam_functions(p).clear_friction
    holds_last_multipliers, relax = resting_functions(p).holds_last_multipliers, relaxation_functions(p).relax
    is_static, displacement_by_gravity = motion_functions(p).is_static, convergence_functions(p).displacement_by_gravity
    fast_ratio, most_steps = wp.constant(wp.float64(FAST_BODY_RATIO)), wp.constant(MOST_NEWTON_STEPS)
    most_iterates, relaxation_period = wp.constant(MOST_ITERATES), wp.constant(RELAXATION_PERIOD)
    nearly, accepted = wp.constant(wp.float64(NEARLY_SETTLED)), wp.constant(wp.float64(ACCEPTED_RESIDUAL))
    relaxations, most_relaxations = wp.constant(RELAXATIONS), wp.constant(MOST_RELAXATIONS)
    reduction, fixed_point_iterates = wp.constant(wp.float64(RESIDUAL_REDUCTION)), wp.constant(FIXED_POINT_ITERATES)

    @wp.func
    def moves_fast(scene: Scene, n: int, h: scalar) -> bool:
        """Return whether a body of an island moves fast; see `FAST_BODY_RATIO`."""
        least = scalar(fast_ratio * displacement_by_gravity(scene, h)) / h
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if not is_static(scene.bodies, b) and wp.length(scene.body[b].v_free) > least:
                return True
        return False

    @wp.func
    def iterate(scene: Scene, n: int, h: scalar, count: int) -> int:
        """Move bodies to the minimum of the merit function; return the number of Newton steps.

        In the first iterate, contacts of fast bodies are relaxed instead if one Newton step does not reach it.
        """
        start_displacements(scene, n, h, count)
        relaxes = count == 0 and moves_fast(scene, n, h)
        most = wp.where(relaxes, 1, most_steps)
        newton_steps = minimise(scene, n, False, most)
        if relaxes and newton_steps > most:
            relax(scene, n, h, count, relaxations)
            return most
        apply_minimum(scene, n, h)
        return newton_steps

    @wp.func
    def is_accepted(scene: Scene, n: int, h: scalar, count: int) -> bool:
        """Return whether an iterate has left a residual that is accepted though it exceeds the tolerance.

        That is one up to `ACCEPTED_RESIDUAL`, of fast bodies after the fixed-point iterates, or of the last iterate.
        """
        if scene.rows.residual[n] > accepted * displacement_by_gravity(scene, h):
            return False
        return count == most_iterates - 1 or (count >= fixed_point_iterates and moves_fast(scene, n, h))

    @wp.func
    def relax_unsettled(scene: Scene, n: int, h: scalar, count: int) -> wp.float64:
        """Relax contacts that have not converged, and return as `end_iterate` does.

        Relaxations repeat as long as each takes a tenth off the residual, and always in place of the last iterate.
        """
        is_last, ratio = count == most_iterates - 1, wp.float64(0.0)
        for _ in range(most_relaxations):
            before = wp.float64(0.0) + scene.rows.residual[n]
            relax(scene, n, h, count, relaxations)
            ratio = end_iterate(scene, n, h, count)
            if is_accepted(scene, n, h, count):
                ratio = wp.min(ratio, nearly)
            if ratio <= nearly and not exceeds_accepted_residual(scene, n, h):
                return ratio
            if not is_last and scene.rows.residual[n] > reduction * before:
                break
        if ratio > nearly:
            reset_friction(scene, n)
        return ratio

    @wp.func
    def restart_without_friction(scene: Scene, n: int):
        """Start the last iterate from the start of the substep, without multipliers and without friction."""
        restart_solve(scene, n)
        clear_friction(scene, n)
        measure_contacts(scene, n, scene.options[n].h, scene.islands.first_row[n])

    @wp.func(inline=False)
    def run_iterates(scene: Scene, n: int, first: int) -> wp.vec2i:
        """Make outer iterates from number `first` on; return whether they converged, and the Newton steps made."""
        h, ratio, newton_steps = scene.options[n].h, wp.float64(0.0), int(0)
        for count in range(first, most_iterates):
            if count % relaxation_period == relaxation_period - 1 and (
                ratio > nearly or exceeds_accepted_residual(scene, n, h)
            ):
                ratio = relax_unsettled(scene, n, h, count)
                if ratio <= nearly and not exceeds_accepted_residual(scene, n, h):
                    return wp.vec2i(1, newton_steps)
                if count == most_iterates - 1:
                    if not is_jammed(scene, n, h):
                        return wp.vec2i(0, newton_steps)
                    restart_without_friction(scene, n)
            if count == 0:
                measure_contacts(scene, n, h, scene.islands.first_row[n])
            steps = iterate(scene, n, h, count)
            newton_steps += steps
            ratio = end_iterate(scene, n, h, count)
            if is_settled(scene, n, h, ratio, count) or is_accepted(scene, n, h, count):
                return wp.vec2i(1, newton_steps)
            choose_bounds(scene, n, count, steps, ratio)
        return wp.vec2i(0, newton_steps)

    @wp.func(inline=False)
    def solve_rows(scene: Scene, n: int, first: int) -> wp.vec2i:
        """Make outer iterates from number `first` on; return whether they converged, and the Newton steps made.

        Iterates that do not converge start again from the start of the substep without multipliers: once with Newton's
        method, then with a relaxation.
        """
        found = run_iterates(scene, n, first)
        newton_steps = int(found[1])
        for restart in range(2):
            if found[0] == 0:
                restart_solve(scene, n)
                measure_contacts(scene, n, scene.options[n].h, scene.islands.first_row[n])
                found = run_iterates(scene, n, wp.where(restart == 0, 1, relaxation_period - 1))
                newton_steps += found[1]
        return wp.vec2i(found[0], newton_steps)

    @wp.func(inline=False)
    def solve_free_bodies(scene: Scene, n: int):
        """Solve the contacts of an island of free bodies, unless the last multipliers hold it still."""
        settled, solves, first = int(1), int(0), int(0)
        scene.rows.residual[n] = wp.float64(0.0)  # of an empty working set
        still = scene.islands.end_working[n] == scene.islands.first_row[n] or holds_last_multipliers(
            scene, n, scene.options[n].h
        )
        needs_solve = bool(not still)
        if still:
            needs_solve = add_closed_rows(scene, n)
        while needs_solve:
            found = solve_rows(scene, n, first)
            settled = found[0]
            solves += found[1]
            first = int(1)
            needs_solve = settled == 1 and add_closed_rows(scene, n)
        end_solve(scene, n, settled == 1, solves)

    return SimpleNamespace(solve_free_bodies=solve_free_bodies)
