# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A V-cycle of multigrid as preconditioner of the conjugate gradients of large elastic bodies.

Block Gauss-Seidel sweeps over the colours of each grid, forwards before the coarser grid and backwards after it: so
the preconditioner is symmetric and positive whatever the matrix is. Rows of contacts count by their diagonal blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp
from scipy.sparse import csr_matrix

from inertia_tools.sim.soft.coarsening import COARSEST, Coarsening, coarsened, colours_of, joined_closely
from inertia_tools.sim.soft.multigrid_kernels import (
    Grid,
    Transfer,
    correct,
    find_residual,
    multiply_out,
    restrict,
    sweep,
    sweep_from_zero,
)
from inertia_tools.sim.soft.work import Matrix, Particles, Vectors
from inertia_tools.spatial import Array

Launch = Callable[..., None]

COARSEST_SWEEPS = 4
"""Sweeps there and back on the coarsest grid; with 40 particles, what is left is less than fine grids leave."""


@dataclass(eq=False)
class _Level:
    """A grid, the rows of each launch of a sweep there and back, and the way to a coarser one, if there is one."""

    grid: Any
    count: int
    there: list[Any]
    back: list[Any]
    transfer: Any = None
    blocks: int = 0


@dataclass(eq=False)
class Multigrid:
    """The grids of the particles of a scene.

    Attributes:
        levels: From the finest, whose matrix and vectors are those of the conjugate gradients.
    """

    levels: list[_Level] = field(default_factory=list)

    @classmethod
    def of(
        cls, matrix: Matrix, vectors: Vectors, particles: Particles, stiff: csr_matrix, device: str
    ) -> Multigrid | None:
        """Make the grids; None where there is no coarser one.

        Args:
            matrix: Of the elements.
            vectors: Of the conjugate gradients.
            particles: The particles.
            stiff: Which are joined by springs, triangles or tetrahedra, shape (particles, particles).
            device: As Warp names it.
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
            stiff = joined_closely(csr_matrix(weights.T @ (stiff + _identity(stiff)) @ weights))
            points, moves = points[step.kept], np.ones(len(step.kept), dtype=bool)
        return made if len(made.levels) > 1 else None

    def assemble(self, launch: Launch) -> None:
        """Find the matrices of the coarse grids."""
        for fine, coarse in zip(self.levels, self.levels[1:], strict=False):
            launch(multiply_out, fine.blocks, fine.transfer, fine.grid, coarse.grid)

    def apply(self, launch: Launch) -> None:
        """Find z near A^-1 r of the vectors of the conjugate gradients."""
        self._cycle(launch, 0)

    def _cycle(self, launch: Launch, number: int) -> None:
        level = self.levels[number]
        for members in level.there:
            launch(sweep_from_zero, len(members), level.grid, members)
        if level.transfer is None:
            _sweep(launch, level, level.back)
            for _ in range(COARSEST_SWEEPS - 1):
                _sweep(launch, level, level.there)
                _sweep(launch, level, level.back)
            return
        coarse = self.levels[number + 1]
        launch(find_residual, level.count, level.grid)
        launch(restrict, coarse.count, level.transfer, level.grid, coarse.grid)
        self._cycle(launch, number + 1)
        launch(correct, level.count, level.transfer, level.grid, coarse.grid)
        _sweep(launch, level, level.back)

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
    """Return a grid whose pattern is known, with its colours and the order in which they are swept.

    Colours are one launch each. On the CPU, where threads run one after the other, all of them are one.
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
    """Return how blocks of P^T A P are made of those of A.

    Args:
        fine: Pattern of A beside its diagonal.
        weights: P.

    Returns:
        The pattern beside the diagonal; and for each product its block, those of the diagonal first, the block of A
        (of the diagonal, -1 minus its row), and its weight.
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
    """Return a pattern of rows as a matrix of ones."""
    count = len(first) - 1
    return csr_matrix((np.ones(first[-1]), column[: first[-1]], first), shape=(count, count))


def _identity(graph: csr_matrix) -> csr_matrix:
    count = graph.shape[0]
    return csr_matrix((np.ones(count), (np.arange(count), np.arange(count))), shape=graph.shape)
