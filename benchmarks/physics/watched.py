# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is looked at of a robot on some ground: how deep it is in it, its energy, and the gaps of its joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

import inertia_tools as it
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.spatial import Array

SAMPLES = 300
"""Points on each round shape or box that are looked at."""

MOST_CORNERS = 6000
"""Corners of a mesh that are looked at."""

PINNED = (JointKind.REVOLUTE, JointKind.FIXED, JointKind.BALL)
"""Joints that keep a point of the one body at a point of the other."""


class Ground(Protocol):
    """What robots stand on."""

    @property
    def ground(self) -> it.Heightfield | it.Mesh | bool:
        """What `Simulation` takes for it."""

    def height(self, points: Array) -> Array:
        """Return the height of the surface above or below points [m], shape (n,)."""

    def depth(self, points: Array) -> Array:
        """Return how far points are below the surface [m], shape (n,)."""


@dataclass
class Watched:
    """A robot on a ground, and drives that hold it.

    Attributes:
        simulation: The robot.
        ground: What it stands on.
        stiffness: Stiffness of the drive of each joint [N m/rad or N/m], and what they aim at, by name.
        aims: Where the drives hold the joints.
    """

    simulation: it.Simulation
    ground: Ground
    stiffness: dict[str, float] = field(default_factory=dict)
    aims: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Put points on the shapes of each body."""
        found: dict[int, list[Array]] = {}
        for shape in self.simulation.model.collision.shapes:
            if shape.body >= 0 and shape.convex is not None:
                found.setdefault(shape.body, []).append(points_on(shape))
        self.points = {body: np.concatenate(parts) for body, parts in found.items()}

    @property
    def motion(self) -> BodyMotion:
        """How the bodies lie and move."""
        state = self.simulation.state
        q, qd = (array.numpy().astype(np.float64) for array in (state.body_q, state.body_qd))
        return BodyMotion(self.simulation.model.inertials, q, qd)

    def surface(self) -> Array:
        """Return the points in the world [m], shape (n, 3)."""
        motion = self.motion
        return np.concatenate([motion.pose(body).transform_points(points) for body, points in self.points.items()])

    def put_above(self, clearance: float) -> None:
        """Lift the robot so far that its nearest point is this high above the ground [m]."""
        places = self.surface()
        self.simulation.lift(clearance + float((self.ground.height(places) - places[:, 2]).max()))

    def depth(self) -> float:
        """Return how deep the deepest point is in the ground [m]."""
        return float(self.ground.depth(self.surface()).max())

    def energies(self) -> tuple[float, float]:
        """Return the kinetic energy, and all energy with that of the drives [J]."""
        now = self.simulation.snapshot()
        aside = {name: now.joint_positions[name] - self.aims[name] for name in self.stiffness}
        stored = sum(0.5 * stiffness * aside[name] ** 2 for name, stiffness in self.stiffness.items())
        return now.kinetic_energy, now.kinetic_energy + now.potential_energy + stored

    def gap(self) -> float:
        """Return the largest distance between the two sides of a joint [m]."""
        motion = self.motion
        return max(
            float(
                np.linalg.norm(
                    (motion.pose(joint.parent) @ joint.pose_parent).position
                    - (motion.pose(joint.child) @ joint.pose_child).position
                )
            )
            for joint in self.simulation.model.built_joints
            if joint.kind in PINNED
        )

    def excess_force(self) -> float:
        """Return the upward force of the ground over the weight, less one."""
        upward = sum(c.forces[:, 2].sum() for c in self.simulation.contacts() if c.body_b == "world")
        return float(upward) / self.simulation.weight - 1.0


def points_on(shape: BuiltShape) -> Array:
    """Return points on the surface of a shape in the frame of its body [m], shape (n, 3)."""
    x, y, z = shape.scale
    ball, up = _spread()
    axis = np.array([0.0, 0.0, 1.0])
    match shape.kind:
        case GeoType.SPHERE:
            points = x * ball
        case GeoType.ELLIPSOID:
            points = ball * shape.scale
        case GeoType.CAPSULE:
            points = x * ball + y * np.outer(np.sign(up), axis)
        case GeoType.BOX:
            corners = np.array(np.meshgrid([-x, x], [-y, y], [-z, z])).reshape(3, -1).T
            points = np.concatenate([ball / np.abs(ball).max(axis=1, keepdims=True) * (x, y, z), corners])
        case GeoType.CYLINDER:
            around = x * ball * [1.0, 1.0, 0.0] / np.hypot(ball[:, :1], ball[:, 1:2])
            points = np.concatenate([around + y * axis, around - y * axis, around + y * np.outer(up, axis)])
        case _:
            assert isinstance(shape.source, Mesh)
            points = shape.source.triangles(shape.scale).used_vertices
            points = points[:: 1 + len(points) // MOST_CORNERS]
    return shape.pose.transform_points(points)


def _spread() -> tuple[Array, Array]:
    """Return points spread evenly over the unit ball, shape (n, 3), and their heights, shape (n,)."""
    index = np.arange(SAMPLES) + 0.5
    up = 1.0 - 2.0 * index / SAMPLES
    angle = index * np.pi * (3.0 - np.sqrt(5.0))
    across = np.sqrt(1.0 - up**2)
    return np.stack([across * np.cos(angle), across * np.sin(angle), up], axis=1), up
