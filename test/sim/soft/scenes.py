# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of soft bodies, and what is measured in them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

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


def stepping(builder: Any, dt: float, substeps: int, dtype: str = "float64"):
    """Return the model of a scene, its state, and what makes a step of it."""
    model = builder.finalize(dtype=dtype)
    solver, state, contacts = it.SolverXPBD(model, substeps=substeps), model.state(), model.contacts()
    return model, state, lambda: solver.step(state, state, None, contacts, dt)


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


def linear_solution(model: Any, gravity: float, held: np.ndarray) -> np.ndarray:
    """Return the displacement of tetrahedra of one material under their weight, by scikit-fem's linear elements.

    Args:
        model: The solid, whose mesh they share.
        gravity: Acceleration of free fall along -z [m/s^2].
        held: Directions in which particles do not move, shape (particles, 3).

    Returns:
        Displacement of each particle [m], shape (particles, 3).
    """
    skfem = pytest.importorskip("skfem", reason="scikit-fem is not installed")
    from skfem.models.elasticity import linear_elasticity

    mesh = skfem.MeshTet(model.particle_q.numpy().T.copy(), model.tet_indices.numpy().T.copy())
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTetP1()))
    mu, lam, _ = model.tet_materials.numpy()[0]
    load = np.zeros(basis.N)
    load[basis.nodal_dofs[2]] = -gravity * model.particle_mass.numpy()
    stiffness = linear_elasticity(Lambda=lam, Mu=mu).assemble(basis)
    moved = skfem.solve(*skfem.condense(stiffness, load, D=basis.nodal_dofs.T[held]))
    return moved[basis.nodal_dofs.T]


def force_on_ground(contacts: Any) -> float:
    """Return the upward force of shape 0 on particles [N]."""
    used = int(contacts.soft_contact_count.numpy()[0])
    on_ground = contacts.soft_contact_shape.numpy()[:used] == 0
    return float(contacts.soft_contact_force.numpy()[:used][on_ground, 2].sum())
