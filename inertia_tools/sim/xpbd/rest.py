# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands at rest: a step that would change nothing is not made.

An island is at rest when two steps in a row have left all its bodies slower than what solves leave of motion. Its
momenta are zero from then on. While all that acts on it is as it was then, the state is handed on, and contacts report
what they did. Whatever is written to states, drives, joints, materials or masses wakes it in the same step.

States and contacts keep what tells that, so that copies of them go on alike.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.solve.convergence import convergence_functions
from inertia_tools.sim.xpbd.contact_finding import finding_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.scene_types import scene_type

SLOWEST = {"float32": 1e-6, "float64": 1e-10}
"""A body moves no longer when it is slower than this, over the velocity that gravity gives in a substep. A robot that
stands makes 44 k steps a second if they are all made, 139 k so."""

ONCE = -1.0
"""Of `State.rest`: the last step has left it at rest. Where a swing turns round, one step may do so, but not two."""


@lru_cache(maxsize=2)
def rest_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec4, vec6 = p.scalar, p.vec3, p.vec4, p.vec6
    Bodies, Joints, Shapes, Control, State = p.references("Bodies", "Joints", "Shapes", "Control", "State")
    Contacts, Row, Work, Body, JointWork = p.references("Contacts", "Row", "Work", "Body", "JointWork")
    SceneRef = wp.ref[scene_type(p)]
    motion, combined = motion_functions(p), finding_functions(p).combined
    is_static, square_of_speed, log_solve = motion.is_static, motion.square_of_speed, convergence_functions(p).log_solve
    slowest, once, zero = (wp.constant(scalar(number)) for number in (SLOWEST[p.name], ONCE, 0.0))
    ball, free = wp.constant(int(JointKind.BALL)), wp.constant(int(JointKind.FREE))

    @wp.func
    def is_slow(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Tell whether a body has hardly moved in the last two substeps."""
        most = slowest * h * bodies.strongest[0]
        now = square_of_speed(bodies, body, b, body.v, body.spin)
        before = square_of_speed(bodies, body, b, body.v_before, body.spin_before)
        return now <= most * most and before <= most * most

    @wp.func
    def rest_after(scene: SceneRef, n: int) -> scalar:
        """Return `State.rest` after a step that was made."""
        after = scalar(scene.options[n].dt)
        if scene.rows[0].unsettled[n] > scene.islands[0].unsettled_then[n] or scene.options[n].contacts == 0:
            return zero
        for i in range(scene.islands[0].first_body[n], scene.islands[0].end_body[n]):
            b = scene.islands[0].body[i]
            if not is_slow(scene.bodies[0], scene.work[0].body[b], b, scene.options[n].h):
                return zero
            if scene.state_in[0].rest[b] != once:  # it was woken, or came to rest just now
                after = once
        return after

    @wp.func
    def halt(body: Body):
        """Take the momenta from a body."""
        body.v = vec3()
        body.spin = vec3()
        body.v_low = vec3()
        body.spin_low = vec3()
        body.v_before = vec3()
        body.spin_before = vec3()
        body.v_earlier = vec3()
        body.spin_earlier = vec3()

    @wp.func
    def drive_of(control: Control, joints: Joints, d: int) -> vec4:
        """Return what is asked of a degree of freedom."""
        return vec4(control.target_pos[d], control.target_vel[d], control.joint_f[d], joints.springref[d])

    @wp.func
    def gains_of(joints: Joints, d: int) -> vec4:
        """Return by how much its drive, spring and damper resist."""
        return vec4(joints.target_ke[d], joints.target_kd[d], joints.stiffness[d], joints.damping[d])

    @wp.func
    def limits_of(joints: Joints, d: int) -> vec4:
        """Return its limits."""
        return vec4(joints.lower[d], joints.upper[d], joints.effort_limit[d], joints.velocity_limit[d])

    @wp.func
    def others_of(joints: Joints, j: int, d: int) -> vec4:
        """Return what else its laws follow from."""
        enabled = scalar(joints.enabled[j])
        return vec4(joints.drive_velocity_limit[d], joints.armature[d], joints.friction[d], enabled)

    @wp.func
    def friction_of(shapes: Shapes, row: Row) -> vec3:
        """Return the coefficients of friction of a contact."""
        a, s, rule = row.shape, row.solid, shapes.friction_rule
        spin = combined(rule, shapes.mu_torsional[a], shapes.mu_torsional[s])
        return vec3(row.mu, spin, combined(rule, shapes.mu_rolling[a], shapes.mu_rolling[s]))

    @wp.func
    def note_laws(joints: Joints, control: Control, state: State, j: int):
        """Note what acts on a joint."""
        for d in range(joints.first_dof[j], joints.first_dof[j] + joints.dof_number[j]):
            state.drive_then[d] = drive_of(control, joints, d)
            state.gains_then[d] = gains_of(joints, d)
            state.limits_then[d] = limits_of(joints, d)
            state.others_then[d] = others_of(joints, j, d)

    @wp.func
    def acts_alike(joints: Joints, control: Control, jw: JointWork, state: State, j: int) -> bool:
        """Tell whether that acts on it still, and nobody has written to its coordinates."""
        if joints.kind[j] != free and joints.kind[j] != ball and jw.joint[j].known == 0:
            return False
        same = bool(True)
        for d in range(joints.first_dof[j], joints.first_dof[j] + joints.dof_number[j]):
            same = same and state.drive_then[d] == drive_of(control, joints, d)
            same = same and state.gains_then[d] == gains_of(joints, d)
            same = same and state.limits_then[d] == limits_of(joints, d)
            same = same and state.others_then[d] == others_of(joints, j, d)
        return same

    @wp.func(inline=False)
    def note_rest(scene: SceneRef, n: int):
        """See at the end of a step whether an island is at rest; if so, halt it and note what acts on it."""
        after, bearing = rest_after(scene, n), int(0)
        if after > zero:
            for i in range(scene.islands[0].first_row[n], scene.islands[0].end_row[n]):
                k = scene.islands[0].row[i]
                slot = scene.rows[0].row[k].slot
                if scene.contacts[0].load[slot] > zero:
                    scene.contacts[0].mu_then[slot] = friction_of(scene.shapes[0], scene.rows[0].row[k])
                    bearing += 1
            for i in range(scene.islands[0].first_joint[n], scene.islands[0].end_joint[n]):
                note_laws(scene.joints[0], scene.control[0], scene.state_out[0], scene.islands[0].joint[i])
        for i in range(scene.islands[0].first_body[n], scene.islands[0].end_body[n]):
            b = scene.islands[0].body[i]
            scene.state_out[0].rest[b] = after
            scene.state_out[0].bearing[b] = bearing
            if after > zero:
                halt(scene.work[0].body[b])

    @wp.func
    def lies_there(bodies: Bodies, body: Body, state: State, b: int) -> bool:
        """Tell whether a body lies where it came to rest, under the same forces."""
        same = bool(body.there == 1 and body.begins == 0)
        same = same and state.qd[b] == vec6() and state.qd_left[b] == vec6()
        same = same and state.f[b] == state.f_then[b] and state.pushed[b] == vec6()
        return same and bodies.gravity[bodies.world[b]] == state.fall_then[b]

    @wp.func
    def stays(bodies: Bodies, work: Work, b: int) -> bool:
        """Tell whether nobody has put the other body of a contact elsewhere, if that does not answer to forces."""
        if b < 0 or not is_static(bodies, b):
            return True
        return work.body[b].there == 1 and work.body[b].is_led == 0

    @wp.func
    def bears_alike(bodies: Bodies, shapes: Shapes, contacts: Contacts, work: Work, row: Row) -> bool:
        """Tell whether a contact that bears does so by the same material, and its bodies stay."""
        same = contacts.mu_then[row.slot] == friction_of(shapes, row)
        return same and stays(bodies, work, row.body_a) and stays(bodies, work, row.body_b)

    @wp.func(inline=False)
    def rests(scene: SceneRef, world: int, n: int) -> bool:
        """Tell whether an island would end a step as it begins it."""
        bearing = int(0)
        if scene.islands[0].wakes[world] > 0 or scene.islands[0].in_convoy[n] == 1:
            return False
        for i in range(scene.islands[0].first_body[n], scene.islands[0].end_body[n]):
            b = scene.islands[0].body[i]
            if scene.state_in[0].rest[b] != scene.settings[world].dt:
                return False
            if not lies_there(scene.bodies[0], scene.work[0].body[b], scene.state_in[0], b):
                return False
            bearing = scene.state_in[0].bearing[b]
        for i in range(scene.islands[0].first_row[n], scene.islands[0].end_row[n]):
            k = scene.islands[0].row[i]
            if scene.contacts[0].load[scene.rows[0].row[k].slot] > zero:
                bearing -= 1
                if not bears_alike(
                    scene.bodies[0], scene.shapes[0], scene.contacts[0], scene.work[0], scene.rows[0].row[k]
                ):  # fmt: skip
                    return False
        for i in range(scene.islands[0].first_joint[n], scene.islands[0].end_joint[n]):
            if not acts_alike(
                scene.joints[0], scene.control[0], scene.jw[0], scene.state_in[0], scene.islands[0].joint[i]
            ):  # fmt: skip
                return False
        return bearing == 0 and scene.islands[0].end_body[n] > scene.islands[0].first_body[n]

    @wp.func
    def hand_on_body(before: State, after: State, b: int):
        """Hand on what a state has of a body."""
        after.q[b] = before.q[b]
        after.qd[b] = before.qd[b]
        after.qdd[b] = before.qdd[b]
        after.f_then[b] = before.f_then[b]
        after.fall_then[b] = before.fall_then[b]
        after.parent_f[b] = before.parent_f[b]
        after.q_left[b] = before.q_left[b]
        after.qd_left[b] = before.qd_left[b]
        after.x_left[b] = before.x_left[b]
        after.x_low_left[b] = before.x_low_left[b]
        after.r_low_left[b] = before.r_low_left[b]
        after.v_left[b] = before.v_left[b]
        after.v_low_left[b] = before.v_low_left[b]
        after.spin_left[b] = before.spin_left[b]
        after.spin_low_left[b] = before.spin_low_left[b]
        after.v_before_left[b] = before.v_before_left[b]
        after.spin_before_left[b] = before.spin_before_left[b]
        after.h_left[b] = before.h_left[b]
        after.h_before_left[b] = before.h_before_left[b]
        after.blows_left[b] = before.blows_left[b]
        after.version_left[b] = before.version_left[b]
        after.rest[b] = before.rest[b]
        after.bearing[b] = before.bearing[b]

    @wp.func
    def hand_on_joint(joints: Joints, before: State, after: State, j: int):
        """Hand on what a state has of a joint."""
        for d in range(joints.first_dof[j], joints.first_dof[j] + joints.dof_number[j]):
            after.joint_qd[d] = before.joint_qd[d]
            after.joint_f_then[d] = before.joint_f_then[d]
            after.rate_turn[d] = before.rate_turn[d]
            after.path_bend[d] = before.path_bend[d]
            after.path_zigzag[d] = before.path_zigzag[d]
            after.law_then[d] = before.law_then[d]
            after.drive_then[d] = before.drive_then[d]
            after.gains_then[d] = before.gains_then[d]
            after.limits_then[d] = before.limits_then[d]
            after.others_then[d] = before.others_then[d]
        first = joints.first_coordinate[j]
        coordinates = joints.dof_number[j] + int(joints.kind[j] == ball or joints.kind[j] == free)
        for k in range(first, first + coordinates):
            after.joint_q[k] = before.joint_q[k]
            after.joint_q_left[k] = before.joint_q_left[k]

    @wp.func(inline=False)
    def hand_on(scene: SceneRef, world: int, n: int):
        """Make the step of an island at rest: the state stays, and solves that were not made are logged."""
        for i in range(scene.islands[0].first_body[n], scene.islands[0].end_body[n]):
            hand_on_body(scene.state_in[0], scene.state_out[0], scene.islands[0].body[i])
        for i in range(scene.islands[0].first_joint[n], scene.islands[0].end_joint[n]):
            hand_on_joint(scene.joints[0], scene.state_in[0], scene.state_out[0], scene.islands[0].joint[i])
        if scene.rows[0].logs == 1:
            substeps = scene.settings[world].least_substeps
            h = scene.settings[world].dt / scalar(substeps)
            for _substep in range(substeps):
                log_solve(scene.bodies[0], scene.contacts[0], scene.rows[0], scene.islands[0], n, h, 0)

    return SimpleNamespace(note_rest=note_rest, rests=rests, hand_on=hand_on)
