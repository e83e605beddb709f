# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One substep of bodies on joints: free motion, then all rows at once as a dense system.

Rows are written as functions of the poses, and their gradients taken by finite differences; nothing of the package's
own algebra is used. Bodies are dictionaries with mass, tensor (body axes), x (centre of mass), r (matrix), v and spin
(angular momentum, world axes), both half a substep behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

Body = dict
Rows = Callable[[Sequence[Body]], np.ndarray]

DIFFERENCE = 1e-6
"""Step of the finite differences [m, rad]; central, so that the gradient is exact to its square."""

TURNS = 64
"""Steps in which a body is turned freely through a substep."""


@dataclass(frozen=True)
class Constraint:
    """Rows that are kept at zero, or pulled there by springs, and the bodies that they read.

    Attributes:
        bodies: Indices.
        rows: Values of the rows at some poses, shape (n,).
        compliance: Of each row over h^2 [1/kg], shape (n,).
    """

    bodies: tuple[int, ...]
    rows: Rows
    compliance: np.ndarray


def turned(r: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return Rotation.from_rotvec(angle).as_matrix() @ r


def moved(body: Body, move: np.ndarray) -> Body:
    return {**body, "x": body["x"] + move[:3], "r": turned(body["r"], move[3:])}


def mass_matrix(body: Body) -> np.ndarray:
    m = np.zeros((6, 6))
    m[:3, :3] = body["mass"] * np.eye(3)
    m[3:, 3:] = body["r"] @ body["tensor"] @ body["r"].T
    return m


def gradient(constraint: Constraint, bodies: Sequence[Body]) -> np.ndarray:
    """Return what the rows read of displacements of all bodies, shape (n, 6 * bodies)."""
    columns = np.zeros((len(constraint.compliance), 6 * len(bodies)))
    for index in constraint.bodies:
        for axis in range(6):
            step = DIFFERENCE * np.eye(6)[axis]
            there, back = list(bodies), list(bodies)
            there[index], back[index] = moved(bodies[index], step), moved(bodies[index], -step)
            columns[:, 6 * index + axis] = (constraint.rows(there) - constraint.rows(back)) / (2.0 * DIFFERENCE)
    return columns


def flown(body: Body, gravity: np.ndarray, h: float) -> Body:
    """Move a body freely; its angular momentum is kept."""
    v, r = body["v"] + h * gravity, body["r"]
    for _ in range(TURNS):
        step = h / TURNS
        middle = turned(r, 0.5 * step * (r @ np.linalg.solve(body["tensor"], r.T @ body["spin"])))
        r = turned(r, step * (middle @ np.linalg.solve(body["tensor"], middle.T @ body["spin"])))
    return {**body, "v": v, "x": body["x"] + h * v, "r": r}


def substep(
    bodies: Sequence[Body], constraints: Sequence[Constraint], gravity: np.ndarray, h: float, passes: int = 3
) -> tuple[list[Body], np.ndarray]:
    """Make one substep; return the bodies, and the multipliers of all rows over h^2."""
    start = list(bodies)
    masses = np.zeros((6 * len(start), 6 * len(start)))
    for index, body in enumerate(start):
        masses[6 * index : 6 * index + 6, 6 * index : 6 * index + 6] = mass_matrix(body)
    rows = np.vstack([gradient(constraint, start) for constraint in constraints])
    give = np.diag(np.concatenate([constraint.compliance for constraint in constraints]))
    answer = np.linalg.solve(masses, rows.T)
    system = rows @ answer + give
    now = [flown(body, gravity, h) for body in start]
    total = np.zeros(len(rows))
    for _ in range(passes):
        error = np.concatenate([constraint.rows(now) for constraint in constraints])
        step = np.linalg.lstsq(system, -(error + give @ total), rcond=1e-12)[0]
        total += step
        moves = answer @ step
        for index, body in enumerate(now):
            move = moves[6 * index : 6 * index + 6]
            momentum = mass_matrix(start[index]) @ move / h
            now[index] = {
                **moved(body, move),
                "v": body["v"] + momentum[:3] / body["mass"],
                "spin": body["spin"] + momentum[3:],
            }
    return now, total / h**2


def frames(bodies: Sequence[Body], joint: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return origin and axes of a joint's frame on the parent and on the child."""
    child = bodies[joint["child"]]
    at_child = child["x"] + child["r"] @ joint["child_point"], child["r"] @ joint["child_axes"]
    if joint["parent"] < 0:
        return joint["parent_point"], joint["parent_axes"], *at_child
    parent = bodies[joint["parent"]]
    return parent["x"] + parent["r"] @ joint["parent_point"], parent["r"] @ joint["parent_axes"], *at_child


def holding(joint: dict, linear: Sequence[int], angular: Sequence[int]) -> Rows:
    """Return rows that keep displacement along some axes of the parent's frame, and rotation about some, at zero."""

    def rows(bodies: Sequence[Body]) -> np.ndarray:
        p, axes_p, c, axes_c = frames(bodies, joint)
        off = axes_p.T @ (c - p)
        rel = axes_p.T @ axes_c
        about = np.zeros(3)
        if len(angular) == 3:
            about = Rotation.from_matrix(rel).as_rotvec()
        elif len(angular) == 2:  # the x axis stays
            about[1:] = -rel[2, 0], rel[1, 0]
        return np.concatenate([off[list(linear)], about[list(angular)]])

    return rows


def at_a_right_angle(joint: dict) -> Rows:
    """Return rows of a universal joint: no displacement, and the parent's x stays across the child's y."""

    def rows(bodies: Sequence[Body]) -> np.ndarray:
        p, axes_p, c, axes_c = frames(bodies, joint)
        return np.concatenate([axes_p.T @ (c - p), [axes_p[:, 0] @ axes_c[:, 1]]])

    return rows


def at_a_distance(joint: dict, length: float) -> Rows:
    """Return the row that keeps two points at a distance."""

    def rows(bodies: Sequence[Body]) -> np.ndarray:
        p, _, c, _ = frames(bodies, joint)
        return np.array([np.linalg.norm(c - p) - length])

    return rows
