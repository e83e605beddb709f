# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The constraints of an island in one substep: outer iterates until contacts and joints are settled, or sweeps."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import LETS_GO
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.constants import (
    BOUND_PERIOD,
    FAST,
    JOINT_ITERATES,
    JOINT_TOLERANCE,
    JOINT_TOLERANCE_IN_CONTACT,
    JOINTS_QUIET,
    JOINTS_QUIET_IN_CONTACT,
    LAST_RELAXATIONS,
    LOOP_ASTRAY,
    LOOP_STRAYS,
    MERIT_LAWS_FROM,
    MOST_ITERATES,
    MOST_NEWTON_STEPS,
    NEAR_RESIDUAL,
    NEARLY_SETTLED,
    PATIENCE,
    PLAIN_ITERATES,
    RELAXATION_PERIOD,
    RELAXATIONS,
    SLIGHT_RESIDUAL,
    SWEEPS_OF_ITERATION,
)
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.acting_rows import acting_functions
from inertia_tools.sim.solve.contact_sweep import touch_functions
from inertia_tools.sim.solve.convergence import convergence_functions
from inertia_tools.sim.solve.friction_bounds import bound_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.jamming import jam_functions
from inertia_tools.sim.solve.loop_closure import closure_functions
from inertia_tools.sim.solve.mobility import mobility_functions
from inertia_tools.sim.solve.relaxation import relaxation_functions
from inertia_tools.sim.solve.resting import resting_functions
from inertia_tools.sim.solve.sweeps import sweep_functions
from inertia_tools.sim.solve.tension import tension_functions

DONE, LOOKING, ASKING, STARTING_OVER = 0, 1, 2, 3
"""What an iterate asks for: nothing more; a look at joints, which may be off or at limits by now; another iterate; or
the substep again, as a limit lets go that was leant on, or a loop gives way."""


@lru_cache(maxsize=2)
def pass_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    sweeps, lies_still = sweep_functions(p), resting_functions(p).lies_still
    motion = motion_functions(p)
    list_acting, call_up = acting_functions(p).list_acting, acting_functions(p).call_up
    solve, log_solve = island_solve_functions(p), convergence_functions(p).log_solve
    fall_of = convergence_functions(p).fall_of
    open_contacts, measure_contacts, guess = solve.open_contacts, solve.measure_contacts, solve.guess
    spring_joints, minimise, apply = solve.spring_joints, solve.minimise, solve.apply
    sum_joints, residual, close_contacts = solve.sum_joints, solve.residual, solve.close_contacts
    forget_multipliers, reset_friction = solve.forget_multipliers, solve.reset_friction
    is_jammed, forget_friction = jam_functions(p).is_jammed, jam_functions(p).forget_friction
    most_steps, fast = wp.constant(MOST_NEWTON_STEPS), wp.constant(wp.float64(FAST))
    bounds, closure = bound_functions(p), closure_functions(p)
    find_bounds, damp_bounds = bounds.find_bounds, bounds.damp_bounds
    clear_impulses, take_impulses, soften = closure.clear_impulses, closure.take_impulses, closure.soften
    stray = wp.constant(scalar(LOOP_STRAYS))
    nearly, slight = wp.constant(wp.float64(NEARLY_SETTLED)), wp.constant(wp.float64(SLIGHT_RESIDUAL))
    patience, late = wp.constant(PATIENCE), wp.constant(MERIT_LAWS_FROM)
    plain, period, near = wp.constant(PLAIN_ITERATES), wp.constant(BOUND_PERIOD), wp.constant(wp.float64(NEAR_RESIDUAL))
    most_iterates, sweeps_of_iteration = wp.constant(MOST_ITERATES), wp.constant(SWEEPS_OF_ITERATION)
    note_mobility = mobility_functions(p).note_mobility
    stiffen = tension_functions(p).stiffen
    relax, relaxation_period = relaxation_functions(p).relax, wp.constant(RELAXATION_PERIOD)
    relaxations, last_relaxations = wp.constant(RELAXATIONS), wp.constant(LAST_RELAXATIONS)
    prepare_joint, contact = joint_functions(p).prepare_joint, touch_functions(p)
    sweep_contact, sweep_twist, count_touching = contact.sweep_contact, contact.sweep_twist, contact.count_touching
    is_static, go_back, go_to_start = motion.is_static, motion.go_back, motion.go_to_start
    freeze_again = joint_functions(p).freeze_again
    sweep_joint, sweep_coupling = sweeps.sweep_joint, sweeps.sweep_coupling
    joint_iterates = wp.constant(JOINT_ITERATES)
    quiet, exact = wp.constant(scalar(JOINTS_QUIET[p.name])), wp.constant(scalar(JOINT_TOLERANCE[p.name]))
    exact_in_contact = wp.constant(scalar(JOINT_TOLERANCE_IN_CONTACT[p.name]))
    still, astray_from = wp.constant(scalar(JOINTS_QUIET_IN_CONTACT)), wp.constant(scalar(LOOP_ASTRAY))
    done, looking, asking = wp.constant(DONE), wp.constant(LOOKING), wp.constant(ASKING)
    starting_over, lets_go = wp.constant(STARTING_OVER), wp.constant(LETS_GO)

    @wp.func
    def begin_loads(scene: Scene, n: int, iteration: int):
        """Take away the loads of the last iterate; the first one has what forces do as a load (`forced_motion`)."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            scene.body[b].load = vec6()
            if iteration == 0:
                scene.body[b].load = scene.body[b].held_back

    @wp.func(inline=False)
    def prepare_joints(scene: Scene, n: int, iteration: int) -> int:
        """See what joints hold and how far off they are; tell whether they ask for this pass, or for more."""
        asks, in_loops = int(done), int(scene.islands.end_group[n] > scene.islands.first_group[n])
        if iteration == 0 or scene.islands.end_group[n] > scene.islands.first_group[n]:
            asks = looking
        near_enough = wp.where(scene.islands.end_row[n] > scene.islands.first_row[n], exact_in_contact, exact)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = nonnegative_index(scene.islands.joint[i])
            off = prepare_joint(scene, scene.options[n], j, iteration, in_loops)
            if scene.joint[j].leans == lets_go:
                asks = starting_over
            elif scene.joint[j].unsettled == 1:
                asks = wp.max(asks, asking)
            elif off > near_enough:
                asks = wp.max(asks, looking)
        return asks

    @wp.func
    def is_felt(scene: Scene, n: int) -> bool:
        """Tell whether a law, a limit or a reader needs the impulse of some joint of an island."""
        felt = int(0)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            felt = felt | scene.joint[scene.islands.joint[i]].felt
        return felt == 1

    @wp.func
    def moves_fast(scene: Scene, n: int, h: scalar) -> bool:
        """Tell whether a body of an island moves so far in a substep; see `FAST`."""
        least = scalar(fast * fall_of(scene, h)) / h
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if not is_static(scene.bodies, b) and wp.length(scene.body[b].v_free) > least:
                return True
        return False

    @wp.func
    def iterate(scene: Scene, n: int, h: scalar, count: int, is_factored: bool):
        """Move bodies to the minimum of the merit function, contacts and joints having been measured.

        At first, the contacts of free bodies that move fast are relaxed instead if one Newton step does not get there.

        Return the Newton steps that it took, and the square of the farthest displacement of bodies on joints.
        """
        guess(scene, n, h, count)
        if scene.islands.end_group[n] > scene.islands.first_group[n]:
            clear_impulses(scene, n)
        on_joints = scene.islands.jointed[n] == 1
        relaxes = count == 0 and not on_joints and moves_fast(scene, n, h)
        most = wp.where(relaxes, 1, most_steps)
        solves = minimise(scene, n, is_factored, most)
        if relaxes and solves > most:
            relax(scene, n, h, count, relaxations)
            return most, scalar(0.0)
        if count == 0 and on_joints and stiffen(scene, n):
            guess(scene, n, h, count)
            clear_impulses(scene, n)
            solves += minimise(scene, n, False, most_steps)
        take_impulses(scene, n)
        moved = apply(scene, n, h)
        return solves, moved

    @wp.func
    def is_off(scene: Scene, n: int, h: scalar) -> bool:
        """Tell whether an iterate has left more than a slight residual; joints leave contacts as far off as they are.

        Without gravity there is no measure for it.
        """
        most = slight * fall_of(scene, h)
        if most > wp.float64(0.0) and scene.islands.jointed[n] == 1:
            most = wp.max(most, wp.float64(exact_in_contact))
        return most > wp.float64(0.0) and scene.rows.residual[n] > most

    @wp.func
    def relax_unsettled(scene: Scene, n: int, h: scalar, count: int) -> wp.float64:
        """Relax contacts of free bodies that have not settled, and return as `residual` does.

        A slight residual will do where bodies move fast, and in place of the last iterate, which takes several rounds.
        """
        is_last, off = count == most_iterates - 1, wp.float64(0.0)
        for _ in range(wp.where(is_last, last_relaxations, 1)):
            relax(scene, n, h, count, relaxations)
            off = residual(scene, n, h, count)
            if scene.rows.residual[n] <= slight * fall_of(scene, h) and (is_last or moves_fast(scene, n, h)):
                off = wp.min(off, nearly)
            if off <= nearly and not is_off(scene, n, h):
                return off
        if off > nearly:
            reset_friction(scene, n)
        return off

    @wp.func(inline=False)
    def solve_joints_alone(scene: Scene, n: int):
        """Let the joints of an island act on the free motion, as if nothing were touched."""
        scene.islands.end_acting[n] = scene.islands.first_row[n]
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            scene.joint[scene.islands.joint[i]].leans = int(0)  # what presses against limits is left out
        for iteration in range(joint_iterates):
            begin_loads(scene, n, iteration)
            prepare_joints(scene, n, iteration)
            spring_joints(scene, n)
            iterate(scene, n, scene.options[n].h, iteration + 1, False)
            sum_joints(scene, n)

    @wp.func
    def sweep_joints(scene: Scene, n: int, iteration: int):
        """Solve the joints one after the other."""
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            sweep_joint(scene, scene.options[n], j, iteration)
        for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[i]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                sweep_coupling(scene, k, scene.options[n].h, scene.options[n].linear_relaxation)

    @wp.func(inline=False)
    def sweep_contacts(scene: Scene, n: int) -> bool:
        """Resolve the contacts that are swept, one after the other; tell whether one of them presses."""
        presses = bool(False)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if scene.rows.row[k].planned == 0:
                sweep_contact(scene, scene.rows.row[k], scene.options[n])
                if scene.rows.has_twists == 1:
                    sweep_twist(scene, scene.rows.row[k], scene.options[n])
                presses = presses or scene.rows.row[k].lambda_n > scalar(0.0)
        return presses

    @wp.func(inline=False)
    def restart_substep(scene: Scene, n: int):
        """Take back all impulses of the substep; see `MERIT_LAWS_FROM`."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            if not is_static(scene.bodies, scene.islands.body[i]):
                go_to_start(scene.body[scene.islands.body[i]])
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            freeze_again(scene, scene.islands.joint[i])
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            if not is_static(scene.bodies, scene.islands.body[i]):
                go_back(scene.body[scene.islands.body[i]])
        for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[i]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                scene.system.loop_impulse[k] = scalar(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            scene.rows.row[k].lambda_n = scalar(0.0)
            scene.rows.row[k].lambda_t = vec3()
            if scene.rows.has_twists == 1:
                scene.rows.row[k].lambda_r = vec3()

    @wp.func
    def sweep(scene: Scene, n: int):
        """Solve contacts and joints one after the other, as often as is asked for (Gauss-Seidel)."""
        count_touching(scene, n)
        for iteration in range(scene.options[n].iterations):
            sweep_contacts(scene, n)
            pass_number = wp.min(iteration, late - 1)
            sweep_joints(scene, n, pass_number)

    @wp.func
    def begin_again(scene: Scene, n: int):
        """Take back all impulses of the substep, and open its contacts again."""
        restart_substep(scene, n)
        open_contacts(scene, n, scene.islands.first_row[n])

    @wp.func
    def give_way(scene: Scene, n: int):
        """Begin the last iterate at the start of the substep, without multipliers and without friction."""
        begin_again(scene, n)
        forget_friction(scene, n)
        measure_contacts(scene, n, scene.options[n].h, scene.islands.first_row[n])

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
    def choose_bounds(scene: Scene, n: int, count: int, made: int, off: wp.float64):
        """Choose the bounds of friction of the next iterate, after so many Newton steps; see `PLAIN_ITERATES`."""
        if made > most_steps:
            forget_multipliers(scene, n)
            reset_friction(scene, n)
        elif scene.islands.end_group[n] == scene.islands.first_group[n]:
            if off < near or (count >= plain and count % period == period - 1):
                find_bounds(scene, n)
            elif count >= plain:
                damp_bounds(scene, n)

    @wp.func
    def calls_up(scene: Scene, n: int) -> bool:
        """Tell whether rows that did not act have been closed, which act from now on."""
        first = call_up(scene, n, scene.options[n].h)
        if first == scene.islands.end_acting[n]:
            return False
        open_contacts(scene, n, first)
        measure_contacts(scene, n, scene.options[n].h, first)
        return True

    @wp.func(inline=False)
    def make_iterates(scene: Scene, n: int, on_joints: bool, touches: bool, swept: bool) -> int:
        """Make the outer iterates of an island; return as `make_passes` does."""
        has_loops, feels = bool(scene.islands.end_group[n] > scene.islands.first_group[n]), is_felt(scene, n)
        moved_first, off = scalar(0.0), wp.float64(0.0)
        asked, count, solves, moved_last = int(asking), int(0), int(0), int(1)
        astray, is_large = bool(False), bool(False)
        if not on_joints and not swept:
            scene.rows.residual[n] = wp.float64(0.0)  # of no contact, if none acts
            if scene.islands.end_acting[n] == scene.islands.first_row[n] or lies_still(scene, n, scene.options[n].h):
                asked = done
        while asked == done or count < most_iterates:
            if asked == done:
                if not calls_up(scene, n):
                    break
                asked = asking
                count = wp.min(count, 1)
                continue
            asks = int(done)
            is_factored = bool(False)
            if swept:
                sweep_contacts(scene, n)
            if on_joints:
                asks = look_at_joints(scene, n, count, asked, has_loops)
                if asks == starting_over:
                    begin_again(scene, n)
                    count = 0
                    asked = asking
                    continue
                if asks == done and asked == looking and not swept:
                    moved_last = int(0)
                    asked = done
                    continue
                is_factored = not spring_joints(scene, n) and count > 0 and not touches
            if count % relaxation_period == relaxation_period - 1 and (off > nearly or is_large) and not on_joints:
                off = relax_unsettled(scene, n, scene.options[n].h, count)
                is_large = is_off(scene, n, scene.options[n].h)
                if off <= nearly and not is_large:
                    asked = done
                    continue
                if count == most_iterates - 1:
                    if not is_jammed(scene, n, scene.options[n].h):
                        break
                    give_way(scene, n)
            if astray or (off > nearly and count == most_iterates - 1):
                forget_multipliers(scene, n)
            if count == 0 or swept:
                measure_contacts(scene, n, scene.options[n].h, scene.islands.first_row[n])
            moved_last = int(1)
            made, moved = iterate(scene, n, scene.options[n].h, count, is_factored)
            if feels:
                sum_joints(scene, n)
            solves += made
            if count == 0:
                moved_first = moved
            if on_joints:
                asks = joints_ask(scene, n, asks, count, moved, moved_first, touches, has_loops)
            asked = asks
            if swept:
                asked = wp.where(count + 1 < sweeps_of_iteration * scene.options[n].iterations, asking, done)
            elif touches:
                off = residual(scene, n, scene.options[n].h, count)
                near_enough = wp.where(count < patience, wp.float64(1.0), nearly)
                is_large = is_off(scene, n, scene.options[n].h)
                if off > near_enough or is_large:
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
        if touches:
            close_contacts(scene, n)
        if asked == asking:
            scene.rows.unsettled[n] = scene.rows.unsettled[n] + 1
        note_mobility(scene, n, solves > 0)
        if scene.rows.logs == 1:
            log_solve(scene, n, scene.options[n].h, solves)
        return moved_last

    @wp.func(inline=False)
    def make_passes(scene: Scene, n: int) -> int:
        """Solve the constraints of an island.

        Return 1 if the last outer iterate has moved bodies, 0 if it has found all where it should be.
        """
        if scene.options[n].sweeps == 1:
            sweep(scene, n)
            return int(1)
        list_acting(scene, n, scene.options[n].h)
        on_joints = scene.islands.jointed[n] == 1
        if scene.islands.end_row[n] == scene.islands.first_row[n]:
            if not on_joints:
                note_mobility(scene, n, False)
                return int(1)
            return make_iterates(scene, n, on_joints, False, False)
        swept = scene.rows.row[scene.islands.row[scene.islands.first_row[n]]].planned == 0
        open_contacts(scene, n, scene.islands.first_row[n])
        return make_iterates(scene, n, on_joints, True, swept)

    return SimpleNamespace(
        make_passes=make_passes, solve_joints_alone=solve_joints_alone, restart_substep=restart_substep
    )
