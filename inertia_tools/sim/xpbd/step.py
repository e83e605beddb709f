# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One step of the solver as one kernel: all substeps, contacts before joints, in an order that never changes."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.bounce import SWEEPS, bounce_functions
from inertia_tools.sim.xpbd.contact import contact_functions
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.sweeps import sweep_functions
from inertia_tools.sim.xpbd.tree import tree_functions


@lru_cache(maxsize=2)
def step_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; it is launched with one thread."""
    scalar, vec3, vec6, transform = p.scalar, p.vec3, p.vec6, p.transform
    Bodies, Joints, Loops, Shapes, Options = p.Bodies, p.Joints, p.Loops, p.Shapes, p.Options
    Contacts, Control, State = p.Contacts, p.Control, p.State
    Work, JointWork, DofWork, LoopWork = p.Work, p.JointWork, p.DofWork, p.LoopWork
    motion, contact, joint = motion_functions(p), contact_functions(p), joint_functions(p)
    tree, sweeps = tree_functions(p), sweep_functions(p)
    predict, rate, world_tensor = motion.predict, motion.rate, motion.world_tensor
    enter_joint, leave_joint, freeze, push_bodies = (
        joint.enter_joint,
        joint.leave_joint,
        joint.freeze,
        joint.push_bodies,
    )
    prepare_joint, sum_wrench, report_wrench = joint.prepare_joint, joint.sum_wrench, joint.report_wrench
    prepare_body, eliminate, resolve, displace = tree.prepare_body, tree.eliminate, tree.resolve, tree.displace
    close_loops, sum_couplings = tree.close_loops, tree.sum_couplings
    sweep_joint, sweep_coupling = sweeps.sweep_joint, sweeps.sweep_coupling
    open_pair, touch, keep = contact.open_pair, contact.touch, contact.keep
    bounce, sweeps_of_bounces = bounce_functions(p).bounce, wp.constant(SWEEPS)
    brace, credit, moving_side = contact.brace, contact.credit, contact.moving_side

    @wp.func
    def enter(bodies: Bodies, state: State, work: Work, b: int, h: scalar):
        """Take a body from the state: its centre of mass, and momenta half a substep back."""
        q = state.q[b]
        r = wp.transform_get_rotation(q)
        work.r[b] = r
        work.x[b] = wp.transform_get_translation(q) + wp.quat_rotate(r, bodies.com[b])
        qd, qdd = state.qd[b], state.qdd[b]
        half = scalar(0.5) * h
        v = vec3(qd[0], qd[1], qd[2]) - half * vec3(qdd[0], qdd[1], qdd[2])
        work.v[b] = v
        omega = vec3(qd[3], qd[4], qd[5])
        work.spin[b] = world_tensor(r, bodies.inertia[b]) * omega - half * vec3(qdd[3], qdd[4], qdd[5])

    @wp.func
    def leave(bodies: Bodies, state: State, work: Work, b: int, h: scalar, before: State):
        """Give a body back to the state: momenta brought to the instant of the positions."""
        r = work.r[b]
        state.q[b] = transform(work.x[b] - wp.quat_rotate(r, bodies.com[b]), r)
        state.f_then[b] = before.f[b]
        if bodies.inv_mass[b] > scalar(0.0):
            a = (work.v[b] - work.v_before[b]) / h
            torque = (work.spin[b] - work.spin_before[b]) / h
            v = work.v[b] + (scalar(0.5) * h) * a
            omega = rate(bodies, b, r, work.spin[b] + (scalar(0.5) * h) * torque)
            state.qd[b] = vec6(v[0], v[1], v[2], omega[0], omega[1], omega[2])
            state.qdd[b] = vec6(a[0], a[1], a[2], torque[0], torque[1], torque[2])
        else:
            state.qd[b] = before.qd[b]
            state.qdd[b] = before.qdd[b]

    @wp.kernel(module="unique")
    def step(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        shapes: Shapes,
        control: Control,
        contacts: Contacts,
        slot_count: int,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        state_in: State,
        state_out: State,
        h: scalar,
    ):
        for b in range(bodies.count):
            enter(bodies, state_in, work, b, h)
        for j in range(joints.count):
            enter_joint(joints, state_in, jw, dw, j)
        for slot in range(slot_count):
            contacts.force[slot] = vec3()
        per_force = scalar(1.0) / (h * h * scalar(options.substeps))
        decay = wp.exp(-options.angular_damping * h)
        soft, softer = options.linear_compliance, options.angular_compliance
        linear, angular = options.linear_relaxation, options.angular_relaxation
        for substep in range(options.substeps):
            first = int(0)
            if substep == 0:
                first = int(1)
            for b in range(bodies.count):
                work.force[b] = state_in.f[b]
                if first == 1:  # what sets in now acts for half a substep yet: momenta are that far behind
                    work.force[b] = scalar(0.5) * (state_in.f[b] + state_in.f_then[b])
            for j in range(joints.count):
                freeze(bodies, joints, control, work, jw, dw, j, first)
                push_bodies(bodies, joints, control, state_in, work, jw, dw, j, h, first)
            for k in range(loops.row_total):
                lw.impulse[k] = scalar(0.0)
            for b in range(bodies.count):
                work.touching[b] = int(0)
                f = work.force[b]
                predict(bodies, work, b, vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]), h, decay)
            for pair in range(shapes.pair_count):
                open_pair(bodies, shapes, contacts, work, options, pair)
            for i in range(options.iterations):
                for b in range(bodies.count):
                    prepare_body(bodies, work, b)
                for pair in range(shapes.pair_count):
                    if contacts.near[pair] == 1 and (options.sweeps == 1 or moving_side(bodies, shapes, pair) < 0):
                        for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                            if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                touch(bodies, shapes, contacts, work, options, pair, k, h)
                if options.sweeps == 1:
                    for j in range(joints.count):
                        sweep_joint(bodies, joints, control, work, jw, dw, j, i, h, soft, softer, linear, angular)
                    for k in range(loops.row_total):
                        sweep_coupling(bodies, joints, loops, work, jw, dw, lw, k, h, linear)
                else:
                    for pair in range(shapes.pair_count):
                        b = moving_side(bodies, shapes, pair)
                        if contacts.near[pair] == 1 and b >= 0:
                            for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                                if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                    brace(bodies, shapes, contacts, work, pair, k, b, h)
                    for j in range(joints.count):
                        prepare_joint(bodies, joints, control, work, jw, dw, j, i, h, soft, softer)
                    for k in range(bodies.count):
                        eliminate(bodies, work, jw, bodies.order[bodies.count - 1 - k])
                    for k in range(bodies.count):
                        resolve(bodies, work, jw, bodies.order[k])
                    for group in range(loops.group_count):
                        close_loops(bodies, joints, loops, work, jw, dw, lw, group)
                    for b in range(bodies.count):
                        displace(bodies, work, b, h)
                    for pair in range(shapes.pair_count):
                        b = moving_side(bodies, shapes, pair)
                        if contacts.near[pair] == 1 and b >= 0:
                            for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                                if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                    credit(shapes, contacts, work, pair, k, b)
            for _sweep in range(options.bounces * sweeps_of_bounces):
                for pair in range(shapes.pair_count):
                    if contacts.near[pair] == 1:
                        for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                            if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                bounce(bodies, shapes, contacts, work, pair, k, h, per_force)
            for pair in range(shapes.pair_count):
                if contacts.near[pair] == 1:
                    for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                        if contacts.close[shapes.pair_slot[pair] + k] == 1:
                            keep(shapes, contacts, work, pair, k, per_force)
            if options.reactions == 1:
                for j in range(joints.count):
                    sum_wrench(bodies, joints, work, jw, j)
                for k in range(loops.row_total):
                    sum_couplings(joints, loops, work, jw, lw, k)
        for b in range(bodies.count):
            leave(bodies, state_out, work, b, h, state_in)
        for j in range(joints.count):
            leave_joint(bodies, joints, control, work, jw, dw, state_out, j)
        if options.reactions == 1:
            for b in range(bodies.count):
                state_out.parent_f[b] = vec6()
            for j in range(joints.count):
                report_wrench(joints, work, jw, state_out, j, per_force)

    return step
