# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Coarse grids of particles for algebraic multigrid: the coarse particles and the interpolation weights.

A coarse grid keeps a maximal independent set of the particles. Every other particle moves with a weighted mean of its
neighbours in that set; where possible, the weights reproduce affine motion of the rest shape. So the weights are
scalars instead of matrices and do not depend on the deformation. Coarse matrices are Galerkin products P^T A P
(Trottenberg et al. 2001).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from inertia_tools.spatial import Array

COARSEST = 40
"""A grid of at most this many particles is not coarsened: a few Gauss-Seidel sweeps solve it."""

LEAST_GAIN = 0.7
"""A coarser grid that keeps more than this share of the particles does not pay off."""

CLOSE = 0.25
"""Coarse particles are neighbours if they have this many connecting paths, relative to the greatest number of one of
the two."""

RIDGE = 1e-2
"""Regularisation of the weights against extrapolation, relative to the mean square of the distances."""

AFFINE = 0.1
"""Weights whose error exceeds this, relative to the distance of the neighbours, are recomputed with neighbours of
neighbours."""


@dataclass(frozen=True, eq=False)
class Coarsening:
    """One step from a grid to a coarser one.

    Attributes:
        weights: Interpolation weights, shape (fine, coarse).
        kept: Index on the fine grid of each coarse particle.
    """

    weights: csr_matrix
    kept: np.ndarray


def coarsened(graph: csr_matrix, points: Array, moves: np.ndarray) -> Coarsening | None:
    """Return a coarser grid; None if it would not be much smaller.

    Args:
        graph: Particles connected by stiff elements, without diagonal, shape (n, n).
        points: Rest positions [m], shape (n, 3).
        moves: Particles that are not pinned, shape (n,).
    """
    is_kept = independent_set(graph)
    weights = _weights(graph, points, is_kept)
    weights = csr_matrix(weights.multiply(moves[:, None]))  # pinned particles do not interpolate
    free = np.flatnonzero(is_kept & moves)
    if len(free) > LEAST_GAIN * np.count_nonzero(moves) or not len(free):
        return None
    weights = csr_matrix(weights[:, free])
    weights.eliminate_zeros()
    return Coarsening(weights, free)


def strong_connections(products: csr_matrix) -> csr_matrix:
    """Return the graph of coarse particles, without weak connections.

    A connection stays if it has nearly as many paths as the strongest one of either particle, see `CLOSE`.

    Args:
        products: P^T G P of the graph G of the finer grid with its diagonal.
    """
    entries = products.tocoo()
    off_diagonal = entries.row != entries.col
    row, column, value = entries.row[off_diagonal], entries.col[off_diagonal], np.abs(entries.data[off_diagonal])
    most = np.zeros(products.shape[0])
    np.maximum.at(most, row, value)
    close = value >= CLOSE * np.minimum(most[row], most[column])
    return csr_matrix((np.ones(int(close.sum())), (row[close], column[close])), shape=products.shape)


def independent_set(graph: csr_matrix) -> np.ndarray:
    """Return a maximal independent set of particles, without isolated ones, as a mask of shape (n,)."""
    first, column = graph.indptr.tolist(), graph.indices
    degree = np.diff(graph.indptr)
    is_kept, is_covered = np.zeros(len(degree), dtype=bool), degree == 0
    for i in range(len(degree)):
        if not is_covered[i]:
            is_kept[i] = True
            is_covered[column[first[i] : first[i + 1]]] = True
    return is_kept


def colours_of(graph: csr_matrix) -> list[np.ndarray]:
    """Return a colouring of the graph: groups of particles, no two of which are connected."""
    first, column = graph.indptr.tolist(), graph.indices.tolist()
    colour = [-1] * (len(first) - 1)
    for i in range(len(colour)):
        taken = {colour[j] for j in column[first[i] : first[i + 1]]}
        colour[i] = next(c for c in range(len(taken) + 1) if c not in taken)
    found = np.array(colour)
    return [np.flatnonzero(found == c).astype(np.int32) for c in range(found.max(initial=-1) + 1)]


def _weights(graph: csr_matrix, points: Array, is_kept: np.ndarray) -> csr_matrix:
    """Return the interpolation weight of every kept particle for every particle, shape (n, n)."""
    count, near = len(points), _pattern(graph) @ _kept_only(is_kept)
    kept = np.flatnonzero(is_kept)
    rows, columns, values = [kept], [kept], [np.ones(len(kept))]
    others = np.flatnonzero(~is_kept & (np.diff(near.indptr) > 0))
    for candidates, is_last in ((near, False), (csr_matrix((_pattern(graph) @ near) + near), True)):
        counts = np.diff(candidates.indptr)
        remaining = []
        for width in np.unique(counts[others]):
            members = others[counts[others] == width]
            corners = candidates.indices[candidates.indptr[members][:, None] + np.arange(width)]
            weight, error = _affine_weights(points[corners] - points[members][:, None])
            done = np.full(len(members), True) if is_last else error < AFFINE
            remaining.append(members[~done])
            rows.append(np.repeat(members[done], width))
            columns.append(corners[done].ravel())
            values.append(weight[done].ravel())
        others = np.concatenate([np.zeros(0, dtype=np.int64), *remaining])
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return csr_matrix(entries, shape=(count, count))


def _affine_weights(offsets: Array) -> tuple[Array, Array]:
    """Return interpolation weights that sum to one and reproduce affine motion up to regularisation.

    Args:
        offsets: Positions of the neighbours relative to the particle [m], shape (n, neighbours, 3).

    Returns:
        The weights, shape (n, neighbours), and their mean offset relative to the mean distance, shape (n,).
    """
    squares = (offsets**2).sum(axis=2)
    scale = np.sqrt(squares.mean(axis=1))
    basis = np.concatenate([np.ones((*squares.shape, 1)), offsets / scale[:, None, None]], axis=2)
    near = 1.0 / squares
    near /= near.sum(axis=1, keepdims=True)
    normal = np.einsum("nk,nka,nkb->nab", near, basis, basis)
    normal[:, [1, 2, 3], [1, 2, 3]] += RIDGE
    weights = near * np.einsum("nka,na->nk", basis, np.linalg.inv(normal)[:, :, 0])
    weights /= weights.sum(axis=1, keepdims=True)
    error = np.linalg.norm(np.einsum("nk,nka->na", weights, offsets), axis=1) / scale
    return weights, error


def _pattern(graph: csr_matrix) -> csr_matrix:
    return csr_matrix((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=graph.shape)


def _kept_only(is_kept: np.ndarray) -> csr_matrix:
    kept = np.flatnonzero(is_kept)
    return csr_matrix((np.ones(len(kept)), (kept, kept)), shape=(len(is_kept), len(is_kept)))
