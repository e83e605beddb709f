# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the bodies of a scene lie and move, in NumPy: reading joints from them, and setting them by their joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import ANGULAR_X
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Poses and velocities of bodies at one instant.

    Attributes:
        inertials: Mass properties of each body in its own frame.
        q: Position [m] and quaternion (x, y, z, w) of each body's frame in the world, shape (n, 7).
        qd: Velocity of each centre of mass [m/s] and angular velocity [rad/s], world axes, shape (n, 6).
    """

    inertials: tuple[Inertial, ...]
    q: Array
    qd: Array

    def pose(self, body: int) -> Pose:
        """Return the pose of a body's frame in the world, which has its own."""
        if body == WORLD:
            return Pose()
        return Pose(self.q[body, :3], rotation_from_quaternion(self.q[body, 3:]))

    def com(self, body: int) -> Array:
        """Return where a body's centre of mass is [m], shape (3,)."""
        return self.pose(body).transform_points(self.inertials[body].com)

    def velocity_at(self, body: int, point: Array) -> Array:
        """Return the velocity of a body's material at a point of the world [m/s], shape (3,)."""
        if body == WORLD:
            return np.zeros(3)
        return np.asarray(self.qd[body, :3] + np.cross(self.qd[body, 3:], point - self.com(body)))

    def spin(self, body: int) -> Array:
        """Return the angular velocity of a body [rad/s], shape (3,)."""
        return np.zeros(3) if body == WORLD else self.qd[body, 3:]

    def joint_rate(self, joint: BuiltJoint) -> float:
        """Return the rate of a joint's coordinate [rad/s or m/s]."""
        axis = (self.pose(joint.parent) @ joint.pose_parent).rotation[:, 0]
        if joint.coordinate == ANGULAR_X:
            return float(axis @ (self.spin(joint.child) - self.spin(joint.parent)))
        point = (self.pose(joint.child) @ joint.pose_child).position
        return float(axis @ (self.velocity_at(joint.child, point) - self.velocity_at(joint.parent, point)))

    def kinetic_energy(self, body: int) -> float:
        """Return the kinetic energy of a body [J]."""
        inertial = self.inertials[body]
        spin = self.pose(body).rotation.T @ self.qd[body, 3:]
        return 0.5 * float(inertial.mass * self.qd[body, :3] @ self.qd[body, :3] + spin @ inertial.inertia @ spin)

    def potential_energy(self, body: int, gravity: Array) -> float:
        """Return the energy of a body in gravity [m/s^2], zero at the world's origin [J]."""
        return -self.inertials[body].mass * float(gravity @ self.com(body))

    def placed(self, joints: list[BuiltJoint], roots: Mapping[int, Pose], coordinates: Array) -> Array:
        """Return `q` with root bodies at their poses and the joints at their coordinates, shape (n, 7).

        Args:
            joints: Joints of all these trees, parents before children.
            roots: Where each root body goes; a joint that holds it counts for nothing.
            coordinates: Coordinate of the joint that holds each body [rad or m], shape (n,).
        """
        poses = {WORLD: Pose(), **roots}
        for joint in joints:
            row = joint.coordinate
            if joint.child in roots:
                continue
            if row < 0:  # nothing to set: the child keeps its pose relative to the parent
                poses[joint.child] = poses[joint.parent] @ self.pose(joint.parent).inverse() @ self.pose(joint.child)
            else:
                moved = _along_x(row, float(coordinates[joint.child]))
                poses[joint.child] = poses[joint.parent] @ joint.pose_parent @ moved @ joint.pose_child.inverse()
        q = self.q.copy()
        for body, placed in poses.items():
            if body == WORLD:
                continue
            q[body] = [*placed.position, *placed.quaternion]
        return q

    def with_joint_rates(self, joints: list[BuiltJoint], rates: Mapping[int, float]) -> Array:
        """Return `qd` with the joints at these rates by body, going out from the root, which keeps its own."""
        motion = BodyMotion(self.inertials, self.q, self.qd.copy())
        for joint in joints:
            if joint.coordinate < 0:
                continue
            axis = (self.pose(joint.parent) @ joint.pose_parent).rotation[:, 0]
            turns = joint.coordinate == ANGULAR_X
            rate = rates[joint.child] * axis
            omega = motion.spin(joint.parent) + (rate if turns else 0.0)
            anchor = (self.pose(joint.child) @ joint.pose_child).position
            at_anchor = motion.velocity_at(joint.parent, anchor) + (0.0 if turns else rate)
            motion.qd[joint.child] = [*(at_anchor + np.cross(omega, self.com(joint.child) - anchor)), *omega]
        return motion.qd

    def moving_rigidly(self, bodies: Iterable[int], point: Array, linear: Array, angular: Array) -> Array:
        """Return `qd` with some bodies moving as one that has this velocity at a point, shape (n, 6)."""
        qd = self.qd.copy()
        for body in bodies:
            qd[body] = [*(linear + np.cross(angular, self.com(body) - point)), *angular]
        return qd


def _along_x(row: int, value: float) -> Pose:
    """Return the motion of a joint along or about its x axis."""
    return Pose.from_xyz_rpy(rpy=[value, 0.0, 0.0]) if row == ANGULAR_X else Pose(np.array([value, 0.0, 0.0]))
