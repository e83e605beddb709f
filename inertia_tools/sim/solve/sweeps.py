# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gauss-Seidel sweeps over joints with relaxation: `joint_solver="sweeps"`, the textbook XPBD iteration.

The rows of one joint are solved together. Relaxation r scales the residual of a row as if the mobility of its bodies
were 1 / r times as large, so the multiplier of a locked row is scaled by r. Rows that are compliant by a law (drive,
spring, damper, rotor) are not relaxed: they are solved again after the locked rows.

A rotor is a body that its row couples to the joint, as a gear does. Rows that are solved later move the joint away from
it, so it keeps the rate from its own row, and the next substep starts with that. Then no solve adds kinetic energy,
rotors included, and few sweeps are enough; a rotor that took the rate of the joint would add energy.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.constraints.loops import loop_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.linear_algebra import algebra_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import COMPLIANT, ROW_BITS


@lru_cache(maxsize=2)
def sweep_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, mat66 = p.scalar, p.vec3, p.vec6, p.mat66
    (Bodies,) = p.references("Bodies")
    Body, Joint, Options = p.references("Body", "Joint", "Options")
    motion, algebra, joint = motion_functions(p), algebra_functions(p), joint_functions(p)
    rotate, translate, add_momenta, is_static = motion.rotate, motion.translate, motion.add_momenta, motion.is_static
    own_mobility = algebra.own_mobility
    mobility_of_rows, inverse_of_rows = algebra.mobility_of_rows, algebra.inverse_of_rows
    axes = axes_functions(p)
    load_child, load_parent, masked = axes.load_child, axes.load_parent, axes.masked
    row_bits, compliant = wp.constant(ROW_BITS), wp.constant(COMPLIANT)
    is_active_joint, prepare_joint = joint.is_active_joint, joint.prepare_joint
    coupling_error = loop_functions(p).coupling_error
    has_rotor, read_rotors = joint.has_rotor, joint.read_rotors

    @wp.func
    def apply_impulse(bodies: Bodies, body: Body, b: int, impulse: vec6, h: scalar):
        """Apply an impulse times the substep's length to a body."""
        if not is_static(bodies, b):
            move = own_mobility(bodies, b, body.r) * impulse
            lin = vec3(move[0], move[1], move[2])
            translate(body, lin)
            add_momenta(body, lin / h, vec3(impulse[3], impulse[4], impulse[5]) / h)
            rotate(body, vec3(move[3], move[4], move[5]))

    @wp.func
    def apply_row_impulses(scene: Scene, joint: Joint, j: int, rows: vec6, h: scalar):
        """Apply impulses on the rows of a joint to both its bodies."""
        apply_impulse(
            scene.bodies, scene.body[scene.joints.child[j]], scene.joints.child[j], load_child(joint, rows), h
        )
        parent = scene.joints.parent[j]
        if not is_static(scene.bodies, parent):
            apply_impulse(scene.bodies, scene.body[parent], parent, load_parent(joint, rows), h)

    @wp.func
    def relaxed(a: mat66, linear: scalar, angular: scalar) -> mat66:
        """Return the mobility of rows divided by their relaxation."""
        out, relaxation = a, vec6(linear, linear, linear, angular, angular, angular)
        for i in range(6):
            for k in range(6):
                out[i, k] = a[i, k] / wp.sqrt(relaxation[i] * relaxation[k])
        return out

    @wp.func
    def compliant_rows(joint: Joint, hard: int) -> int:
        """Return the degrees of freedom, as bits, that are compliant by a law."""
        rows = int(0)
        for i in range(6):
            if (joint.mask & ~hard & (int(1) << i)) != int(0) and joint.compliance[i] > scalar(0.0):
                rows = rows | (int(1) << i)
        return rows

    @wp.func
    def unrelaxed(a: mat66, error: vec6, step: vec6, rows: int) -> vec6:
        """Return the impulses with those on `rows` solved without relaxation, the others being given."""
        others = masked(step, row_bits & ~rows)
        return others - inverse_of_rows(a, rows) * (error + a * others)

    @wp.func
    def store_rotor_rates(scene: Scene, j: int, lawful_rows: int):
        """Store the rates of a joint's rotors after their rows; a rotor on a locked row moves with the bodies."""
        read_rotors(scene, j)
        for k in range(scene.joints.dof_number[j]):
            d = scene.joints.first_dof[j] + k
            has_row = (lawful_rows & (int(1) << scene.joints.row[d])) != int(0)
            scene.dof[d].rotor_detached = int(has_row and scene.joints.armature[d] > scalar(0.0))

    @wp.func
    def sweep_joint(scene: Scene, options: Options, j: int, iteration: int):
        """Solve the rows of one joint, and move its bodies."""
        h = options.h
        if not is_active_joint(scene, j):
            return
        prepare_joint(scene, options, j, iteration, 0)
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        if not is_static(scene.bodies, child):
            apply_impulse(scene.bodies, scene.body[child], child, scene.body[child].load, h)
            scene.body[child].load = vec6()
        if not is_static(scene.bodies, parent):
            apply_impulse(scene.bodies, scene.body[parent], parent, scene.body[parent].load, h)
            scene.body[parent].load = vec6()
        lawful_rows = int(0)
        if (scene.joint[j].mask & row_bits) != int(0):
            mobility = mobility_of_rows(scene, scene.joint[j], j)
            a = relaxed(mobility, options.linear_relaxation, options.angular_relaxation)
            if (scene.joint[j].mask & compliant) != int(0):
                compliance = scene.joint[j].compliance
                for i in range(6):
                    a[i, i] = a[i, i] + compliance[i]
                    mobility[i, i] = mobility[i, i] + compliance[i]
                lawful_rows = compliant_rows(scene.joint[j], scene.joints.hard[j])
            step = scalar(-1.0) * (inverse_of_rows(a, scene.joint[j].mask) * scene.joint[j].error)
            if lawful_rows != int(0):
                step = unrelaxed(mobility, scene.joint[j].error, step, lawful_rows)
            scene.joint[j].impulse = scene.joint[j].impulse + step
            apply_row_impulses(scene, scene.joint[j], j, step, h)
        if has_rotor(scene.joints, j):
            store_rotor_rates(scene, j, lawful_rows)

    @wp.func
    def sweep_coupling(scene: Scene, k: int, h: scalar, relaxation: scalar):
        """Solve one coupling of two degrees of freedom."""
        follower = scene.loops.row_dof[k]
        if follower < 0:
            return
        j, leader = scene.loops.row_joint[k], scene.loops.leader_joint[k]
        if is_active_joint(scene, j) and is_active_joint(scene, leader):
            row, other, ratio = scene.loops.row_index[k], scene.loops.leader_index[k], scene.loops.ratio[k]
            follower_mobility = mobility_of_rows(scene, scene.joint[j], j)
            leader_mobility = mobility_of_rows(scene, scene.joint[leader], leader)
            impulse = (
                -relaxation
                * coupling_error(scene, k)
                / (follower_mobility[row, row] + ratio * ratio * leader_mobility[other, other])
            )
            rows = vec6()
            rows[row] = impulse
            apply_row_impulses(scene, scene.joint[j], j, rows, h)
            rows = vec6()
            rows[other] = -ratio * impulse
            apply_row_impulses(scene, scene.joint[leader], leader, rows, h)
            scene.system.loop_impulse[k] = scene.system.loop_impulse[k] + impulse

    return SimpleNamespace(sweep_joint=sweep_joint, sweep_coupling=sweep_coupling)
