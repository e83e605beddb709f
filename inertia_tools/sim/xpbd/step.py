# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A step as two kernels: one begins worlds, the other makes all substeps of islands, in an order that never changes.

They are launched for whole worlds, one after the other on each thread, or first for worlds, then for islands that
threads share. On a CPU one thread goes through all of its part, as entering a kernel costs as much as a body does; on a
GPU each has one world, or one island. There are two so that they are compiled at the same time.
"""

from enum import IntEnum
from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.begin_step import begin_functions
from inertia_tools.sim.xpbd.body_state import state_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.joint_state import joint_state_functions
from inertia_tools.sim.xpbd.passes import pass_functions
from inertia_tools.sim.xpbd.substep import substep_functions


class Stage(IntEnum):
    """What launches do: worlds with all that is in them, or worlds up to their islands, or these."""

    WHOLE = 0
    BEGIN = 1
    ISLANDS = 2


@lru_cache(maxsize=2)
def scene_type(p: Precision) -> Any:
    """Return the structure of all that a step reads and writes.

    It lies on the device, one entry of an array: hundreds of arrays as arguments would be copied by every launch. So
    does each of its parts: a compiler is long over a structure that holds all of them.
    """
    collision, island = collision_types(p), island_types(p)

    @wp.struct
    class Scene:
        """The scene, where it is, and how it is stepped: each array has one entry."""

        bodies: wp.array(dtype=p.Bodies)
        joints: wp.array(dtype=p.Joints)
        loops: wp.array(dtype=p.Loops)
        shapes: wp.array(dtype=p.Shapes)
        control: wp.array(dtype=p.Control)
        contacts: wp.array(dtype=p.Contacts)
        rows: wp.array(dtype=p.Rows)
        anchored: wp.array(dtype=collision.Anchored)
        colliders: wp.array(dtype=collision.Colliders)
        work: wp.array(dtype=p.Work)
        system: wp.array(dtype=p.System)
        jw: wp.array(dtype=p.JointWork)
        lw: wp.array(dtype=p.LoopWork)
        clusters: wp.array(dtype=island.Clusters)
        islands: wp.array(dtype=island.Islands)
        options: wp.array(dtype=p.Options)
        state_in: wp.array(dtype=p.State)
        state_out: wp.array(dtype=p.State)
        h: p.scalar

    return Scene


@lru_cache(maxsize=2)
def begin_kernel(p: Precision) -> Any:
    """Return the kernel that begins worlds and plans islands, of one precision; see `step_kernel`."""
    whole, only_islands = wp.constant(int(Stage.WHOLE)), wp.constant(int(Stage.ISLANDS))
    functions, Scene = begin_functions(p), scene_type(p)
    begin_world, plan_island = functions.begin_world, functions.plan_island

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def begin(scene: wp.array(dtype=Scene), stage: int, first: int, stride: int, count: int, threads: int):
        clusters = scene[0].clusters[0].count
        for unit in range(wp.tid(), count, threads):
            start = first + unit * stride
            end = start + 1
            if stage == only_islands:
                world = start // clusters
                if start - world * clusters >= scene[0].islands[0].count[world]:
                    end = start
            else:
                world = start
                begin_world(
                    scene[0].bodies[0],
                    scene[0].joints[0],
                    scene[0].shapes[0],
                    scene[0].contacts[0],
                    scene[0].rows[0],
                    scene[0].anchored[0],
                    scene[0].work[0],
                    scene[0].jw[0],
                    scene[0].clusters[0],
                    scene[0].islands[0],
                    scene[0].options[0],
                    scene[0].state_in[0],
                    scene[0].state_out[0],
                    scene[0].h,
                    world,
                )
                start = world * clusters
                end = start
                if stage == whole:
                    end = start + scene[0].islands[0].count[world]
            for n in range(start, end):
                plan_island(
                    scene[0].bodies[0],
                    scene[0].rows[0],
                    scene[0].islands[0],
                    scene[0].system[0],
                    scene[0].options[0],
                    n,
                )

    return begin


@lru_cache(maxsize=2)
def step_kernel(p: Precision) -> Any:
    """Return the kernel that makes the substeps of islands, of one precision.

    A launch has `count` worlds from `first` on, or with `Stage.ISLANDS` every `stride`-th place for an island; a world
    has as many of these as clusters, and at those beyond its islands nothing is done.
    """
    only_islands = wp.constant(int(Stage.ISLANDS))
    scalar, vec6 = p.scalar, p.vec6
    Bodies, Joints, Loops, Shapes, Options = p.references("Bodies", "Joints", "Loops", "Shapes", "Options")
    Contacts, Rows, Control, State = p.references("Contacts", "Rows", "Control", "State")
    Work, JointWork, LoopWork = p.references("Work", "JointWork", "LoopWork")
    (System,) = p.references("System")
    collision, island, Scene = collision_types(p), island_types(p), scene_type(p)
    Anchored, Colliders, Islands = (wp.ref[t] for t in (collision.Anchored, collision.Colliders, island.Islands))
    leave, note_blow = state_functions(p).leave, state_functions(p).note_blow
    of_joints = joint_state_functions(p)
    leave_joint, report_wrench = of_joints.leave_joint, of_joints.report_wrench
    make_passes, substeps = pass_functions(p).make_passes, substep_functions(p)
    begin_substep, end_substep = substeps.begin_substep, substeps.end_substep

    @wp.func(inline=False)
    def leave_island(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        islands: Islands,
        work: Work,
        jw: JointWork,
        options: Options,
        before: State,
        state: State,
        n: int,
        h: scalar,
        per_force: scalar,
        moved: int,
    ):
        """Give the bodies and joints of an island back to the state; see `freeze` for what `moved` tells."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            leave(bodies, state, work.body[islands.body[i]], islands.body[i], h, before)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            leave_joint(bodies, joints, control, work, jw, state, islands.joint[i], moved)
        if options.reactions == 1:
            for i in range(islands.first_body[n], islands.end_body[n]):
                state.parent_f[islands.body[i]] = vec6()
            for i in range(islands.first_joint[n], islands.end_joint[n]):
                report_wrench(joints, work, jw.joint[islands.joint[i]], state, islands.joint[i], per_force)

    @wp.func
    def step_island(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        shapes: Shapes,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        work: Work,
        system: System,
        jw: JointWork,
        lw: LoopWork,
        islands: Islands,
        options: Options,
        state_in: State,
        state_out: State,
        h: scalar,
        n: int,
    ):
        """Make all substeps of an island."""
        per_force = scalar(1.0) / (h * h * scalar(options.substeps))
        moved = int(0)
        for substep in range(options.substeps):
            begins = int(0)
            if substep == 0:
                begins = int(1)
            begin_substep(
                bodies, joints, loops, shapes, control, contacts, rows, anchored, colliders, state_in, islands, work,
                system, jw, lw, options, n, h, begins, per_force, moved,
            )  # fmt: skip
            moved = make_passes(
                bodies, joints, loops, control, contacts, rows, islands, work, system, jw, lw, options, n, h
            )
            if options.contacts == 1 and islands.end_joint[n] > islands.first_joint[n]:
                note_blow(bodies, contacts, rows, islands, work, n, h)
            end_substep(bodies, joints, loops, contacts, rows, islands, work, jw, lw, options, n, h, per_force)
        leave_island(bodies, joints, control, islands, work, jw, options, state_in, state_out, n, h, per_force, moved)

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def step(scene: wp.array(dtype=Scene), stage: int, first: int, stride: int, count: int, threads: int):
        clusters = scene[0].clusters[0].count
        for unit in range(wp.tid(), count, threads):
            start = first + unit * stride
            end = start + 1
            if stage == only_islands:
                world = start // clusters
                if start - world * clusters >= scene[0].islands[0].count[world]:
                    end = start
            else:
                world = start
                start = world * clusters
                end = start + scene[0].islands[0].count[world]
            for n in range(start, end):
                step_island(
                    scene[0].bodies[0],
                    scene[0].joints[0],
                    scene[0].loops[0],
                    scene[0].shapes[0],
                    scene[0].control[0],
                    scene[0].contacts[0],
                    scene[0].rows[0],
                    scene[0].anchored[0],
                    scene[0].colliders[0],
                    scene[0].work[0],
                    scene[0].system[0],
                    scene[0].jw[0],
                    scene[0].lw[0],
                    scene[0].islands[0],
                    scene[0].options[0],
                    scene[0].state_in[0],
                    scene[0].state_out[0],
                    scene[0].h,
                    n,
                )

    return step
