# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One step of the solver as one kernel: all substeps, contacts before joints, in an order that never changes."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.contact import contact_functions
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.motion import motion_functions


@lru_cache(maxsize=2)
def step_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; it is launched with one thread."""
    scalar, vec3, vec6, transform = p.scalar, p.vec3, p.vec6, p.transform
    Bodies, Shapes, Contacts, Control, State, Work = p.Bodies, p.Shapes, p.Contacts, p.Control, p.State, p.Work
    motion, joints, contact = motion_functions(p), joint_functions(p), contact_functions(p)
    predict, rate, world_tensor = motion.predict, motion.rate, motion.world_tensor
    freeze, drive_effort, measure = joints.freeze, joints.drive_effort, joints.measure
    prepare, solve = joints.prepare, joints.solve
    open_pair, touch, keep = contact.open_pair, contact.touch, contact.keep
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
        work.coordinate[b] = state.joint_q[b]

    @wp.func
    def leave(bodies: Bodies, state: State, work: Work, b: int, h: scalar, before: State):
        """Give a body back to the state: momenta brought to the instant of the positions."""
        r = work.r[b]
        state.q[b] = transform(work.x[b] - wp.quat_rotate(r, bodies.com[b]), r)
        state.joint_q[b] = work.coordinate[b]
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
        shapes: Shapes,
        control: Control,
        contacts: Contacts,
        slot_count: int,
        work: Work,
        state_in: State,
        state_out: State,
        h: scalar,
        substeps: int,
        iterations: int,
    ):
        for b in range(bodies.count):
            enter(bodies, state_in, work, b, h)
        for slot in range(slot_count):
            contacts.force[slot] = vec3()
        per_force = scalar(1.0) / (h * h * scalar(substeps))
        for _substep in range(substeps):
            for b in range(bodies.count):
                work.force[b] = state_in.f[b]
                freeze(bodies, work, b)
                work.coordinate0[b] = work.coordinate[b]
            for b in range(bodies.count):
                drive_effort(bodies, control, work, b)
            for b in range(bodies.count):
                f = work.force[b]
                predict(bodies, work, b, vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]), h)
            for pair in range(shapes.pair_count):
                open_pair(shapes, contacts, work, pair)
            for i in range(iterations):
                for b in range(bodies.count):
                    prepare(bodies, work, b)
                for pair in range(shapes.pair_count):
                    if contacts.near[pair] == 1 and moving_side(bodies, shapes, pair) < 0:
                        for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                            if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                touch(bodies, shapes, contacts, work, pair, k, h)
                for pair in range(shapes.pair_count):
                    b = moving_side(bodies, shapes, pair)
                    if contacts.near[pair] == 1 and b >= 0:
                        for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                            if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                brace(bodies, shapes, contacts, work, pair, k, b, h)
                last = int(0)
                if i > 0:
                    last = int(1)
                solve(bodies, control, work, h, last)
                for pair in range(shapes.pair_count):
                    b = moving_side(bodies, shapes, pair)
                    if contacts.near[pair] == 1 and b >= 0:
                        for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                            if contacts.close[shapes.pair_slot[pair] + k] == 1:
                                credit(shapes, contacts, work, pair, k, b)
            for pair in range(shapes.pair_count):
                if contacts.near[pair] == 1:
                    for k in range(shapes.feature_count[shapes.pair_feature[pair]]):
                        if contacts.close[shapes.pair_slot[pair] + k] == 1:
                            keep(shapes, contacts, work, pair, k, per_force)
        for b in range(bodies.count):
            if bodies.coordinate[b] >= 0:
                measure(bodies, work, b)
            leave(bodies, state_out, work, b, h, state_in)

    return step
