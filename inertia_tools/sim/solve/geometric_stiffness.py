# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Geometric stiffness as added inertia of light bodies on joints that carry a heavy load.

Joints pull along their directions at the start of the substep. While a body rotates, a joint force F at its arm r has
the geometric stiffness (F . r) (1 - r r^T / r^2), which such directions make explicit. Bodies of inertia I are unstable
where h^2 (F . r) > 4 I, as links of 1 kg under a weight of 1000 kg. With added inertia A, for a < 4,

    (I + A) (rotation - last rotation) = joint and applied moments     A = the positive part of h^2 (F . r) (..) / a - I

all modes have (h w)^2 <= a, whatever the bodies are joined to, since kinetic energy is no less than that of rotations
alone. This is Newmark's method (1959) with beta = 1 / a on the modes that are too fast, and explicit on all others: it
takes no energy from a swing, whose error stays of the second order. Neighbours that rotate against each other are
damped in addition. Geometric stiffness as inertia: Andrews, Teichmann and Koevecses (2017). F is the joint force of the
same substep without A. Step 4 in docs/solver.md.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.constants import GEOMETRIC_DAMPING, GEOMETRIC_PHASE_SQUARED, GEOMETRIC_PHASE_TARGET
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.model_types import FREE_BODY
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.joint_coordinates import coordinate_functions


@lru_cache(maxsize=2)
def geometric_stiffness_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    vec3 = p.vec3
    wide = precision("float64")
    wide_vec3, wide_vec6 = wide.vec3, wide.vec6
    Bodies, Row = p.references("Bodies", "Row")
    Body, Joint = p.references("Body", "Joint")
    is_static = motion_functions(p).is_static
    exact, rounded, rate = rounding_functions(p).exact, rounding_functions(p).rounded, motion_functions(p).rate
    force, has_joint_coordinates = contact_law_functions(p).force, coordinate_functions(p).has_joint_coordinates
    numbers = (0.0, 1.0, GEOMETRIC_PHASE_SQUARED, GEOMETRIC_PHASE_TARGET, GEOMETRIC_DAMPING)
    zero, one, phase_limit, phase_target, damping = (wp.constant(wp.float64(number)) for number in numbers)
    linear, joined, free_body = axes_functions(wide).linear, axes_functions(p).joined, wp.constant(FREE_BODY)

    @wp.func
    def phase_of_pull(bodies: Bodies, b: int, arm: vec3, pull: wp.float64) -> wp.float64:
        """Return a bound of the contribution of a pull F . r to (h w)^2 of a body; the arm is in body axes."""
        square = wp.dot(arm, arm)
        if pull <= zero or is_static(bodies, b) or square == p.scalar(0.0):
            return zero
        inverse = bodies.inv_inertia[b]
        across = inverse[0, 0] + inverse[1, 1] + inverse[2, 2] - wp.dot(arm, inverse * arm) / square
        return pull * wp.float64(across)

    @wp.func
    def angular_response(bodies: Bodies, b: int, arm: vec3) -> p.scalar:
        """Return the square of a bound of (h w)^2 for a unit impulse at an arm in body axes."""
        square = wp.dot(arm, arm)
        if square == p.scalar(0.0):
            return square
        inverse = bodies.inv_inertia[b]
        across = square * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2]) - wp.dot(arm, inverse * arm)
        return across * across / square

    @wp.func
    def is_slack(scene: Scene, n: int) -> bool:
        """Return whether an island without contacts and loops has too little tension to need added inertia, cheaply."""
        if (
            scene.islands.end_row[n] > scene.islands.first_row[n]
            or scene.islands.end_group[n] > scene.islands.first_group[n]
        ):
            return False
        mass, response, largest_square = p.scalar(0.0), p.scalar(0.0), wp.float64(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            displacement = linear(scene.system.displacement[b])
            largest_square = wp.max(largest_square, wp.dot(displacement, displacement))
            mass += scene.bodies.mass[b]
            if scene.bodies.parent[b] != free_body:
                j = scene.bodies.joint[b]
                response = wp.max(response, angular_response(scene.bodies, b, scene.joints.child_point[j]))
                if not is_static(scene.bodies, scene.joints.parent[j]):
                    response = wp.max(
                        response, angular_response(scene.bodies, scene.joints.parent[j], scene.joints.parent_point[j])
                    )
        return wp.float64(mass * mass * response) * largest_square <= phase_limit * phase_limit

    @wp.func
    def load(scene: Scene, b: int, f: wide_vec3):
        """Add to the load that a body's joint has to balance."""
        if not is_static(scene.bodies, b):
            scene.system.node[b].load = scene.system.node[b].load + wide_vec6(f[0], f[1], f[2], zero, zero, zero)

    @wp.func
    def load_row(scene: Scene, row: Row):
        """Subtract the force of a contact from it."""
        f = force(row, row.displacement) - row.applied
        load(scene, row.body_a, -f)
        load(scene, row.body_b, f)

    @wp.func
    def pull_of_loop(scene: Scene, k: int) -> wide_vec3:
        """Return the force of a loop-closing joint's row on its child."""
        if scene.loops.row_dof[k] >= 0 or scene.loops.row_index[k] > 2:
            return wide_vec3()
        axes = scene.joint[scene.loops.row_joint[k]].axes
        return wp.float64(scene.system.loop_iterate_impulse[k]) * exact(axes[scene.loops.row_index[k]])

    @wp.func
    def add_phases(scene: Scene, joint: Joint, j: int, f: wide_vec3) -> wp.float64:
        """Add a joint's contributions to the bounds of its bodies, in `Node.load[3]`; return the larger one."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        of_child = phase_of_pull(scene.bodies, child, scene.joints.child_point[j], wp.dot(f, exact(joint.arm_child)))
        of_parent = phase_of_pull(
            scene.bodies, parent, scene.joints.parent_point[j], -wp.dot(f, exact(joint.arm_parent))
        )
        most = wp.float64(0.0)
        if of_child > zero:
            scene.system.node[child].load[3] = scene.system.node[child].load[3] + of_child
            most = scene.system.node[child].load[3]
        if of_parent > zero:
            scene.system.node[parent].load[3] = scene.system.node[parent].load[3] + of_parent
            most = wp.max(most, scene.system.node[parent].load[3])
        return most

    @wp.func(inline=False)
    def find_forces(scene: Scene, n: int) -> wp.float64:
        """Compute the joint forces at the minimum; return a bound of (h w)^2 of all bodies."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            applied = scene.body[b].load
            f = wp.float64(scene.bodies.mass[b]) * linear(scene.system.displacement[b]) - exact(
                vec3(applied[0], applied[1], applied[2])
            )
            scene.system.node[b].load = wide_vec6(f[0], f[1], f[2], zero, zero, zero)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            load_row(scene, scene.rows.row[scene.islands.working_row[i]])
        most = wp.float64(0.0)
        for g in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[g]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                j = scene.loops.row_joint[k]
                f = pull_of_loop(scene, k)
                load(scene, scene.joints.child[j], -f)
                load(scene, scene.joints.parent[j], f)
                most = wp.max(most, add_phases(scene, scene.joint[j], j, f))
        first, end = scene.islands.first_body[n], scene.islands.end_body[n]
        for i in range(first, end):
            b = scene.islands.body[first + end - 1 - i]
            if has_joint_coordinates(scene, b):
                j = scene.bodies.joint[b]
                f = linear(scene.system.node[b].load)
                load(scene, scene.joints.parent[j], f)
                most = wp.max(most, add_phases(scene, scene.joint[j], j, f))
        return most

    @wp.func
    def add_pull(body: Body, arm: vec3, f: wide_vec3):
        """Add the geometric stiffness of a force at an arm to `Body.added_inertia`."""
        r = exact(arm)
        square = wp.dot(r, r)
        if square > zero:
            pull = wp.dot(f, r)
            body.added_inertia = body.added_inertia + (
                pull * wp.identity(n=3, dtype=wp.float64) - (pull / square) * wp.outer(r, r)
            )

    @wp.func
    def pull_joint(scene: Scene, joint: Joint, j: int, f: wide_vec3):
        """Do so for both bodies of a joint, which acts on the child with the force f."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        if not is_static(scene.bodies, child):
            add_pull(scene.body[child], joint.arm_child, f)
        if not is_static(scene.bodies, parent):
            add_pull(scene.body[parent], joint.arm_parent, -f)

    @wp.func(inline=False)
    def find_stiffness(scene: Scene, n: int):
        """Write the geometric stiffness of each body, from the joint forces found, to `Body.added_inertia`."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.body[scene.islands.body[i]].added_inertia = wp.mat33d()
        for g in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[g]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                j = scene.loops.row_joint[k]
                pull_joint(scene, scene.joint[j], j, pull_of_loop(scene, k))
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if has_joint_coordinates(scene, b):
                j = scene.bodies.joint[b]
                pull_joint(scene, scene.joint[j], j, linear(scene.system.node[b].load))

    @wp.func
    def missing_inertia(body: Body, most: wp.float64) -> wp.mat33d:
        """Return the added inertia with which the stiffness in `Body.added_inertia` has (h w)^2 = `most` [kg m^2]."""
        out = (one / most) * body.added_inertia
        for i in range(3):
            for k in range(3):
                out[i, k] = out[i, k] - wp.float64(body.tensor[i, k])
        return out

    @wp.func
    def is_unstable(body: Body) -> bool:
        """Return whether a body's geometric stiffness exceeds the stability limit."""
        _axes, size = wp.eig3(missing_inertia(body, phase_limit))
        return wp.max(size) > zero

    @wp.func
    def add_inertia(body: Body):
        """Convert the geometric stiffness of a body to its added inertia."""
        axes, size = wp.eig3(missing_inertia(body, phase_target))
        body.has_added_inertia = int(wp.max(size) > zero)
        body.added_inertia = wp.mat33d()
        if body.has_added_inertia == 1:
            kept = wide_vec3(wp.max(size[0], zero), wp.max(size[1], zero), wp.max(size[2], zero))
            body.added_inertia = axes * wp.diag(kept) * wp.transpose(axes)

    @wp.func
    def load_turn(body: Body, twist: wide_vec3):
        """Apply a moment to a body in the coming solve."""
        body.load = body.load + joined(vec3(), rounded(twist))

    @wp.func
    def turn_of(bodies: Bodies, body: Body, b: int, spin: vec3) -> wide_vec3:
        """Return the rotation of a body by an angular momentum in the substep [rad]."""
        return exact(body.h * rate(bodies, b, body.r, spin))

    @wp.func
    def inertia_of(body: Body) -> wp.float64:
        """Return twice the mean inertia of a body, added inertia included."""
        return wp.float64(wp.trace(body.tensor)) + wp.trace(body.added_inertia)

    @wp.func
    def damp_relative_rotation(bodies: Bodies, child: Body, parent: Body, c: int, b: int):
        """Damp the relative rotation of two bodies, scaled by the smaller added inertia."""
        inertia = child.added_inertia
        if wp.trace(child.added_inertia) == zero or wp.trace(child.added_inertia) > inertia_of(parent):
            inertia = parent.added_inertia
        relative_rotation = turn_of(bodies, child, c, child.spin) - turn_of(bodies, parent, b, parent.spin)
        twist = damping * (inertia * relative_rotation)
        load_turn(child, -twist)
        load_turn(parent, twist)

    @wp.func
    def load_added_inertia(scene: Scene, n: int):
        """Damp bodies with added inertia, and remove the rotation that applied moments gave them without it."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.body[b].has_added_inertia == 1:
                gained = turn_of(scene.bodies, scene.body[b], b, scene.body[b].spin - scene.body[b].spin_before)
                load_turn(scene.body[b], -(scene.body[b].added_inertia * gained))
            if has_joint_coordinates(scene, b):
                parent = scene.joints.parent[scene.bodies.joint[b]]
                if not is_static(scene.bodies, parent):
                    if scene.body[b].has_added_inertia == 1 or scene.body[parent].has_added_inertia == 1:
                        damp_relative_rotation(scene.bodies, scene.body[b], scene.body[parent], b, parent)

    @wp.func
    def add_geometric_inertia(scene: Scene, n: int) -> bool:
        """Add the necessary inertia to the bodies of an island; return whether there is any: the minimum moves then."""
        if is_slack(scene, n):
            return False
        if find_forces(scene, n) <= phase_limit:
            return False
        find_stiffness(scene, n)
        needs = bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.bodies.is_free_body[b] == 0 and not needs:
                needs = is_unstable(scene.body[b])
        if needs:
            for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
                b = scene.islands.body[i]
                if scene.bodies.is_free_body[b] == 0:
                    add_inertia(scene.body[b])
            load_added_inertia(scene, n)
        return needs

    return SimpleNamespace(add_geometric_inertia=add_geometric_inertia)
