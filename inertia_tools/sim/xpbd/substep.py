# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What stands before and after the passes of a substep."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.contact_twist import twist_functions
from inertia_tools.sim.xpbd.impacts import impact_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.jointed_impacts import jointed_impact_functions
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.kinematic_motion import kinematic_functions
from inertia_tools.sim.xpbd.loops import loop_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.places import place


@lru_cache(maxsize=2)
def free_functions(p: Precision) -> Any:
    """Return the device functions of one precision that move bodies freely."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, State, Work = p.references("Bodies", "State", "Work")
    (Body,) = p.references("Body")
    (Body,) = p.references("Body")
    predict = motion_functions(p).predict

    @wp.func
    def take_force(body: Body, state: State, b: int, first: int):
        """Take the force on a body; what sets in now acts for half a substep yet: momenta are that far behind."""
        body.force = state.f[b]
        if first == 1:
            body.force = scalar(0.5) * (state.f[b] + state.f_then[b])

    @wp.func
    def move_freely(bodies: Bodies, body: Body, b: int, h: scalar, decay: scalar, touches: bool):
        """Move a body under the force on it."""
        f = body.force
        predict(bodies, body, b, vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]), h, decay, touches)

    return SimpleNamespace(take_force=take_force, move_freely=move_freely)


@lru_cache(maxsize=2)
def substep_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    twist = twist_functions(p)
    open_twist, keep_twist = twist.open_twist, twist.keep_twist
    scalar = p.scalar
    Bodies, Joints, Loops, Shapes, Options = p.references("Bodies", "Joints", "Loops", "Shapes", "Options")
    Contacts, Rows, Control, State, System = p.references("Contacts", "Rows", "Control", "State", "System")
    Work, JointWork, LoopWork = p.references("Work", "JointWork", "LoopWork")
    types, Islands = collision_types(p), wp.ref[island_types(p).Islands]
    Anchored, Colliders = wp.ref[types.Anchored], wp.ref[types.Colliders]
    take_force, move_freely = free_functions(p).take_force, free_functions(p).move_freely
    advance_body = kinematic_functions(p).advance_body
    open_row, keep_row = row_functions(p).open_row, row_functions(p).keep_row
    joint = joint_functions(p)
    freeze, push_bodies, note_rates, sum_wrench = joint.freeze, joint.push_bodies, joint.note_rates, joint.sum_wrench
    sum_couplings = loop_functions(p).sum_couplings
    bounce = impact_functions(p).bounce
    bounce_on_joints = jointed_impact_functions(p).bounce_on_joints

    @wp.func(inline=False)
    def begin_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        state: State,
        islands: Islands,
        work: Work,
        jw: JointWork,
        lw: LoopWork,
        n: int,
        h: scalar,
        first: int,
        moved: int,
    ):
        """Find the directions of joints and the efforts on them."""
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = place(islands.joint[i])
            freeze(bodies, joints, control, state, work, jw, j, first, moved, h)
            push_bodies(bodies, joints, control, state, work, jw, j, h, first)
        for i in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[i]
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                lw.impulse[k] = scalar(0.0)

    @wp.func
    def begin_substep(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        shapes: Shapes,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        state: State,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        lw: LoopWork,
        options: Options,
        n: int,
        h: scalar,
        first: int,
        per_force: scalar,
        moved: int,
    ):
        """Find directions and forces, move the bodies freely, measure the contacts there, let bounce what does."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = place(islands.body[i])
            take_force(work.body[b], state, b, first)
        begin_joints(bodies, joints, loops, control, state, islands, work, jw, lw, n, h, first, moved)
        for i in range(islands.first_driven[n], islands.end_driven[n]):
            advance_body(work, islands.driven[i], h)
        decay = wp.exp(-options.angular_damping * h)
        for i in range(islands.first_body[n], islands.end_body[n]):
            move_freely(
                bodies, work.body[place(islands.body[i])], place(islands.body[i]), h, decay, options.contacts == 1
            )
        for i in range(islands.first_row[n], islands.end_row[n]):
            open_row(bodies, shapes, contacts, rows.row[islands.row[i]], anchored, colliders, work, h, h)
        if options.bounces == 1:
            if islands.end_joint[n] > islands.first_joint[n]:
                bounce_on_joints(
                    bodies, joints, loops, shapes, control, contacts, rows, anchored, colliders, islands, work,
                    system, jw, lw, options, n, h, per_force * h,
                )  # fmt: skip
            else:
                bounce(bodies, shapes, contacts, rows, anchored, colliders, islands, work, n, h, per_force * h)
        if rows.has_twists == 1:
            for i in range(islands.first_row[n], islands.end_row[n]):
                open_twist(bodies, shapes, rows.row[islands.row[i]], work, h)

    @wp.func(inline=False)
    def end_substep(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        lw: LoopWork,
        options: Options,
        n: int,
        h: scalar,
        per_force: scalar,
    ):
        """Keep what the next substep, and reports, need to know."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            keep_row(bodies, contacts, rows.row[islands.row[i]], work, h, per_force)
            if rows.has_twists == 1:
                keep_twist(bodies, contacts, rows.row[islands.row[i]], work, h, per_force)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            note_rates(bodies, joints, work, jw, islands.joint[i])
        if options.reactions == 1:
            for i in range(islands.first_joint[n], islands.end_joint[n]):
                sum_wrench(bodies, joints, work, jw.joint[islands.joint[i]], islands.joint[i])
            for i in range(islands.first_group[n], islands.end_group[n]):
                group = islands.group[i]
                for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                    sum_couplings(joints, loops, work, jw, lw, k)

    return SimpleNamespace(begin_substep=begin_substep, end_substep=end_substep)
