# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of soft bodies, and what is measured in them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

import inertia_tools as it

GRAVITY = 9.81


def run(model: Any, duration: float, dt: float = 1 / 120, substeps: int = 10, touch: bool = True, **options: Any):
    """Step a model from its start; return the last state, the contacts and the solver."""
    solver = it.SolverXPBD(model, substeps=substeps, **options)
    state, following = model.state(), model.state()
    contacts = model.contacts() if touch else None
    for _ in range(round(duration / dt)):
        solver.step(state, following, None, contacts, dt)
        state, following = following, state
    return state, contacts, solver


def watch(model: Any, duration: float, look: Callable[[Any], Any], dt: float = 1 / 120, substeps: int = 10):
    """Step a model without contacts and return what was seen after each step."""
    solver = it.SolverXPBD(model, substeps=substeps)
    state, following, seen = model.state(), model.state(), []
    for _ in range(round(duration / dt)):
        solver.step(state, following, None, None, dt)
        state, following = following, state
        seen.append(look(state))
    return np.array(seen)


def soft_box(
    builder: Any,
    cells: tuple[int, int, int],
    size: tuple[float, float, float],
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    k: tuple[float, float, float] = (1e5, 1e5, 100.0),
    density: float = 1000.0,
    radius: float = 0.005,
    **options: Any,
) -> None:
    """Add a box of tetrahedra with a corner at a point; `k` is mu, lambda and damping."""
    counts = dict(zip(("dim_x", "dim_y", "dim_z"), cells, strict=True))
    edges = {f"cell_{axis}": size[n] / cells[n] for n, axis in enumerate("xyz")}
    material = dict(zip(("k_mu", "k_lambda", "k_damp"), k, strict=True))
    pose = {"pos": at, "rot": (0.0, 0.0, 0.0, 1.0), "vel": (0.0, 0.0, 0.0)}
    builder.add_soft_grid(**pose, **counts, **edges, **material, density=density, particle_radius=radius, **options)


def momenta(masses: np.ndarray, state: Any) -> np.ndarray:
    """Return momentum and angular momentum about the centre of mass."""
    x, v = state.particle_q.numpy(), state.particle_qd.numpy()
    arm = x - np.average(x, axis=0, weights=masses)
    return np.concatenate([masses @ v, masses @ np.cross(arm, v)])


def linear_solution(model: Any, gravity: float) -> np.ndarray:
    """Return the displacement of tetrahedra under their weight by linear finite elements, shape (particles, 3)."""
    x, tets = model.particle_q.numpy(), model.tet_indices.numpy()
    rows, columns, values, count = [], [], [], len(x)
    for tet, (mu, lam, _) in zip(tets, model.tet_materials.numpy(), strict=True):
        edges = (x[tet[1:]] - x[tet[0]]).T
        inner = np.linalg.inv(edges)
        g = np.vstack([-inner.sum(axis=0), inner])
        for a in range(4):
            for b in range(4):
                shear = (g[a] @ g[b]) * np.eye(3) + np.outer(g[b], g[a])
                block = np.linalg.det(edges) / 6.0 * (mu * shear + lam * np.outer(g[a], g[b]))
                i, j = np.meshgrid(3 * tet[a] + np.arange(3), 3 * tet[b] + np.arange(3), indexing="ij")
                rows.append(i.ravel())
                columns.append(j.ravel())
                values.append(block.ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    stiffness = coo_matrix(entries, shape=(3 * count, 3 * count)).tocsr()
    load = np.zeros((count, 3))
    load[:, 2] = -gravity * model.particle_mass.numpy()
    free = np.repeat(model.particle_inv_mass.numpy() > 0.0, 3)
    moved = np.zeros(3 * count)
    moved[free] = spsolve(stiffness[free][:, free], load.ravel()[free])
    return moved.reshape(-1, 3)


def force_on_ground(contacts: Any) -> float:
    """Return the upward force of shape 0 on particles [N]."""
    used = int(contacts.soft_contact_count.numpy()[0])
    on_ground = contacts.soft_contact_shape.numpy()[:used] == 0
    return float(contacts.soft_contact_force.numpy()[:used][on_ground, 2].sum())
