# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Jacobians, mass matrix and inverse dynamics of joint trees at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertia_tools.sim.dynamics.joint_axes import JointAxes, axes_of
from inertia_tools.sim.dynamics.tree import Tree
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Bodies on joints at one instant.

    Attributes:
        tree: Their degrees of freedom.
        motion: Their poses and velocities.
        armature: Rotor inertias of the model [kg m^2 or kg].
    """

    tree: Tree
    motion: BodyMotion
    armature: Array

    @cached_property
    def _axes(self) -> dict[int, JointAxes]:
        return {body: axes_of(joint, self.motion) for body, joint in self.tree.joints.items()}

    @cached_property
    def _rotors(self) -> Array:
        """Rotor inertia of each degree of freedom, shape (dofs,)."""
        dofs = self.tree.model_dofs
        return np.where(dofs >= 0, self.armature[dofs], 0.0)

    def _origin(self, body: int) -> Array:
        """Return the position of the link at the root of a free tree [m]."""
        return (self.motion.pose(body) @ self.tree.origins[body].pose_body_link).position

    @property
    def velocities(self) -> Array:
        """Rates of the degrees of freedom [rad/s or m/s], shape (dofs,)."""
        rates = np.zeros(len(self.tree.names))
        for body in self.tree.order:
            first, count = self.tree.first[body], self.tree.counts[body]
            if body in self.tree.joints:
                rates[first : first + count] = self._axes[body].rates
            elif count:
                linear = self.motion.velocity_at(body, self._origin(body))
                rates[first : first + count] = [*linear, *self.motion.spin(body)]
        return rates

    def jacobian(self, body: int, point: Array) -> Array:
        """Return the Jacobian of a body's material at a point in the world.

        Returns:
            Velocity of the material and angular velocity of the body per unit velocity of each degree of freedom, world
            axes,
                shape (6, dofs).
        """
        columns = np.zeros((6, len(self.tree.names)))
        for carrier in self.tree.chain(body):
            first, count = self.tree.first[carrier], self.tree.counts[carrier]
            if carrier in self.tree.joints:
                axes = self._axes[carrier]
                for k in range(count):
                    direction = axes.directions[k]
                    if axes.turns[k]:
                        columns[:, first + k] = [*np.cross(direction, point - axes.origin), *direction]
                    else:
                        columns[:3, first + k] = direction
            elif count:
                arm = point - self._origin(carrier)
                columns[:, first : first + 3] = np.eye(6)[:, :3]
                columns[:3, first + 3 : first + 6] = np.cross(np.eye(3), arm).T
                columns[3:, first + 3 : first + 6] = np.eye(3)
        return columns

    @cached_property
    def _at_coms(self) -> dict[int, Array]:
        """Jacobians of the centres of mass of all bodies on joints or free."""
        return {body: self.jacobian(body, self.motion.com(body)) for body in self.tree.order}

    def mass_matrix(self) -> Array:
        """Return the mass matrix M = sum of J^T diag(m, I) J over all bodies, rotors included, shape (dofs, dofs)."""
        matrix = np.diag(self._rotors)
        for body, columns in self._at_coms.items():
            linear, angular = columns[:3], columns[3:]
            matrix += self.motion.inertials[body].mass * linear.T @ linear + angular.T @ self._tensor(body) @ angular
        return matrix

    def inverse_dynamics(self, accelerations: Array, falls: Array) -> Array:
        """Return the efforts for accelerations, besides gravity [N m or N], shape (dofs,).

        Args:
            accelerations: Accelerations of the degrees of freedom [rad/s^2 or m/s^2], shape (dofs,).
            falls: Gravitational acceleration of each body [m/s^2], shape (bodies, 3).
        """
        efforts = self._rotors * accelerations
        for body, (linear, angular) in self._body_accelerations(accelerations).items():
            tensor, spin = self._tensor(body), self.motion.spin(body)
            force = self.motion.inertials[body].mass * (linear - falls[body])
            torque = tensor @ angular + np.cross(spin, tensor @ spin)
            efforts += self._at_coms[body].T @ np.concatenate([force, torque])
        return efforts

    def _tensor(self, body: int) -> Array:
        """Return the inertia tensor of a body about its centre of mass, world axes [kg m^2]."""
        rotation = self.motion.pose(body).rotation
        return np.asarray(rotation @ self.motion.inertials[body].inertia @ rotation.T)

    def _body_accelerations(self, accelerations: Array) -> dict[int, tuple[Array, Array]]:
        """Return the acceleration of each centre of mass [m/s^2], and the angular acceleration [rad/s^2]."""
        motion = self.motion
        found: dict[int, tuple[Array, Array]] = {WORLD: (np.zeros(3), np.zeros(3))}

        def of_material(body: int, point: Array) -> Array:
            if body == WORLD:
                return np.zeros(3)
            linear, angular = found[body]
            return _carried(linear, angular, motion.spin(body), point - motion.com(body))

        for body in self.tree.order:
            first, count = self.tree.first[body], self.tree.counts[body]
            own, spin = accelerations[first : first + count], motion.spin(body)
            if body not in self.tree.joints:
                origin = self._origin(body) if count else motion.pose(body).position
                at_origin, angular = (own[:3], own[3:]) if count else (np.zeros(3), np.zeros(3))
                found[body] = _carried(at_origin, angular, spin, motion.com(body) - origin), angular
                continue
            joint, axes = self.tree.joints[body], self._axes[body]
            linear, angular = of_material(joint.parent, axes.origin), found[joint.parent][1].copy()
            for k in range(count):
                change = own[k] * axes.directions[k]
                turning = axes.rates[k] * np.cross(axes.carried[k], axes.directions[k])
                if axes.turns[k]:
                    angular = angular + change + turning
                else:  # it slides along the parent, which turns: Coriolis
                    linear = linear + change + 2.0 * turning
            found[body] = _carried(linear, angular, spin, motion.com(body) - axes.origin), angular
        del found[WORLD]
        return found


def _carried(linear: Array, angular: Array, spin: Array, arm: Array) -> Array:
    """Return the acceleration [m/s^2] of a rotating body's material at an arm from a point accelerated by `linear`."""
    return np.asarray(linear + np.cross(angular, arm) + np.cross(spin, np.cross(spin, arm)))
