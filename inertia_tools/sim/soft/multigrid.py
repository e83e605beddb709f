# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Algebraic multigrid V-cycle that preconditions the conjugate gradients of large elastic bodies.

The smoother is block Gauss-Seidel over the colours of each grid, forwards before the coarse-grid correction and
backwards after it. So the preconditioner is symmetric and positive definite for any positive definite matrix. Contact
rows contribute their diagonal blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp
from scipy.sparse import csr_matrix

from inertia_tools.sim.soft.coarsening import COARSEST, Coarsening, coarsened, colours_of, strong_connections
from inertia_tools.sim.soft.multigrid_kernels import (
    Grid,
    Transfer,
    correct,
    find_residual,
    multiply_galerkin,
    restrict,
    sweep,
    sweep_from_zero,
)
from inertia_tools.sim.soft.work import Matrix, Particles, Vectors
from inertia_tools.spatial import Array

Launch = Callable[..., None]

COARSEST_SWEEPS = 4
"""Forward and backward sweeps on the coarsest grid; with 40 particles, the remaining error is less than that of the
finer grids."""


@dataclass(eq=False)
class _Level:
    """A grid, the particles of each launch of its sweeps, and the transfer to the next coarser grid.

    There is no transfer on the coarsest grid.
    """

    grid: Any
    count: int
    forward: list[Any]
    backward: list[Any]
    transfer: Any = None
    blocks: int = 0


@dataclass(eq=False)
class Multigrid:
    """The hierarchy of grids of the particles of a scene.

    Attributes:
        levels: Grids from the finest, whose matrix and vectors are those of the conjugate gradients.
    """

    levels: list[_Level] = field(default_factory=list)

    @classmethod
    def of(
        cls, matrix: Matrix, vectors: Vectors, particles: Particles, stiff: csr_matrix, device: str
    ) -> Multigrid | None:
        """Return the hierarchy of grids; None if there is no coarser grid.

        Args:
            matrix: Matrix of the elements.
            vectors: Vectors of the conjugate gradients.
            particles: The particles.
            stiff: Graph of the particles that springs, triangles or tetrahedra connect, shape (particles, particles).
            device: Name of the Warp device.
        """
        points, moves = particles.at_rest.numpy(), particles.inv_mass.numpy() > 0.0
        graph = _graph(matrix.first.numpy(), matrix.column.numpy())
        grid = Grid()
        for name in ("first", "column", "block", "diagonal", "inverse"):
            setattr(grid, name, getattr(matrix, name))
        grid.x, grid.b, grid.r = vectors.z, vectors.r, wp.zeros_like(vectors.r)
        made = cls([_level(grid, graph, device)])
        while len(points) > COARSEST:
            step = coarsened(stiff, points, moves)
            if step is None:
                break
            fine, weights = made.levels[-1], step.weights
            graph = made._add_coarser(fine, graph, step, device)
            stiff = strong_connections(csr_matrix(weights.T @ (stiff + _identity(stiff)) @ weights))
            points, moves = points[step.kept], np.ones(len(step.kept), dtype=bool)
        return made if len(made.levels) > 1 else None

    def assemble(self, launch: Launch) -> None:
        """Compute the matrices of the coarse grids."""
        for fine, coarse in zip(self.levels, self.levels[1:], strict=False):
            launch(multiply_galerkin, fine.blocks, fine.transfer, fine.grid, coarse.grid)

    def apply(self, launch: Launch) -> None:
        """Compute z = B r, with B close to A^-1, for the vectors of the conjugate gradients."""
        self._cycle(launch, 0)

    def _cycle(self, launch: Launch, number: int) -> None:
        level = self.levels[number]
        for members in level.forward:
            launch(sweep_from_zero, len(members), level.grid, members)
        if level.transfer is None:
            _sweep(launch, level, level.backward)
            for _ in range(COARSEST_SWEEPS - 1):
                _sweep(launch, level, level.forward)
                _sweep(launch, level, level.backward)
            return
        coarse = self.levels[number + 1]
        launch(find_residual, level.count, level.grid)
        launch(restrict, coarse.count, level.transfer, level.grid, coarse.grid)
        self._cycle(launch, number + 1)
        launch(correct, level.count, level.transfer, level.grid, coarse.grid)
        _sweep(launch, level, level.backward)

    def _add_coarser(self, fine: _Level, graph: csr_matrix, step: Coarsening, device: str) -> csr_matrix:
        """Add a coarser grid, and return the pattern of its matrix."""
        coarse_graph, targets, sources, values = _products(graph, step.weights)
        count, blocks = len(step.kept), len(coarse_graph.indices)
        order = np.argsort(targets, kind="stable")
        t = fine.transfer = Transfer()
        up, down = step.weights, csr_matrix(step.weights.T)
        numbers = {
            "parent_first": up.indptr, "parent": up.indices, "parent_weight": up.data,
            "child_first": down.indptr, "child": down.indices, "child_weight": down.data,
            "source_first": np.searchsorted(targets[order], np.arange(count + blocks + 1)),
            "source": sources[order], "source_weight": values[order],
        }  # fmt: skip
        for name, given in numbers.items():
            setattr(t, name, wp.array(given, dtype=wp.float64 if name.endswith("weight") else wp.int32, device=device))
        fine.blocks = count + blocks
        grid = Grid()
        grid.first = wp.array(coarse_graph.indptr, dtype=wp.int32, device=device)
        grid.column = wp.array(coarse_graph.indices, dtype=wp.int32, device=device)
        grid.block = wp.zeros(max(blocks, 1), dtype=wp.mat33d, device=device)
        grid.diagonal, grid.inverse = (wp.zeros(count, dtype=wp.mat33d, device=device) for _ in range(2))
        grid.x, grid.b, grid.r = (wp.zeros(count, dtype=wp.vec3d, device=device) for _ in range(3))
        self.levels.append(_level(grid, coarse_graph, device))
        return coarse_graph


def _sweep(launch: Launch, level: _Level, parts: list[Any]) -> None:
    for members in parts:
        launch(sweep, len(members), level.grid, members)


def _level(grid: Any, graph: csr_matrix, device: str) -> _Level:
    """Return a grid of known pattern, with its colours and the order of its sweeps.

    Each colour is one launch. On the CPU, where threads run one after the other, all colours are one launch.
    """
    colours, colour = colours_of(graph), np.zeros(graph.shape[0], dtype=np.int64)
    for number, members in enumerate(colours):
        colour[members] = number
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    is_later = colour[graph.indices] > colour[row]
    grid.order = wp.array(np.lexsort((is_later, row)), dtype=wp.int32, device=device)
    middle = graph.indptr[:-1] + np.bincount(row[~is_later], minlength=graph.shape[0])
    grid.middle = wp.array(middle, dtype=wp.int32, device=device)
    ways = [colours, colours[::-1]]
    if wp.get_device(device).is_cpu:
        ways = [[np.concatenate(way)] for way in ways]
    launches: list[Any] = [[wp.array(part, dtype=wp.int32, device=device) for part in way] for way in ways]
    return _Level(grid, graph.shape[0], *launches)


def _products(fine: csr_matrix, weights: csr_matrix) -> tuple[csr_matrix, np.ndarray, np.ndarray, Array]:
    """Return how the blocks of P^T A P are sums of blocks of A.

    Args:
        fine: Off-diagonal pattern of A.
        weights: P.

    Returns:
        The off-diagonal pattern of P^T A P; and for each product its target block (diagonal blocks first), the block of
            A (-1 minus the row for diagonal blocks), and its weight.
    """
    count, widths = fine.shape[0], np.diff(weights.indptr)
    rows = np.concatenate([np.repeat(np.arange(count), np.diff(fine.indptr)), np.arange(count)])
    columns = np.concatenate([fine.indices, np.arange(count)])
    blocks = np.concatenate([np.arange(len(fine.indices)), -1 - np.arange(count)])
    each = widths[rows] * widths[columns]
    number = np.repeat(np.arange(len(rows)), each)
    place = np.arange(len(number)) - np.repeat(np.cumsum(each) - each, each)
    left = weights.indptr[rows[number]] + place // widths[columns[number]]
    right = weights.indptr[columns[number]] + place % widths[columns[number]]
    a, b = weights.indices[left].astype(np.int64), weights.indices[right].astype(np.int64)
    kept = weights.shape[1]
    keys = np.unique((a * kept + b)[a != b])
    graph = csr_matrix((np.ones(len(keys)), (keys // kept, keys % kept)), shape=(kept, kept))
    targets = np.where(a == b, a, kept + np.searchsorted(keys, a * kept + b))
    return graph, targets, blocks[number], weights.data[left] * weights.data[right]


def _graph(first: np.ndarray, column: np.ndarray) -> csr_matrix:
    """Return a row pattern as a matrix of ones."""
    count = len(first) - 1
    return csr_matrix((np.ones(first[-1]), column[: first[-1]], first), shape=(count, count))


def _identity(graph: csr_matrix) -> csr_matrix:
    count = graph.shape[0]
    return csr_matrix((np.ones(count), (np.arange(count), np.arange(count))), shape=graph.shape)
