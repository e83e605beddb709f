# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A step as two kernels: one begins worlds, the other makes all substeps of islands, in a fixed order.

They are launched for whole worlds, one after the other on each thread, or first for worlds and then for islands, which
threads share. On a CPU one thread processes its whole part, as entering a kernel costs as much as a body; on a GPU each
thread has one world, or one island. Two kernels compile in parallel.
"""

from enum import IntEnum
from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import LONG_WAY
from inertia_tools.sim.collide.contact_finding import finding_functions
from inertia_tools.sim.constraints.joint_state import joint_state_functions
from inertia_tools.sim.kernels.body_state import state_functions
from inertia_tools.sim.kernels.constants import SUBSTEP_PARTS
from inertia_tools.sim.kernels.denormals import flush_denormals, restore_denormals
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.constraint_solve import constraint_functions
from inertia_tools.sim.solve.islands import island_functions
from inertia_tools.sim.step.begin import begin_functions
from inertia_tools.sim.step.rest import rest_functions
from inertia_tools.sim.step.substep import substep_functions
from inertia_tools.sim.step.substep_length import length_functions


@wp.func
def first_of_thread(thread: int, count: int, spread: int) -> int:
    """Return the first unit of a thread, if only one thread in `spread` works: smaller GPU warps diverge less."""
    if thread % spread == 0:
        return thread // spread
    return count


class Stage(IntEnum):
    """Work of a launch: whole worlds, worlds up to their islands, or islands."""

    WHOLE = 0
    BEGIN = 1
    ISLANDS = 2


@lru_cache(maxsize=2)
def begin_kernel(p: Precision) -> Any:
    """Return the kernel that begins worlds and orders islands, of one precision; see `step_kernel`."""
    whole, only_islands = wp.constant(int(Stage.WHOLE)), wp.constant(int(Stage.ISLANDS))
    functions, Scene = begin_functions(p), scene_type(p)
    begin_world, plan_island = functions.begin_world, functions.plan_island
    end_of_lockstep = island_functions(p).end_of_lockstep

    @wp.kernel(module="unique", module_options=LONG_WAY)
    def begin(scene: wp.array(dtype=Scene), stage: int, first: int, stride: int, count: int, threads: int, spread: int):
        clusters = scene[0].clusters.count
        for unit in range(first_of_thread(wp.tid(), count, spread), count, threads):
            start = first + unit * stride
            end = start + 1
            if stage == only_islands:
                world = start // clusters
                if start - world * clusters >= scene[0].islands.count[world]:
                    end = start
            else:
                world = start
                begin_world(scene[0], world)
                start = world * clusters
                end = start
                if stage == whole:
                    end = start + scene[0].islands.count[world]
            if scene[0].islands.kept[world] == 1:
                end = start
            for n in range(start, end):
                for i in range(n, end_of_lockstep(scene[0], world, n)):
                    if scene[0].islands.in_lockstep[i] == scene[0].islands.in_lockstep[n]:
                        plan_island(scene[0], i)

    return begin


@lru_cache(maxsize=2)
def step_kernel(p: Precision) -> Any:
    """Return the kernel that makes the substeps of islands, of one precision.

    A launch covers `count` worlds from `first` on, or with `Stage.ISLANDS` every `stride`-th place for an island. A
    world has as many such places as clusters; places beyond its islands are empty.
    """
    only_islands = wp.constant(int(Stage.ISLANDS))
    scalar, vec6 = p.scalar, p.vec6
    Scene = scene_type(p)
    SceneRef = wp.ref[Scene]
    of_bodies = state_functions(p)
    write_body, shared_history, share_start = of_bodies.write_body, of_bodies.shared_history, of_bodies.share_start
    note_impacts, note_free_impacts = of_bodies.note_impacts, of_bodies.note_free_impacts
    of_joints = joint_state_functions(p)
    write_joint, report_wrench = of_joints.write_joint, of_joints.report_wrench
    solve_constraints, substeps = constraint_functions(p).solve_constraints, substep_functions(p)
    begin_substep, end_substep, per_force = substeps.begin_substep, substeps.end_substep, substeps.per_force
    end_of_lockstep, length = island_functions(p).end_of_lockstep, length_functions(p)
    rest, take_back = rest_functions(p), finding_functions(p).take_back
    is_at_rest, copy_state, update_rest = rest.is_at_rest, rest.copy_state, rest.update_rest
    choose_length, set_length, parts = length.choose_length, length.set_length, wp.constant(SUBSTEP_PARTS)

    @wp.func(inline=False)
    def write_island(scene: SceneRef, n: int, moved: int):
        """Write the bodies and joints of an island to the state; `moved` as in `begin_joint`."""
        shared = shared_history(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            write_body(
                scene.bodies,
                scene.state_out,
                scene.body[scene.islands.body[i]],
                scene.islands.body[i],
                scene.options[n].h,
                scene.state_in,
                shared,
            )
            whole = scene.options[n].dt / scalar(scene.options[n].least_substeps)
            scene.state_out.nominal_h_last[scene.islands.body[i]] = whole
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            write_joint(scene, scene.islands.joint[i], moved)
        if scene.options[n].reactions == 1:
            per_impulse = per_force(scene, n)
            for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
                scene.state_out.parent_f[scene.islands.body[i]] = vec6()
            for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
                j = scene.islands.joint[i]
                report_wrench(scene, scene.joint[j], j, per_impulse)

    @wp.func(inline=False)
    def advance_island(scene: SceneRef, n: int, first: int):
        """Make one substep of an island."""
        begin_substep(scene, n, first, scene.islands.has_moved[n])
        scene.islands.has_moved[n] = solve_constraints(scene, n)
        if scene.islands.jointed[n] == 1:
            note_impacts(scene, n, scene.options[n].h)
        else:
            note_free_impacts(scene, n, scene.options[n].h)
        end_substep(scene, n)

    @wp.func
    def shortest_in_lockstep(scene: SceneRef, n: int, end: int, at: int) -> int:
        """Return the length of the next substep of islands that share substeps; see `choose_length`."""
        in_lockstep = scene.islands.in_lockstep[n]
        length = int(parts)
        for i in range(n, end):
            if scene.islands.in_lockstep[i] == in_lockstep:
                chosen = choose_length(scene, i, at)
                length = wp.min(length, chosen)
        return length

    @wp.func
    def begin_island(scene: SceneRef, world: int, n: int):
        """Begin the step of an island: clear its counters and the forces reported in the last step."""
        scene.islands.has_moved[n] = int(0)
        scene.islands.unsettled_before[n] = scene.rows.unsettled[n]
        scene.options[n] = scene.settings[world]
        share_start(scene, n)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            take_back(scene.contacts, scene.rows.row[scene.islands.row[i]].slot)

    @wp.func
    def step_island(scene: SceneRef, world: int, n: int):
        """Make all substeps of an island; the first island in lockstep makes those of all others in turn."""
        in_lockstep = scene.islands.in_lockstep[n]
        end = end_of_lockstep(scene, world, n)
        for i in range(n, end):
            if scene.islands.in_lockstep[i] == in_lockstep:
                begin_island(scene, world, i)
        at = int(0)
        whole_step = parts * scene.settings[world].least_substeps
        while at < whole_step and end > n:
            length = shortest_in_lockstep(scene, n, end, at)
            for i in range(n, end):
                if scene.islands.in_lockstep[i] == in_lockstep:
                    set_length(scene, i, at, length)
                    advance_island(scene, i, int(at == 0))
            at += length
        for i in range(n, end):
            if scene.islands.in_lockstep[i] == in_lockstep:
                update_rest(scene, world, i)
                write_island(scene, i, scene.islands.has_moved[i])

    @wp.kernel(module="unique", module_options=LONG_WAY)
    def step(scene: wp.array(dtype=Scene), stage: int, first: int, stride: int, count: int, threads: int, spread: int):
        clusters = scene[0].clusters.count
        mode = flush_denormals()
        for unit in range(first_of_thread(wp.tid(), count, spread), count, threads):
            start = first + unit * stride
            end = start + 1
            if stage == only_islands:
                world = start // clusters
                if start - world * clusters >= scene[0].islands.count[world]:
                    end = start
            else:
                world = start
                start = world * clusters
                end = start + scene[0].islands.count[world]
            for n in range(start, end):
                if is_at_rest(scene[0], world, n):
                    copy_state(scene[0], world, n)
                else:
                    step_island(scene[0], world, n)
        restore_denormals(mode)

    return step
