# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Wrenches that act on links for a limited time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.sim.importing.articulation import LinkPlace
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.spatial import Array, rotation_about


@dataclass
class Push:
    """A wrench on a link.

    Attributes:
        place: Body and frame of the link.
        force: Force, world axes [N], shape (3,).
        torque: Torque, world axes [N m], shape (3,).
        point: Point of application in the link's frame [m], shape (3,).
        left: Remaining time [s]; infinite until replaced or cleared.
        on_body: Mean wrench on the body in a step: force [N] and torque about the centre of mass [N m], world axes,
            shape (6,).
    """

    place: LinkPlace
    force: Array
    torque: Array
    point: Array
    left: float
    on_body: Array = field(default_factory=lambda: np.zeros(6))


@dataclass
class Pushes:
    """The active wrenches, at most one per link.

    Attributes:
        by_link: Wrenches by link name.
        acted: `Push.on_body` of the wrenches that acted in the last step, by link name.
    """

    by_link: dict[str, Push] = field(default_factory=dict)
    acted: dict[str, Array] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_link)

    def add(self, link: str, push: Push) -> None:
        """Apply a wrench to a link, replacing its current one."""
        self.by_link[link] = push

    def clear(self) -> None:
        """Remove all wrenches."""
        self.by_link.clear()
        self.acted.clear()

    def on_bodies(self, motion: BodyMotion, dt: float) -> Array:
        """Sum the wrenches on each body about its centre of mass, world axes [N, N m], shape (n, 6).

        Points of application rotate with their bodies. Each is taken at the middle of the step, predicted with the
        current angular velocity, so that the constant torque of the step is second-order accurate.

        Args:
            motion: Poses and velocities at the start of the step.
            dt: Length of the step [s].
        """
        total = np.zeros((len(motion.inertials), 6))
        for push in self._all():
            body = push.place.body
            point = (motion.pose(body) @ push.place.pose_body_link).transform_points(push.point)
            arm = _turned(point - motion.com(body), 0.5 * dt * motion.spin(body))
            push.on_body = np.array([*push.force, *(push.torque + np.cross(arm, push.force))])
            total[body] += push.on_body
        return total

    def pass_time(self, dt: float) -> None:
        """Advance by a step [s], and remove expired wrenches; durations round to the nearest step."""
        self.acted = {link: push.on_body for link, push in self.by_link.items()}
        for push in self._all():
            push.left -= dt
        self.by_link = {link: push for link, push in self.by_link.items() if push.left > 0.5 * dt}

    def _all(self) -> Iterable[Push]:
        return self.by_link.values()


def push_for(place: LinkPlace, force: Array, torque: Array, point: Array | None, duration: float, dt: float) -> Push:
    """Create a wrench that acts for a duration [s]: zero means one step, negative means indefinitely."""
    left = math.inf if duration < 0.0 else max(duration, dt)
    return Push(place, force, torque, np.zeros(3) if point is None else point, left)


def _turned(vector: Array, turn: Array) -> Array:
    """Rotate a vector by a rotation vector [rad]."""
    angle = float(np.linalg.norm(turn))
    return rotation_about(turn, angle) @ vector if angle > 0.0 else vector
