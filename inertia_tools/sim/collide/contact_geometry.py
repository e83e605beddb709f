# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts that `Model.collide` reports, as NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from inertia_tools.sim.scene.shape_config import Friction
from inertia_tools.spatial import Array

Indices = npt.NDArray[np.int64]


def _rows(width: int) -> Array:
    return np.zeros((0, width))


@dataclass(eq=False)
class ContactGeometry:
    """Contacts of the last call of `Model.collide`, one entry each, in an order that depends on the shapes alone.

    Attributes:
        shapes: The two shapes, as `add_shape_*` numbered them, shape (n, 2).
        bodies: Their bodies; -1 is the world; shape (n, 2).
        positions: Middle between the nearest points, in the world [m], shape (n, 3).
        normals: Unit normal from the second shape towards the first, world axes, shape (n, 3).
        depths: Overlap beyond the margins of both shapes [m]; negative where they are apart; shape (n,).
        features: The same number from call to call while the same parts of the two shapes touch, shape (n,).
        friction: Coefficients of each pair, combined by the rule of the scene, shape (n, 3): of sliding [1], and the
            lengths [m] of torsional and of rolling friction.
        points: Nearest points of the two shapes in the world [m], shape (n, 2, 3).
        poses: Positions [m] and quaternions (x, y, z, w) of all bodies then, shape (bodies, 7).
    """

    shapes: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    bodies: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    positions: Array = field(default_factory=lambda: _rows(3))
    normals: Array = field(default_factory=lambda: _rows(3))
    depths: Array = field(default_factory=lambda: np.zeros(0))
    features: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    friction: Array = field(default_factory=lambda: _rows(3))
    points: Array = field(default_factory=lambda: np.zeros((0, 2, 3)))
    poses: Array = field(default_factory=lambda: _rows(7))

    def __len__(self) -> int:
        return len(self.depths)

    def fill(
        self, rows: np.ndarray, shape_of: Indices, body_of: Indices, frictions: tuple[Friction, ...], rule: str
    ) -> None:
        """Set the arrays from the contacts that the narrow phase has found.

        Args:
            rows: Structured array; see `Contact` of `collision_types`.
            shape_of: Shape of each collider.
            body_of: Body of each collider.
            frictions: Coefficients of each collider.
            rule: Rule that combines the coefficients of a pair, one of `FRICTION_RULES`.
        """
        pairs = np.stack([rows["a"], rows["b"]], axis=1).astype(np.int64)
        self.shapes, self.bodies = shape_of[pairs], body_of[pairs]
        self.points = np.stack([rows["on_a"], rows["on_b"]], axis=1).astype(np.float64)
        self.positions = 0.5 * (rows["on_a"].astype(np.float64) + rows["on_b"])
        self.normals = rows["normal"].astype(np.float64)
        self.depths = -rows["gap"].astype(np.float64)
        self.features = rows["feature"].astype(np.int64)
        table = np.array(frictions, dtype=np.float64).reshape(-1, 3)
        self.friction = combined(rule, table[pairs[:, 0]], table[pairs[:, 1]])


def combined(rule: str, first: Array, second: Array) -> Array:
    """Return the coefficients of two materials, combined by a rule of `FRICTION_RULES`."""
    match rule:
        case "min":
            return np.minimum(first, second)
        case "max":
            return np.maximum(first, second)
        case "product":
            return first * second
    return 0.5 * (first + second)
