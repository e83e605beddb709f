# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Coarse grids of particles: their weights, their matrices, and what they do for conjugate gradients."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import bsr_matrix, csr_matrix

import inertia_tools as it
from inertia_tools.sim.soft import coarsening, multigrid_kernels, scratch
from inertia_tools.sim.soft.soft_step import SoftStep

STEP = 1 / 60


def hanging(cells, stiffness=1e3):
    """Return a model of cloth that hangs from one side."""
    builder = it.ModelBuilder()
    size = {"dim_x": cells, "dim_y": cells, "cell_x": 1 / cells, "cell_y": 1 / cells, "mass": 0.1 / (cells + 1) ** 2}
    material = {"tri_ke": stiffness, "tri_ka": stiffness, "tri_kd": 0.0, "edge_ke": 1e-5, "particle_radius": 1e-3}
    builder.add_cloth_grid(pos=(0, 0, 1), rot=(0, 0, 0, 1), vel=(0, 0, 0), **size, **material, fix_left=True)
    return builder.finalize(dtype="float64")


@pytest.fixture(scope="module")
def soft():
    """Return the step of a cloth whose matrix has been found a little off its rest."""
    model = hanging(24)
    step, state = SoftStep(model, enable_restitution=False), model.state()
    step.begin(state, model.control(), None, STEP, STEP)
    step.substep(state, None, STEP)
    step.minimiser.assemble(STEP)
    step.minimiser._begin_search(STEP, 0, assembled=True, renewed=True)
    return step


def dense(grid, moves=None):
    """Return the matrix of a grid, without what is pinned."""
    count = len(grid.diagonal)
    beside = bsr_matrix((grid.block.numpy(), grid.column.numpy(), grid.first.numpy()), shape=(3 * count, 3 * count))
    whole = beside.toarray()
    for i, block in enumerate(grid.diagonal.numpy()):
        whole[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = block
    if moves is not None:
        free = np.repeat(moves, 3)
        whole[~free], whole[:, ~free] = 0.0, 0.0
    return whole


def weights_of(transfer, fine, coarse):
    entries = transfer.parent_weight.numpy(), transfer.parent.numpy(), transfer.parent_first.numpy()
    return csr_matrix(entries, shape=(fine, coarse)).toarray()


def test_kept_particles_are_apart_and_next_to_all_others():
    drawn = np.random.default_rng(1).random((60, 60)) < 0.08
    graph = csr_matrix(np.triu(drawn, 1) + np.triu(drawn, 1).T).astype(float)
    kept = coarsening.independent_set(graph)
    joined = graph.toarray() > 0
    assert not joined[np.ix_(kept, kept)].any()
    assert (joined[:, kept].any(axis=1) | kept | (joined.sum(axis=1) == 0)).all()


def test_colours_part_what_is_joined():
    drawn = np.random.default_rng(2).random((80, 80)) < 0.1
    joined = np.triu(drawn, 1) + np.triu(drawn, 1).T
    colours = coarsening.colours_of(csr_matrix(joined))
    assert sorted(np.concatenate(colours).tolist()) == list(range(80))
    assert not any(joined[np.ix_(members, members)].any() for members in colours)


def test_weights_carry_affine_motion(soft):
    s = soft._scratch
    fine, coarse = s.multigrid.levels[0], s.multigrid.levels[1]
    weights = weights_of(fine.transfer, fine.count, coarse.count)
    rest, moves = s.particles.at_rest.numpy(), s.particles.inv_mass.numpy() > 0.0
    step = coarsening.coarsened(s._joined, rest, moves)
    inside = np.abs(rest[:, :2] - 0.5).max(axis=1) < 0.4
    assert weights[inside].sum(axis=1) == pytest.approx(1.0)
    assert weights[inside] @ rest[step.kept] == pytest.approx(rest[inside], abs=1e-3)
    assert (weights[~moves] == 0.0).all()


def test_coarse_matrices_are_galerkin_products(soft):
    levels, moves = soft._scratch.multigrid.levels, soft._scratch.particles.inv_mass.numpy() > 0.0
    assert len(levels) >= 3
    for number, (fine, coarse) in enumerate(pairwise(levels[:3])):
        weights = np.kron(weights_of(fine.transfer, fine.count, coarse.count), np.eye(3))
        expected = weights.T @ dense(fine.grid, None if number else moves) @ weights
        assert dense(coarse.grid) == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


def test_a_sweep_from_zero_leaves_the_residual_that_is_found(soft):
    """Whatever stood there before, x solves each row with those before it, and r is b - A x."""
    launch, level = soft._launches.launch, soft._scratch.multigrid.levels[1]
    drawn = np.random.default_rng(4).normal(size=(2, level.count, 3))
    level.grid.b.assign(drawn[0])
    level.grid.x.assign(drawn[1])
    for members in level.forward:
        launch(multigrid_kernels.sweep_from_zero, len(members), level.grid, members)
    launch(multigrid_kernels.find_residual, level.count, level.grid)
    whole, b, x = dense(level.grid), drawn[0].ravel(), level.grid.x.numpy().ravel()
    assert level.grid.r.numpy().ravel() == pytest.approx(b - whole @ x, abs=1e-10 * np.abs(b).max())
    order = np.concatenate([3 * members.numpy()[:, None] + np.arange(3) for members in level.forward]).ravel()
    swept = np.linalg.solve(_lower_blocks(whole[np.ix_(order, order)]), b[order])
    assert x[order] == pytest.approx(swept, abs=1e-10 * np.abs(swept).max())


def _lower_blocks(whole):
    """Return a matrix without what is right of the blocks of its diagonal."""
    count = len(whole) // 3
    return whole * np.kron(np.tril(np.ones((count, count))), np.ones((3, 3)))


def test_the_preconditioner_is_symmetric_and_positive(soft):
    s = soft._scratch
    moves = s.particles.inv_mass.numpy() > 0.0
    drawn = np.random.default_rng(3).normal(size=(3, s.count, 3)) * moves[:, None]
    found = []
    for r in drawn:
        s.vectors.r.assign(r)
        s.multigrid.apply(soft._launches.launch)
        found.append(s.vectors.z.numpy().copy())
    products = np.einsum("aik,bik->ab", drawn, np.array(found))
    assert products == pytest.approx(products.T, rel=1e-9, abs=1e-12 * np.abs(products).max())
    assert np.linalg.eigvalsh(products).min() > 0.0


def test_searches_are_few_and_end_where_those_without_coarse_grids_do(monkeypatch):
    ends, searches = [], []
    for many in (scratch.MANY, 10**9):
        monkeypatch.setattr(scratch, "MANY", many)
        model = hanging(32)
        step, state = SoftStep(model, enable_restitution=False), model.state()
        for _ in range(3):
            step.begin(state, model.control(), None, STEP, STEP)
            step.substep(state, None, STEP)
            step.end(state, None, STEP, STEP)
        ends.append(state.particle_q.numpy())
        searches.append(step.minimiser.searches)
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    assert searches[0] < 0.3 * searches[1]
