# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Displacements of a body in the coordinates of its joint, in double precision.

J d are the joint coordinates of displacements d of its two bodies, one number a row. E q is the displacement of the
child alone with the coordinates q, so J E = 1, and A d_p the displacement of the child along with its parent, whose
coordinates are zero.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.model_types import FREE_BODY
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def coordinate_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    vec3, mat33 = p.vec3, p.mat33
    wide = precision("float64")
    wide_vec3, wide_vec6, axes = wide.vec3, wide.vec6, axes_functions(wide)
    linear, angular, joined = axes.linear, axes.angular, axes.joined
    (Joint,), Scene = p.references("Joint"), wp.ref[scene_type(p)]
    exact, is_static = rounding_functions(p).exact, motion_functions(p).is_static
    free_body, zero = wp.constant(FREE_BODY), wp.constant(wp.float64(0.0))

    @wp.func
    def has_joint_coordinates(scene: Scene, b: int) -> bool:
        """Return whether a body is solved in joint coordinates: its joint has a locked row, or a spring."""
        if scene.bodies.parent[b] == free_body:
            return False
        return scene.joint[scene.bodies.joint[b]].mask != int(0)

    @wp.func
    def axis(m: mat33, row: int) -> wide_vec3:
        return exact(vec3(m[row, 0], m[row, 1], m[row, 2]))

    @wp.func
    def sum_of_axes(m: mat33, v: wide_vec3) -> wide_vec3:
        return v[0] * axis(m, 0) + v[1] * axis(m, 1) + v[2] * axis(m, 2)

    @wp.func
    def along_axes(m: mat33, v: wide_vec3) -> wide_vec3:
        return wide_vec3(wp.dot(axis(m, 0), v), wp.dot(axis(m, 1), v), wp.dot(axis(m, 2), v))

    @wp.func
    def child_displacement(joint: Joint, q: wide_vec6) -> wide_vec6:
        """Return E q."""
        turn = sum_of_axes(joint.dual_turns, angular(q))
        return joined(sum_of_axes(joint.axes, linear(q)) + wp.cross(exact(joint.arm_child), turn), turn)

    @wp.func
    def load_on_rows(joint: Joint, g: wide_vec6) -> wide_vec6:
        """Return E^T g: the component of a load on the child on each row."""
        moment = angular(g) + wp.cross(linear(g), exact(joint.arm_child))
        return joined(along_axes(joint.axes, linear(g)), along_axes(joint.dual_turns, moment))

    @wp.func
    def coordinate(joint: Joint, row: int) -> wide_vec6:
        """Return a column of E: the displacement of the child that changes one row by one."""
        if row < 3:
            along = axis(joint.axes, row)
            return wide_vec6(along[0], along[1], along[2], zero, zero, zero)
        about = axis(joint.dual_turns, row - 3)
        return joined(wp.cross(exact(joint.arm_child), about), about)

    @wp.func
    def carried(r: wide_vec3, d: wide_vec6) -> wide_vec6:
        """Return A d: the displacement of a body fixed to another one at a lever."""
        turn = angular(d)
        return joined(linear(d) + wp.cross(turn, r), turn)

    @wp.func
    def carried_load(r: wide_vec3, g: wide_vec6) -> wide_vec6:
        """Return A^T g: a load on such a body as a load on the other one."""
        return joined(linear(g), angular(g) + wp.cross(r, linear(g)))

    @wp.func
    def read(scene: Scene, joint: Joint, moves: wp.array(dtype=wide_vec6), j: int) -> wide_vec6:
        """Return J d: the joint coordinates of displacements."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        d = wide_vec6()
        if not is_static(scene.bodies, child):
            d = carried(exact(joint.arm_child), moves[child])
        if not is_static(scene.bodies, parent):
            d = d - carried(exact(joint.arm_parent), moves[parent])
        return joined(along_axes(joint.axes, linear(d)), along_axes(joint.turns, angular(d)))

    return SimpleNamespace(
        has_joint_coordinates=has_joint_coordinates,
        child_displacement=child_displacement,
        load_on_rows=load_on_rows,
        coordinate=coordinate,
        carried=carried,
        carried_load=carried_load,
        read=read,
    )
