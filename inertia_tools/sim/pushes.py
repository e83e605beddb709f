# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Wrenches that act on links for some time."""

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
        place: Where the link is.
        force: Force, world axes [N], shape (3,).
        torque: Torque, world axes [N m], shape (3,).
        point: Where the force acts, in the link's frame [m], shape (3,).
        left: Time that it acts yet [s]; infinite until told otherwise.
        on_body: What it does to the body in a step: force [N] and torque about the centre of mass [N m], world axes,
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
    """The wrenches in force, one for each link at most.

    Attributes:
        by_link: By the names of the links.
        acted: `Push.on_body` of those that acted in the last step.
    """

    by_link: dict[str, Push] = field(default_factory=dict)
    acted: dict[str, Array] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_link)

    def add(self, link: str, push: Push) -> None:
        """Put a wrench on a link, in place of one that is there."""
        self.by_link[link] = push

    def clear(self) -> None:
        """Take all wrenches away."""
        self.by_link.clear()
        self.acted.clear()

    def on_bodies(self, motion: BodyMotion, dt: float) -> Array:
        """Sum the wrenches on each body about its centre of mass, world axes [N, N m], shape (n, 6).

        Points turn with their bodies: each counts where it is in the middle of the step, as the spin is now, which
        makes the torque held through the step right to the second order.

        Args:
            motion: Poses and velocities when the step begins.
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
        """Let a step go by [s], and take away what has acted long enough, to the nearest step."""
        self.acted = {link: push.on_body for link, push in self.by_link.items()}
        for push in self._all():
            push.left -= dt
        self.by_link = {link: push for link, push in self.by_link.items() if push.left > 0.5 * dt}

    def _all(self) -> Iterable[Push]:
        return self.by_link.values()


def push_for(place: LinkPlace, force: Array, torque: Array, point: Array | None, duration: float, dt: float) -> Push:
    """Build a wrench that acts for a duration [s]: zero for one step, negative without end."""
    left = math.inf if duration < 0.0 else max(duration, dt)
    return Push(place, force, torque, np.zeros(3) if point is None else point, left)


def _turned(vector: Array, turn: Array) -> Array:
    """Turn a vector by a rotation vector [rad]."""
    angle = float(np.linalg.norm(turn))
    return rotation_about(turn, angle) @ vector if angle > 0.0 else vector
