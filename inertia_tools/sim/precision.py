# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp types of one precision, and the structures of arrays that kernels take.

Single and double precision are two sets of types and kernels made from the same text.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError

wp.config.enable_backward = False  # nothing here is differentiated, and adjoints double the time to compile
wp.config.log_level = wp.LOG_WARNING  # the banner would stand in the JSON that commands print


@dataclass(frozen=True)
class Precision:
    """Types of one precision.

    Attributes:
        name: "float32" or "float64".
        scalar: Warp's scalar type.
        numpy: NumPy's.
        vec3, vec4, vec6, quat, mat33, mat66, transform: The vectors and matrices of it; transforms are a position and a
            quaternion x, y, z, w.
        Bodies, Shapes, Contacts, State, Control, Work: Structures of arrays.
    """

    name: str
    scalar: Any
    numpy: Any
    vec3: Any
    vec4: Any
    vec6: Any
    quat: Any
    mat33: Any
    mat66: Any
    transform: Any
    Bodies: Any
    Shapes: Any
    Contacts: Any
    State: Any
    Control: Any
    Work: Any


@lru_cache(maxsize=2)
def precision(name: str) -> Precision:
    """Return the types of "float32" or "float64".

    Raises:
        OptionError: The name is neither.
    """
    if name not in ("float32", "float64"):
        raise OptionError("dtype", name, "float32 or float64")
    scalar = wp.float32 if name == "float32" else wp.float64
    vec3, vec4, vec6 = (wp.types.vector(length=n, dtype=scalar) for n in (3, 4, 6))
    mat33, mat66 = (wp.types.matrix(shape=(n, n), dtype=scalar) for n in (3, 6))
    quat, transform = wp.types.quaternion(dtype=scalar), wp.types.transformation(dtype=scalar)

    @wp.struct
    class Bodies:
        """What does not change: one entry a body; `hinge_*` describe the joint that holds it."""

        count: wp.int32
        order: wp.array(dtype=wp.int32)  # parents before children
        inv_mass: wp.array(dtype=scalar)  # zero for what does not answer to forces
        mass: wp.array(dtype=scalar)
        com: wp.array(dtype=vec3)
        inertia: wp.array(dtype=mat33)
        inv_inertia: wp.array(dtype=mat33)
        parent: wp.array(dtype=wp.int32)  # -1 is the world
        mask: wp.array(dtype=wp.int32)  # hard rows as bits
        coordinate: wp.array(dtype=wp.int32)  # row of the coordinate, or -1
        parent_point: wp.array(dtype=vec3)  # joint origin from the parent's centre of mass, or from the world's origin
        parent_frame: wp.array(dtype=quat)
        child_point: wp.array(dtype=vec3)  # joint origin from the body's own centre of mass
        child_frame: wp.array(dtype=quat)
        lower: wp.array(dtype=scalar)
        upper: wp.array(dtype=scalar)
        damping: wp.array(dtype=scalar)
        gravity: wp.array(dtype=vec3)  # one entry

    @wp.struct
    class Shapes:
        """Convex shapes, and the ordered pairs (features of one, solid of the other) that may touch."""

        kind: wp.array(dtype=wp.int32)
        size: wp.array(dtype=vec3)
        body: wp.array(dtype=wp.int32)
        point: wp.array(dtype=vec3)  # origin from the body's centre of mass
        frame: wp.array(dtype=quat)
        mu: wp.array(dtype=scalar)
        reach: wp.array(dtype=scalar)  # radius of the ball that holds it; negative for a plane
        first_feature: wp.array(dtype=wp.int32)
        feature_count: wp.array(dtype=wp.int32)
        first_face: wp.array(dtype=wp.int32)
        face_count: wp.array(dtype=wp.int32)
        feature: wp.array(dtype=vec3)
        radius: wp.array(dtype=scalar)
        is_rim: wp.array(dtype=wp.int32)
        face: wp.array(dtype=vec4)
        pair_count: wp.int32
        pair_feature: wp.array(dtype=wp.int32)
        pair_solid: wp.array(dtype=wp.int32)
        pair_slot: wp.array(dtype=wp.int32)

    @wp.struct
    class Contacts:
        """One slot for each feature of each pair, except `near`, which has one entry a pair."""

        near: wp.array(dtype=wp.int32)
        close: wp.array(dtype=wp.int32)  # it may touch in this substep
        slip: wp.array(dtype=vec3)  # tangential displacement still to be taken back, kept while the contact sticks
        normal_impulse: wp.array(dtype=scalar)  # in this substep, times its length [kg m]
        friction_impulse: wp.array(dtype=vec3)
        slides: wp.array(dtype=wp.int32)
        load: wp.array(dtype=scalar)  # normal impulse of the substep before
        grip: wp.array(dtype=scalar)  # stiffness of the friction that holds it, times the substep squared [kg]
        force: wp.array(dtype=vec3)  # mean over the step, on the body of the features [N]
        point: wp.array(dtype=vec3)
        normal: wp.array(dtype=vec3)  # from the solid towards the feature
        depth: wp.array(dtype=scalar)
        braced: wp.array(dtype=wp.int32)  # it takes part in the present joint solve, with the next three
        spring: wp.array(dtype=mat33)
        arm: wp.array(dtype=vec3)
        lacks: wp.array(dtype=vec3)

    @wp.struct
    class State:
        """Pose of each body's frame, velocity of its centre of mass and angular velocity, and their rates."""

        q: wp.array(dtype=transform)
        qd: wp.array(dtype=vec6)
        qdd: wp.array(dtype=vec6)  # acceleration [m/s^2] and torque [N m] at this instant
        f: wp.array(dtype=vec6)  # applied force [N] and torque about the centre of mass [N m], world axes
        joint_q: wp.array(dtype=scalar)  # coordinate of the joint that holds each body, turns counted [rad or m]

    @wp.struct
    class Control:
        """Drive of each body's joint coordinate; an infinite stiffness holds it rigidly."""

        target: wp.array(dtype=scalar)
        target_rate: wp.array(dtype=scalar)
        stiffness: wp.array(dtype=scalar)
        damping: wp.array(dtype=scalar)
        effort: wp.array(dtype=scalar)

    @wp.struct
    class Work:
        """Scratch of one substep, one entry a body."""

        x: wp.array(dtype=vec3)
        r: wp.array(dtype=quat)
        v: wp.array(dtype=vec3)
        spin: wp.array(dtype=vec3)  # angular momentum about the centre of mass, world axes
        x0: wp.array(dtype=vec3)
        r0: wp.array(dtype=quat)
        v_before: wp.array(dtype=vec3)
        spin_before: wp.array(dtype=vec3)
        force: wp.array(dtype=vec6)
        coordinate: wp.array(dtype=scalar)
        coordinate0: wp.array(dtype=scalar)
        mass_matrix: wp.array(dtype=mat66)
        inv_mass_matrix: wp.array(dtype=mat66)
        jacobian_child: wp.array(dtype=mat66)
        jacobian_parent: wp.array(dtype=mat66)
        response: wp.array(dtype=mat66)
        load: wp.array(dtype=vec6)
        error: wp.array(dtype=vec6)
        move: wp.array(dtype=vec6)
        multiplier: wp.array(dtype=vec6)
        at_limit: wp.array(dtype=wp.int32)

    kinds = (vec3, vec4, vec6, quat, mat33, mat66, transform, Bodies, Shapes, Contacts, State, Control, Work)
    return Precision(name, scalar, np.dtype(name).type, *kinds)
