# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity response of jointed bodies to impulses, with all joints holding, by the factorisation of `solve`.

Momenta replace loads, and constraint errors are zero. Contacts are not part of the matrix, which is factorised once an
impact. Locked rows and rigid drives hold; rotors add inertia. Other drives, limits and dry friction exert no impulse in
an instant.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import COMPLIANT
from inertia_tools.sim.solve.factorisation import factor_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.loop_closure import closure_functions
from inertia_tools.sim.solve.newton import newton_functions


@lru_cache(maxsize=2)
def response_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, wide_vec6 = p.scalar, p.vec3, p.vec6, precision("float64").vec6
    Joints, Row = p.references("Joints", "Row")
    Node, Joint, Options = p.references("Node", "Joint", "Options")
    is_static, axes, joint = motion_functions(p).is_static, axes_functions(p), joint_functions(p)
    is_active_joint, add_wrench = joint.is_active_joint, joint.add_wrench
    linear, angular, joined, replaced = axes.linear, axes.angular, axes.joined, axes.replaced
    read_child, read_parent, load_child = axes.read_child, axes.read_parent, axes.load_child
    rounding, factor, closure = rounding_functions(p), factor_functions(p), closure_functions(p)
    rounded_six, exact_six = rounding.rounded_six, rounding.exact_six
    begin_node, factor_island, solve_island = factor.begin_node, factor.factor_island, factor.solve_island
    close_island = closure.close_island
    blend_impulses, take_impulses = closure.blend_impulses, closure.take_impulses
    clear_impulses, set_joint_residuals = closure.clear_impulses, newton_functions(p).set_joint_residuals
    release_compliant_rows = island_solve_functions(p).release_compliant_rows
    add_joint_impulses = island_solve_functions(p).add_joint_impulses
    compliant, zero = wp.constant(COMPLIANT), wp.constant(scalar(0.0))

    @wp.func
    def at_arm(twists: wp.array(dtype=vec6), b: int, arm: vec3) -> vec3:
        """Return the velocity of a body's material at an arm, from the velocities of all bodies."""
        if b < 0:
            return vec3()
        return linear(twists[b]) + wp.cross(angular(twists[b]), arm)

    @wp.func
    def relative_velocity(row: Row, twists: wp.array(dtype=vec6)) -> vec3:
        """Return the velocity of the first body of a row relative to the second one at the contact [m/s]."""
        one = at_arm(twists, row.body_a, row.arm_a)
        return one - at_arm(twists, row.body_b, row.arm_b)

    @wp.func
    def lock_joint(scene: Scene, j: int):
        """Set the rows of a joint that hold in an instant: locked ones, rigid drives, and rotors as inertia."""
        scene.joint[j].mask = int(0)
        scene.joint[j].error = vec6()
        scene.joint[j].impulse = vec6()
        if is_active_joint(scene, j):
            mask = int(scene.joints.hard[j])
            compliance = vec6()
            for k in range(scene.joints.dof_number[j]):
                d = scene.joints.first_dof[j] + k
                row = scene.joints.row[d]
                if (wp.isinf(scene.joints.target_ke[d]) and scene.dof[d].saturation_sign == 0) or scene.joints.lower[
                    d
                ] == scene.joints.upper[d]:
                    mask = mask | (int(1) << row)
                elif scene.joints.armature[d] > zero:
                    mask = mask | (int(1) << row) | compliant
                    compliance = replaced(compliance, row, scalar(1.0) / scene.joints.armature[d])
            scene.joint[j].mask = mask
            scene.joint[j].compliance = compliance

    @wp.func
    def rate_of_rows(joints: Joints, joint: Joint, j: int, twists: wp.array(dtype=vec6)) -> vec6:
        """Return J v: the rates of the rows of a joint for the velocities of all bodies."""
        rates = read_child(joint, twists[joints.child[j]])
        parent = joints.parent[j]
        if parent >= 0:
            rates = rates + read_parent(joint, twists[parent])
        return rates

    @wp.func
    def set_rotor_rates(scene: Scene, joint: Joint, j: int):
        """Give the rotors of a joint the rates of its bodies."""
        if (joint.mask & compliant) != int(0):
            rates = rate_of_rows(scene.joints, joint, j, scene.meeting)
            for i in range(6):
                if joint.compliance[i] > zero:
                    joint.error = replaced(joint.error, i, -rates[i])

    @wp.func(inline=False)
    def factor_masses(scene: Scene, n: int):
        """Factorise the masses of an island's bodies at their present poses, on their joints, without contacts."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            begin_node(scene, scene.body[b], scene.system.node[b], b)
            scene.system.displacement[b] = wide_vec6()
            scene.system.node[b].load = wide_vec6()
        release_compliant_rows(scene, n)
        factor_island(scene, n)

    @wp.func(inline=False)
    def find_response(scene: Scene, n: int):
        """Compute the velocities of all bodies, `Scene.response`, for the momenta in `Node.load`, joints holding."""
        set_joint_residuals(scene, n, False)
        solve_island(scene, n)
        close_island(scene, n, zero)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.response[scene.islands.body[i]] = rounded_six(scene.system.step[scene.islands.body[i]])

    @wp.func
    def add_impulse(node: Node, arm: vec3, impulse: vec3):
        """Add an impulse at an arm to a load."""
        node.load = node.load + exact_six(joined(impulse, wp.cross(arm, impulse)))

    @wp.func
    def respond_at(scene: Scene, row: Row, n: int, direction: vec3) -> scalar:
        """Compute the velocities for a unit impulse at a row, and return that of the row along the impulse."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            add_impulse(scene.system.node[a], row.arm_a, direction)
        if not is_static(scene.bodies, b):
            add_impulse(scene.system.node[b], row.arm_b, -direction)
        find_response(scene, n)
        return wp.dot(direction, relative_velocity(row, scene.response))

    @wp.func(inline=False)
    def apply_impact(scene: Scene, n: int):
        """Compute the velocities for the impulses of an impact, `Body.impact_impulse`, and the impulses of joints."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.body[b].load = scene.body[b].impact_impulse
            scene.system.node[b].load = exact_six(scene.body[b].impact_impulse)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            scene.joint[scene.islands.joint[i]].impulse = vec6()
        find_response(scene, n)
        clear_impulses(scene, n)
        blend_impulses(scene, n, wp.float64(1.0))
        take_impulses(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.displacement[b] = scene.system.step[b]
            scene.system.node[b].load = wide_vec6()
        add_joint_impulses(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.body[scene.islands.body[i]].load = vec6()

    @wp.func
    def add_impact_to_joint(scene: Scene, options: Options, j: int):
        """Add the impulse of an impact to a joint's wrench, and its effect to the joint's rates."""
        if is_active_joint(scene, j):
            if options.reactions == 1:
                add_wrench(scene, scene.joint[j], j, load_child(scene.joint[j], scene.joint[j].impulse))
            if scene.joint[j].needs_rate == 1:
                rates = rate_of_rows(scene.joints, scene.joint[j], j, scene.response)
                for k in range(scene.joints.dof_number[j]):
                    d = scene.joints.first_dof[j] + k
                    scene.dof[d].rate0 = scene.dof[d].rate0 + rates[scene.joints.row[d]]
                    scene.dof[d].rotor_rate0 = scene.dof[d].rotor_rate0 + rates[scene.joints.row[d]]

    return SimpleNamespace(
        relative_velocity=relative_velocity, lock_joint=lock_joint, set_rotor_rates=set_rotor_rates,
        factor_masses=factor_masses, find_response=find_response, respond_at=respond_at, apply_impact=apply_impact,
        add_impact_to_joint=add_impact_to_joint,
    )  # fmt: skip
