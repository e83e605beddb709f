# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses and velocities of the bodies of a scene in NumPy, and their relation to joint coordinates and rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint, Freedom
from inertia_tools.sim.scene.joint_kind import JointKind, Turning
from inertia_tools.sim.scene.posing import child_of_joint
from inertia_tools.spatial import Array, ArrayLike, Pose, rotation_from_quaternion


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
        """Return the pose of a body frame in the world; the world's own pose is the identity."""
        if body == WORLD:
            return Pose()
        return Pose(self.q[body, :3], rotation_from_quaternion(self.q[body, 3:]))

    def com(self, body: int) -> Array:
        """Return the centre of mass of a body in the world [m], shape (3,)."""
        return self.pose(body).transform_points(self.inertials[body].com)

    def velocity_at(self, body: int, point: Array) -> Array:
        """Return the velocity of the material of a body at a point of the world [m/s], shape (3,)."""
        if body == WORLD:
            return np.zeros(3)
        return np.asarray(self.qd[body, :3] + np.cross(self.qd[body, 3:], point - self.com(body)))

    def spin(self, body: int) -> Array:
        """Return the angular velocity of a body [rad/s], shape (3,)."""
        return np.zeros(3) if body == WORLD else self.qd[body, 3:]

    def joint_rates(self, joint: BuiltJoint) -> Array:
        """Return the rates of a joint's degrees of freedom [rad/s or m/s], shape (dofs,).

        Rotation rates are the least-squares fit to the child's angular velocity relative to the parent, which has other
        components while the joint has a constraint error. They are NaN for bodies with values that are not finite.
        """
        bodies = [body for body in (joint.parent, joint.child) if body != WORLD]
        if not (np.isfinite(self.q[bodies]).all() and np.isfinite(self.qd[bodies]).all()):
            return np.full(len(joint.dofs), np.nan)
        axes = directions_of(joint, self.pose(joint.parent), self.pose(joint.child))
        point, turns = (self.pose(joint.child) @ joint.pose_child).position, joint.angular
        rates = np.zeros(len(axes))
        across = self.velocity_at(joint.child, point) - self.velocity_at(joint.parent, point)
        rates[~turns] = axes[~turns] @ across
        if turns.any():
            spin = self.spin(joint.child) - self.spin(joint.parent)
            rates[turns] = np.linalg.lstsq(axes[turns].T, spin)[0]
        return rates

    def direction(self, freedom: Freedom) -> Array:
        """Return the axis of a degree of freedom in the world, of translation or rotation, shape (3,)."""
        joint = freedom.joint
        axis: Array = directions_of(joint, self.pose(joint.parent), self.pose(joint.child))[freedom.number]
        return axis

    def moved_by(self, joint: BuiltJoint, rates: ArrayLike) -> Array:
        """Return the row of `qd` that the rates of a joint give its child, whose parent moves as it does, shape (6,).

        Args:
            joint: The joint; of a free one the rates are the velocities themselves.
            rates: Of its degrees of freedom [rad/s or m/s].
        """
        values = np.asarray(rates, dtype=np.float64)
        if joint.kind is JointKind.FREE:
            return values
        anchor = (self.pose(joint.child) @ joint.pose_child).position
        parts = values[:, None] * directions_of(joint, self.pose(joint.parent), self.pose(joint.child))
        spin = self.spin(joint.parent) + parts[joint.angular].sum(axis=0)
        velocity = self.velocity_at(joint.parent, anchor) + parts[~joint.angular].sum(axis=0)
        return np.concatenate([velocity + np.cross(spin, self.com(joint.child) - anchor), spin])

    def kinetic_energy(self, body: int) -> float:
        """Return the kinetic energy of a body [J]."""
        inertial = self.inertials[body]
        spin = self.pose(body).rotation.T @ self.qd[body, 3:]
        return 0.5 * float(inertial.mass * self.qd[body, :3] @ self.qd[body, :3] + spin @ inertial.inertia @ spin)

    def potential_energy(self, body: int, gravity: Array) -> float:
        """Return the energy of a body in gravity [m/s^2], zero at the world's origin [J]."""
        return -self.inertials[body].mass * float(gravity @ self.com(body))

    def placed(self, joints: Iterable[tuple[BuiltJoint, Array | None]], roots: Mapping[int, Pose]) -> Array:
        """Return `q` with root bodies at their poses and the joints at their coordinates, shape (n, 7).

        Args:
            joints: Joints of all these trees, parents before children, with their coordinates [rad or m]; a child
                without keeps its pose seen from the parent.
            roots: Pose of each root body; a joint that holds it is ignored.
        """
        poses = {WORLD: Pose(), **roots}
        for joint, coordinates in joints:
            if joint.child in roots:
                continue
            above = poses[joint.parent]
            posed = None if coordinates is None else child_of_joint(joint, above, coordinates.tolist())
            poses[joint.child] = posed or above @ self.pose(joint.parent).inverse() @ self.pose(joint.child)
        del poses[WORLD]
        q = self.q.copy()
        q[list(poses)] = rows_of(poses.values())
        return q

    def with_joint_rates(self, joints: Iterable[tuple[BuiltJoint, Array | None]]) -> Array:
        """Return `qd` with joints at these rates, going out from the root, which keeps its own, shape (n, 6).

        Args:
            joints: Joints of all these trees, parents before children, with their rates [rad/s or m/s]; a child without
                keeps its velocity against the parent.
        """
        motion = BodyMotion(self.inertials, self.q, self.qd.copy())
        for joint, rates in joints:
            if rates is None:
                com = self.com(joint.child)
                motion.qd[joint.child] += motion._carrying(joint.parent, com) - self._carrying(joint.parent, com)
            else:
                motion.qd[joint.child] = motion.moved_by(joint, rates)
        return motion.qd

    def _carrying(self, body: int, point: Array) -> Array:
        """Return the velocity of a point fixed to a body, and its angular velocity, shape (6,)."""
        return np.concatenate([self.velocity_at(body, point), self.spin(body)])

    def moving_rigidly(self, bodies: Iterable[int], point: Array, linear: Array, angular: Array) -> Array:
        """Return `qd` with some bodies moving as one that has this velocity at a point, shape (n, 6)."""
        qd = self.qd.copy()
        for body in bodies:
            qd[body] = [*(linear + np.cross(angular, self.com(body) - point)), *angular]
        return qd


def rows_of(poses: Iterable[Pose]) -> Array:
    """Return poses as positions [m] and quaternions x, y, z, w, shape (n, 7)."""
    return np.reshape([[*pose.position, *pose.quaternion] for pose in poses], (-1, 7)).astype(np.float64)


def directions_of(joint: BuiltJoint, parent: Pose, child: Pose) -> Array:
    """Return the axes of a joint's degrees of freedom in the world, unit vectors, shape (dofs, 3).

    A single rotation axis is fixed in the parent. Of two, the second is the child's y. Of three, each axis is rotated
    by the ones before it: the parent's x, the rotated y, and the child's z.

    Args:
        joint: A joint that is not free.
        parent: Pose of the parent in the world.
        child: Pose of the child.
    """
    slides = (parent @ joint.pose_parent).rotation
    first, second, third = (slides @ joint.turn).T
    if joint.turning in (Turning.CROSS, Turning.ANGLES):
        _, second, third = (child @ joint.pose_child).rotation.T
    if joint.turning is Turning.ANGLES:
        across = np.cross(third, first)
        second = across / np.linalg.norm(across)
    axes = (*slides.T, first, second, third)
    return np.reshape([dof.sign * axes[dof.row] for dof in joint.dofs], (-1, 3))
