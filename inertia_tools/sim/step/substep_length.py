# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Length of the next substep of an island: as requested, or halved where jointed bodies or free corners rotate fast.

The constraints of joints are linear in the displacements of a substep. The neglected terms throw a limp arm that
rotates by half a radian in one, and a thin body in contact whose corner swings by more than its thickness. The free
rotation of a body is integrated in parts likewise (`kernels/motion.py`). Momenta belong to the middle of substeps of
any length: forces change them from there to the middle of the next one (`Body.force_time`), as in velocity Verlet,
whose steps may have different lengths (step 0 in docs/solver.md).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import CORNER_SWING, CORNER_SWING_TURN, FLATTEST_SHAPE, SUBSTEP_PARTS
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def length_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, motion = p.scalar, motion_functions(p)
    rate, is_static = motion.rate, motion.is_static
    parts, of_part = wp.constant(SUBSTEP_PARTS), wp.constant(scalar(1.0 / SUBSTEP_PARTS))
    largest_swing, flattest_shape = wp.constant(scalar(CORNER_SWING)), wp.constant(scalar(FLATTEST_SHAPE))
    slow_turn_squared = wp.constant(scalar(CORNER_SWING_TURN * CORNER_SWING_TURN))

    @wp.func
    def acceleration_by_new_loads(scene: Scene, b: int) -> scalar:
        """Return a bound of the angular acceleration by loads that did not act in the last step [rad/s^2].

        Those are changes of applied efforts and, if no force has acted on the body yet, its weight. Drives are implicit
        springs, which take it no farther than to their targets.
        """
        most = scalar(0.0)
        if scene.bodies.parent[b] == -2:
            return most
        j, light = scene.bodies.joint[b], wp.trace(scene.bodies.inv_inertia[b])
        is_new, weight = scene.body[b].has_no_history == 1, scalar(0.0)
        if is_new:
            weight = scene.bodies.max_gravity[0] * scene.bodies.mass[b] * wp.length(scene.joints.child_point[j])
        for k in range(scene.joints.dof_number[j]):
            d = scene.joints.first_dof[j] + k
            if scene.joints.row[d] >= 3:
                before = wp.where(is_new, scalar(0.0), scene.state_in.joint_f_last[d])
                torque = weight + wp.abs(scene.control.joint_f[d] - before)
                most = wp.max(most, torque * light / (scalar(1.0) + scene.joints.armature[d] * light))
        return most

    @wp.func
    def fastest_rotation(scene: Scene, n: int, begins: bool):
        """Return the largest angular velocity and acceleration of a body on a joint [rad/s, rad/s^2].

        Where a step `begins`, new loads may accelerate bodies more than before.
        """
        velocity, acceleration = scalar(0.0), scalar(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.bodies.is_free_body[b] == 0:
                r, between = scene.body[b].r, scalar(0.5) * (scene.body[b].h + scene.body[b].h_before)
                gained = wp.length(rate(scene.bodies, b, r, scene.body[b].spin - scene.body[b].spin_before))
                if between > scalar(0.0):
                    gained = gained / between
                if begins:
                    gained = wp.max(gained, acceleration_by_new_loads(scene, b))
                now = wp.length(rate(scene.bodies, b, r, scene.body[b].spin)) + scalar(0.5) * scene.body[b].h * gained
                velocity = wp.max(velocity, now)
                acceleration = wp.max(acceleration, gained)
        return velocity, acceleration

    @wp.func
    def turns_far(scene: Scene, n: int, h: scalar) -> bool:
        """Return whether a free body of an island may rotate so far in a substep that its corners must be checked."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.bodies.is_free_body[b] == 1:
                inverse = scene.bodies.inv_inertia[b]
                most = h * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2])
                if most * most * wp.dot(scene.body[b].spin, scene.body[b].spin) > slow_turn_squared:
                    return True
        return False

    @wp.func(inline=False)
    def corner_swing(scene: Scene, n: int) -> scalar:
        """Return the largest |w| |w x f| of features f of free bodies, over half thicknesses [rad^2/s^2]."""
        most = scalar(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            b, shape = scene.rows.row[k].body_a, scene.rows.row[k].shape
            if not is_static(scene.bodies, b) and scene.bodies.is_free_body[b] == 1:
                at = scene.shapes.point[shape]
                if scene.shapes.feature_count[shape] > 0:
                    which = wp.min(scene.rows.row[k].feature, scene.shapes.feature_count[shape] - 1)
                    feature = scene.shapes.feature[scene.shapes.first_feature[shape] + which]
                    at = at + wp.quat_rotate(scene.shapes.frame[shape], feature)
                omega = scene.bodies.inv_inertia[b] * wp.quat_rotate_inv(scene.body[b].r, scene.body[b].spin)
                swing = wp.length(omega) * wp.length(wp.cross(omega, at))
                most = wp.max(most, swing / wp.max(scene.shapes.half_thickness[shape], flattest_shape * wp.length(at)))
        return most

    @wp.func
    def choose_length(scene: Scene, n: int, at: int) -> int:
        """Return the length of the next substep in parts; `at` parts of this step are over."""
        length = int(parts)
        limit = scene.options[n].joint_turn_limit
        if scene.options[n].sweeps == 0 and scene.islands.jointed[n] == 1 and not wp.isinf(limit):
            velocity, acceleration = fastest_rotation(scene, n, at == 0)
            h = scene.options[n].dt / scalar(scene.options[n].least_substeps)
            while length > 1 and h * (velocity + h * acceleration) > limit:
                length = length // 2
                h = scalar(0.5) * h
        if scene.options[n].sweeps == 0 and scene.islands.end_row[n] > scene.islands.first_row[n]:
            h = (scene.options[n].dt / scalar(scene.options[n].least_substeps)) * (of_part * scalar(length))
            if turns_far(scene, n, h):
                swing = corner_swing(scene, n)
                while length > 1 and h * h * swing > largest_swing:
                    length = length // 2
                    h = scalar(0.5) * h
        while at % length != 0:
            length = length // 2
        return length

    @wp.func
    def unit_of_load(h: scalar, h_before: scalar) -> scalar:
        """Return the multiplier of a unit force, up to a factor [s^2]."""
        return h * (h + h_before)

    @wp.func
    def rescale_loads(scene: Scene, n: int, h: scalar):
        """Convert the multipliers of contacts, which are loads, from the last substep to one of length h."""
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            b = scene.rows.row[k].body_a
            if is_static(scene.bodies, b):
                b = scene.rows.row[k].body_b
            before = unit_of_load(scene.body[b].h, scene.body[b].h_before)
            if scene.body[b].h == scalar(0.0):  # it starts anew
                before = unit_of_load(scene.state_in.h_last[b], scene.state_in.h_before_last[b])
            now = unit_of_load(h, scene.body[b].h)
            scene.rows.row[k].load_scale = wp.float64(1.0)
            if before > scalar(0.0) and now != before:
                slot = scene.rows.row[k].slot
                scene.rows.row[k].load_scale = wp.float64(now / before)
                scene.contacts.lambda_n[slot] = (now / before) * scene.contacts.lambda_n[slot]
                scene.contacts.lambda_t[slot] = (now / before) * scene.contacts.lambda_t[slot]

    @wp.func
    def set_length(scene: Scene, n: int, at: int, length: int):
        """Set the length of the next substep of an island; all launches of a step are equally long."""
        parts_left = parts * scene.options[n].least_substeps * (scene.islands.launch[1] + 1) - at
        scene.options[n].substeps_left = parts_left // length
        scene.options[n].h = (scene.options[n].dt / scalar(scene.options[n].least_substeps)) * (
            of_part * scalar(length)
        )
        rescale_loads(scene, n, scene.options[n].h)

    return SimpleNamespace(choose_length=choose_length, set_length=set_length)
