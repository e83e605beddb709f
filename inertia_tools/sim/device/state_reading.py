# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""States in double precision, including the low-order parts that are stored beside single-precision arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.spatial import Array, rotations_from_quaternions

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData
    from inertia_tools.sim.device.state import State


def motion_of(model: ModelData, state: State) -> BodyMotion:
    """Return poses and velocities of the bodies, with low-order parts for states that users did not change."""
    count = model.body_count
    q, qd = (state.on_host(name)[:count].astype(np.float64) for name in ("body_q", "body_qd"))
    if model.precision.name == "float32":
        _add_low_order_parts(model, state, q, qd)
    return BodyMotion(model.inertials, q, qd)


def _add_low_order_parts(model: ModelData, state: State, q: Array, qd: Array) -> None:
    """Write the poses and extrapolated momenta, with low-order parts, of bodies that users have not moved."""
    data = state.data
    x, v, spin = (_whole(state, name) for name in ("x", "v", "spin"))
    r = data.q_last.numpy()[:, 3:].astype(np.float64) + data.r_low_last.numpy()
    forward = 0.5 * data.h_last.numpy()[:, None] * data.qdd.numpy().astype(np.float64)
    inverse = model.bodies.inv_inertia.numpy().astype(np.float64)
    there = (data.q.numpy() == data.q_last.numpy()).all(axis=1)
    as_left = there & (data.qd.numpy() == data.qd_last.numpy()).all(axis=1) & (data.h_last.numpy() > 0.0)
    coms = model.bodies.com.numpy().astype(np.float64)
    placed = np.flatnonzero(there[: model.body_count])
    turns = rotations_from_quaternions(r[placed])
    q[placed, :3] = x[placed] - (turns @ coms[placed, :, None])[..., 0]
    q[placed, 3:] = r[placed] / np.sqrt((r[placed] * r[placed]).sum(axis=1))[:, None]
    moving = as_left[placed] & np.asarray(model.moves)[placed]
    moved, turns = placed[moving], turns[moving]
    momenta = (spin[moved] + forward[moved, 3:])[..., None]
    qd[moved, :3] = v[moved] + forward[moved, :3]
    qd[moved, 3:] = (turns @ (inverse[moved] @ (turns.transpose(0, 2, 1) @ momenta)))[..., 0]


def _whole(state: State, name: str) -> Array:
    """Return a vector of each body with its low-order part, shape (n, 3)."""
    near, low = (getattr(state.data, f"{name}{part}_last").numpy().astype(np.float64) for part in ("", "_low"))
    return np.asarray(near + low)
