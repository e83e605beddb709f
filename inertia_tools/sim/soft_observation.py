# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts between links and soft bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.observation import BodyContact
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.spatial import Array


def soft_contacts(
    model: Model, state: State, contacts: Contacts, names: Sequence[str], link: str | None
) -> list[BodyContact]:
    """Return the contacts between links and soft bodies in the last substep; see `Observing.soft_contacts`.

    Args:
        model: The scene.
        state: Poses of the bodies and positions of the particles.
        contacts: Contacts of the last step.
        names: Name of each particle's soft body.
        link: Link to which to restrict the contacts; None for all.
    """
    if contacts.soft is None:
        return []
    contacts.bring_up_to_date()
    soft, count = contacts.soft, int(contacts.soft.count.numpy()[0])
    particles, shapes = soft.particle.numpy()[:count], soft.shape.numpy()[:count]
    forces = -soft.force.numpy()[:count].astype(np.float64)
    normals = -soft.normal.numpy()[:count].astype(np.float64)
    points = _in_world(model, state, shapes, soft.point.numpy()[:count].astype(np.float64))
    centres = state.particle_q.numpy()[particles].astype(np.float64)
    apart = ((points - centres) * normals).sum(axis=1)
    depths = model.particle_radius.numpy()[particles] - apart
    rows: dict[tuple[str, str], list[int]] = {}
    for row in np.flatnonzero(forces.any(axis=1)).tolist():
        pair = model.labels[shapes[row]], names[particles[row]]
        if link in (None, pair[0]):
            rows.setdefault(pair, []).append(row)
    return [
        BodyContact(*pair, points[k], normals[k], depths[k], forces[k], np.zeros((len(k), 3)))
        for pair, k in rows.items()
    ]


def _in_world(model: Model, state: State, shapes: Array, points: Array) -> Array:
    """Transform points from the frames of the shapes' bodies to the world [m], shape (n, 3)."""
    motion, bodies = model.motion(state), model.shape_body.numpy()[shapes]
    placed = points.copy()
    for body in set(bodies.tolist()) - {WORLD}:
        placed[bodies == body] = motion.pose(body).transform_points(points[bodies == body])
    return placed
