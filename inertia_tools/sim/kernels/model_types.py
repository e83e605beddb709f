# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures of the model, constant from step to step: bodies, joints, loops, and shapes."""

from typing import Any

import warp as wp

from inertia_tools.sim.kernels.number_types import NumberTypes

FREE_BODY = -2
"""Value of `Bodies.parent` for a body without a joint."""


def model_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of one precision, by their names."""
    scalar, vec3, vec4, quat, mat33 = n.scalar, n.vec3, n.vec4, n.quat, n.mat33

    @wp.struct
    class Bodies:
        """One entry a body."""

        count: wp.int32
        inv_mass: wp.array(dtype=scalar)  # zero for static and kinematic bodies
        mass: wp.array(dtype=scalar)
        com: wp.array(dtype=vec3)
        inertia: wp.array(dtype=mat33)
        inv_inertia: wp.array(dtype=mat33)
        parent: wp.array(dtype=wp.int32)  # parent in the joint tree; -1 is the world, -2 (`FREE_BODY`) none
        joint: wp.array(dtype=wp.int32)  # joint to that parent, or -1
        gravity: wp.array(dtype=vec3)  # one entry a world of the scene, and one for bodies in none
        world: wp.array(dtype=wp.int32)  # index of its gravity
        gravity_scale: wp.array(dtype=scalar)  # factor of gravity
        max_gravity: wp.array(dtype=scalar)  # one entry: the largest that acts on a body
        version: wp.array(dtype=wp.int32)  # number of changes of its mass properties, or of frames of joints
        is_free_body: wp.array(dtype=wp.int32)  # it is dynamic and has no joint
        simple: wp.array(dtype=wp.int32)  # its joint has one rotation axis at most, and it is in no loop
        extent: wp.array(dtype=scalar)  # distance of its farthest point from its centre of mass
        links: wp.int32  # blocks of the factor, on average for each body
        neighbours: wp.int32  # neighbours of a body during elimination, at most

    @wp.struct
    class Joints:
        """One entry a joint, then one a degree of freedom (dof); positions are in rad or m."""

        count: wp.int32
        parent: wp.array(dtype=wp.int32)  # -1 is the world
        child: wp.array(dtype=wp.int32)
        enabled: wp.array(dtype=wp.int32)
        kind: wp.array(dtype=wp.int32)
        hard: wp.array(dtype=wp.int32)  # locked rows as bits
        turning: wp.array(dtype=wp.int32)  # how rotation is measured: a `Turning`
        mirrored: wp.array(dtype=wp.int32)  # rows whose axis points against the frame's, as bits
        first_dof: wp.array(dtype=wp.int32)
        dof_number: wp.array(dtype=wp.int32)
        first_coordinate: wp.array(dtype=wp.int32)
        parent_point: wp.array(dtype=vec3)  # origin from the parent's centre of mass, or from the world's origin
        parent_low: wp.array(dtype=vec3)  # its rounding error where the parent is the world
        parent_frame: wp.array(dtype=quat)  # of the displacement rows
        parent_turn: wp.array(dtype=quat)  # of the rotation rows
        child_point: wp.array(dtype=vec3)  # origin from the child's centre of mass
        child_turn: wp.array(dtype=quat)
        row: wp.array(dtype=wp.int32)  # from here on, one entry a dof
        lower: wp.array(dtype=scalar)
        upper: wp.array(dtype=scalar)
        target_ke: wp.array(dtype=scalar)
        target_kd: wp.array(dtype=scalar)
        armature: wp.array(dtype=scalar)
        friction: wp.array(dtype=scalar)
        effort_limit: wp.array(dtype=scalar)
        velocity_limit: wp.array(dtype=scalar)
        drive_velocity_limit: wp.array(dtype=scalar)  # while the drive has gains
        damping: wp.array(dtype=scalar)
        stiffness: wp.array(dtype=scalar)
        springref: wp.array(dtype=scalar)

    @wp.struct
    class Loops:
        """Rows outside the joint trees: joints that close loops, and couplings of two dofs; one group a cluster."""

        group_count: wp.int32
        first_body: wp.array(dtype=wp.int32)
        body_count: wp.array(dtype=wp.int32)
        body: wp.array(dtype=wp.int32)  # parents before children
        first_row: wp.array(dtype=wp.int32)
        row_count: wp.array(dtype=wp.int32)
        first_entry: wp.array(dtype=wp.int32)  # of its matrix
        row_total: wp.int32
        row_joint: wp.array(dtype=wp.int32)  # one entry a row: the joint, or the follower of a coupling
        row_index: wp.array(dtype=wp.int32)  # its row in that joint
        row_dof: wp.array(dtype=wp.int32)  # dof of the follower; -1 for a row of a joint
        leader_joint: wp.array(dtype=wp.int32)
        leader_index: wp.array(dtype=wp.int32)
        leader_dof: wp.array(dtype=wp.int32)
        offset: wp.array(dtype=scalar)
        ratio: wp.array(dtype=scalar)

    @wp.struct
    class Shapes:
        """Convex shapes, and the ordered pairs (features of one, solid of the other) that may touch."""

        kind: wp.array(dtype=wp.int32)
        size: wp.array(dtype=vec3)
        body: wp.array(dtype=wp.int32)
        point: wp.array(dtype=vec3)  # origin from the body's centre of mass
        low: wp.array(dtype=vec3)  # its rounding error where the body is the world
        frame: wp.array(dtype=quat)
        friction_rule: wp.int32  # how coefficients of a pair are combined: index in `FRICTION_RULES`
        mu: wp.array(dtype=scalar)
        mu_torsional: wp.array(dtype=scalar)  # length [m]
        mu_rolling: wp.array(dtype=scalar)  # length [m]
        restitution: wp.array(dtype=scalar)
        restitution_rule: wp.int32  # the same for restitution
        reach: wp.array(dtype=scalar)  # radius of the bounding ball about its origin; negative for a plane
        margin: wp.array(dtype=scalar)  # distance kept from other shapes; those of a pair add up
        half_thickness: wp.array(dtype=scalar)  # radius of the largest ball inside; infinite for a plane
        first_feature: wp.array(dtype=wp.int32)  # rounded ones, then as many sharp ones, which touch planes
        feature_count: wp.array(dtype=wp.int32)
        first_face: wp.array(dtype=wp.int32)
        face_count: wp.array(dtype=wp.int32)
        feature: wp.array(dtype=vec3)
        radius: wp.array(dtype=scalar)
        is_rim: wp.array(dtype=wp.int32)
        edge_start: wp.array(dtype=wp.int32)  # corners at the ends of an edge whose middle is the feature; else -1
        edge_end: wp.array(dtype=wp.int32)
        face: wp.array(dtype=vec4)
        count: wp.int32
        pair_count: wp.int32
        pair_feature: wp.array(dtype=wp.int32)
        pair_solid: wp.array(dtype=wp.int32)
        pair_slot: wp.array(dtype=wp.int32)
        pair_anchored: wp.array(dtype=wp.int32)  # its number in the narrow phase, or -1

    return {"Bodies": Bodies, "Joints": Joints, "Loops": Loops, "Shapes": Shapes}
