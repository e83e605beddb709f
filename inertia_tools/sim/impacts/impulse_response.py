# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How bodies on joints answer to impulses, all their joints holding: velocities, by the factorisation of `solve`.

Momenta take the place of loads, and nothing is off. No contact is part of the matrix, which is factored once an impact.
Hard rows hold, as do rigid drives; rotors belong to the bodies that turn them. Other drives, limits and dry friction do
nothing in no time.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.work_types import GIVES
from inertia_tools.sim.solve.factorisation import factor_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.loop_closure import closure_functions
from inertia_tools.sim.solve.newton import newton_functions


@lru_cache(maxsize=2)
def response_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, wide_vec6 = p.scalar, p.vec3, p.vec6, precision("float64").vec6
    Bodies, Joints, Loops, Row, Work = p.references("Bodies", "Joints", "Loops", "Row", "Work")
    System, Node, JointWork, Joint, Options = p.references("System", "Node", "JointWork", "Joint", "Options")
    Islands = wp.ref[island_types(p).Islands]
    is_static, axes, joint = motion_functions(p).is_static, axes_functions(p), joint_functions(p)
    acts, note_wrench = joint.acts, joint.note_wrench
    linear, angular, joined, replaced = axes.linear, axes.angular, axes.joined, axes.replaced
    read_child, read_parent, load_child = axes.read_child, axes.read_parent, axes.load_child
    rounding, factor, closure = rounding_functions(p), factor_functions(p), closure_functions(p)
    rounded_six, exact_six = rounding.rounded_six, rounding.exact_six
    begin_node, factor_island, solve_island = factor.begin_node, factor.factor_island, factor.solve_island
    close_island = closure.close_island
    blend_impulses, take_impulses = closure.blend_impulses, closure.take_impulses
    clear_impulses, aim_joints = closure.clear_impulses, newton_functions(p).aim_joints
    spring_joints, sum_joints = island_solve_functions(p).spring_joints, island_solve_functions(p).sum_joints
    gives, zero = wp.constant(GIVES), wp.constant(scalar(0.0))

    @wp.func
    def at_arm(twists: wp.array(dtype=vec6), b: int, arm: vec3) -> vec3:
        """Return the velocity of a body's material at an arm, of the velocities of all bodies."""
        if b < 0:
            return vec3()
        return linear(twists[b]) + wp.cross(angular(twists[b]), arm)

    @wp.func
    def apart(row: Row, twists: wp.array(dtype=vec6)) -> vec3:
        """Return the velocity of the first body of a row against the second at the contact."""
        one = at_arm(twists, row.body_a, row.arm_a)
        return one - at_arm(twists, row.body_b, row.arm_b)

    @wp.func
    def hold(bodies: Bodies, joints: Joints, jw: JointWork, j: int):
        """Let a joint hold what it holds in no time: its hard rows and rigid drives, and rotors by their inertia."""
        jw.joint[j].mask = int(0)
        jw.joint[j].error = vec6()
        jw.joint[j].impulse = vec6()
        if acts(bodies, joints, j):
            mask = int(joints.hard[j])
            compliance = vec6()
            for k in range(joints.dof_number[j]):
                d = joints.first_dof[j] + k
                row = joints.row[d]
                if (wp.isinf(joints.target_ke[d]) and jw.dof[d].saturated == 0) or joints.lower[d] == joints.upper[d]:
                    mask = mask | (int(1) << row)
                elif joints.armature[d] > zero:
                    mask = mask | (int(1) << row) | gives
                    compliance = replaced(compliance, row, scalar(1.0) / joints.armature[d])
            jw.joint[j].mask = mask
            jw.joint[j].compliance = compliance

    @wp.func
    def rate_of_rows(joints: Joints, joint: Joint, j: int, twists: wp.array(dtype=vec6)) -> vec6:
        """Return what the rows of a joint read of the velocities of all bodies."""
        rates = read_child(joint, twists[joints.child[j]])
        parent = joints.parent[j]
        if parent >= 0:
            rates = rates + read_parent(joint, twists[parent])
        return rates

    @wp.func
    def keep_rotors(joints: Joints, work: Work, joint: Joint, j: int):
        """Let the rotors of a joint turn as its bodies do."""
        if (joint.mask & gives) != int(0):
            rates = rate_of_rows(joints, joint, j, work.meets)
            for i in range(6):
                if joint.compliance[i] > zero:
                    joint.error = replaced(joint.error, i, -rates[i])

    @wp.func(inline=False)
    def factor_masses(bodies: Bodies, islands: Islands, work: Work, jw: JointWork, system: System, n: int):
        """Factor the masses of an island's bodies where they are, as its joints hold them, without contacts."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            begin_node(bodies, work.body[b], system, system.node[b], b)
            system.move[b] = wide_vec6()
            system.node[b].load = wide_vec6()
        spring_joints(bodies, islands, jw, n)
        factor_island(bodies, jw, islands, system, n)

    @wp.func(inline=False)
    def respond(
        bodies: Bodies, joints: Joints, loops: Loops, islands: Islands, work: Work, system: System, jw: JointWork,
        n: int,
    ):  # fmt: skip
        """Find the velocities of all bodies, `Work.move`, for momenta on them, `System.load`, joints holding."""
        aim_joints(bodies, joints, islands, jw, system, n, False)
        solve_island(bodies, jw, islands, system, n)
        close_island(bodies, joints, loops, islands, work, jw, system, n, zero)
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.move[islands.body[i]] = rounded_six(system.step[islands.body[i]])

    @wp.func
    def hit(node: Node, arm: vec3, impulse: vec3):
        """Add an impulse at an arm to a load."""
        node.load = node.load + exact_six(joined(impulse, wp.cross(arm, impulse)))

    @wp.func
    def respond_at(
        bodies: Bodies, joints: Joints, loops: Loops, row: Row, islands: Islands, work: Work, system: System,
        jw: JointWork, n: int, direction: vec3,
    ) -> scalar:  # fmt: skip
        """Find the velocities for a unit impulse at a row, and return what the row has of it along the impulse."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            system.node[islands.body[i]].load = wide_vec6()
        a, b = row.body_a, row.body_b
        if not is_static(bodies, a):
            hit(system.node[a], row.arm_a, direction)
        if not is_static(bodies, b):
            hit(system.node[b], row.arm_b, -direction)
        respond(bodies, joints, loops, islands, work, system, jw, n)
        return wp.dot(direction, apart(row, work.move))

    @wp.func(inline=False)
    def respond_to_blow(
        bodies: Bodies, joints: Joints, loops: Loops, islands: Islands, work: Work, system: System, jw: JointWork,
        n: int,
    ):  # fmt: skip
        """Find the velocities for the impulses of an impact, `Work.struck_by`, and the impulses of joints."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            work.body[b].load = work.body[b].struck_by
            system.node[b].load = exact_six(work.body[b].struck_by)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            jw.joint[islands.joint[i]].impulse = vec6()
        respond(bodies, joints, loops, islands, work, system, jw, n)
        clear_impulses(loops, islands, system, n)
        blend_impulses(loops, islands, system, n, wp.float64(1.0))
        take_impulses(loops, islands, jw, system, n)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            system.move[b] = system.step[b]
            system.node[b].load = wide_vec6()
        sum_joints(bodies, joints, islands, work, jw, system, n)
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.body[islands.body[i]].load = vec6()

    @wp.func
    def note_joint(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, options: Options, j: int):
        """Note what an impact has done through a joint, and to its rates."""
        if acts(bodies, joints, j):
            if options.reactions == 1:
                note_wrench(joints, work, jw.joint[j], j, load_child(jw.joint[j], jw.joint[j].impulse))
            if jw.joint[j].needs_rate == 1:
                rates = rate_of_rows(joints, jw.joint[j], j, work.move)
                for k in range(joints.dof_number[j]):
                    d = joints.first_dof[j] + k
                    jw.dof[d].rate0 = jw.dof[d].rate0 + rates[joints.row[d]]
                    jw.dof[d].read0 = jw.dof[d].read0 + rates[joints.row[d]]

    return SimpleNamespace(
        apart=apart, hold=hold, keep_rotors=keep_rotors, factor_masses=factor_masses, respond=respond,
        respond_at=respond_at, respond_to_blow=respond_to_blow, note_joint=note_joint,
    )  # fmt: skip
