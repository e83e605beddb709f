# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of bodies in the middle of a step, the instant at which mean rates of change over the step apply.

The mean over a step in world axes equals the value in its middle, to second order in the step length. In the axes at
its end, part of a rotating body's centripetal acceleration would appear as tangential.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class MidStep:
    """A body in the middle of a step, in world axes.

    Attributes:
        pose: Pose of its frame.
        com: Its centre of mass [m], shape (3,).
        acceleration: Acceleration of the centre of mass [m/s^2], shape (3,).
        spin: Angular velocity [rad/s], shape (3,).
        angular_acceleration: Angular acceleration [rad/s^2], shape (3,).
    """

    pose: Pose
    com: Array
    acceleration: Array
    spin: Array
    angular_acceleration: Array

    def acceleration_at(self, point: Array) -> Array:
        """Return the acceleration of the material at a point of the world [m/s^2], shape (3,)."""
        arm = point - self.com
        turning = np.cross(self.angular_acceleration, arm) + np.cross(self.spin, np.cross(self.spin, arm))
        return np.asarray(self.acceleration + turning)


@dataclass(frozen=True, eq=False)
class StepMotion:
    """Motion of the bodies in a step.

    Steady rotation about the centre of mass, or about an axis through it, is exact for any step length.

    Attributes:
        before: Poses and velocities at the start of the step.
        after: Poses and velocities at its end.
        dt: Length of the step [s].
    """

    before: BodyMotion
    after: BodyMotion
    dt: float
    _middle: dict[int, MidStep] = field(init=False, repr=False, default_factory=dict)

    def middle(self, body: int) -> MidStep:
        """Return a body, or the world, in the middle of the step."""
        if body not in self._middle:
            self._middle[body] = self._middle_of(body)
        return self._middle[body]

    def pose(self, body: int) -> Pose:
        """Return the pose of a body's frame in the middle of the step."""
        return self.middle(body).pose

    def _middle_of(self, body: int) -> MidStep:
        if body == WORLD:
            return MidStep(Pose(), *np.zeros((4, 3)))
        start, end = self.before.pose(body), self.after.pose(body)
        rotation = _half_way(self.before.q[body, 3:], self.after.q[body, 3:])
        own_spins = start.rotation.T @ self.before.spin(body), end.rotation.T @ self.after.spin(body)
        acceleration = (self.after.qd[body, :3] - self.before.qd[body, :3]) / self.dt
        arm = self.after.inertials[body].com
        com = 0.5 * (start.transform_points(arm) + end.transform_points(arm)) - 0.125 * self.dt**2 * acceleration
        return MidStep(
            Pose(com - rotation @ arm, rotation),
            com,
            acceleration,
            rotation @ (0.5 * (own_spins[0] + own_spins[1])),
            rotation @ ((own_spins[1] - own_spins[0]) / self.dt),
        )


def _half_way(start: Array, end: Array) -> Array:
    """Return the rotation half-way between two quaternions, shape (3, 3)."""
    middle = start + np.copysign(1.0, start @ end) * end
    return rotation_from_quaternion(middle / np.linalg.norm(middle))
