# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The explanations of many links as rows of common arrays: NumPy takes as long to begin as to compute one link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Family, Hypotheses
from inertia_tools.inertia.causes.noise import (
    COORDINATES,
    Fit,
    Mask,
    Noise,
    Values,
    places,
    unknown_log_density,
)
from inertia_tools.inertia.causes.noise import UNKNOWN as UNKNOWN_SCALES
from inertia_tools.spatial import Array

NO_CHANGE = 1e-6
"""Squared difference below which an explanation does not change the numbers."""


@dataclass(frozen=True, eq=False)
class Found:
    """One group of explanations, and where it comes from.

    Attributes:
        family: Makes the explanations of its kind.
        number: Index among the groups that the family makes for one link.
        prior: Prior probability of its kind.
        group: The explanations.
    """

    family: Family
    number: int
    prior: float
    group: Hypotheses


@dataclass(frozen=True, eq=False)
class Contenders:
    """All explanations of one link, of which there are n; the first is that nothing is wrong.

    Attributes:
        owner: Index of the group of each, -1 for the first, shape (n,).
        scale: Factors by which the geometry is scaled, shape (n,).
        are_possible: Which restore numbers that a rigid body can have, shape (n,).
        are_changes: Which change the numbers, and the first, shape (n,).
        restores: Which restore the numbers before the mistake, shape (n,).
        are_systematic: Which are mistakes that an export makes in many links alike, shape (n,).
        prior: Probability of each before any evidence, 0 for the first, shape (n,).
        prior_elsewhere: Probability of each to have been made in reverse in a sibling, 0 for the first, shape (n,).
        places: Coordinates of the values, NaN for impossible ones, shape (11, n).
        blocks: Differences from the witness that each is closest to, shape (n, 5).
        log_density: Logarithms of the mean density over the witnesses, shape (n,).
        witness: Index of the closest witness, shape (n,).
        log_unknown: Logarithm of the density of a mistake of unknown kind.
    """

    owner: Mask
    scale: Array
    are_possible: Mask
    are_changes: Mask
    restores: Mask
    are_systematic: Mask
    prior: Array
    prior_elsewhere: Array
    places: Array
    blocks: Array
    log_density: Array
    witness: Mask
    log_unknown: float


def contenders(evidences: Sequence[Evidence], found: Sequence[Sequence[Found]], noise: Noise) -> list[Contenders]:
    """Compare all explanations of some links, which have equally many witnesses, with the geometry.

    Args:
        evidences: The links.
        found: The explanations of each.
        noise: How far the links of their robot deviate from their geometry.
    """
    rows = _Rows(evidences, found, noise)
    return [rows.of(index) for index in range(len(evidences))]


class _Rows:
    """The explanations of all links, one below the other."""

    def __init__(self, evidences: Sequence[Evidence], found: Sequence[Sequence[Found]], noise: Noise) -> None:
        flat = [one for own in found for one in own]
        groups, sizes = [one.group for one in flat], np.array([len(one.group) for one in flat])
        self.counts = np.array([1 + sum(len(one.group) for one in own) for own in found])
        self.ends = np.cumsum(self.counts)
        self.is_first = np.zeros(self.ends[-1], dtype=bool)
        self.is_first[self.ends - self.counts] = True
        self.link = np.repeat(np.arange(len(evidences)), self.counts)
        self.owner = self._below(-1, np.repeat(np.concatenate([np.arange(len(own)) for own in found]), sizes))
        declared = [one.declared for one in evidences]
        self.values = Values(
            self._below([one.mass for one in declared], np.concatenate([one.masses for one in groups])),
            self._below([one.com for one in declared], np.concatenate([one.coms for one in groups])),
            self._below([one.meant.inertia for one in evidences], np.concatenate([one.tensors for one in groups])),
        )
        self.scale = self._below(1.0, np.concatenate([one.geometry_scale for one in groups]))
        self.restores = self._below(False, np.repeat([one.restores for one in groups], sizes))
        self.are_systematic = self._below(False, np.repeat([one.is_systematic for one in groups], sizes))
        kinds = np.repeat([one.prior for one in flat], sizes)
        self.prior = self._below(0.0, kinds * np.concatenate([one.weights for one in groups]))
        self.elsewhere = self._below(0.0, kinds * np.concatenate([one.weights_elsewhere for one in groups]))
        self.places = np.full((COORDINATES, len(self.link)), np.nan)
        possible = self.values.are_possible
        extents = np.array([one.geometry.extent for one in evidences])[self.link[possible]]
        self.places[:, possible] = places(self.values.take(possible), extents)
        self.fit = Fit.of(self.values, self.scale, [one.witnesses for one in evidences], self.link, noise)
        self.are_changes = self._are_changes()
        usual = np.where(possible[self.is_first, np.newaxis], self.fit.blocks[self.is_first], 2.0 * UNKNOWN_SCALES)
        self.unknown = unknown_log_density(usual)

    def _below(self, firsts: object, others: Array) -> Array:
        """Put a value for "nothing is wrong" above the explanations of each link."""
        whole = np.empty((len(self.link), *others.shape[1:]), dtype=others.dtype)
        whole[self.is_first], whole[~self.is_first] = firsts, others
        return whole

    def _are_changes(self) -> Mask:
        possible = self.values.are_possible
        first = (self.ends - self.counts)[self.link]
        compared = np.flatnonzero(possible & possible[first])
        squares = np.square(self.places[:, compared] - self.places[:, first[compared]]).sum(axis=0)
        changes = np.ones(len(self.link), dtype=bool)
        changes[compared] = (squares > NO_CHANGE) | (self.scale[compared] != 1.0)
        changes[self.is_first] = True
        return changes

    def of(self, index: int) -> Contenders:
        """Return the rows of one link."""
        end = int(self.ends[index])
        own = slice(end - int(self.counts[index]), end)
        return Contenders(
            self.owner[own],
            self.scale[own],
            self.values.are_possible[own],
            self.are_changes[own],
            self.restores[own],
            self.are_systematic[own],
            self.prior[own],
            self.elsewhere[own],
            self.places[:, own],
            self.fit.blocks[own],
            self.fit.log_density[own],
            self.fit.witness[own],
            float(self.unknown[index]),
        )
