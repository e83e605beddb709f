# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The outer iterates of an island of bodies on joints, with contacts or without.

Joints are measured again before each iterate. What they ask for after it is one of

    done             nothing more
    looking          to be looked at: they may be off, or at limits, by now
    asking           another iterate
    starting over    the substep again, as a limit lets go that was leant on, or a loop gives way
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import LETS_GO
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.constants import (
    JOINT_ITERATES,
    JOINT_TOLERANCE,
    JOINT_TOLERANCE_IN_CONTACT,
    JOINTS_QUIET,
    JOINTS_QUIET_IN_CONTACT,
    LOOP_ASTRAY,
    LOOP_STRAYS,
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

DONE, LOOKING, ASKING, STARTING_OVER = 0, 1, 2, 3


@lru_cache(maxsize=2)
def jointed_body_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec6 = p.scalar, p.vec6
    solve, outer_iterates, closure = island_solve_functions(p), outer_iterate_functions(p), closure_functions(p)
    measure_contacts, guess, minimise = solve.measure_contacts, solve.guess, solve.minimise
    spring_joints, apply, sum_joints = solve.spring_joints, solve.apply, solve.sum_joints
    residual, forget_multipliers = solve.residual, solve.forget_multipliers
    is_settled, choose_bounds, calls_up = (
        outer_iterates.is_settled,
        outer_iterates.choose_bounds,
        outer_iterates.calls_up,
    )
    begin_again, end_solve = outer_iterates.begin_again, outer_iterates.end_solve
    clear_impulses, take_impulses, soften = closure.clear_impulses, closure.take_impulses, closure.soften
    stiffen, prepare_joint = geometric_stiffness_functions(p).stiffen, joint_functions(p).prepare_joint
    most_steps, most_iterates = wp.constant(MOST_NEWTON_STEPS), wp.constant(MOST_ITERATES)
    joint_iterates, nearly = wp.constant(JOINT_ITERATES), wp.constant(wp.float64(NEARLY_SETTLED))
    quiet, exact = wp.constant(scalar(JOINTS_QUIET[p.name])), wp.constant(scalar(JOINT_TOLERANCE[p.name]))
    exact_in_contact = wp.constant(scalar(JOINT_TOLERANCE_IN_CONTACT[p.name]))
    still, stray = wp.constant(scalar(JOINTS_QUIET_IN_CONTACT)), wp.constant(scalar(LOOP_STRAYS))
    astray_from = wp.constant(scalar(LOOP_ASTRAY))
    done, looking, asking = wp.constant(DONE), wp.constant(LOOKING), wp.constant(ASKING)
    starting_over, lets_go = wp.constant(STARTING_OVER), wp.constant(LETS_GO)

    @wp.func
    def begin_loads(scene: Scene, n: int, count: int):
        """Take away the loads of the last iterate; the first one has what forces do as a load (`forced_motion`)."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            scene.body[b].load = vec6()
            if count == 0:
                scene.body[b].load = scene.body[b].deferred_load

    @wp.func(inline=False)
    def prepare_joints(scene: Scene, n: int, count: int) -> int:
        """See what joints hold and how far off they are; return what they ask for."""
        asks, in_loops = int(done), int(scene.islands.end_group[n] > scene.islands.first_group[n])
        if count == 0 or in_loops == 1:
            asks = looking
        near_enough = wp.where(scene.islands.end_row[n] > scene.islands.first_row[n], exact_in_contact, exact)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = nonnegative_index(scene.islands.joint[i])
            off = prepare_joint(scene, scene.options[n], j, count, in_loops)
            if scene.joint[j].limit_warm_start == lets_go:
                asks = starting_over
            elif scene.joint[j].active_set_changed == 1:
                asks = wp.max(asks, asking)
            elif off > near_enough:
                asks = wp.max(asks, looking)
        return asks

    @wp.func
    def look_at_joints(scene: Scene, n: int, count: int, asked: int, has_loops: bool) -> int:
        """Prepare the joints of an island for an iterate, and return what they ask for."""
        begin_loads(scene, n, count)
        asks = prepare_joints(scene, n, count)
        if has_loops and count > 0 and (count == 1 or asked == looking):
            if soften(scene, n):
                asks = starting_over
        return asks

    @wp.func
    def joints_ask(
        scene: Scene, n: int, asked: int, count: int, moved: scalar, moved_first: scalar, touches: bool, has_loops: bool
    ) -> int:
        """Return what joints ask for after an iterate that they asked for and that moved bodies so far."""
        if asked == asking:
            return asking
        goes_on = moved > quiet * quiet and count + 1 < scene.options[n].iterations
        strays = has_loops and moved > stray * stray * moved_first
        if count == 0 or goes_on or strays or (touches and moved > still * still):
            return looking
        return done

    @wp.func
    def is_felt(scene: Scene, n: int) -> bool:
        """Tell whether a law, a limit or a reader needs the impulse of some joint of an island."""
        felt = int(0)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            felt = felt | scene.joint[scene.islands.joint[i]].needs_impulse
        return felt == 1

    @wp.func(inline=False)
    def iterate(scene: Scene, n: int, h: scalar, count: int, is_factored: bool):
        """Move bodies to the minimum of the merit function, contacts and joints having been measured.

        Return the Newton steps that it took, and the square of the farthest displacement of bodies on joints.
        """
        guess(scene, n, h, count)
        if scene.islands.end_group[n] > scene.islands.first_group[n]:
            clear_impulses(scene, n)
        made = minimise(scene, n, is_factored, most_steps)
        if count == 0 and stiffen(scene, n):
            guess(scene, n, h, count)
            clear_impulses(scene, n)
            made += minimise(scene, n, False, most_steps)
        take_impulses(scene, n)
        moved = apply(scene, n, h)
        return made, moved

    @wp.func(inline=False)
    def solve_joints_alone(scene: Scene, n: int):
        """Let the joints of an island act on the free motion, as if nothing were touched."""
        scene.islands.end_working[n] = scene.islands.first_row[n]
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            scene.joint[scene.islands.joint[i]].limit_warm_start = int(0)  # what presses against limits is left out
        for count in range(joint_iterates):
            begin_loads(scene, n, count)
            prepare_joints(scene, n, count)
            spring_joints(scene, n)
            iterate(scene, n, scene.options[n].h, count + 1, False)
            sum_joints(scene, n)

    @wp.func(inline=False)
    def solve_jointed_bodies(scene: Scene, n: int) -> int:
        """Solve joints and contacts of an island.

        Return 1 if the last iterate has moved bodies, 0 if joints were found where they should be after it.
        """
        h, touches = scene.options[n].h, scene.islands.end_row[n] > scene.islands.first_row[n]
        has_loops, feels = bool(scene.islands.end_group[n] > scene.islands.first_group[n]), is_felt(scene, n)
        count, solves, asked, moved_last = int(0), int(0), int(asking), int(1)
        moved_first, off, astray = scalar(0.0), wp.float64(0.0), bool(False)
        while count < most_iterates:
            asks = look_at_joints(scene, n, count, asked, has_loops)
            if asks == starting_over:
                begin_again(scene, n)
                count = 0
                asked = asking
                continue
            moved_last = int(asks != done or asked != looking)
            if moved_last == 0:
                asked = done
            else:
                is_factored = not spring_joints(scene, n) and count > 0 and not touches
                if astray or (off > nearly and count == most_iterates - 1):
                    forget_multipliers(scene, n)
                if count == 0:
                    measure_contacts(scene, n, h, scene.islands.first_row[n])
                made, moved = iterate(scene, n, h, count, is_factored)
                if feels:
                    sum_joints(scene, n)
                solves += made
                if count == 0:
                    moved_first = moved
                asked = joints_ask(scene, n, asks, count, moved, moved_first, touches, has_loops)
                if touches:
                    off = residual(scene, n, h, count)
                    if not is_settled(scene, n, h, off, count):
                        asked = asking
                        if astray:
                            break
                        if has_loops and not moved <= astray_from * astray_from * moved_first:
                            begin_again(scene, n)
                            astray = True
                            count = 0
                            continue
                        choose_bounds(scene, n, count, made, off)
                count += 1
            if asked == done:
                if not calls_up(scene, n):
                    break
                asked = asking
                count = wp.min(count, 1)
        end_solve(scene, n, asked != asking, solves)
        return moved_last

    return SimpleNamespace(
        look_at_joints=look_at_joints, iterate=iterate, is_felt=is_felt, solve_joints_alone=solve_joints_alone,
        solve_jointed_bodies=solve_jointed_bodies,
    )  # fmt: skip
