# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Deviations of right inertials from their geometry and from siblings: densities fitted to real robots.

A link is compared in five blocks: logarithm of the mean density, logarithm of the trace of the tensor per kilogram,
diagonal and products of the tensor over its trace, centre of mass over the extent. Each block has a multivariate
Student density, and links are of three sorts, each with its scales. Vendors' tensors differ from those of their
geometry by a third in the median, far more in size than in shape. Scales and shares were fitted by maximum likelihood
to the links without a finding in every second robot of example-robot-data (docs/causes.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma, log, pi
from typing import Any

import numpy as np

from inertia_tools.inertia.causes.evidence import Reference
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array
from inertia_tools.validity import DEFINITE_TOLERANCE, TRIANGLE_IMPOSSIBLE

Mask = np.ndarray[tuple[Any, ...], np.dtype[Any]]
"""Mask or indices that select some of several."""

FREEDOM = np.array([1, 1, 2, 3, 3])
"""Degrees of freedom of the blocks: density, size, moments, products, centre."""

TAIL = 5.0
"""Degrees of freedom of the Student densities, which set how heavy their tails are."""

SCALES = np.array(
    [
        [0.8, 0.055, 0.004, 0.004, 0.0045],
        [0.8, 0.55, 0.057, 0.004, 0.027],
        [0.8, 0.42, 0.047, 0.027, 0.053],
    ]
)
"""Scales of the blocks for links that follow their geometry, that share its symmetry, and others, shape (3, 5)."""

SHARES = np.array([0.09, 0.25, 0.66])
"""Share of each sort among links."""

USUAL_DENSITY = 1200.0
"""Median of the mean densities of links [kg/m^3]: shells, motors and empty space together."""

PRIOR_LINKS = 6.0
"""Weight of the shares over all robots, in links, against those of the robot itself."""

UNKNOWN = np.array([4.0, 3.0, 0.2, 0.2, 0.6])
"""Scales of a mistake of unknown kind."""

SIBLING_SCALES = ((1e-6, 0.45), (1e-4, 0.2), (1e-3, 0.15), (1e-2, 0.1))
"""Scales of the difference between siblings, with their probability; mostly they are equal to the digits written."""


CONFIRMED = np.array([np.inf, 0.02, 0.005, 0.005, 0.005])
"""Deviation up to which the geometry confirms numbers: any density, then size, moments, products, centre."""


@dataclass(frozen=True, eq=False)
class Values:
    """Arrays of mass properties, n of each.

    Attributes:
        masses: Masses [kg], shape (n,).
        coms: Centres of mass [m], shape (n, 3).
        tensors: Tensors [kg m^2], shape (n, 3, 3).
    """

    masses: Array
    coms: Array
    tensors: Array

    @classmethod
    def of(cls, inertials: Sequence[Inertial]) -> Values:
        """Stack inertials, at least one."""
        return cls(
            np.array([one.mass for one in inertials]),
            np.array([one.com for one in inertials]),
            np.array([one.inertia for one in inertials]),
        )

    def take(self, chosen: Mask | list[int]) -> Values:
        """Return a selection, by a mask or by indices."""
        return Values(self.masses[chosen], self.coms[chosen], self.tensors[chosen])

    @cached_property
    def are_possible(self) -> Mask:
        """Which of them a rigid body can have, shape (n,)."""
        usable = np.isfinite(self.masses) & np.isfinite(self.coms).all(axis=1)
        usable &= np.isfinite(self.tensors).all(axis=(1, 2)) & (self.masses > 0.0)
        moments = np.linalg.eigvalsh(np.where(usable[:, np.newaxis, np.newaxis], self.tensors, 0.0))
        largest = moments[:, 2]
        triangle = largest - moments[:, 0] - moments[:, 1] <= TRIANGLE_IMPOSSIBLE * largest
        return np.asarray(usable & (moments[:, 0] > DEFINITE_TOLERANCE * largest) & triangle & (largest > 0.0))


def against_geometry(values: Values, reference: Reference, scale: Array | float = 1.0) -> Array:
    """Return the difference from the geometry in each block: a norm, or a signed number where the block is one number.

    Args:
        values: Possible mass properties.
        reference: The geometry.
        scale: Factors by which the geometry is scaled, shape (n,).

    Returns:
        Differences, shape (n, 5).
    """
    return against_own_geometry(values, [reference], scale=scale)


def against_own_geometry(
    values: Values, references: Sequence[Reference], own: Mask | slice = slice(None), scale: Array | float = 1.0
) -> Array:
    """Return the same as `against_geometry`, where each of the n values has its own geometry.

    Args:
        values: Possible mass properties.
        references: The geometries; one for each of the values, or one for all.
        own: Index of the geometry of each of the values, shape (n,), where several share one.
        scale: Factors by which the geometry is scaled, shape (n,).
    """
    radii = np.array([one.trace for one in references])
    form = np.array([one.gyration for one in references]) / radii[:, np.newaxis, np.newaxis]
    radii, volumes = radii[own], np.array([one.volume for one in references])[own]
    coms = np.array([one.com for one in references])[own]
    extents = np.array([one.extent for one in references])[own]
    traces = np.trace(values.tensors, axis1=1, axis2=2)
    shapes = values.tensors / traces[:, np.newaxis, np.newaxis] - form[own]
    apart = (values.coms - np.multiply.outer(scale, np.ones(3)) * coms) / (scale * extents)[:, np.newaxis]
    moments = np.diagonal(shapes, axis1=1, axis2=2)
    with np.errstate(divide="ignore"):  # a mass near zero is infinitely far from that of any material
        log_mass = np.log(values.masses / (USUAL_DENSITY * volumes * scale**3))
    return np.stack(
        [
            log_mass,
            np.log(traces / values.masses / (radii * scale**2)),
            np.linalg.norm(moments, axis=1),
            np.sqrt(2.0) * np.linalg.norm(shapes[:, PRODUCTS[0], PRODUCTS[1]], axis=1),
            np.linalg.norm(apart, axis=1),
        ],
        axis=1,
    )


PRODUCTS = np.triu_indices(3, 1)


def places(values: Values, extent: Array | float) -> Array:
    """Return coordinates of values, in which the squared distance of two is their squared difference over all blocks.

    Args:
        values: Possible mass properties, n of them.
        extent: Diagonal of the box around the geometry [m], one for each or one for all.

    Returns:
        Logarithms of mass and size, shape, centre, one row each, shape (11, n).
    """
    traces = np.trace(values.tensors, axis1=1, axis2=2)
    shapes = values.tensors[:, UPPER[0], UPPER[1]].T / traces
    shapes[UPPER[0] != UPPER[1]] *= np.sqrt(2.0)  # each product occurs twice in the tensor
    return np.concatenate(
        [np.log(values.masses)[np.newaxis], np.log(traces / values.masses)[np.newaxis], shapes, values.coms.T / extent]
    )


UPPER = np.triu_indices(3)

COORDINATES = 2 + 6 + 3
"""Rows of `places`."""


def squared_distances(ones: Array, others: Array) -> Array:
    """Return the squared distance of each of n places, shape (11, n), to each of k others, shape (11, k), as (n, k)."""
    apart = ones[:, :, np.newaxis] - others[:, np.newaxis]
    return np.asarray(np.square(apart, out=apart).sum(axis=0))


@dataclass(frozen=True, eq=False)
class Noise:
    """How the links of one robot deviate from their geometry.

    Attributes:
        shares: Share of each sort among its links, shape (3,).
    """

    shares: Array = field(default_factory=lambda: SHARES)

    def log_density(self, blocks: Array, errors: Array | float = 0.0) -> Array:
        """Return the logarithm of the density of differences, shape (n,).

        Args:
            blocks: Lengths of the differences, shape (n, 5).
            errors: Likely relative errors of the moments of the geometry, shape (n,), or one for all.
        """
        return log_sum(self._by_sort(blocks, errors), axis=0)

    def _by_sort(self, blocks: Array, errors: Array | float = 0.0) -> Array:
        widened = np.multiply.outer(np.atleast_1d(errors), BY_MOMENTS)
        sorts = student(blocks**2, FREEDOM, np.hypot(SCALES[:, np.newaxis], widened)).sum(axis=2)
        return np.asarray(sorts + np.log(self.shares)[:, np.newaxis])

    @cached_property
    def peak(self) -> float:
        """Logarithm of the density at zero difference, for links of the most common sort."""
        return float(student(np.zeros(5), FREEDOM, SCALES[-1]).sum())

    @classmethod
    def of_robot(cls, blocks: Array) -> Noise:
        """Estimate the shares of a robot from the differences of its links, shape (n, 5)."""
        shares = SHARES
        for _ in range(ROUNDS if len(blocks) else 0):
            by_sort = cls(shares)._by_sort(blocks)
            owned = np.exp(by_sort - log_sum(by_sort, axis=0)).sum(axis=1)
            shares = (owned + PRIOR_LINKS * SHARES) / (len(blocks) + PRIOR_LINKS)
        return cls(shares)


BY_MOMENTS = np.array([0.0, 2.0, 1.0, 1.0, 1.0])
"""Errors of the blocks from an error of the moments of the geometry."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The agreement of n values with the witnesses of the shapes of their links.

    Attributes:
        blocks: Differences from the witness that each is closest to, shape (n, 5).
        log_density: Logarithms of the mean density over the witnesses, shape (n,).
        witness: Index of the closest witness, shape (n,).
    """

    blocks: Array
    log_density: Array
    witness: Mask

    @classmethod
    def of(
        cls, values: Values, scale: Array, witnesses: Sequence[Sequence[Reference]], owner: Mask, noise: Noise
    ) -> Fit:
        """Compare values with every witness; impossible ones agree with none.

        Args:
            values: Mass properties.
            scale: Factors by which the geometry is scaled, shape (n,).
            witnesses: References of the geometry of each link, and of the visual geometry if it was integrated.
            owner: Index of the link of each of the values, shape (n,).
            noise: How far the links of the robot deviate from their geometry.
        """
        usable = values.are_possible
        blocks = np.full((len(scale), len(FREEDOM)), FAR)
        found, witness = np.full(len(scale), noise.log_density(blocks[:1])), np.zeros(len(scale), dtype=np.intp)
        if usable.any():
            taken, own, scale = values.take(usable), owner[usable], scale[usable]
            kinds = list(zip(*witnesses, strict=True))
            each = np.stack([against_own_geometry(taken, references, own, scale) for references in kinds])
            errors = [np.array([one.error for one in references])[own] for references in kinds]
            fits = np.stack([noise.log_density(apart, error) for apart, error in zip(each, errors, strict=True)])
            witness[usable] = best = np.argmax(fits, axis=0)
            blocks[usable] = each[best, np.arange(len(best))]
            found[usable] = log_sum(fits, axis=0) - log(len(kinds))
        return cls(blocks, found, witness)


def log_sum(logs: Array, axis: int | None = None) -> Array:
    """Return the logarithm of a sum of numbers given by their logarithms, of which at least one is finite.

    NumPy's `logaddexp.reduce` gives the same result in five times the time.
    """
    largest = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(logs - largest).sum(axis=axis)) + largest.squeeze(axis))


FAR = 1e3
"""Difference for values that no body can have."""

ROUNDS = 10
"""Steps of expectation maximisation."""


def unknown_log_density(blocks: Array) -> Array:
    """Return the log density of a mistake of unknown kind, shape (n,), for differences of shape (n, 5)."""
    return np.asarray(student(blocks**2, FREEDOM, UNKNOWN).sum(axis=1))


_CONSTANTS = {
    int(count): lgamma((TAIL + count) / 2) - lgamma(TAIL / 2) - 0.5 * count * log(TAIL * pi)
    for count in (*range(1, 4), FREEDOM.sum())
}
_BLOCK_CONSTANTS = np.array([_CONSTANTS[int(count)] for count in FREEDOM])


def student(squares: Array, freedom: Array | int, scale: Array | float) -> Array:
    """Return the logarithm of the multivariate Student density at a squared distance."""
    constant = _CONSTANTS[freedom] if isinstance(freedom, int) else _BLOCK_CONSTANTS
    tail = 0.5 * (TAIL + freedom) * np.log1p(squares / (TAIL * np.square(scale)))
    return np.asarray(constant - freedom * np.log(scale) - tail)
