# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes that every engine can build: bodies with their centre of mass at the origin, joints, shapes, a floor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.spatial import Array, Pose

G = 9.81
WORLD = -1
HINGE, SLIDE, BALL = "hinge", "slide", "ball"


@dataclass(frozen=True, eq=False)
class Shape:
    """A collision shape without weight.

    Attributes:
        kind: "box" (half edges), "sphere" (radius), "cylinder" or "capsule" (radius, half length along z).
        size: Its sizes [m].
        at: Its centre seen from the body's [m].
        mu: Its coefficient of friction; None for that of the scene. The greater one of a pair counts then.
    """

    kind: str
    size: tuple[float, ...]
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mu: float | None = None


@dataclass(frozen=True, eq=False)
class Hold:
    """The joint that a body hangs on; its coordinate is zero at the start.

    Attributes:
        kind: `HINGE`, `SLIDE` or `BALL`.
        parent: Index of the parent body, or `WORLD`.
        anchor: Where it is in the world at the start [m].
        axis: Its axis in the world at the start.
        lower, upper: Limits [rad or m].
        ke, kd, target: Drive.
    """

    kind: str
    parent: int
    anchor: tuple[float, float, float]
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    lower: float = -np.inf
    upper: float = np.inf
    ke: float = 0.0
    kd: float = 0.0
    target: float = 0.0


@dataclass(frozen=True, eq=False)
class Body:
    """A body; its frame lies in its centre of mass.

    Attributes:
        mass: Its mass [kg].
        inertia: Diagonal tensor about the centre of mass, body axes [kg m^2], shape (3, 3).
        pose: Where it is at the start.
        velocity, spin: Velocity of the centre [m/s] and angular velocity [rad/s], world axes.
        shapes: What it touches others with.
        hold: The joint that it hangs on, if any.
    """

    mass: float
    inertia: Array
    pose: Pose = field(default_factory=Pose)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    shapes: tuple[Shape, ...] = ()
    hold: Hold | None = None


@dataclass(frozen=True, eq=False)
class World:
    """A scene.

    Attributes:
        bodies: Parents before children.
        gravity: Acceleration of free fall [m/s^2].
        floor: Whether the half space below z = 0 is solid.
        mu: Coefficient of friction of everything.
        place: Pose of the whole scene, floor and gravity included, in the engine's world.
        mu_torsional, mu_rolling: Lengths of torsional and rolling friction of everything [m].
        bounce: Ratio of the speeds after and before an impact, of everything.
        walls: Shapes that do not move.
    """

    bodies: tuple[Body, ...]
    gravity: tuple[float, float, float] = (0.0, 0.0, -G)
    floor: bool = False
    mu: float = 0.5
    place: Pose = field(default_factory=Pose)
    mu_torsional: float = 0.0
    mu_rolling: float = 0.0
    bounce: float = 0.0
    walls: tuple[Shape, ...] = ()

    @property
    def has_own_friction(self) -> bool:
        """Whether some shape has a coefficient of friction of its own."""
        return any(shape.mu is not None for body in self.bodies for shape in body.shapes)

    @property
    def weight(self) -> float:
        """Weight of all bodies [N]."""
        return float(sum(body.mass for body in self.bodies) * np.linalg.norm(self.gravity))

    def put(self, place: Pose) -> World:
        """Return the same scene elsewhere."""
        return replace(self, place=place)

    def body_pose(self, index: int) -> Pose:
        """Return where a body starts in the engine's world."""
        return self.place @ self.bodies[index].pose

    def anchor(self, hold: Hold) -> Pose:
        """Return where a joint is at the start in the engine's world, axes those of the scene."""
        return self.place @ Pose(np.array(hold.anchor))

    def turned(self, vector: tuple[float, float, float]) -> Array:
        """Return a vector of the scene in the engine's axes."""
        return np.asarray(self.place.rotation @ np.array(vector))


def cuboid(mass: float, hx: float, hy: float, hz: float) -> Array:
    """Return the tensor of a solid box of these half edges [m]."""
    return mass / 3.0 * np.diag([hy * hy + hz * hz, hx * hx + hz * hz, hx * hx + hy * hy])


def box(mass: float, half: tuple[float, float, float], pose: Pose, **more: object) -> Body:
    """Return a solid box."""
    return Body(mass, cuboid(mass, *half), pose, shapes=(Shape("box", half),), **more)  # type: ignore[arg-type]


def at(x: float, y: float, z: float, rotation: Array | None = None) -> Pose:
    """Return a pose."""
    return Pose(np.array([x, y, z]), np.eye(3) if rotation is None else rotation)
