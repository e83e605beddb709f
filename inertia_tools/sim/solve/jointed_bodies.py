# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Outer iterates for an island of bodies on joints, with contacts or without.

Joints are measured again before each iterate. Afterwards they request one of

    DONE       no further iterate
    CHECK      another measurement: errors or limits may have changed
    ITERATE    another iterate
    RESTART    the substep again, as a warm-started limit would pull, or a loop gets damped
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import WARM_START_REJECTED
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.constants import (
    JOINT_ITERATES,
    JOINT_STEP_TOLERANCE,
    JOINT_STEP_TOLERANCE_IN_CONTACT,
    JOINT_TOLERANCE,
    JOINT_TOLERANCE_IN_CONTACT,
    LOOP_DIVERGENCE_RATIO,
    LOOP_RECHECK_RATIO,
    MOST_ITERATES,
    MOST_NEWTON_STEPS,
    NEARLY_SETTLED,
)
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.geometric_stiffness import geometric_stiffness_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.loop_closure import closure_functions
from inertia_tools.sim.solve.outer_iterates import outer_iterate_functions

DONE, CHECK, ITERATE, RESTART = 0, 1, 2, 3


@lru_cache(maxsize=2)
def jointed_body_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec6 = p.scalar, p.vec6
    solve, outer_iterates, closure = island_solve_functions(p), outer_iterate_functions(p), closure_functions(p)
    measure_contacts, start_displacements, minimise = solve.measure_contacts, solve.start_displacements, solve.minimise
    release_compliant_rows, apply_minimum = solve.release_compliant_rows, solve.apply_minimum
    add_joint_impulses = solve.add_joint_impulses
    end_iterate, reset_multipliers = solve.end_iterate, solve.reset_multipliers
    is_settled, choose_bounds = outer_iterates.is_settled, outer_iterates.choose_bounds
    add_closed_rows = outer_iterates.add_closed_rows
    restart_solve, end_solve = outer_iterates.restart_solve, outer_iterates.end_solve
    clear_impulses, take_impulses = closure.clear_impulses, closure.take_impulses
    damp_open_loops = closure.damp_open_loops
    add_geometric_inertia = geometric_stiffness_functions(p).add_geometric_inertia
    prepare_joint = joint_functions(p).prepare_joint
    most_steps, most_iterates = wp.constant(MOST_NEWTON_STEPS), wp.constant(MOST_ITERATES)
    joint_iterates, nearly = wp.constant(JOINT_ITERATES), wp.constant(wp.float64(NEARLY_SETTLED))
    step_tolerance = wp.constant(scalar(JOINT_STEP_TOLERANCE[p.name]))
    joint_tolerance = wp.constant(scalar(JOINT_TOLERANCE[p.name]))
    joint_tolerance_in_contact = wp.constant(scalar(JOINT_TOLERANCE_IN_CONTACT[p.name]))
    step_tolerance_in_contact = wp.constant(scalar(JOINT_STEP_TOLERANCE_IN_CONTACT))
    recheck_ratio = wp.constant(scalar(LOOP_RECHECK_RATIO))
    divergence_ratio = wp.constant(scalar(LOOP_DIVERGENCE_RATIO))
    done, check, another_iterate = wp.constant(DONE), wp.constant(CHECK), wp.constant(ITERATE)
    restart, warm_start_rejected = wp.constant(RESTART), wp.constant(WARM_START_REJECTED)

    @wp.func
    def begin_loads(scene: Scene, n: int, count: int):
        """Clear the loads of bodies; those of the first iterate are deferred applied forces (`forced_motion`)."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            scene.body[b].load = vec6()
            if count == 0:
                scene.body[b].load = scene.body[b].deferred_load

    @wp.func(inline=False)
    def prepare_joints(scene: Scene, n: int, count: int) -> int:
        """Choose the active rows of joints and measure their errors; return the joints' request."""
        request, in_loops = int(done), int(scene.islands.end_group[n] > scene.islands.first_group[n])
        if count == 0 or in_loops == 1:
            request = check
        tolerance = wp.where(
            scene.islands.end_row[n] > scene.islands.first_row[n], joint_tolerance_in_contact, joint_tolerance
        )
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = nonnegative_index(scene.islands.joint[i])
            error = prepare_joint(scene, scene.options[n], j, count, in_loops)
            if scene.joint[j].limit_warm_start == warm_start_rejected:
                request = restart
            elif scene.joint[j].active_set_changed == 1:
                request = wp.max(request, another_iterate)
            elif error > tolerance:
                request = wp.max(request, check)
        return request

    @wp.func
    def prepare_iterate(scene: Scene, n: int, count: int, last_request: int, has_loops: bool) -> int:
        """Prepare the joints of an island for an iterate, and return their request."""
        begin_loads(scene, n, count)
        request = prepare_joints(scene, n, count)
        if has_loops and count > 0 and (count == 1 or last_request == check):
            if damp_open_loops(scene, n):
                request = restart
        return request

    @wp.func
    def next_request(
        scene: Scene,
        n: int,
        last_request: int,
        count: int,
        moved: scalar,
        moved_first: scalar,
        has_contacts: bool,
        has_loops: bool,
    ) -> int:
        """Return the request of the joints after an iterate with the largest squared displacement `moved`."""
        if last_request == another_iterate:
            return another_iterate
        goes_on = moved > step_tolerance * step_tolerance and count + 1 < scene.options[n].iterations
        must_recheck = has_loops and not moved <= recheck_ratio * recheck_ratio * moved_first  # or no number
        if (
            count == 0
            or goes_on
            or must_recheck
            or (has_contacts and moved > step_tolerance_in_contact * step_tolerance_in_contact)
        ):
            return check
        return done

    @wp.func
    def needs_joint_impulses(scene: Scene, n: int) -> bool:
        """Return whether a law, a limit or a reader needs the impulse of some joint of an island."""
        needed = int(0)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            needed = needed | scene.joint[scene.islands.joint[i]].needs_impulse
        return needed == 1

    @wp.func(inline=False)
    def iterate(scene: Scene, n: int, h: scalar, count: int, is_factored: bool):
        """Move bodies to the minimum of the merit function, with contacts and joints measured.

        Return the number of Newton steps, and the square of the largest displacement of bodies on joints.
        """
        start_displacements(scene, n, h, count)
        if scene.islands.end_group[n] > scene.islands.first_group[n]:
            clear_impulses(scene, n)
        newton_steps = minimise(scene, n, is_factored, most_steps)
        if count == 0 and add_geometric_inertia(scene, n):
            start_displacements(scene, n, h, count)
            clear_impulses(scene, n)
            newton_steps += minimise(scene, n, False, most_steps)
        take_impulses(scene, n)
        moved = apply_minimum(scene, n, h)
        return newton_steps, moved

    @wp.func(inline=False)
    def solve_joints_alone(scene: Scene, n: int):
        """Solve the joints of an island for its free motion, without contacts."""
        scene.islands.end_working[n] = scene.islands.first_row[n]
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            scene.joint[scene.islands.joint[i]].limit_warm_start = int(0)  # no contact presses against limits
        for count in range(joint_iterates):
            begin_loads(scene, n, count)
            prepare_joints(scene, n, count)
            release_compliant_rows(scene, n)
            iterate(scene, n, scene.options[n].h, count + 1, False)
            add_joint_impulses(scene, n)

    @wp.func(inline=False)
    def solve_jointed_bodies(scene: Scene, n: int) -> int:
        """Solve joints and contacts of an island.

        Return 1 if the last iterate has moved bodies, 0 if it found the joints without error.
        """
        h, has_contacts = scene.options[n].h, scene.islands.end_row[n] > scene.islands.first_row[n]
        has_loops = bool(scene.islands.end_group[n] > scene.islands.first_group[n])
        needs_impulses = needs_joint_impulses(scene, n)
        count, solves, last_request, moved_last = int(0), int(0), int(another_iterate), int(1)
        moved_first, residual_ratio, has_diverged = scalar(0.0), wp.float64(0.0), bool(False)
        while count < most_iterates:
            request = prepare_iterate(scene, n, count, last_request, has_loops)
            if request == restart:
                restart_solve(scene, n)
                count = 0
                last_request = another_iterate
                continue
            moved_last = int(request != done or last_request != check)
            if moved_last == 0:
                last_request = done
            else:
                is_factored = not release_compliant_rows(scene, n) and count > 0 and not has_contacts
                if has_diverged or (residual_ratio > nearly and count == most_iterates - 1):
                    reset_multipliers(scene, n)
                if count == 0:
                    measure_contacts(scene, n, h, scene.islands.first_row[n])
                newton_steps, moved = iterate(scene, n, h, count, is_factored)
                if needs_impulses:
                    add_joint_impulses(scene, n)
                solves += newton_steps
                if count == 0:
                    moved_first = moved
                last_request = next_request(scene, n, request, count, moved, moved_first, has_contacts, has_loops)
                if has_contacts:
                    residual_ratio = end_iterate(scene, n, h, count)
                    if not is_settled(scene, n, h, residual_ratio, count):
                        last_request = another_iterate
                        if has_diverged:
                            break
                        if has_loops and not moved <= divergence_ratio * divergence_ratio * moved_first:
                            restart_solve(scene, n)
                            has_diverged = True
                            count = 0
                            continue
                        choose_bounds(scene, n, count, newton_steps, residual_ratio)
                count += 1
            if last_request == done:
                if not add_closed_rows(scene, n):
                    break
                last_request = another_iterate
                count = wp.min(count, 1)
        end_solve(scene, n, last_request != another_iterate, solves)
        return moved_last

    return SimpleNamespace(
        prepare_iterate=prepare_iterate, iterate=iterate, needs_joint_impulses=needs_joint_impulses,
        solve_joints_alone=solve_joints_alone, solve_jointed_bodies=solve_jointed_bodies,
    )  # fmt: skip
