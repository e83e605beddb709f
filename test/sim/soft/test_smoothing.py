# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Tetrahedra with averaged strain: they bend as beams do, and keep the laws that plain ones keep."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.scene.soft_solids import grid_tetrahedra
from inertia_tools.sim.soft.solids import solids_of
from test.sim.soft.laws import beam_sag
from test.sim.soft.scenes import momenta, soft_box, watch


def tetrahedra(cells, seed=None):
    """Return points of a grid, displaced at random, its tetrahedra, their inverses of rest edges, and volumes."""
    z, y, x = np.indices([n + 1 for n in reversed(cells)]).reshape(3, -1)
    points = np.stack([x, y, z], axis=1).astype(float)
    if seed is not None:
        points += 0.15 * np.random.default_rng(seed).uniform(-1, 1, points.shape)
    corners = grid_tetrahedra(*cells)
    edges = np.swapaxes(points[corners[:, 1:]] - points[corners[:, :1]], 1, 2)
    return points, corners, np.linalg.inv(edges), np.linalg.det(edges) / 6.0


def test_neighbourhoods_fill_the_solid_and_see_affine_motion_as_it_is():
    points, corners, poses, volumes = tetrahedra((3, 2, 2), seed=1)
    solids = solids_of(corners, poses, volumes, np.ones(len(corners), dtype=bool))
    motion = np.random.default_rng(2).normal(size=(3, 3))
    moved = points @ motion.T + [1.0, 2.0, 3.0]
    count = 0
    for rows, slopes in zip(solids.corners[1:], solids.slopes[1:], strict=True):
        assert np.einsum("nka,nkb->nab", moved[rows], slopes) == pytest.approx(np.tile(motion, (len(rows), 1, 1)))
        assert slopes.sum(axis=1) == pytest.approx(0.0, abs=1e-12)
        count += len(rows)
    assert count == len(points)
    assert solids.volumes[len(corners) :].sum() == pytest.approx(volumes.sum())
    assert np.add.reduceat(solids.weight, solids.first[:-1]) == pytest.approx(1.0)


def test_neighbourhoods_have_the_mean_gradient_of_their_tetrahedra():
    points, corners, poses, volumes = tetrahedra((2, 2, 1), seed=3)
    solids = solids_of(corners, poses, volumes, np.ones(len(corners), dtype=bool))
    moved = points + 0.3 * np.random.default_rng(4).normal(size=points.shape)
    edges = np.swapaxes(moved[corners[:, 1:]] - moved[corners[:, :1]], 1, 2)
    gradients, element = edges @ poses, len(corners)
    for rows, slopes in zip(solids.corners[1:], solids.slopes[1:], strict=True):
        for found in np.einsum("nka,nkb->nab", moved[rows], slopes):
            entries = slice(solids.first[element], solids.first[element + 1])
            parts = 0.25 * volumes[solids.tet[entries]]
            assert found == pytest.approx(np.average(gradients[solids.tet[entries]], axis=0, weights=parts))
            assert solids.volumes[element] == pytest.approx(parts.sum())
            element += 1


def test_tetrahedra_that_are_not_smoothed_stay_as_they_are():
    _, corners, poses, volumes = tetrahedra((2, 1, 1))
    solids = solids_of(corners, poses, volumes, np.zeros(len(corners), dtype=bool))
    assert len(solids.corners) == 1
    assert (solids.corners[0] == corners).all()
    assert (solids.factors == 1.0).all()


@pytest.mark.parametrize("poisson", [0.3, 0.45])
def test_a_smoothed_cantilever_bends_as_timoshenko_says(poisson):
    assert beam_sag(poisson, smooth=True) == pytest.approx(1.0, rel=0.05)


def test_a_plain_cantilever_locks():
    assert beam_sag(0.45, smooth=False) < 0.87


def test_a_free_smoothed_body_keeps_its_momenta():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    soft_box(builder, (3, 2, 2), (0.3, 0.2, 0.2), k=(1e4, 1e4, 0.0), smooth_strain=True)
    x = np.array(builder.particle_q)
    builder.particle_qd = list(np.cross([0.5, 1.0, 2.0], x - x.mean(axis=0)) + 0.5 * np.sin(20 * x[:, [1, 2, 0]]))
    model = builder.finalize(dtype="float64")
    masses = model.particle_mass.numpy()
    before = momenta(masses, model.state())
    seen = watch(model, 0.5, lambda state: momenta(masses, state))
    assert np.abs(seen - before).max() < 1e-10 * np.abs(before).max()


@pytest.mark.sweep
@pytest.mark.parametrize("start", ["upright", "inside out", "mangled"])
@pytest.mark.parametrize("k", [1e5, 1e9])
def test_a_smoothed_body_comes_back_to_its_shape_from_any_start(k, start):
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    soft_box(
        builder,
        (2, 2, 2),
        (0.15, 0.15, 0.15),
        at=(0, 0, 0.1),
        k=(k, k, min(1e-3 * k, 100.0)),
        radius=0.0,
        smooth_strain=True,
    )
    model = builder.finalize(dtype="float64")
    rest = model.particle_q.numpy()
    starts = {"upright": rest, "inside out": rest * [1, 1, -1] + [0, 0, 0.5]}
    starts["mangled"] = rest + 0.02 * np.random.default_rng(7).normal(size=rest.shape) + [0, 0, 0.2]
    solver, state, contacts = it.SolverXPBD(model, substeps=20), model.state(), model.contacts()
    state.particle_q.assign(starts[start])
    for _ in range(60):
        solver.step(state, state, None, contacts, 1 / 60)
        assert state.particle_q.numpy()[:, 2].max() < 1.0
    x, tets = state.particle_q.numpy(), model.tet_indices.numpy()
    edges = np.stack([x[tets[:, c]] - x[tets[:, 0]] for c in (1, 2, 3)], axis=2)
    ratios = np.linalg.det(edges) / 6 / model.tet_volumes.numpy()
    assert ratios == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("starts_loaded", [True, False])
def test_a_bar_twists_as_saint_venant_says_at_long_steps(starts_loaded):
    """The search began half of h^2 a away, 2 m for a bar of 0.1 m, and ended among inverted tetrahedra."""
    length, width, young, nu = 0.5, 0.1, 1e6, 0.3
    mu, lam = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    size, at = (length, width, width), (0.0, -width / 2, -width / 2)
    soft_box(builder, (15, 6, 6), size, at=at, k=(mu, lam, 1e-2 * mu), fix_left=True, smooth_strain=True)
    model = builder.finalize(dtype="float64")
    x = model.particle_q.numpy()
    end = x[:, 0] > length - 1e-9
    arm, torque = x[end, 1:], 2e-3 * mu * width**3
    force = np.zeros_like(x)
    force[end, 1:] = torque * np.stack([-arm[:, 1], arm[:, 0]], axis=1) / (arm**2).sum()
    solver, state = it.SolverXPBD(model, substeps=1), model.state()
    for frame in range(12):
        state.particle_f.assign(force * (starts_loaded or frame > 2))
        solver.step(state, state, None, None, 0.25)
    moved = (state.particle_q.numpy() - x)[end, 1:]
    angle = (arm[:, 0] * moved[:, 1] - arm[:, 1] * moved[:, 0]).sum() / (arm**2).sum()
    assert angle == pytest.approx(torque * length / (mu * 0.1406 * width**4), rel=0.05)
