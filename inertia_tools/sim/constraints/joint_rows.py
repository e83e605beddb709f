# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The six rows of a joint: the pose of the child's joint frame relative to the parent's, and its directions.

Rows 0 to 2 are the displacement of the origin along axes fixed in the parent, rows 3 to 5 the rotation. Directions are
those of the start of the substep. Three angles rotate one after the other; the row of each is the gradient of its
angle, which is the dual of the axes (e1, e2, e3) of the angles: e_i . g_j = delta_ij. The two axes of a universal joint
are orthogonal, and their own gradients. Impulses act at one point of both bodies, so that angular momentum is
conserved.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import GIMBAL_COSINE, REFREEZE_COSINE
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rotation import rotation_functions
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.joint_kind import ANGULAR_X, JointKind, Turning


@lru_cache(maxsize=2)
def joint_row_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, quat, mat33 = p.scalar, p.vec3, p.vec6, p.quat, p.mat33
    Bodies, Joints, State = p.references("Bodies", "Joints", "State")
    Body, Joint = p.references("Body", "Joint")
    motion = motion_functions(p)
    rate, is_static, orientation, gravity_of = motion.rate, motion.is_static, motion.orientation, motion.gravity_of
    rounding = rounding_functions(p)
    exact, exact_quat, rounded = rounding.exact, rounding.exact_quat, rounding.rounded
    between, axes_of = axes_functions(p).between, rotation_functions(p).axes_of
    replaced, joined = axes_functions(p).replaced, axes_functions(p).joined
    pi, zero = wp.constant(wp.float64(3.14159265358979323846)), wp.constant(wp.float64(0.0))
    one, two = wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))
    all_but_twist = wp.constant(63 - (1 << ANGULAR_X))
    farthest = wp.constant(scalar(REFREEZE_COSINE))
    least_cosine = wp.constant(scalar(GIMBAL_COSINE))
    distance = wp.constant(int(JointKind.DISTANCE))
    twist_only, angles = wp.constant(int(Turning.TWIST)), wp.constant(int(Turning.ANGLES))
    vector, cross = wp.constant(int(Turning.VECTOR)), wp.constant(int(Turning.CROSS))

    @wp.func
    def parent_turned(scene: Scene, j: int, frame: quat) -> quat:
        parent = scene.joints.parent[j]
        if parent < 0:
            return frame
        return scene.body[parent].r * frame

    @wp.func
    def dynamic_body_of(scene: Scene, j: int) -> int:
        """Return the child of a joint, or the parent if the child is static and there is one."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        return wp.where(is_static(scene.bodies, child) and parent >= 0, parent, child)

    @wp.func
    def has_one_frame(joints: Joints, j: int) -> bool:
        """Return whether displacement and rotation are measured in the same frame of the parent."""
        if joints.kind[j] == distance:
            return False
        difference = joints.parent_turn[j] - joints.parent_frame[j]
        return wp.dot(difference, difference) == scalar(0.0)

    @wp.func
    def arm_of_child(scene: Scene, j: int) -> vec3:
        """Return the joint's origin from the child's centre of mass, world axes."""
        return wp.quat_rotate(scene.body[scene.joints.child[j]].r, scene.joints.child_point[j])

    @wp.func
    def exactly_turned(scene: Scene, j: int, frame: quat) -> wp.quatd:
        """Return the same as `parent_turned`, including the rounding error of the parent's orientation."""
        parent = scene.joints.parent[j]
        own = exact_quat(frame)
        if parent < 0:
            return own
        return orientation(scene.body[parent]) * own

    @wp.func
    def separation(scene: Scene, j: int) -> wp.vec3d:
        """Return the vector from the parent's joint origin to the child's, world axes [m].

        Centres are subtracted first, including their rounding errors, and then arms: so the distance of the scene from
        the world's origin has no effect. It is always in double precision, being a small difference.
        """
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        arm = wp.quat_rotate(orientation(scene.body[child]), exact(scene.joints.child_point[j]))
        if parent < 0:
            low = exact(scene.body[child].x_low) - exact(scene.joints.parent_low[j])
            return (exact(scene.body[child].x) - exact(scene.joints.parent_point[j])) + (arm + low)
        centres = (exact(scene.body[child].x) - exact(scene.body[parent].x)) + exact(
            scene.body[child].x_low - scene.body[parent].x_low
        )
        return centres + (arm - wp.quat_rotate(orientation(scene.body[parent]), exact(scene.joints.parent_point[j])))

    @wp.func
    def relative_turn(scene: Scene, j: int) -> wp.quatd:
        """Return the child's rotation frame relative to the parent's."""
        return turn_from(scene, j, exactly_turned(scene, j, scene.joints.parent_turn[j]))

    @wp.func
    def turn_from(scene: Scene, j: int, frame: wp.quatd) -> wp.quatd:
        """Return the child's rotation frame relative to a given one."""
        return wp.quat_inverse(frame) * (
            orientation(scene.body[scene.joints.child[j]]) * exact_quat(scene.joints.child_turn[j])
        )

    @wp.func
    def frame_of(along: vec3) -> mat33:
        """Return three orthonormal rows, the first one given."""
        other = vec3(scalar(1.0), scalar(0.0), scalar(0.0))
        if wp.abs(along[0]) > scalar(0.6):
            other = vec3(scalar(0.0), scalar(1.0), scalar(0.0))
        second = wp.normalize(wp.cross(along, other))
        return wp.matrix_from_rows(along, second, wp.cross(along, second))

    @wp.func
    def wrapped(angle: wp.float64) -> wp.float64:
        """Return an angle reduced to one turn about zero."""
        return angle - two * pi * wp.round(angle / (two * pi))

    @wp.func
    def small_vector(q: wp.quatd) -> wp.vec3d:
        """Return the rotation vector of a small rotation, to the second order [rad]."""
        side = wp.where(q[3] < zero, -two, two)
        return wp.vec3d(side * q[0], side * q[1], side * q[2])

    @wp.func
    def beside_twist(rel: wp.quatd) -> wp.vec3d:
        """Return the rotation about y and z that remains beside that about x, to the second order [rad].

        It is the vector of rel times the inverse of (x, 0, 0, w) / |(x, w)|.
        """
        size = wp.sqrt(rel[0] * rel[0] + rel[3] * rel[3])
        if size == zero:
            return small_vector(rel)
        share = two / size
        return wp.vec3d(zero, share * (rel[3] * rel[1] - rel[0] * rel[2]), share * (rel[3] * rel[2] + rel[0] * rel[1]))

    @wp.func
    def twist_angle(rel: wp.quatd) -> wp.float64:
        """Return the angle about x of a rotation, up to half a turn [rad]."""
        side = wp.where(rel[3] < zero, -two, two)
        return side * wp.atan2(rel[0], wp.abs(rel[3]))

    @wp.func
    def about_one_axis(rel: wp.quatd, turns_about_x: bool, needs_coordinate: int) -> wp.vec3d:
        """Return rotation as an angle about x, if that is free and needed, and the remaining rotation."""
        if turns_about_x:
            swing = beside_twist(rel)
            angle = wp.float64(0.0)
            if needs_coordinate == 1:
                angle = twist_angle(rel)
            return wp.vec3d(angle, swing[1], swing[2])
        return small_vector(rel)

    @wp.func
    def three_angles(rel: wp.quatd) -> wp.vec3d:
        """Return rotation as angles about x, then the new y, then the new z [rad]."""
        m = wp.quat_to_matrix(rel)
        return wp.vec3d(wp.atan2(-m[1, 2], m[2, 2]), wp.asin(wp.clamp(m[0, 2], -one, one)), wp.atan2(-m[0, 1], m[0, 0]))

    @wp.func
    def two_angles(rel: wp.quatd) -> wp.vec3d:
        """Return angles about the parent's x and the child's y, and the deviation of these from orthogonal."""
        m = wp.quat_to_matrix(rel)
        return wp.vec3d(wp.atan2(m[2, 1], m[1, 1]), wp.atan2(m[0, 2], m[0, 0]), -m[0, 1])

    @wp.func
    def gradient_of_cross(rel: wp.quatd) -> mat33:
        """Return the parent's x, the child's y, and their normal, as rows in the parent's frame."""
        first = vec3(scalar(1.0), scalar(0.0), scalar(0.0))
        second = rounded(wp.quat_rotate(rel, wp.vec3d(zero, one, zero)))
        second = wp.normalize(second - second[0] * first)
        return wp.matrix_from_rows(first, second, wp.cross(first, second))

    @wp.func
    def gradient_of_angles(at: vec3) -> mat33:
        """Return the gradient of each of three angles as a row, in the parent's frame."""
        cosine = wp.cos(at[1])
        if wp.abs(cosine) < least_cosine:
            cosine = least_cosine
        tangent = wp.sin(at[1]) / cosine
        sa, ca = wp.sin(at[0]), wp.cos(at[0])
        # fmt: off
        return mat33(
            scalar(1.0), sa * tangent, -ca * tangent,
            scalar(0.0), ca, sa,
            scalar(0.0), -sa / cosine, ca / cosine,
        )
        # fmt: on

    @wp.func(inline=False)
    def measure(scene: Scene, j: int, needs_coordinate: int) -> vec6:
        """Return the error of each row [m, rad]; update the coordinates, turns counted, if they are needed."""
        j = nonnegative_index(j)
        frame = exactly_turned(scene, j, scene.joints.parent_frame[j])
        off = wp.quat_rotate_inv(frame, separation(scene, j))
        if scene.joints.kind[j] == distance:
            off[0] = wp.length(off)
        if not has_one_frame(scene.joints, j):
            frame = exactly_turned(scene, j, scene.joints.parent_turn[j])
        rel = turn_from(scene, j, frame)
        turning = scene.joints.turning[j]
        turned_by = wp.vec3d()
        if turning == twist_only:
            turned_by = about_one_axis(rel, (scene.joints.hard[j] & int(8)) == int(0), needs_coordinate)
        elif turning == angles:
            turned_by = three_angles(rel)
        elif turning == cross:
            turned_by = two_angles(rel)
        else:
            turned_by = small_vector(rel * wp.quat_inverse(scene.joint[j].turn0))
        error = joined(rounded(off), rounded(turned_by))
        if needs_coordinate == 0:
            return error
        first = scene.joints.first_dof[j]
        for k in range(scene.joints.dof_number[j]):
            d = first + k
            row = scene.joints.row[d]
            value = off[row % 3]
            if row > 2:
                value = turned_by[row - 3]
            if (scene.joints.mirrored[j] & (int(1) << row)) != int(0):
                value = -value
            if row > 2 and turning != vector:
                value = scene.dof[d].q + wrapped(value - scene.dof[d].q)
            scene.dof[d].q = value
            error = replaced(error, row, scalar(value))
        return error

    @wp.func
    def is_hinge(joints: Joints, j: int) -> bool:
        """Return whether a joint has one rotation axis and no other freedom."""
        return joints.hard[j] == all_but_twist and joints.turning[j] == twist_only

    @wp.func
    def axis_of_hinge(scene: Scene, j: int) -> vec3:
        """Return the axis of a hinge at the present pose of its parent, world axes."""
        axis = wp.quat_rotate(scene.joints.parent_turn[j], vec3(scalar(1.0), scalar(0.0), scalar(0.0)))
        if scene.joints.mirrored[j] != int(0):
            axis = -axis
        parent = scene.joints.parent[j]
        if parent < 0:
            return axis
        return wp.quat_rotate(scene.body[nonnegative_index(parent)].r, axis)

    @wp.func
    def has_turned_far(scene: Scene, j: int) -> bool:
        """Return whether a body of a joint has rotated so far in this substep that directions must be updated."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        far = wp.abs(wp.dot(scene.body[child].r, scene.body[child].r0)) < farthest
        if parent >= 0:
            far = far or wp.abs(wp.dot(scene.body[parent].r, scene.body[parent].r0)) < farthest
        return far

    @wp.func
    def begin_rows(scene: Scene, j: int):
        """Begin a substep of a joint: set its directions, and coordinates where laws need them; clear its impulses."""
        j = nonnegative_index(j)
        scene.joint[j].impulse = vec6()
        if scene.joints.turning[j] != twist_only or scene.joint[j].needs_rate == 1:
            read_coordinates(scene, j)
        update_directions(scene, scene.joint[j], j)

    @wp.func
    def read_coordinates(scene: Scene, j: int):
        """Compute the coordinates of a joint from the present poses, unless they are current."""
        j = nonnegative_index(j)
        if scene.joints.turning[j] == vector:
            scene.joint[j].turn0 = relative_turn(scene, j)
        if scene.joint[j].is_current == 1:
            return
        if is_hinge(scene.joints, j):
            d = nonnegative_index(scene.joints.first_dof[j])
            angle = twist_angle(relative_turn(scene, j))
            if scene.joints.mirrored[j] != int(0):
                angle = -angle
            scene.dof[d].q = scene.dof[d].q + wrapped(angle - scene.dof[d].q)
        else:
            measure(scene, j, int(1))

    @wp.func(inline=False)
    def update_directions(scene: Scene, joint: Joint, j: int):
        """Compute the directions of a joint from the present poses."""
        j = nonnegative_index(j)
        turning = scene.joints.turning[j]
        frame = parent_turned(scene, j, scene.joints.parent_frame[j])
        axes = wp.transpose(axes_of(frame))
        if scene.joints.kind[j] == distance:
            displacement = rounded(separation(scene, j))
            if wp.length(displacement) > scalar(0.0):
                axes = frame_of(wp.normalize(displacement))
        turns = axes
        if not has_one_frame(scene.joints, j):
            turns = wp.transpose(axes_of(parent_turned(scene, j, scene.joints.parent_turn[j])))
        if turning == angles:
            turns = gradient_of_angles(rounded(three_angles(relative_turn(scene, j)))) * turns
        elif turning == cross:
            turns = gradient_of_cross(relative_turn(scene, j)) * turns
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        arm = arm_of_child(scene, j)
        mirrored = scene.joints.mirrored[j]
        if mirrored != int(0):
            axes = flipped(axes, mirrored)
            turns = flipped(turns, mirrored >> 3)
        joint.factored_mask = int(-1)
        joint.axes = axes
        joint.turns = turns
        if turning == angles:
            joint.dual_turns = wp.transpose(wp.inverse(turns))
        else:
            joint.dual_turns = turns
        joint.arm_child = arm
        if parent >= 0:
            joint.arm_parent = (scene.body[child].x - scene.body[parent].x) + arm

    @wp.func
    def flipped(axes: mat33, rows: int) -> mat33:
        """Return axes with some rows negated."""
        out = axes
        for i in range(3):
            if (rows & (int(1) << i)) != int(0):
                for k in range(3):
                    out[i, k] = -axes[i, k]
        return out

    @wp.func
    def speed_of(bodies: Bodies, body: Body, b: int, at: quat) -> vec6:
        """Return velocity and angular velocity of a body with its present momenta, at an orientation."""
        if is_static(bodies, b):
            if b < 0:
                return vec6()
            return joined(body.v_free, body.omega_free)
        v = body.v
        omega = rate(bodies, b, at, body.spin)
        return vec6(v[0], v[1], v[2], omega[0], omega[1], omega[2])

    @wp.func(inline=False)
    def relative_speed(scene: Scene, joint: Joint, j: int) -> vec6:
        """Return the velocity of a joint's child relative to its parent, at present momenta and poses."""
        j = nonnegative_index(j)
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        of_parent = vec6()
        if parent >= 0:
            of_parent = speed_of(scene.bodies, scene.body[parent], parent, scene.body[parent].r)
        return between(joint, speed_of(scene.bodies, scene.body[child], child, scene.body[child].r), of_parent)

    @wp.func(inline=False)
    def relative_speed_at_start(scene: Scene, joint: Joint, j: int) -> vec6:
        """Return the same with present momenta and the poses at the start of the substep."""
        j = nonnegative_index(j)
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        of_parent = vec6()
        if parent >= 0:
            of_parent = speed_of(scene.bodies, scene.body[parent], parent, scene.body[parent].r0)
        return between(joint, speed_of(scene.bodies, scene.body[child], child, scene.body[child].r0), of_parent)

    @wp.func
    def speed_in(bodies: Bodies, state: State, body: Body, b: int) -> vec6:
        """Return velocity and angular velocity of a body at the time of a state."""
        if b < 0:
            return vec6()
        if is_static(bodies, b):
            return body.path_rate
        return state.qd[b]

    @wp.func(inline=False)
    def relative_speed_of_state(scene: Scene, state: State, joint: Joint, j: int) -> vec6:
        """Return the velocity of a joint's child relative to its parent at the time of a state."""
        j = nonnegative_index(j)
        return between(
            joint,
            speed_in(scene.bodies, state, scene.body[scene.joints.child[j]], scene.joints.child[j]),
            speed_in(scene.bodies, state, scene.body[scene.joints.parent[j]], scene.joints.parent[j]),
        )

    @wp.func
    def gravity_onset(scene: Scene, b: int) -> vec6:
        """Return the velocity that `read_body` subtracts for a change of gravity, which acts for half a substep."""
        if is_static(scene.bodies, b):
            return vec6()
        gained = scalar(0.5) * scene.body[b].h_before * (gravity_of(scene.bodies, b) - scene.state_in.fall_last[b])
        return vec6(gained[0], gained[1], gained[2], scalar(0.0), scalar(0.0), scalar(0.0))

    @wp.func(inline=False)
    def initial_relative_speed(scene: Scene, joint: Joint, j: int) -> vec6:
        """Return the velocity of a joint's child relative to its parent half a substep before a step.

        A change of gravity is left out: it moves the bodies, and a rotor only through them. For bodies that start anew
        it is the velocity at the time of the state.
        """
        j = nonnegative_index(j)
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        if scene.body[dynamic_body_of(scene, j)].has_no_history == 1:
            return relative_speed_of_state(scene, scene.state_in, joint, j)
        return relative_speed(scene, joint, j) + between(
            joint, gravity_onset(scene, child), gravity_onset(scene, parent)
        )

    return SimpleNamespace(
        dynamic_body_of=dynamic_body_of,
        measure=measure,
        update_directions=update_directions,
        has_turned_far=has_turned_far,
        begin_rows=begin_rows,
        read_coordinates=read_coordinates,
        is_hinge=is_hinge,
        axis_of_hinge=axis_of_hinge,
        speed_of=speed_of,
        relative_speed=relative_speed,
        relative_speed_at_start=relative_speed_at_start,
        speed_in=speed_in,
        relative_speed_of_state=relative_speed_of_state,
        initial_relative_speed=initial_relative_speed,
        relative_turn=relative_turn,
        small_vector=small_vector,
    )
