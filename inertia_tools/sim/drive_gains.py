# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Default drive gains of a robot: each joint becomes a critically damped oscillator.

With the inertia I that a joint moves and the natural frequency w, k = I w^2 and c = 2 I w. I is that of the larger of
the two sides that the joint connects: a knee moves the trunk as often as the shank. A side that is held by the world
does not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_joint import BuiltJoint, Freedom
from inertia_tools.spatial import Array

FREQUENCY = 10.0
"""Natural frequency of a joint with its inertia [Hz]. Under its own weight the load of such a joint sags by g / w^2,
2.5 mm, so the joint is as stiff as position-controlled hardware."""

LEAST_INERTIA = 1e-4
"""Lower bound of the inertia of a joint [kg m^2 or kg], for gears and rotors that descriptions omit."""


@dataclass(frozen=True)
class DriveGains:
    """Gains of a drive.

    Attributes:
        stiffness: Effort per position error [N m/rad or N/m].
        damping: Effort per velocity error [N m s/rad or N s/m].
    """

    stiffness: float
    damping: float


def suited_gains(motion: BodyMotion, joints: NamedJoints, moves: Array) -> dict[str, DriveGains]:
    """Return gains for each joint with one coordinate, by name.

    Args:
        motion: Poses and mass properties of the bodies.
        joints: The joints of the robot.
        moves: Whether each body moves under forces, shape (bodies,).
    """
    rate = 2.0 * math.pi * FREQUENCY
    carried = _carried(joints.built)
    whole = {child: _tree_of(child, joints.built, carried) for child in {j.child for j in joints.built}}
    gains = {}
    for name in joints.names:
        freedom = joints.freedoms[name]
        joint = freedom.joint
        outer = carried[joint.child]
        inner = whole[joint.child] - outer if _floats(joint, joints.built, moves) else frozenset()
        inertia = max(*(_inertia_about(freedom, motion, side) for side in (outer, inner)), LEAST_INERTIA)
        inertia += freedom.config.armature
        gains[name] = DriveGains(inertia * rate**2, 2.0 * inertia * rate)
    return gains


def _carried(built: Sequence[BuiltJoint]) -> dict[int, frozenset[int]]:
    """Return each body's set of descendants in the joint tree, itself included."""
    found: dict[int, frozenset[int]] = {}
    for joint in reversed(built):  # children before parents
        own = found.get(joint.child, frozenset({joint.child}))
        found[joint.child] = own
        if joint.parent != WORLD:
            found[joint.parent] = found.get(joint.parent, frozenset({joint.parent})) | own
    return found


def _root_of(body: int, built: Sequence[BuiltJoint]) -> int:
    """Return the root body of a body's tree, or the world if a joint holds the root."""
    above = {joint.child: joint.parent for joint in built if joint.coordinate >= 0 or joint.hard_rows}
    while body in above:
        body = above[body]
    return body


def _tree_of(body: int, built: Sequence[BuiltJoint], carried: Mapping[int, frozenset[int]]) -> frozenset[int]:
    root = _root_of(body, built)
    return frozenset() if root == WORLD else carried.get(root, frozenset({root}))


def _floats(joint: BuiltJoint, built: Sequence[BuiltJoint], moves: Array) -> bool:
    """Return whether the tree of a joint is free, so that its inner side moves too."""
    root = _root_of(joint.child, built)
    return root != WORLD and bool(moves[root])


def _inertia_about(freedom: Freedom, motion: BodyMotion, bodies: frozenset[int]) -> float:
    """Return the inertia of bodies about a rotation axis [kg m^2], or their mass along a translation axis [kg]."""
    axis = motion.direction(freedom)
    anchor = (motion.pose(freedom.joint.child) @ freedom.joint.pose_child).position
    total = 0.0
    for body in sorted(bodies):
        inertial = motion.inertials[body]
        if not freedom.turns:
            total += inertial.mass
            continue
        local = motion.pose(body).rotation.T @ axis
        arm = np.cross(axis, motion.com(body) - anchor)
        total += float(local @ inertial.inertia @ local + inertial.mass * arm @ arm)
    return total
