# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which explanation of a link's numbers holds: every hypothesis is weighed against all others and "nothing is wrong".

The posterior probability of a hypothesis is its prior times the density of what the link had before the mistake, given
the geometry and the links built alike. A cause is asserted when its probability is over `CERTAIN`, so that no other one
and no mistake of unknown kind competes, and when the restored numbers go with the geometry within `TOLERANCE`, or are
those of a link built alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.families import FAMILIES, WHERE_CONFIRMED
from inertia_tools.inertia.causes.families.unit import wrong_mesh_unit, wrong_unit
from inertia_tools.inertia.causes.hypotheses import Family, Hypotheses
from inertia_tools.inertia.causes.noise import (
    COORDINATES,
    FREEDOM,
    SIBLING_SCALES,
    UNKNOWN,
    Fit,
    Mask,
    Noise,
    Values,
    log_sum,
    places,
    squared_distances,
    student,
    unknown_log_density,
)
from inertia_tools.inertia.checks.plausible import OVERSIZED
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

CERTAIN = 0.99
"""Probability above which a cause is asserted."""

POSSIBLE = 0.05
"""Probability above which a cause is listed, when nothing being wrong is less likely than not."""

PRIOR_MISTAKE = 0.04
"""How often a link has a mistake of a kind that may be asked of any; one per mille to one per cent a kind."""

PRIOR_UNKNOWN = 0.01
"""How often a link has a mistake of no known kind."""

PRIOR_INACCURATE = 0.01
"""How often a tensor is only inaccurate, and one that no body can have for that; 15 of 1709 links in the collection.

The nearest valid tensor then changes it little, and stands for what was meant.
"""

SYSTEMATIC = 0.2
"""How often a mistake that an export makes is in a link built alike, too."""

MINORITY = 0.03
"""How often every link built alike has the same mistake, and this one has not, for each such link after the first."""

UNLIKE = 0.1
"""How often links built alike say nothing about each other."""

TOLERANCE = np.array([8.0, 1.6, 0.3, 0.2, 0.45])
"""How far asserted numbers may lie from the geometry: logarithms of density and size, moments, products, centre."""

LARGEST = np.array([8.0, np.log(OVERSIZED), 0.3, 0.2, 0.45])
"""The same upwards: what would be called oversized is not proven to be right."""

EXACT = np.array([8.0, 0.1, 0.02, 0.02, 0.03])
"""How far numbers may lie from the geometry to be its own, in the same blocks."""

HERE = 0.9
"""Of two links built alike that differ by one mistake, this one is named when it has it with that probability.

When the other one has it with that probability, nothing is said about this one; in between, both are noted.
"""

SOUND = 0.5
"""Probability that nothing is wrong above which nothing is said, and the visual geometry not asked."""

SIZE_CERTAIN = 0.9
"""Share of one change in the probability of an asserted cause above which that is made; else the geometry stands in."""

NO_CHANGE = 1e-6
"""Squared difference below which an explanation leaves the numbers as they are."""

AGREES = 1e-4
"""Squared difference below which the numbers of a link built alike are the same."""

SAME = 1e-6
"""Squared difference below which two explanations restore the same numbers: a thousandth is beyond geometry."""

NEVER = 1e-300
"""Probability of what does not happen, of which there is a logarithm."""

CONTENDING = 15.0
"""Explanations whose logarithm is that far below the best are out."""


@dataclass(frozen=True)
class Origin:
    """Which of all explanations a cause is.

    Attributes:
        family: Makes the explanations of its kind.
        number: Which of those that the family makes of one link.
        place: Which size of the mistake.
        is_identified: Links built alike have the numbers that it leads to.
    """

    family: Family
    number: int
    place: int
    is_identified: bool


@dataclass(frozen=True, eq=False)
class Cause:
    """One explanation of a link's numbers.

    Attributes:
        code: The kind of mistake, in kebab-case.
        change: What makes it right, one sentence.
        after: The right mass properties in link axes; None when the mistake is not in the inertial.
        restores: They are what the link had before the mistake; otherwise the geometry stands in for what was lost.
        probability: How likely it is.
        evidence: What speaks for it, one sentence.
        also: Other kinds of mistake that would have led to the same numbers.
        rival: A link built alike that has the mistake, if this one has not: they differ by it, and nothing else tells
            which of the two is wrong; empty when that is clear.
        is_proven: It is the one cause; otherwise it only may be.
        is_exact: The restored numbers are those of the geometry, or of several links built alike, so that the cause
            counts although nothing else was found.
        origin: Which explanation it is.
    """

    code: str
    change: str
    after: Inertial | None
    restores: bool
    probability: float
    evidence: str
    origin: Origin = field(repr=False)
    also: tuple[str, ...] = ()
    rival: str = ""
    is_proven: bool = False
    is_exact: bool = False

    def in_words_of(self, evidence: Evidence) -> Cause:
        """Return the cause in the words of another link with the same digits."""
        origin = self.origin
        group = origin.family(evidence)[origin.number]
        is_replaced = group.restores and not self.restores and self.after is not None
        return replace(
            self,
            change=_said(group.changes[origin.place], is_replaced=is_replaced),
            evidence=_proof(_identified(evidence), is_replaced=is_replaced) if origin.is_identified else self.evidence,
            rival=evidence.siblings[0].link if self.rival else "",
        )


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What became of the search for a cause.

    Attributes:
        proven: The one cause; None when nothing is wrong, or several could be.
        possible: Causes that may be, the likeliest first, where none is proven.
        soundness: Probability that nothing is wrong here.
    """

    proven: Cause | None = None
    possible: tuple[Cause, ...] = ()
    soundness: float = 1.0

    def in_words_of(self, evidence: Evidence) -> Diagnosis:
        """Return the diagnosis in the words of another link with the same digits."""
        proven = None if self.proven is None else self.proven.in_words_of(evidence)
        return replace(self, proven=proven, possible=tuple(one.in_words_of(evidence) for one in self.possible))


def diagnose(evidence: Evidence, noise: Noise | None = None) -> Diagnosis:
    """Find the cause of a link's numbers.

    Args:
        evidence: What is known of the link.
        noise: How far the links of its robot lie from their geometry.
    """
    noise = noise or Noise()
    first = _weighed(evidence, noise)
    again = None if first.soundness > SOUND else evidence.with_a_second_look()
    return first if again is None else _weighed(again, noise)


def _weighed(evidence: Evidence, noise: Noise) -> Diagnosis:
    found = [(family, number, one) for family in PRIORS for number, one in enumerate(family(evidence))]
    return _Contest(evidence, found, noise).diagnosis()


def _of_meant(family: Family) -> Family:
    """Return explanations of one kind for links whose tensor is inaccurate besides."""

    def found(evidence: Evidence) -> Sequence[Hypotheses]:
        if evidence.meant is evidence.declared:
            return ()
        groups = family(replace(evidence, declared=evidence.meant))
        return [
            replace(one, changes=[f"{text}, of the nearest valid tensor" for text in one.changes]) for one in groups
        ]

    return found


_WEIGHTS = FAMILIES | {
    _of_meant(family): FAMILIES[family] * PRIOR_INACCURATE for family in (wrong_unit, wrong_mesh_unit)
}
"""How common each kind is against the others; units are what goes together with inaccurate numbers."""

PRIORS = {
    family: PRIOR_MISTAKE * weight / sum(FAMILIES.values()) for family, weight in (_WEIGHTS | WHERE_CONFIRMED).items()
}
"""How often each kind of mistake is made; those that have to be confirmed come on top, and take nothing from others."""


_Clusters = list[tuple[float, list[int]]]
"""Explanations of one kind of mistake that restore the same numbers, with their probability; the likeliest first."""


def _probability(clusters: _Clusters) -> float:
    return sum(one for one, _ in clusters)


class _Contest:
    """All explanations of one link side by side; the first is that nothing is wrong."""

    def __init__(self, evidence: Evidence, found: list[tuple[Family, int, Hypotheses]], noise: Noise) -> None:
        self.evidence, self.noise = evidence, noise
        self.groups = [one for *_, one in found]
        self.origins = [(family, number) for family, number, _ in found]
        self.owner = np.repeat(np.arange(-1, len(self.groups)), [1, *map(len, self.groups)])
        self.first = np.cumsum([1, *map(len, self.groups)])
        declared = evidence.declared
        self.values = Values(
            np.concatenate([[declared.mass], *[one.masses for one in self.groups]]),
            np.concatenate([[declared.com], *[one.coms for one in self.groups]]),
            np.concatenate([[evidence.meant.inertia], *[one.tensors for one in self.groups]]),
        )
        self.scale = np.concatenate([np.ones(1), *[one.geometry_scale for one in self.groups]])
        self.are_possible = self.values.are_possible
        sound = 1.0 - PRIOR_MISTAKE - PRIOR_UNKNOWN if evidence.meant is evidence.declared else PRIOR_INACCURATE
        kinds = np.repeat([PRIORS[family] for family, _ in self.origins], list(map(len, self.groups)))
        self.prior = _log_prior(sound, kinds * np.concatenate([one.weights for one in self.groups]))
        elsewhere = np.concatenate([one.weights_elsewhere for one in self.groups])
        self.prior_elsewhere = _log_prior(0.0, kinds * elsewhere)
        self.places = np.full((COORDINATES, len(self.scale)), np.nan)
        self.places[:, self.are_possible] = places(self.values.take(self.are_possible), evidence.geometry.extent)
        self.fit = Fit.of(self.values, self.scale, evidence.witnesses, noise)
        self.blocks = self.fit.blocks
        self.likeness, self.agreeing = self._likeness()
        self.elsewhere = -np.inf
        score = self.prior + self.fit.log_density + self._shared_likeness()
        self.scores = np.where(self.are_possible & self._are_changes(), score, -np.inf)
        self.unknown = self._unknown()

    def _are_changes(self) -> Mask:
        """Tell which explanations change anything, and the one that nothing is wrong, shape (n,)."""
        found = np.ones(len(self.scale), dtype=bool)
        if self.are_possible[0]:
            squares = squared_distances(self.places[:, self.are_possible], self.places[:, :1])[:, 0]
            found[self.are_possible] = (squares > NO_CHANGE) | (self.scale[self.are_possible] != 1.0)
            found[0] = True
        return found

    def _likeness(self) -> tuple[Array, Array]:
        """Return how much likelier siblings make each explanation, and how many of them have its numbers."""
        count = len(self.scale)
        likeness, agreeing = np.zeros(count), np.zeros(count)
        if not (self.evidence.siblings and self.are_possible.any()):
            return likeness, agreeing
        masses, coms, tensors, logs = self.evidence.likenesses
        likes = Values(masses, coms, tensors)
        usable = likes.are_possible
        if not usable.any():
            return likeness, agreeing
        theirs = places(likes.take(usable), self.evidence.geometry.extent)
        squares = squared_distances(self.places[:, self.are_possible], theirs)
        freedom = int(FREEDOM.sum())
        terms = [
            np.log(share) + student(squares, freedom, scale) + logs[usable] - self.noise.peak
            for scale, share in SIBLING_SCALES
        ]
        likely = log_sum(np.concatenate(terms, axis=1), axis=1)
        likeness[self.are_possible] = np.logaddexp(np.log(UNLIKE), likely)
        close = np.zeros((len(squares), len(masses)), dtype=bool)
        close[:, usable] = squares < AGREES
        by_sibling = close.reshape(len(squares), len(self.evidence.siblings), -1)
        agreeing[self.are_possible] = by_sibling.any(axis=2).sum(axis=1)
        return likeness, agreeing

    def _shared_likeness(self) -> Array:
        """Allow for mistakes in the siblings: the same one in all, or one in them and none here."""
        likeness = self.likeness.copy()
        systematic = np.array([False, *[one.is_systematic for one in self.groups]], dtype=bool)[self.owner + 1]
        restores = np.array([False, *[one.restores for one in self.groups]], dtype=bool)[self.owner + 1]
        shared = self.likeness[0] + np.log(SYSTEMATIC)
        likeness = np.where(systematic, np.maximum(likeness, shared), likeness)
        theirs = restores & self.are_possible & (self.agreeing > 0)
        if theirs.any():
            others = (self.agreeing[theirs] - 1.0) * np.log(MINORITY)
            self.elsewhere = float(
                log_sum(self.prior_elsewhere[theirs] + self.likeness[theirs] + others)
                + self.prior[0]
                + self.fit.log_density[0]
            )
        return likeness

    def _unknown(self) -> float:
        """Return the score of a mistake of no known kind."""
        density = unknown_log_density(self.blocks[0] if self.are_possible[0] else 2.0 * UNKNOWN)
        return float(np.log(PRIOR_UNKNOWN)) + density + (float(np.log(UNLIKE)) if self.evidence.siblings else 0.0)

    def diagnosis(self) -> Diagnosis:
        """Weigh the explanations."""
        best = max(float(self.scores.max()), self.unknown)
        elsewhere = self.elsewhere if self.are_possible[0] else -np.inf
        likely = np.exp(self.scores - best)
        likely /= likely.sum() + np.exp(self.unknown - best)
        soundness, causes = 0.0, dict[str, _Clusters]()
        for probability, cluster in self._clusters(best, likely):
            if 0 in cluster:
                soundness = probability
            else:
                causes.setdefault(self.groups[self.owner[cluster[0]]].cause, []).append((probability, cluster))
        ranked = sorted(causes.values(), key=lambda clusters: -_probability(clusters))
        here = 1.0 / (1.0 + float(np.exp(elsewhere - best)))
        likeliest = ranked[0][0][1][0] if ranked and _probability(ranked[0]) > CERTAIN else None
        if likeliest is not None and self._is_within_tolerance(likeliest):
            cause = self._cause(ranked[0], least_share=SIZE_CERTAIN)
            if here > HERE:
                cause = replace(cause, is_proven=True, is_exact=cause.restores and self._is_exact(likeliest))
                return Diagnosis(cause, (), soundness)
            if here < 1.0 - HERE:
                return Diagnosis(soundness=1.0 - here)
            return Diagnosis(None, (replace(cause, rival=self.evidence.siblings[0].link),), soundness)
        if soundness > SOUND:
            return Diagnosis(soundness=soundness)
        possible = (self._cause(clusters) for clusters in ranked if _probability(clusters) > POSSIBLE)
        return Diagnosis(None, tuple(possible), soundness)

    def _clusters(self, best: float, likely: Array) -> _Clusters:
        """Put explanations together that restore the same numbers, or lost them in the same way; likeliest first.

        Where one restores what another only fills in, the first speaks for both.
        """
        contenders = np.flatnonzero(self.scores > best - CONTENDING)
        order = contenders[np.argsort(-self.scores[contenders], kind="stable")]
        if not len(order):
            return []
        squares = squared_distances(self.places[:, order], self.places[:, order])
        restores = np.array([index == 0 or self.groups[self.owner[index]].restores for index in order], dtype=bool)
        alike = (squares < SAME) & (self.scale[order][:, np.newaxis] == self.scale[order])
        alike &= restores[:, np.newaxis] | restores
        alike |= (self.owner[order][:, np.newaxis] == self.owner[order]) & ~restores[:, np.newaxis] & ~restores
        leader, free = np.zeros(len(order), dtype=np.intp), np.ones(len(order), dtype=bool)
        for position in range(len(order)):
            if free[position]:
                members = alike[position] & free
                leader[members] = position
                free ^= members
        by_leader = np.lexsort((~restores, leader))
        first = np.flatnonzero(np.diff(leader[by_leader], prepend=-1))
        probabilities = np.add.reduceat(likely[order[by_leader]], first)
        members = order[by_leader].tolist()
        ends = [*first[1:].tolist(), len(members)]
        return [
            (probability, members[begin:end])
            for probability, begin, end in zip(probabilities.tolist(), first.tolist(), ends, strict=True)
        ]

    def _is_within_tolerance(self, index: int) -> bool:
        blocks = self.blocks[index]
        is_close = bool(((blocks >= -TOLERANCE) & (blocks <= LARGEST)).all())
        return is_close or float(self.likeness[index]) > IDENTIFIED

    def _is_exact(self, index: int) -> bool:
        return bool((np.abs(self.blocks[index]) <= EXACT).all()) or bool(self.agreeing[index] > 1)

    def _cause(self, clusters: _Clusters, least_share: float = 0.0) -> Cause:
        """Make the cause of all changes of one kind, the likeliest first; that has to have the share of them all."""
        probability = _probability(clusters)
        share, cluster = clusters[0]
        index = cluster[0]
        group = self.groups[self.owner[index]]
        place = index - int(self.first[self.owner[index]])
        restores = group.restores and share >= least_share * probability
        family, number = self.origins[self.owner[index]]
        after: Inertial | None = None
        if self.scale[index] == 1.0:
            declared = self.evidence.declared
            after = group.inertial(place) if restores else self.evidence.geometry.at_mass(declared.mass)
        is_replaced = group.restores and not restores and after is not None
        also = dict.fromkeys(self.groups[self.owner[one]].cause for one in cluster)
        return Cause(
            group.cause,
            _said(group.changes[place], is_replaced=is_replaced),
            after,
            restores,
            probability,
            _proof(self._sentence(index), is_replaced=is_replaced),
            Origin(family, number, place, self._is_identified(index)),
            tuple(name for name in also if name != group.cause),
        )

    def _is_identified(self, index: int) -> bool:
        return bool(self.evidence.siblings and self.likeness[index] > IDENTIFIED)

    def _sentence(self, index: int) -> str:
        """Say what speaks for an explanation."""
        if self._is_identified(index):
            return _identified(self.evidence)
        if not self.are_possible[0]:
            return f"that is possible, and {self._apart(index)}"
        return f"now {self._apart(0)}; then {self._apart(index)}"

    def _apart(self, index: int) -> str:
        """Say how far an explanation lies from the geometry that it goes with best."""
        _, size, moments, products, centre = self.blocks[index]
        shape, whose = float(np.hypot(moments, products)), WITNESSES[self.fit.witness[index]]
        return f"{np.exp(size):.3g} times the size of {whose}, {shape:.1%} off its shape, {centre:.1%} off its centre"


def _said(change: str, *, is_replaced: bool) -> str:
    """Say what is done: the change, or what stands in for it where others of its kind compete with it."""
    instead = ", or a like change; as that is open, tensor and centre come from the geometry, at the stated mass"
    return f"{change}{instead}" if is_replaced else change


def _proof(evidence: str, *, is_replaced: bool) -> str:
    """Say what speaks for the change, of which there are several where something stands in."""
    return f"as for the first, {evidence}" if is_replaced else evidence


def _log_prior(sound: float, likely: Array) -> Array:
    """Return the logarithm of the prior of nothing being wrong, and of each explanation, shape (n + 1,)."""
    return np.asarray(np.log(np.maximum(np.concatenate([[sound], likely]), NEVER)))


WITNESSES = ("the geometry", "the visual geometry")
"""How to call them."""

IDENTIFIED = 15.0
"""Logarithm by which a link built alike makes an explanation likelier, when it has the same numbers."""


def _identified(evidence: Evidence) -> str:
    names = ", ".join(repr(sibling.link) for sibling in evidence.siblings)
    return f"the numbers become those of {names}, built alike"
