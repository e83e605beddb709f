# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The constraints of an island in one substep: outer iterates until contacts and joints are settled, or sweeps."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import LATE, LETS_GO
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.solve.contact_sweep import touch_functions
from inertia_tools.sim.solve.convergence import convergence_functions
from inertia_tools.sim.solve.friction_bounds import bound_functions
from inertia_tools.sim.solve.island_solve import MOST_ITERATES, island_solve_functions
from inertia_tools.sim.solve.loop_closure import closure_functions
from inertia_tools.sim.solve.newton import MOST_STEPS
from inertia_tools.sim.solve.resting import resting_functions
from inertia_tools.sim.solve.sweeps import sweep_functions
from inertia_tools.sim.solve.tension import tension_functions

SWEEPS = 4
"""Sweeps over contacts for each iteration asked for, where an island is too large to be factorised."""

PATIENCE = 20
"""Outer iterates after which a natural residual that is only nearly small enough will do: what contradicts itself by
rounding, as all feet of a robot that sticks everywhere, comes no closer."""

NEARLY = 10.0
"""That residual, over what is small enough; with a larger one multipliers are forgotten before the last iterate."""

PLAIN, PERIOD, NEAR = 4, 4, 1e5
"""The first so many outer iterates take plain bounds of friction. Of every so many later ones, one takes a Newton step
and the others go half the way; all take Newton steps where the residual is below so many times what is small enough.
Where many states are in equilibrium, first steps lead to a poor one: a flat arch of nine stones that stands fell at
1/60 s with four substeps. And Newton's method may go round between two pieces of the law for ever, as plain bounds may:
18 to 60 boxes and limp robots that crash left 381 solves unsettled where plain bounds and Newton steps took turns."""

QUIET = {"float32": 0.0, "float64": 1e-8}
"""A pass over joints that moves nothing farther than this [m, rad] is the last one of its substep.

In single precision each further pass takes back some of the rounding of those before.
"""

STILL = 1e-8
"""The same where contacts are solved along with joints [m, rad], however many iterations were asked for."""

EXACT = {"float32": -1.0, "float64": 1e-10}
"""Joints that are no farther off than this [m, rad], when nothing asks for another pass, are not solved once more."""

EXACT_IN_CONTACT = {"float32": 1e-6, "float64": 1e-10}
"""The same for an island with contacts, whose gaps single precision leaves as far off.

With a pass more a standing quadruped makes 44.2 k frames a second instead of 54.3 k, a humanoid 28.7 k instead of
35.7 k; neither is more exact.
"""

STRAY = 0.1
"""Displacement of an iterate, over that of the first, from which loops are looked at once more."""

ASTRAY = 10.0
"""And that from which they have gone astray: the substep begins again, and ends with an iterate that no multipliers are
taken to. A belt that has become too short for its wheels left the finite numbers, as what holds and what blocks it
contradict each other."""

JOINT_ITERATES = 2
"""Iterates over the joints alone, where motion is gone along from impact to impact."""

DONE, LOOKING, ASKING, STARTING_OVER = 0, 1, 2, 3
"""What an iterate asks for: nothing more; a look at joints, which may be off or at limits by now; another iterate; or
the substep again, as a limit lets go that was leant on, or a loop gives way."""


@lru_cache(maxsize=2)
def pass_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, wide_vec3 = p.scalar, p.vec3, p.vec6, precision("float64").vec3
    Bodies, Joints, Loops, Control, Contacts = p.references("Bodies", "Joints", "Loops", "Control", "Contacts")
    Rows, Work, System, JointWork, Options = p.references("Rows", "Work", "System", "JointWork", "Options")
    Islands = wp.ref[island_types(p).Islands]
    sweeps, lies_still = sweep_functions(p), resting_functions(p).lies_still
    motion = motion_functions(p)
    solve, log_solve = island_solve_functions(p), convergence_functions(p).log_solve
    open_contacts, measure_contacts, guess = solve.open_contacts, solve.measure_contacts, solve.guess
    spring_joints, minimise, apply = solve.spring_joints, solve.minimise, solve.apply
    sum_joints, residual, close_contacts = solve.sum_joints, solve.residual, solve.close_contacts
    forget_multipliers, start_over, mute_contact = solve.forget_multipliers, solve.start_over, solve.mute_contact
    most_steps = wp.constant(MOST_STEPS)
    bounds, closure = bound_functions(p), closure_functions(p)
    find_bounds, damp_bounds = bounds.find_bounds, bounds.damp_bounds
    clear_impulses, take_impulses, soften = closure.clear_impulses, closure.take_impulses, closure.soften
    stray = wp.constant(scalar(STRAY))
    nearly = wp.constant(wp.float64(NEARLY))
    patience, late = wp.constant(PATIENCE), wp.constant(LATE)
    plain, period, near = wp.constant(PLAIN), wp.constant(PERIOD), wp.constant(wp.float64(NEAR))
    most_iterates, sweeps_of_iteration = wp.constant(MOST_ITERATES), wp.constant(SWEEPS)
    stiffen = tension_functions(p).stiffen
    prepare_joint, contact = joint_functions(p).prepare_joint, touch_functions(p)
    sweep_contact, sweep_twist, count_touching = contact.sweep_contact, contact.sweep_twist, contact.count_touching
    is_static, go_back, go_to_start = motion.is_static, motion.go_back, motion.go_to_start
    freeze_again = joint_functions(p).freeze_again
    sweep_joint, sweep_coupling = sweeps.sweep_joint, sweeps.sweep_coupling
    joint_iterates = wp.constant(JOINT_ITERATES)
    quiet, exact = wp.constant(scalar(QUIET[p.name])), wp.constant(scalar(EXACT[p.name]))
    exact_in_contact = wp.constant(scalar(EXACT_IN_CONTACT[p.name]))
    still, astray_from = wp.constant(scalar(STILL)), wp.constant(scalar(ASTRAY))
    done, looking, asking = wp.constant(DONE), wp.constant(LOOKING), wp.constant(ASKING)
    starting_over, lets_go = wp.constant(STARTING_OVER), wp.constant(LETS_GO)

    @wp.func
    def begin_loads(islands: Islands, work: Work, n: int, iteration: int):
        """Take away the loads of the last iterate; the first one has what forces do as a load (`forced_motion`)."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = nonnegative_index(islands.body[i])
            work.body[b].load = vec6()
            if iteration == 0:
                work.body[b].load = work.body[b].held_back

    @wp.func(inline=False)
    def prepare_joints(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        islands: Islands,
        work: Work,
        jw: JointWork,
        options: Options,
        n: int,
        iteration: int,
    ) -> int:
        """See what joints hold and how far off they are; tell whether they ask for this pass, or for more."""
        asks, in_loops = int(done), int(islands.end_group[n] > islands.first_group[n])
        if iteration == 0 or islands.end_group[n] > islands.first_group[n]:
            asks = looking
        near_enough = wp.where(islands.end_row[n] > islands.first_row[n], exact_in_contact, exact)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = nonnegative_index(islands.joint[i])
            off = prepare_joint(bodies, joints, control, work, jw, options, j, iteration, in_loops)
            if jw.joint[j].leans == lets_go:
                asks = starting_over
            elif jw.joint[j].unsettled == 1:
                asks = wp.max(asks, asking)
            elif off > near_enough:
                asks = wp.max(asks, looking)
        return asks

    @wp.func
    def is_felt(islands: Islands, jw: JointWork, n: int) -> bool:
        """Tell whether a law, a limit or a reader needs the impulse of some joint of an island."""
        felt = int(0)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            felt = felt | jw.joint[islands.joint[i]].felt
        return felt == 1

    @wp.func
    def iterate(
        bodies: Bodies, joints: Joints, loops: Loops, rows: Rows, islands: Islands, work: Work, system: System,
        jw: JointWork, n: int, h: scalar, count: int, is_factored: bool,
    ):  # fmt: skip
        """Move bodies to the minimum of the merit function, contacts and joints having been measured.

        Return the Newton steps that it took, and the square of the farthest displacement of bodies on joints.
        """
        guess(bodies, rows, islands, work, system, n, h, count)
        if islands.end_group[n] > islands.first_group[n]:
            clear_impulses(loops, islands, system, n)
        solves = minimise(bodies, joints, loops, rows, islands, work, system, jw, n, is_factored)
        on_joints = islands.end_joint[n] > islands.first_joint[n]
        if count == 0 and on_joints and stiffen(bodies, joints, loops, rows, islands, work, system, jw, n):
            guess(bodies, rows, islands, work, system, n, h, count)
            clear_impulses(loops, islands, system, n)
            solves += minimise(bodies, joints, loops, rows, islands, work, system, jw, n, False)
        take_impulses(loops, islands, jw, system, n)
        moved = apply(bodies, rows, islands, work, system, n, h)
        return solves, moved

    @wp.func(inline=False)
    def solve_joints_alone(
        bodies: Bodies, joints: Joints, loops: Loops, control: Control, rows: Rows, islands: Islands, work: Work,
        system: System, jw: JointWork, options: Options, n: int,
    ):  # fmt: skip
        """Let the joints of an island act on the free motion, as if nothing were touched."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            mute_contact(rows, islands.row[i])
            rows.row[islands.row[i]].moved = wide_vec3()
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            jw.joint[islands.joint[i]].leans = int(0)  # what presses against limits is left out
        for iteration in range(joint_iterates):
            begin_loads(islands, work, n, iteration)
            prepare_joints(bodies, joints, control, islands, work, jw, options, n, iteration)
            spring_joints(bodies, islands, jw, n)
            iterate(bodies, joints, loops, rows, islands, work, system, jw, n, options.h, iteration + 1, False)
            sum_joints(bodies, joints, islands, work, jw, system, n)

    @wp.func
    def sweep_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        islands: Islands,
        work: Work,
        jw: JointWork,
        system: System,
        options: Options,
        n: int,
        iteration: int,
    ):
        """Solve the joints one after the other."""
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = islands.joint[i]
            sweep_joint(bodies, joints, control, work, jw, options, j, iteration)
        for i in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[i]
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                sweep_coupling(bodies, joints, loops, work, jw, system, k, options.h, options.linear_relaxation)

    @wp.func(inline=False)
    def sweep_contacts(
        bodies: Bodies,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        options: Options,
        n: int,
    ) -> bool:
        """Resolve the contacts that are swept, one after the other; tell whether one of them presses."""
        presses = bool(False)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.row[k].planned == 0:
                sweep_contact(bodies, contacts, rows.row[k], work, options)
                if rows.has_twists == 1:
                    sweep_twist(bodies, contacts, rows.row[k], work, options)
                presses = presses or rows.row[k].lambda_n > scalar(0.0)
        return presses

    @wp.func(inline=False)
    def restart_substep(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        system: System,
        n: int,
    ):
        """Take back all impulses of the substep; see `LATE`."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            if not is_static(bodies, islands.body[i]):
                go_to_start(work.body[islands.body[i]])
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            freeze_again(bodies, joints, work, jw, islands.joint[i])
        for i in range(islands.first_body[n], islands.end_body[n]):
            if not is_static(bodies, islands.body[i]):
                go_back(work.body[islands.body[i]])
        for i in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[i]
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                system.loop_impulse[k] = scalar(0.0)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            rows.row[k].lambda_n = scalar(0.0)
            rows.row[k].lambda_t = vec3()
            if rows.has_twists == 1:
                rows.row[k].lambda_r = vec3()

    @wp.func
    def sweep(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        system: System,
        options: Options,
        n: int,
    ):
        """Solve contacts and joints one after the other, as often as is asked for (Gauss-Seidel)."""
        count_touching(bodies, rows, islands, work, n)
        for iteration in range(options.iterations):
            sweep_contacts(bodies, contacts, rows, islands, work, options, n)
            pass_number = wp.min(iteration, late - 1)
            sweep_joints(bodies, joints, loops, control, islands, work, jw, system, options, n, pass_number)

    @wp.func(inline=False)
    def make_passes(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        options: Options,
        n: int,
    ) -> int:
        """Solve the constraints of an island.

        Return 1 if the last outer iterate has moved bodies, 0 if it has found all where it should be.
        """
        if options.sweeps == 1:
            sweep(bodies, joints, loops, control, contacts, rows, islands, work, jw, system, options, n)
            return int(1)
        on_joints = bool(islands.end_joint[n] > islands.first_joint[n])
        touches = bool(islands.end_row[n] > islands.first_row[n])
        has_loops, feels = bool(islands.end_group[n] > islands.first_group[n]), is_felt(islands, jw, n)
        moved_first = scalar(0.0)
        swept = bool(False)
        if touches:
            swept = rows.row[islands.row[islands.first_row[n]]].planned == 0
            open_contacts(bodies, contacts, rows, islands, n)
        if not on_joints and not touches:
            return int(1)
        asked = int(asking)
        if not on_joints and not swept:
            if lies_still(bodies, contacts, rows, islands, work, system, n, options.h):
                asked = done
        count = int(0)
        off = wp.float64(0.0)
        solves = int(0)
        moved_last = int(1)
        astray = bool(False)
        while asked > done and count < most_iterates:
            joints_ask = int(done)
            is_factored = bool(False)
            if swept:
                sweep_contacts(bodies, contacts, rows, islands, work, options, n)
            if on_joints:
                begin_loads(islands, work, n, count)
                joints_ask = prepare_joints(bodies, joints, control, islands, work, jw, options, n, count)
                if has_loops and count > 0 and (count == 1 or asked == looking):
                    if soften(bodies, joints, loops, islands, jw, system, n):
                        joints_ask = starting_over
                if joints_ask == starting_over:
                    restart_substep(bodies, joints, loops, rows, islands, work, jw, system, n)
                    open_contacts(bodies, contacts, rows, islands, n)
                    count = 0
                    asked = asking
                    continue
                if joints_ask == done and asked == looking and not swept:
                    moved_last = int(0)
                    break
                is_factored = not spring_joints(bodies, islands, jw, n) and count > 0 and not touches
            if astray or (off > nearly and count == most_iterates - 1):
                forget_multipliers(rows, islands, n)
            if count == 0 or swept:
                measure_contacts(bodies, contacts, rows, islands, work, n, options.h)
            made, moved = iterate(
                bodies, joints, loops, rows, islands, work, system, jw, n, options.h, count, is_factored
            )
            if feels:
                sum_joints(bodies, joints, islands, work, jw, system, n)
            solves += made
            if count == 0:
                moved_first = moved
            if on_joints:
                if joints_ask != asking:
                    joints_ask = done
                    goes_on = moved > quiet * quiet and count + 1 < options.iterations
                    strays = has_loops and moved > stray * stray * moved_first
                    if count == 0 or goes_on or strays or (touches and moved > still * still):
                        joints_ask = looking
            asked = joints_ask
            if swept:
                asked = wp.where(count + 1 < sweeps_of_iteration * options.iterations, asking, done)
            elif touches:
                off = residual(bodies, contacts, rows, islands, work, n, options.h, count)
                if off > wp.where(count < patience, wp.float64(1.0), nearly):
                    asked = asking
                    if astray:
                        break
                    if has_loops and not moved <= astray_from * astray_from * moved_first:
                        restart_substep(bodies, joints, loops, rows, islands, work, jw, system, n)
                        open_contacts(bodies, contacts, rows, islands, n)
                        astray = True
                        count = 0
                        continue
                    if made >= most_steps:
                        start_over(rows, islands, n)
                    elif not has_loops and (off < near or (count >= plain and count % period == period - 1)):
                        find_bounds(bodies, rows, islands, jw, system, n)
                    elif not has_loops and count >= plain:
                        damp_bounds(rows, islands, n)
            count += 1
        if touches:
            close_contacts(rows, islands, n)
        if asked == asking:
            rows.unsettled[n] = rows.unsettled[n] + 1
        if rows.logs == 1:
            log_solve(bodies, contacts, rows, islands, n, options.h, solves)
        return moved_last

    return SimpleNamespace(
        make_passes=make_passes, solve_joints_alone=solve_joints_alone, restart_substep=restart_substep
    )
