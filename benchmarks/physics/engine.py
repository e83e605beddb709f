# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a scene asks of an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.physics.world import World
from inertia_tools.spatial import Array

FRAME = 1.0 / 120.0
"""Time between two looks at a scene [s]."""


class NotYetError(Exception):
    """The engine has no such thing."""


@dataclass(frozen=True, eq=False)
class Motion:
    """All bodies at one instant, in the axes of the scene.

    Attributes:
        time: Simulated time [s].
        x: Centres of mass [m], shape (n, 3).
        r: Rotations, shape (n, 3, 3).
        v: Velocities of the centres [m/s], shape (n, 3).
        w: Angular velocities [rad/s], shape (n, 3).
    """

    time: float
    x: Array
    r: Array
    v: Array
    w: Array

    def energy(self, world: World) -> float:
        """Return kinetic and potential energy [J]."""
        total = 0.0
        for i, body in enumerate(world.bodies):
            spin = self.r[i].T @ self.w[i]
            total += 0.5 * body.mass * self.v[i] @ self.v[i] + 0.5 * spin @ body.inertia @ spin
            total -= body.mass * np.array(world.gravity) @ self.x[i]
        return float(total)

    def momenta(self, world: World) -> tuple[Array, Array]:
        """Return linear momentum [N s] and angular momentum about the scene's origin [N m s]."""
        linear, angular = np.zeros(3), np.zeros(3)
        for i, body in enumerate(world.bodies):
            p = body.mass * self.v[i]
            linear += p
            angular += np.cross(self.x[i], p) + self.r[i] @ body.inertia @ self.r[i].T @ self.w[i]
        return linear, angular


class Engine(ABC):
    """One engine with one scene.

    Args:
        world: The scene.
        h: Length of a step of the engine [s].
        frame: Time between two looks [s].
    """

    name = ""

    def __init__(self, world: World, h: float, frame: float = FRAME) -> None:
        self.world, self.h, self.frame = world, h, frame
        self.steps_per_frame = round(frame / h)
        self.frames_made = 0
        self._build()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.frames_made * self.frame

    def advance(self, seconds: float) -> Engine:
        """Simulate for so long, to the nearest frame."""
        for _ in range(round(seconds / self.frame)):
            self._step_frame()
            self.frames_made += 1
        return self

    def frames(self, seconds: float) -> Iterator[Motion]:
        """Yield what is seen at the end of every frame."""
        for _ in range(round(seconds / self.frame)):
            self.advance(self.frame)
            yield self.motion()

    def motion(self) -> Motion:
        """Look at the bodies."""
        x, r, v, w = self._bodies()
        turn, origin = self.world.place.rotation, self.world.place.position
        return Motion(self.time, (x - origin) @ turn, turn.T @ r, v @ turn, w @ turn)

    def contact(self, a: int, b: int = -1) -> tuple[Array, Array]:
        """Return points [m] and forces on body a from body b [N], axes of the scene, each of shape (k, 3)."""
        points, forces = self._contact(a, b)
        turn = self.world.place.rotation
        return (points.reshape(-1, 3) - self.world.place.position) @ turn, forces.reshape(-1, 3) @ turn

    def force(self, a: int, b: int = -1) -> Array:
        """Return the whole force on body a from body b [N], shape (3,)."""
        return np.asarray(self.contact(a, b)[1].sum(axis=0))

    def reaction(self, body: int) -> tuple[Array, Array]:
        """Return the force and the torque about the body's centre that its joint exerts on it, axes of the scene."""
        force, torque = self._reaction(body)
        turn = self.world.place.rotation
        return turn.T @ force, turn.T @ torque

    @abstractmethod
    def drive(self, body: int, target: float) -> None:
        """Set what the drive of a body's joint aims at [rad or m]."""

    @abstractmethod
    def push(self, body: int, force: tuple[float, float, float]) -> None:
        """Push at a body's centre from now on [N], axes of the scene."""

    @abstractmethod
    def _build(self) -> None: ...

    @abstractmethod
    def _step_frame(self) -> None: ...

    @abstractmethod
    def _bodies(self) -> tuple[Array, Array, Array, Array]: ...

    @abstractmethod
    def _contact(self, a: int, b: int) -> tuple[Array, Array]: ...

    @abstractmethod
    def _reaction(self, body: int) -> tuple[Array, Array]: ...
