# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How far the last states of Newton's examples are from what a law says of them; see `newton_examples.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
WHEEL = next(iter(sorted(ROOT.glob(".venv-peers/lib/python3*/site-packages/newton"))), ROOT / "newton")
"""Folder of Newton's package, and where it would be if there were none."""


def _energy(model: Any, state: Any) -> tuple[float, float]:
    """Return kinetic and potential energy of all bodies [J]."""
    motion, bodies = model.motion(state), range(model.body_count)
    kinetic = sum(motion.kinetic_energy(body) for body in bodies)
    return kinetic, sum(motion.potential_energy(body, model.gravity_vector) for body in bodies)


def energy_drift(example: Any) -> float:
    """Return the change of the total energy, over the energy that has gone from one form to the other."""
    (kinetic, potential), (now_kinetic, now_potential) = (
        _energy(example.model, state) for state in (example.model.state(), example.state_0)
    )
    exchanged = max(now_kinetic, abs(now_potential - potential))
    return abs(now_kinetic + now_potential - kinetic - potential) / exchanged


def angular_momentum_drift(example: Any) -> float:
    """Return the change of the angular momentum of the first body about its centre of mass, over its size."""
    momenta = []
    for state in (example.model.state(), example.state_0):
        motion = example.model.motion(state)
        turn, inertia = motion.pose(0).rotation, example.model.inertials[0].inertia
        momenta.append(turn @ inertia @ turn.T @ motion.spin(0))
    return float(np.linalg.norm(momenta[1] - momenta[0]) / np.linalg.norm(momenta[0]))


def deepest_overlap(example: Any) -> float:
    """Return how deep shapes overlap at most [m]."""
    contacts = example.model.collide(example.state_0)
    return float(contacts.geometry.depths.max(initial=0.0))


def slip_on_the_belt(example: Any) -> float:
    """Return how far the mean speed of boxes about the axis of a ring is from that of their belt, over that.

    Every third bag is a box; the others roll.
    """
    poses, speeds = example.state_0.body_q.numpy(), example.state_0.body_qd.numpy()
    boxes = example.bag_bodies[::3]
    (x, y), (u, v) = poses[boxes, :2].T, speeds[boxes, :2].T
    rates = (x * v - y * u) / (x * x + y * y)
    return abs(float(rates.mean()) / example.belt_angular_speed - 1.0)


def change_of_edges(example: Any) -> float:
    """Return the largest change of length of an edge of a triangle, over its length in the rest shape."""
    model, triangles = example.model, example.model.tri_indices.numpy()
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    before, now = (
        np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
        for x in (model.particle_q.numpy(), example.state_0.particle_q.numpy())
    )
    return float(np.abs(now / before - 1.0).max())


def change_of_volumes(example: Any) -> float:
    """Return the largest change of volume of a tetrahedron, over its volume at rest."""
    corners = example.state_0.particle_q.numpy()[example.model.tet_indices.numpy()]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0
    return float(np.abs(volumes / example.model.tet_volumes.numpy() - 1.0).max())


REFERENCES: dict[str, tuple[Callable[[Any], float], float, str]] = {
    "basic/basic_pendulum": (energy_drift, 1e-3, "change of energy"),
    "contacts/newton_cradle": (energy_drift, 1e-2, "change of energy"),
    "basic/basic_dzhanibekov": (angular_momentum_drift, 1e-4, "change of angular momentum"),
    "basic/basic_heightfield": (deepest_overlap, 1e-3, "deepest overlap [m]"),
    "basic/basic_shapes": (deepest_overlap, 1e-3, "deepest overlap [m]"),
    "contacts/pyramid": (deepest_overlap, 1e-3, "deepest overlap [m]"),
    "cloth/cloth_bending": (change_of_edges, 1e-2, "largest strain of an edge"),
    "softbody/softbody_hanging": (change_of_volumes, 0.5, "largest change of a tetrahedron's volume"),
    "basic/basic_conveyor": (slip_on_the_belt, 0.05, "slip on the belt"),
}
"""What is measured of an example, the bound that it must keep, and its name."""
