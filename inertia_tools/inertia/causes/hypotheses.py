# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Explanations of a wrong inertial, many of one kind at a time: the values of the link before the one mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.inertia.causes.evidence import Evidence, Reference
from inertia_tools.inertia.causes.noise import CONFIRMED, Mask, Values, against_geometry
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The values of a link before a mistake of one kind, for every size that the mistake may have.

    Attributes:
        cause: The kind of mistake, a code in kebab-case.
        changes: The change that undoes it, one sentence each, n of them.
        masses: Masses before the mistake [kg], shape (n,).
        coms: Centres of mass before it in link axes [m], shape (n, 3).
        tensors: Tensors before it about the centre of mass, in link axes [kg m^2], shape (n, 3, 3).
        weights: Probability of each among those of its kind; they sum to one at most, shape (n,).
        restores: The mistake lost no information, so that these values are the right ones; otherwise they only show
            that the mistake is plausible, and the geometry supplies the new values.
        is_systematic: An export makes the mistake in many links alike.
        geometry_scale: Factor by which the geometry has to be scaled, shape (n,).
        reverse: Probability of each in reverse: that a sibling, which has the restored numbers, got them by a mistake
            from those declared here, shape (n,); equal to `weights` if not given.
    """

    cause: str
    changes: Sequence[str]
    masses: Array
    coms: Array
    tensors: Array
    weights: Array
    restores: bool = True
    is_systematic: bool = False
    geometry_scale: Array = field(default_factory=lambda: np.ones(1))
    reverse: Array | None = None

    def __len__(self) -> int:
        return len(self.changes)

    @property
    def weights_elsewhere(self) -> Array:
        """Probability of each to have been made in reverse in a sibling, shape (n,)."""
        return self.weights if self.reverse is None else self.reverse

    def inertial(self, index: int) -> Inertial:
        """Return the mass properties of one explanation."""
        tensor = self.tensors[index]
        return Inertial(float(self.masses[index]), self.coms[index], 0.5 * (tensor + tensor.T))


def each(values: Array, count: int) -> Array:
    """Return the same values that many times, shape (count, ...); for few of them `np.tile` takes ten times as long."""
    return np.asarray(values[np.newaxis].repeat(count, axis=0))


def confirmed(evidence: Evidence, found: Hypotheses) -> Sequence[Hypotheses]:
    """Keep the explanations that restore the geometry's numbers, for mistakes that would otherwise fit too often."""
    values = Values(found.masses, found.coms, found.tensors)
    if not _are_of_size(values, evidence.geometry).any():
        return ()
    kept = np.flatnonzero(values.are_possible)
    if len(kept):
        apart = against_geometry(values.take(kept), evidence.geometry, np.ones(len(kept)))
        kept = kept[(np.abs(apart) <= CONFIRMED).all(axis=1)]
    if not len(kept):
        return ()
    numbers = {name: getattr(found, name)[kept] for name in ("masses", "coms", "tensors", "weights")}
    return (
        replace(
            found, changes=[found.changes[one] for one in kept.tolist()], geometry_scale=np.ones(len(kept)), **numbers
        ),
    )


def _are_of_size(values: Values, geometry: Reference) -> Mask:
    """Return which values have the size of the geometry: few have, and the other blocks take ten times as long."""
    traces = np.trace(values.tensors, axis1=1, axis2=2)
    with np.errstate(all="ignore"):  # values may be impossible
        return np.asarray(np.abs(np.log(traces / values.masses / geometry.trace)) <= CONFIRMED[SIZE])


SIZE = 1
"""Index of the block of the size."""

Family = Callable[[Evidence], Sequence[Hypotheses]]
"""Finds the explanations of one kind; none where its pattern is absent."""


def of_tensors(
    evidence: Evidence,
    cause: str,
    changes: Sequence[str],
    written: Array,
    weights: Array,
    *,
    restores: bool = True,
    is_systematic: bool = False,
) -> Hypotheses:
    """Make explanations that keep mass and centre.

    Args:
        evidence: The link.
        cause: The kind of mistake.
        changes: The changes, n sentences.
        written: Tensors in the axes of the inertial frame [kg m^2], shape (n, 3, 3).
        weights: Probability of each, shape (n,).
        restores: As in `Hypotheses`.
        is_systematic: As in `Hypotheses`.
    """
    count, declared = len(changes), evidence.declared
    return Hypotheses(
        cause,
        changes,
        np.full(count, declared.mass),
        each(declared.com, count),
        evidence.turn @ written @ evidence.turn.T,
        weights,
        restores,
        is_systematic,
        np.ones(count),
    )
