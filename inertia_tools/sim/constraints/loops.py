# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows outside the joint trees: joints that close loops, and couplings of two degrees of freedom.

Each depends on the displacements of up to four bodies; `solve/loop_closure.py` computes their multipliers.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.linear_algebra import algebra_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import COMPLIANT


@lru_cache(maxsize=2)
def loop_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec6 = p.scalar, p.vec6
    (Joint,) = p.references("Joint")
    own_mobility = algebra_functions(p).own_mobility
    joint = joint_functions(p)
    is_static = motion_functions(p).is_static
    axes = axes_functions(p)
    child_rows, parent_rows, load_child = axes.child_rows, axes.parent_rows, axes.load_child
    is_active_joint, add_wrench = joint.is_active_joint, joint.add_wrench
    compliant, infinity = wp.constant(COMPLIANT), wp.constant(wp.float64(np.inf))

    @wp.func
    def assemble_joint(scene: Scene, joint: Joint, slot: int, j: int, i: int, scale: scalar):
        """Write the Jacobian of one row of a joint, scaled, to two of the four bodies of a loop's row."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        scene.system.loop_body[slot] = int(-1)
        scene.system.loop_body[slot + 1] = int(-1)
        if not is_static(scene.bodies, child):
            scene.system.loop_body[slot] = child
            jc = child_rows(joint)
            scene.system.loop_jacobian[slot] = scale * vec6(jc[i, 0], jc[i, 1], jc[i, 2], jc[i, 3], jc[i, 4], jc[i, 5])
        if not is_static(scene.bodies, parent):
            scene.system.loop_body[slot + 1] = parent
            jp = parent_rows(joint)
            scene.system.loop_jacobian[slot + 1] = scale * vec6(
                jp[i, 0], jp[i, 1], jp[i, 2], jp[i, 3], jp[i, 4], jp[i, 5]
            )

    @wp.func
    def coupling_error(scene: Scene, k: int) -> scalar:
        """Return the error of a coupling: the follower's coordinate minus offset + ratio times the leader's."""
        led_to = (
            wp.float64(scene.loops.offset[k])
            + wp.float64(scene.loops.ratio[k]) * scene.dof[scene.loops.leader_dof[k]].q
        )
        return scalar(scene.dof[scene.loops.row_dof[k]].q - led_to)

    @wp.func
    def assemble_row(scene: Scene, k: int, error_share: scalar):
        """Assemble one row of a group, with `error_share` of a coupling's error."""
        j, i = scene.loops.row_joint[k], scene.loops.row_index[k]
        scene.system.loop_active[k] = int(0)
        scene.system.loop_error[k] = scalar(0.0)
        scene.system.loop_compliance[k] = scalar(0.0)
        scene.system.loop_body[4 * k + 2] = int(-1)
        scene.system.loop_body[4 * k + 3] = int(-1)
        follower = scene.loops.row_dof[k]
        if follower < 0:
            if (scene.joint[j].mask & (int(1) << i)) != int(0):
                scene.system.loop_active[k] = int(1)
                scene.system.loop_error[k] = scene.joint[j].error[i]
                if (scene.joint[j].mask & compliant) != int(0):
                    scene.system.loop_compliance[k] = scene.joint[j].compliance[i]
                assemble_joint(scene, scene.joint[j], 4 * k, j, i, scalar(1.0))
        elif is_active_joint(scene, j) and is_active_joint(scene, scene.loops.leader_joint[k]):
            ratio = scene.loops.ratio[k]
            scene.system.loop_active[k] = int(1)
            scene.system.loop_error[k] = error_share * coupling_error(scene, k)
            assemble_joint(scene, scene.joint[j], 4 * k, j, i, scalar(1.0))
            assemble_joint(
                scene,
                scene.joint[scene.loops.leader_joint[k]],
                4 * k + 2,
                scene.loops.leader_joint[k],
                scene.loops.leader_index[k],
                -ratio,
            )

    @wp.func
    def free_mobility(scene: Scene, k: int) -> scalar:
        """Return the response of a row to an impulse on it, if its bodies were free."""
        total = scalar(0.0)
        for e in range(4):
            b = scene.system.loop_body[4 * k + e]
            if b >= 0:
                total += wp.dot(
                    scene.system.loop_jacobian[4 * k + e],
                    own_mobility(scene.bodies, b, scene.body[b].r0) * scene.system.loop_jacobian[4 * k + e],
                )
        return total

    @wp.func
    def bound_leader(scene: Scene, k: int) -> bool:
        """Transfer the bounds of a follower to its leader, if that leaves it room; return whether there are any.

        Otherwise both limits and the coupling would be three rows on two degrees of freedom.
        """
        follower, leader, ratio = scene.loops.row_dof[k], scene.loops.leader_dof[k], scene.loops.ratio[k]
        low, high = wp.float64(scene.dof[follower].low), wp.float64(scene.dof[follower].high)
        if ratio == scalar(0.0) or (wp.isinf(low) and wp.isinf(high)):
            return False
        offset, by = wp.float64(scene.loops.offset[k]), wp.float64(ratio)
        one, other = (low - offset) / by, (high - offset) / by
        low = wp.max(wp.min(one, other), scene.dof[leader].low)
        high = wp.min(wp.max(one, other), scene.dof[leader].high)
        if low > high:
            return False
        scene.dof[leader].low = low
        scene.dof[leader].high = high
        scene.dof[follower].low = -infinity
        scene.dof[follower].high = infinity
        return True

    @wp.func
    def bound_leaders(scene: Scene, group: int):
        """Do so for all couplings of a group; leaders may be followers too."""
        first, end = scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]
        changes = bool(True)
        while changes:
            changes = bool(False)
            for k in range(first, end):
                if scene.loops.row_dof[k] >= 0 and is_active_joint(scene, scene.loops.row_joint[k]):
                    if is_active_joint(scene, scene.loops.leader_joint[k]):
                        if bound_leader(scene, k):
                            changes = True

    @wp.func
    def sum_couplings(scene: Scene, k: int, h: scalar):
        """End a substep: add the impulse of a coupling to the wrenches of its two joints."""
        follower = scene.loops.row_dof[k]
        if follower >= 0 and scene.system.loop_impulse[k] != scalar(0.0):
            given = vec6()
            j = scene.loops.row_joint[k]
            given[scene.loops.row_index[k]] = scene.system.loop_impulse[k] / h
            add_wrench(scene, scene.joint[j], j, load_child(scene.joint[j], given))
            given = vec6()
            j = scene.loops.leader_joint[k]
            given[scene.loops.leader_index[k]] = -scene.loops.ratio[k] * scene.system.loop_impulse[k] / h
            add_wrench(scene, scene.joint[j], j, load_child(scene.joint[j], given))

    return SimpleNamespace(
        sum_couplings=sum_couplings,
        coupling_error=coupling_error,
        assemble_row=assemble_row,
        free_mobility=free_mobility,
        bound_leaders=bound_leaders,
    )
