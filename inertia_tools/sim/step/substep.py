# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What stands before and after the passes of a substep."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_rows import row_functions
from inertia_tools.sim.constraints.contact_twist import twist_functions
from inertia_tools.sim.constraints.forced_motion import forced_functions
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.constraints.loops import GIVE, loop_functions
from inertia_tools.sim.impacts.free_impacts import impact_functions
from inertia_tools.sim.impacts.jointed_impacts import jointed_impact_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.kinematic_motion import kinematic_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def free_functions(p: Precision) -> Any:
    """Return the device functions of one precision that move bodies freely."""
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Bodies, State, Body = p.references("Bodies", "State", "Body")
    predict = motion_functions(p).predict

    @wp.func
    def take_force(body: Body, state: State, b: int, h: scalar, first: int):
        """Begin a substep of a body: take the force on it, and find for how long that changes its momenta.

        They are half of the last substep behind. What sets in now acts for half of this one.
        """
        body.is_taut = int(0)
        body.held_back = vec6()
        body.h_earlier = body.h_before
        body.h_before = body.h
        body.h = h
        body.kick = scalar(0.5) * (h + body.h_before)
        body.force = state.f[b]
        if first == 1:
            then = wp.where(body.begins == 1, vec6(), state.f_then[b])
            body.force = state.f[b] + (scalar(0.5) * body.h_before / body.kick) * (then - state.f[b])
        body.force = body.force + state.pushed[b]

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
    Bodies, Joints, Loops, Shapes = p.references("Bodies", "Joints", "Loops", "Shapes")
    Control, State, Contacts, Rows = p.references("Control", "State", "Contacts", "Rows")
    Work, System, JointWork, Options = p.references("Work", "System", "JointWork", "Options")
    types, Islands, Scene = collision_types(p), wp.ref[island_types(p).Islands], wp.ref[scene_type(p)]
    Anchored, Colliders = wp.ref[types.Anchored], wp.ref[types.Colliders]
    take_force, move_freely = free_functions(p).take_force, free_functions(p).move_freely
    advance_body = kinematic_functions(p).advance_body
    open_row, keep_row = row_functions(p).open_row, row_functions(p).keep_row
    forced = forced_functions(p)
    goes_far, leave_out, hold_back = forced.goes_far, forced.leave_out, forced.hold_back
    put_back, go_on = forced.put_back, forced.go_on
    joint = joint_functions(p)
    freeze, push_bodies, note_rates, sum_wrench = joint.freeze, joint.push_bodies, joint.note_rates, joint.sum_wrench
    sum_couplings, bound_leaders = loop_functions(p).sum_couplings, loop_functions(p).bound_leaders
    give = wp.constant(scalar(GIVE[p.name]))
    bounce = impact_functions(p).bounce
    bounce_on_joints = jointed_impact_functions(p).bounce_on_joints

    @wp.func(inline=False)
    def begin_joints(
        bodies: Bodies, joints: Joints, control: Control, state: State, islands: Islands, work: Work, jw: JointWork,
        options: Options, n: int, first: int, moved: int,
    ):  # fmt: skip
        """Find the directions of joints and the efforts on them."""
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = nonnegative_index(islands.joint[i])
            freeze(bodies, joints, control, state, work, jw, options, j, first, moved)
            push_bodies(bodies, joints, control, state, work, jw, j, options.h, first)

    @wp.func
    def begin_loops(
        bodies: Bodies, joints: Joints, loops: Loops, islands: Islands, jw: JointWork, system: System, n: int
    ):  # fmt: skip
        """Bound what couplings lead, and begin to sum their impulses."""
        for i in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[i]
            system.loop_gap[group] = scalar(0.0)
            system.loop_give[group] = give
            bound_leaders(bodies, joints, loops, jw, group)
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                system.loop_impulse[k] = scalar(0.0)

    @wp.func
    def move_bodies(bodies: Bodies, islands: Islands, work: Work, options: Options, n: int):
        """Move the kinematic bodies of an island on, and the others freely."""
        for i in range(islands.first_driven[n], islands.end_driven[n]):
            advance_body(work, islands.driven[i], options.left, options.h)
        decay = wp.exp(-options.angular_damping * options.h)
        may_go_back = options.contacts == 1 or islands.end_group[n] > islands.first_group[n]
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = nonnegative_index(islands.body[i])
            move_freely(bodies, work.body[b], b, options.h, decay, may_go_back)

    @wp.func
    def open_rows(
        bodies: Bodies, shapes: Shapes, contacts: Contacts, rows: Rows, anchored: Anchored, colliders: Colliders,
        islands: Islands, work: Work, options: Options, n: int,
    ):  # fmt: skip
        """Measure the contacts of an island where free motion leads to (`forced_motion` for what forces carry far)."""
        h, any_far = options.h, bool(False)
        if islands.end_row[n] > islands.first_row[n]:
            for i in range(islands.first_body[n], islands.end_body[n]):
                b = nonnegative_index(islands.body[i])
                if goes_far(bodies, work.body[b], b, h):
                    if options.sweeps == 0 and bodies.is_free_body[b] == 0:
                        hold_back(bodies, work.body[b], b, h)
                    else:
                        leave_out(work.body[b], h)
                        any_far = True
        for i in range(islands.first_row[n], islands.end_row[n]):
            open_row(bodies, shapes, contacts, rows.row[islands.row[i]], anchored, colliders, work, h, h)
        if any_far:
            for i in range(islands.first_body[n], islands.end_body[n]):
                b = nonnegative_index(islands.body[i])
                if goes_far(bodies, work.body[b], b, h):
                    put_back(work.body[b])
            for i in range(islands.first_row[n], islands.end_row[n]):
                go_on(bodies, rows.row[islands.row[i]], work, h)

    @wp.func
    def open_twists(bodies: Bodies, shapes: Shapes, rows: Rows, islands: Islands, work: Work, h: scalar, n: int):
        """Measure their torsional and rolling friction."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            open_twist(bodies, shapes, rows.row[islands.row[i]], work, h)

    @wp.func
    def begin_substep(scene: Scene, n: int, first: int, moved: int):
        """Find directions and forces, move the bodies freely, measure the contacts there, let bounce what does."""
        h, on_joints = scene.options[n].h, scene.islands.end_joint[n] > scene.islands.first_joint[n]
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            take_force(scene.work.body[b], scene.state_in, b, h, first)
        begin_joints(
            scene.bodies, scene.joints, scene.control, scene.state_in, scene.islands, scene.work,
            scene.jw, scene.options[n], n, first, moved,
        )  # fmt: skip
        begin_loops(
            scene.bodies, scene.joints, scene.loops, scene.islands, scene.jw, scene.system, n
        )  # fmt: skip
        move_bodies(scene.bodies, scene.islands, scene.work, scene.options[n], n)
        open_rows(
            scene.bodies, scene.shapes, scene.contacts, scene.rows, scene.anchored, scene.colliders,
            scene.islands, scene.work, scene.options[n], n,
        )  # fmt: skip
        if scene.options[n].bounces == 1:
            if on_joints:
                bounce_on_joints(scene, n)
            else:
                bounce(
                    scene.bodies, scene.shapes, scene.contacts, scene.rows, scene.anchored,
                    scene.colliders, scene.islands, scene.work, scene.options[n], n,
                )  # fmt: skip
        if scene.rows.has_twists == 1:
            open_twists(scene.bodies, scene.shapes, scene.rows, scene.islands, scene.work, h, n)

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
        system: System,
        options: Options,
        n: int,
    ):
        """Keep what the next substep, and reports, need to know."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            keep_row(bodies, contacts, rows.row[islands.row[i]], work, options.h, options.per_impulse)
            if rows.has_twists == 1:
                keep_twist(bodies, contacts, rows.row[islands.row[i]], work, options.h, options.per_impulse)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            note_rates(bodies, joints, work, jw, islands.joint[i])
        if options.reactions == 1:
            for i in range(islands.first_joint[n], islands.end_joint[n]):
                sum_wrench(bodies, joints, work, jw.joint[islands.joint[i]], islands.joint[i])
            for i in range(islands.first_group[n], islands.end_group[n]):
                group = islands.group[i]
                for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                    sum_couplings(joints, loops, work, jw, system, k)

    return SimpleNamespace(begin_substep=begin_substep, end_substep=end_substep)
