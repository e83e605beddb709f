# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Directions of a joint's degrees of freedom in the world, and their rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.scene.body_motion import BodyMotion, directions_of
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import ANGULAR_Y, Turning
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class JointAxes:
    """The degrees of freedom of a joint at one instant.

    Attributes:
        origin: Position of the child's joint frame [m], about which the child rotates.
        turns: Whether each degree of freedom is a rotation; the others are translations.
        directions: Unit vectors, world axes, shape (dofs, 3).
        rates: Velocities of the degrees of freedom [rad/s or m/s], shape (dofs,).
        carried: Angular velocity of the frame in which each direction is fixed [rad/s], shape (dofs, 3).
    """

    origin: Array
    turns: np.ndarray
    directions: Array
    rates: Array
    carried: Array


def axes_of(joint: BuiltJoint, motion: BodyMotion) -> JointAxes:
    """Return the degrees of freedom of a joint at the poses and velocities of its bodies."""
    origin = (motion.pose(joint.child) @ joint.pose_child).position
    turns, directions = joint.angular, directions_of(joint, motion.pose(joint.parent), motion.pose(joint.child))
    rates = _rates(joint, motion, origin, turns, directions)
    carried = np.tile(motion.spin(joint.parent), (len(rates), 1))
    if joint.turning is Turning.ANGLES:  # each angle rotates about an axis that the ones before it have rotated
        spin = motion.spin(joint.parent)
        for k in np.flatnonzero(turns):
            carried[k] = spin
            spin = spin + rates[k] * directions[k]
    elif joint.turning is Turning.CROSS:
        carried[[dof.row == ANGULAR_Y for dof in joint.dofs]] = motion.spin(joint.child)
    return JointAxes(origin, turns, directions, rates, carried)


def _rates(joint: BuiltJoint, motion: BodyMotion, origin: Array, turns: np.ndarray, directions: Array) -> Array:
    """Return the joint velocities that best fit the velocity of the child relative to the parent (least squares)."""
    if not len(turns):
        return np.zeros(0)
    linear = motion.velocity_at(joint.child, origin) - motion.velocity_at(joint.parent, origin)
    angular = motion.spin(joint.child) - motion.spin(joint.parent)
    columns = np.zeros((6, len(turns)))
    columns[:3, ~turns], columns[3:, turns] = directions[~turns].T, directions[turns].T
    return np.asarray(np.linalg.lstsq(columns, np.concatenate([linear, angular]), rcond=None)[0])
