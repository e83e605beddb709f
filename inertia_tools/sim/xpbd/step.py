# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One step of the solver as one kernel: all substeps, contacts before joints, in an order that never changes."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.body_state import state_functions
from inertia_tools.sim.xpbd.bounce import SWEEPS, bounce_functions
from inertia_tools.sim.xpbd.contact_forest import forest_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.contact_solve import solve_functions
from inertia_tools.sim.xpbd.contact_sweep import touch_functions
from inertia_tools.sim.xpbd.contact_twist import twist_functions
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.loops import loop_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.sweeps import sweep_functions
from inertia_tools.sim.xpbd.tree import tree_functions

MOST_PASSES = 4
"""Passes that a substep takes at most, over the iterations asked for, while contacts set in or let go."""

EXTRA_PASSES = 8
"""More of them, for those that soften what goes round in a ring."""

QUIET = {"float32": 0.0, "float64": 1e-8}
"""A pass over joints that moves nothing farther than this [m, rad] is the last one of its substep.

In single precision each further pass takes back some of the rounding of those before.
"""


@dataclass(frozen=True)
class Parts:
    """What a kernel is compiled with; what a scene has no use for takes time to compile all the same.

    Attributes:
        contacts: Contacts are looked for.
        joints: There are joints of any kind.
        trees: Some of them hold something.
        loops: Some close a loop, or couple two degrees of freedom.
        sweeps: Joints are solved one after the other.
        twists: Some shape has torsional or rolling friction.
    """

    contacts: bool = True
    joints: bool = True
    trees: bool = True
    loops: bool = True
    sweeps: bool = False
    twists: bool = False


@lru_cache(maxsize=16)
def step_kernel(p: Precision, parts: Parts) -> Any:
    """Return the kernel of one precision with some parts; it is launched with one thread a world."""
    has_contacts, has_joints = wp.constant(parts.contacts), wp.constant(parts.joints)
    has_trees, has_loops = wp.constant(parts.trees), wp.constant(parts.loops)
    has_sweeps, has_twists = wp.constant(parts.sweeps), wp.constant(parts.twists)
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Bodies, Joints, Loops, Shapes, Options = p.Bodies, p.Joints, p.Loops, p.Shapes, p.Options
    Contacts, Rows, Control, State = p.Contacts, p.Rows, p.Control, p.State
    Work, JointWork, DofWork, LoopWork = p.Work, p.JointWork, p.DofWork, p.LoopWork
    motion, row, contact, joint = motion_functions(p), row_functions(p), solve_functions(p), joint_functions(p)
    tree, sweeps = tree_functions(p), sweep_functions(p)
    predict, push = motion.predict, motion.push
    enter, leave = state_functions(p).enter, state_functions(p).leave
    enter_joint, leave_joint, freeze = joint.enter_joint, joint.leave_joint, joint.freeze
    push_bodies, prepare_joint = joint.push_bodies, joint.prepare_joint
    note_rates, sum_wrench, report_wrench = joint.note_rates, joint.sum_wrench, joint.report_wrench
    eliminate, resolve, displace = tree.eliminate, tree.resolve, tree.displace
    close_loops, sum_couplings = loop_functions(p).close_loops, loop_functions(p).sum_couplings
    sweep_joint, sweep_coupling = sweeps.sweep_joint, sweeps.sweep_coupling
    reach_of_step, forget, watch_pair = row.reach_of_step, row.forget, row.watch_pair
    watch_anchored, types = row.watch_anchored, collision_types(p)
    Anchored, Colliders = types.Anchored, types.Colliders
    keep_slots, settle_slots, open_row, keep_row = row.keep_slots, row.settle_slots, row.open_row, row.keep_row
    touch = touch_functions(p).touch
    plant = forest_functions(p).plant
    mark_busy, begin_body, brace = contact.mark_busy, contact.begin_body, contact.brace
    reduce_body, find_move, draw = contact.reduce_body, contact.find_move, contact.draw
    is_unsettled, is_wrong, give_up = contact.is_unsettled, contact.is_wrong, contact.give_up
    twist = twist_functions(p)
    open_twist, brace_twist, draw_twist = twist.open_twist, twist.brace_twist, twist.draw_twist
    is_twist_unsettled, wind, keep_twist = twist.is_twist_unsettled, twist.wind, twist.keep_twist
    bounce, sweeps_of_bounces = bounce_functions(p).bounce, wp.constant(SWEEPS)
    extra_passes = wp.constant(EXTRA_PASSES)
    most_passes, quiet = wp.constant(MOST_PASSES), wp.constant(scalar(QUIET[p.name]))

    @wp.func
    def find_rows(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        work: Work,
        world: int,
        use_contacts: int,
        sweeps: int,
        dt: scalar,
    ):
        """See which features may touch something during the step, and who carries whom."""
        if has_contacts:
            if use_contacts == 1:
                forget(shapes, contacts, rows, work, world)
                old_count = keep_slots(rows, world)
                rows.count[world] = int(0)
                way = reach_of_step(bodies, work, world * bodies.count, (world + 1) * bodies.count, dt)
                for pair in range(world * shapes.pair_count, (world + 1) * shapes.pair_count):
                    watch_pair(shapes, contacts, rows, work, world, pair, way)
                watch_anchored(shapes, rows, anchored, world)
                settle_slots(contacts, rows, world, old_count)
        plant(bodies, rows, work, world, world * bodies.count, (world + 1) * bodies.count)
        if sweeps == 1:
            for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                rows.planned[k] = int(0)

    @wp.func
    def solve_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        world: int,
        h: scalar,
        turn: int,
    ) -> bool:
        """Solve all joints at once, and move their bodies; tell whether another pass is needed."""
        unsettled = bool(False)
        for j in range(world * joints.count, (world + 1) * joints.count):
            prepare_joint(
                bodies, joints, control, work, jw, dw, j, turn, h, options.linear_compliance, options.angular_compliance
            )
            unsettled = unsettled or jw.unsettled[j] == 1
        for k in range(world * bodies.count, (world + 1) * bodies.count):
            eliminate(bodies, work, jw, bodies.order[(2 * world + 1) * bodies.count - 1 - k])
        for k in range(world * bodies.count, (world + 1) * bodies.count):
            resolve(bodies, work, jw, bodies.order[k])
        if has_loops:
            for group in range(world * loops.group_count, (world + 1) * loops.group_count):
                close_loops(bodies, joints, loops, work, jw, dw, lw, group)
        moved = scalar(0.0)
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            displace(bodies, work, b, h)
            moved = wp.max(moved, wp.dot(work.move[b], work.move[b]))
        return unsettled or turn == 0 or (moved > quiet * quiet and turn + 1 < options.iterations)

    @wp.func
    def sweep_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        world: int,
        h: scalar,
        turn: int,
    ):
        """Solve the joints one after the other."""
        soft, softer = options.linear_compliance, options.angular_compliance
        linear, angular = options.linear_relaxation, options.angular_relaxation
        for j in range(world * joints.count, (world + 1) * joints.count):
            sweep_joint(bodies, joints, control, work, jw, dw, j, turn, h, soft, softer, linear, angular)
        for k in range(world * loops.row_total, (world + 1) * loops.row_total):
            sweep_coupling(bodies, joints, loops, work, jw, dw, lw, k, h, linear)

    @wp.func
    def sweep_contacts(
        bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, options: Options, world: int, h: scalar
    ) -> bool:
        """Resolve the contacts that are swept, one after the other; tell whether one of them presses."""
        presses = bool(False)
        for k in range(rows.first[world], rows.first[world] + rows.count[world]):
            if rows.direct[k] == 0:
                touch(bodies, contacts, rows, work, options, k, h)
                if has_twists:
                    wind(bodies, contacts, rows, work, options, k, h)
                presses = presses or rows.pressed[k] > scalar(0.0)
        return presses

    @wp.func
    def draw_contacts(
        bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, world: int, h: scalar, turn: int
    ) -> bool:
        """Move free bodies by impulses that both sides feel alike; tell whether some contact is unsettled."""
        first, end = rows.first[world], rows.first[world] + rows.count[world]
        first_leaf, leaf_end = world * bodies.count, work.leaf_end[world]
        for i in range(first_leaf, leaf_end):
            last = work.leaf[first_leaf + leaf_end - 1 - i]
            if work.busy[last] == 1:
                find_move(work, last)
        for k in range(first, end):
            if rows.direct[k] == 1:
                draw(bodies, rows, work, k)
                if has_twists:
                    draw_twist(bodies, rows, work, k)
        for i in range(first_leaf, leaf_end):
            b = work.leaf[i]
            if work.busy[b] == 1:
                push(bodies, work, b, work.drawn[b], work.drawn_twist[b], h)
        more = bool(False)
        for k in range(first, end):
            if rows.direct[k] == 1:
                if has_twists:
                    more = is_twist_unsettled(rows, k, turn) or more
                more = is_unsettled(bodies, contacts, rows, work, k, h) or more
        return more

    @wp.func
    def make_pass(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        world: int,
        h: scalar,
        turn: int,
    ) -> bool:
        """Sweep what is swept, then solve all the rest at once; tell whether another pass is needed."""
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            begin_body(bodies, work, b)
        more = bool(False)
        if has_contacts:
            more = sweep_contacts(bodies, contacts, rows, work, options, world, h)
        if has_sweeps:
            if options.sweeps == 1:
                sweep_joints(bodies, joints, loops, control, work, jw, dw, lw, options, world, h, turn)
                return turn + 1 < options.iterations
        if has_contacts:
            for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                if rows.direct[k] == 1:
                    brace(bodies, contacts, rows, work, k, h, turn)
                    if has_twists:
                        brace_twist(bodies, contacts, rows, work, k, h, turn)
            for i in range(world * bodies.count, work.leaf_end[world]):
                if work.busy[work.leaf[i]] == 1:
                    reduce_body(bodies, work, work.leaf[i])
        if has_trees:
            if bodies.held_count > 0:
                more = solve_joints(bodies, joints, loops, control, work, jw, dw, lw, options, world, h, turn) or more
        if has_contacts:
            more = draw_contacts(bodies, contacts, rows, work, world, h, turn) or more
        return more

    @wp.func
    def sweep_wrong(
        bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, options: Options, world: int, h: scalar
    ):
        """Resolve contacts one after the other where the direct solve has found no end."""
        first, end = rows.first[world], rows.first[world] + rows.count[world]
        wrong = bool(False)
        for k in range(first, end):
            wrong = wrong or is_wrong(rows, k)
        if wrong:
            for k in range(first, end):
                give_up(bodies, rows, work, k)
            for _sweep in range(most_passes * options.iterations):
                sweep_contacts(bodies, contacts, rows, work, options, world, h)

    @wp.func
    def begin_substep(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        state: State,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        world: int,
        h: scalar,
        first: int,
    ):
        """Find the directions of joints and the forces at hand, and move the bodies freely."""
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            work.busy[b] = int(0)
            work.touching[b] = int(0)
            work.force[b] = state.f[b]
            if first == 1:  # what sets in now acts for half a substep yet: momenta are that far behind
                work.force[b] = scalar(0.5) * (state.f[b] + state.f_then[b])
        if has_joints:
            for j in range(world * joints.count, (world + 1) * joints.count):
                freeze(bodies, joints, control, state, work, jw, dw, j, first)
                push_bodies(bodies, joints, control, state, work, jw, dw, j, h, first)
        if has_loops:
            for k in range(world * loops.row_total, (world + 1) * loops.row_total):
                lw.impulse[k] = scalar(0.0)
        decay = wp.exp(-options.angular_damping * h)
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            f = work.force[b]
            predict(bodies, work, b, vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]), h, decay)

    @wp.kernel(module="unique")
    def step(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        shapes: Shapes,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        use_contacts: int,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        state_in: State,
        state_out: State,
        h: scalar,
        first_world: int,
    ):
        world = first_world + wp.tid()
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            enter(bodies, state_in, work, b, h)
        if has_joints:
            for j in range(world * joints.count, (world + 1) * joints.count):
                enter_joint(joints, state_in, jw, dw, j)
        dt = h * scalar(options.substeps)
        find_rows(bodies, shapes, contacts, rows, anchored, work, world, use_contacts, options.sweeps, dt)
        per_force = scalar(1.0) / (h * dt)
        for substep in range(options.substeps):
            begins = int(0)
            if substep == 0:
                begins = int(1)
            begin_substep(bodies, joints, loops, control, state_in, work, jw, dw, lw, options, world, h, begins)
            if has_contacts:
                for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                    open_row(bodies, shapes, contacts, rows, anchored, colliders, work, k, h)
                    mark_busy(bodies, rows, work, k)
                    if has_twists:
                        open_twist(bodies, shapes, rows, work, k, h)
            more = bool(True)
            turn = int(0)
            bound = most_passes * options.iterations
            if bodies.held_count > 0:
                bound += extra_passes
            while more and turn < bound:
                more = make_pass(
                    bodies, joints, loops, control, contacts, rows, work, jw, dw, lw, options, world, h, turn
                )
                turn += 1
            if has_contacts:
                if more:
                    sweep_wrong(bodies, contacts, rows, work, options, world, h)
                for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                    keep_row(bodies, contacts, rows, work, k, h, per_force)
                    if has_twists:
                        keep_twist(bodies, contacts, rows, work, k, h, per_force)
                for _sweep in range(options.bounces * sweeps_of_bounces):
                    for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                        bounce(bodies, shapes, contacts, rows, work, k, h, per_force)
            if has_joints:
                for j in range(world * joints.count, (world + 1) * joints.count):
                    note_rates(bodies, joints, work, jw, dw, j)
            if has_trees:
                if options.reactions == 1:
                    for j in range(world * joints.count, (world + 1) * joints.count):
                        sum_wrench(bodies, joints, work, jw, j)
                    for k in range(world * loops.row_total, (world + 1) * loops.row_total):
                        sum_couplings(joints, loops, work, jw, lw, k)
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            leave(bodies, state_out, work, b, h, state_in)
        if has_joints:
            for j in range(world * joints.count, (world + 1) * joints.count):
                leave_joint(bodies, joints, control, work, jw, dw, state_out, j)
        if has_trees:
            if options.reactions == 1:
                for b in range(world * bodies.count, (world + 1) * bodies.count):
                    state_out.parent_f[b] = vec6()
                for j in range(world * joints.count, (world + 1) * joints.count):
                    report_wrench(joints, work, jw, state_out, j, per_force)

    return step
