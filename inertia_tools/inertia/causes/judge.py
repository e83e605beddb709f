# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which explanation of a link's numbers holds: each hypothesis competes with all others and with "nothing is wrong".

The posterior probability of a hypothesis is its prior times the density of the link's values before the mistake, given
the geometry and the siblings. A cause is asserted when its probability exceeds `CERTAIN`, so that no other cause and no
mistake of unknown kind competes, and when the restored numbers match the geometry within `TOLERANCE`, or are those of a
sibling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.inertia.causes.contenders import Contenders, Found, contenders
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.families import FAMILIES, WHERE_CONFIRMED
from inertia_tools.inertia.causes.families.unit import wrong_mesh_unit, wrong_unit
from inertia_tools.inertia.causes.hypotheses import Family, Hypotheses
from inertia_tools.inertia.causes.noise import (
    FREEDOM,
    SIBLING_SCALES,
    Mask,
    Noise,
    Values,
    log_sum,
    places,
    squared_distances,
    student,
)
from inertia_tools.inertia.checks.plausible import OVERSIZED
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

CERTAIN = 0.99
"""Probability above which a cause is asserted."""

POSSIBLE = 0.05
"""Probability above which a cause is listed, when nothing being wrong is less likely than not."""

PRIOR_MISTAKE = 0.04
"""How often a link has a mistake of a kind that is tested on all links; one per mille to one per cent per kind."""

PRIOR_UNKNOWN = 0.01
"""How often a link has a mistake of no known kind."""

PRIOR_INACCURATE = 0.01
"""How often a tensor is impossible only because it is inaccurate: 15 of 1709 links in the collection.

The nearest valid tensor is then close to it, and stands for the intended one.
"""

SYSTEMATIC = 0.2
"""Probability that a sibling has the same mistake, if an export makes it."""

MINORITY = 0.03
"""Probability that every sibling has the same mistake and this link has not, per sibling after the first."""

UNLIKE = 0.1
"""Probability that siblings have independent inertials."""

TOLERANCE = np.array([8.0, 1.6, 0.3, 0.2, 0.45])
"""Largest deviation of asserted numbers from the geometry: logarithm of density, of size, moments, products, centre."""

LARGEST = np.array([8.0, np.log(OVERSIZED), 0.3, 0.2, 0.45])
"""The same upwards: values that would be reported as oversized are not proven right."""

EXACT = np.array([8.0, 0.1, 0.02, 0.02, 0.03])
"""Deviation up to which numbers count as the geometry's own, in the same blocks."""

HERE = 0.9
"""Of two siblings that differ by one mistake, this one is named if it has it with at least this probability.

If the other one has it with that probability, this one gets no finding; in between, both are noted.
"""

SOUND = 0.5
"""Probability that nothing is wrong above which nothing is reported and the visual geometry is not integrated."""

SIZE_CERTAIN = 0.9
"""Share of one change in the probability of an asserted cause above which it is made; else the geometry is used."""

AGREES = 1e-4
"""Squared difference below which the numbers of a sibling are the same."""

SAME = 1e-6
"""Squared difference below which two explanations restore the same numbers: geometry does not resolve a thousandth."""

NEVER = 1e-300
"""Least probability, so that a logarithm exists."""

TOGETHER = 64
"""Links whose explanations are compared in common arrays, some 15 000 rows: more take no less time for each."""

LOG_UNKNOWN, LOG_UNLIKE = float(np.log(PRIOR_UNKNOWN)), float(np.log(UNLIKE))

CONTENDING = 15.0
"""Explanations whose logarithm is this far below the best are dropped."""


@dataclass(frozen=True)
class Origin:
    """Identifies the explanation of a cause.

    Attributes:
        family: Makes the explanations of its kind.
        number: Index among the groups that the family makes for one link.
        place: Index of the size of the mistake in the group.
        is_identified: Siblings have the numbers that it restores.
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
        change: The change that corrects it, one sentence.
        after: The right mass properties in link axes; None when the mistake is not in the inertial.
        restores: `after` is the value before the mistake; otherwise the geometry supplies the lost values.
        probability: Its posterior probability.
        evidence: The evidence for it, one sentence.
        also: Other kinds of mistake that would have led to the same numbers.
        rival: A sibling that has the mistake if this link has not: the two differ by it, and no other evidence decides
            which is wrong; empty when that is clear.
        is_proven: It is the one cause; otherwise it is only possible.
        is_exact: The restored numbers are those of the geometry, or of several siblings, so that the cause counts even
            without other findings.
        origin: Identifies the explanation.
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
        """Return the cause in the words of another link with the same numbers."""
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
    """The result of the search for a cause.

    Attributes:
        proven: The one cause; None when nothing is wrong, or several are possible.
        possible: Possible causes, the likeliest first, if none is proven.
        soundness: Probability that nothing is wrong with this link.
    """

    proven: Cause | None = None
    possible: tuple[Cause, ...] = ()
    soundness: float = 1.0

    def in_words_of(self, evidence: Evidence) -> Diagnosis:
        """Return the diagnosis in the words of another link with the same numbers."""
        proven = None if self.proven is None else self.proven.in_words_of(evidence)
        return replace(self, proven=proven, possible=tuple(one.in_words_of(evidence) for one in self.possible))


def diagnose(evidence: Evidence, noise: Noise | None = None) -> Diagnosis:
    """Find the cause of a link's numbers.

    Args:
        evidence: The evidence about the link.
        noise: How far the links of its robot deviate from their geometry.
    """
    return diagnose_each([evidence], noise or Noise())[0]


def diagnose_each(evidences: Sequence[Evidence], noise: Noise) -> list[Diagnosis]:
    """Find the causes of the numbers of some links of one robot, which takes far less time than one by one."""
    found = dict(enumerate(_weighed(evidences, noise)))
    doubtful = [(index, evidences[index]) for index, first in found.items() if first.soundness <= SOUND]
    looks = {index: again for index, one in doubtful if (again := one.with_a_second_look()) is not None}
    found.update(zip(looks, _weighed(list(looks.values()), noise), strict=True))
    return list(found.values())


def _weighed(evidences: Sequence[Evidence], noise: Noise) -> Iterator[Diagnosis]:
    for start in range(0, len(evidences), TOGETHER):
        chunk = evidences[start : start + TOGETHER]
        found = [list(_explanations(evidence)) for evidence in chunk]
        for one in zip(chunk, found, contenders(chunk, found, noise), strict=True):
            yield _Contest(*one, noise).diagnosis()


def _explanations(evidence: Evidence) -> Iterator[Found]:
    for family, prior in PRIORS.items():
        for number, group in enumerate(family(evidence)):
            yield Found(family, number, prior, group)


def _of_meant(family: Family) -> Family:
    """Return explanations of one kind for links whose tensor is also inaccurate."""

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
"""Relative frequency of each kind; only wrong units are combined with inaccurate numbers."""

PRIORS = {
    family: PRIOR_MISTAKE * weight / sum(FAMILIES.values()) for family, weight in (_WEIGHTS | WHERE_CONFIRMED).items()
}
"""Prior of each kind of mistake; those of `WHERE_CONFIRMED` are added and take nothing from the others."""


_Clusters = list[tuple[float, list[int]]]
"""Probability and indices of explanations of one kind that restore the same numbers; the likeliest first."""


def _probability(clusters: _Clusters) -> float:
    return sum(one for one, _ in clusters)


class _Contest:
    """All explanations of one link; index 0 is that nothing is wrong."""

    def __init__(self, evidence: Evidence, found: Sequence[Found], rows: Contenders, noise: Noise) -> None:
        self.evidence, self.found, self.rows, self.noise = evidence, found, rows, noise
        self.groups = [one.group for one in found]
        self.first = np.cumsum([1, *map(len, self.groups)])
        sound = 1.0 - PRIOR_MISTAKE - PRIOR_UNKNOWN if evidence.meant is evidence.declared else PRIOR_INACCURATE
        self.prior = _log_prior(sound, rows.prior)
        self.likeness, self.agreeing = self._likeness()
        self.elsewhere = -np.inf
        score = self.prior + rows.log_density + self._shared_likeness()
        self.scores = np.where(rows.are_possible & rows.are_changes, score, -np.inf)
        self.unknown = LOG_UNKNOWN + rows.log_unknown + (LOG_UNLIKE if evidence.siblings else 0.0)

    def _likeness(self) -> tuple[Array, Array]:
        """Return the log likelihood of each explanation given the siblings, and how many siblings have its numbers."""
        count = len(self.rows.scale)
        likeness, agreeing = np.zeros(count), np.zeros(count)
        if not (self.evidence.siblings and self.rows.are_possible.any()):
            return likeness, agreeing
        masses, coms, tensors, logs = self.evidence.likenesses
        likes = Values(masses, coms, tensors)
        usable = likes.are_possible
        if not usable.any():
            return likeness, agreeing
        theirs = places(likes.take(usable), self.evidence.geometry.extent)
        squares = squared_distances(self.rows.places[:, self.rows.are_possible], theirs)
        freedom = int(FREEDOM.sum())
        terms = [
            np.log(share) + student(squares, freedom, scale) + logs[usable] - self.noise.peak
            for scale, share in SIBLING_SCALES
        ]
        likely = log_sum(np.concatenate(terms, axis=1), axis=1)
        likeness[self.rows.are_possible] = np.logaddexp(np.log(UNLIKE), likely)
        close = np.zeros((len(squares), len(masses)), dtype=bool)
        close[:, usable] = squares < AGREES
        by_sibling = close.reshape(len(squares), len(self.evidence.siblings), -1)
        agreeing[self.rows.are_possible] = by_sibling.any(axis=2).sum(axis=1)
        return likeness, agreeing

    def _shared_likeness(self) -> Array:
        """Return the log likelihood if siblings have mistakes too: the same in all, or one in them and none here."""
        rows, shared = self.rows, self.likeness[0] + np.log(SYSTEMATIC)
        likeness = np.where(rows.are_systematic, np.maximum(self.likeness, shared), self.likeness)
        theirs = rows.restores & rows.are_possible & (self.agreeing > 0)
        if theirs.any():
            others = (self.agreeing[theirs] - 1.0) * np.log(MINORITY)
            elsewhere = _log_prior(0.0, rows.prior_elsewhere)[theirs]
            self.elsewhere = float(
                log_sum(elsewhere + self.likeness[theirs] + others) + self.prior[0] + rows.log_density[0]
            )
        return likeness

    def diagnosis(self) -> Diagnosis:
        """Compare the explanations and return the diagnosis."""
        best = max(float(self.scores.max()), self.unknown)
        elsewhere = self.elsewhere if self.rows.are_possible[0] else -np.inf
        likely = np.exp(self.scores - best)
        likely /= likely.sum() + np.exp(self.unknown - best)
        soundness, causes = 0.0, dict[str, _Clusters]()
        for probability, cluster in self._clusters(best, likely):
            if 0 in cluster:
                soundness = probability
            else:
                causes.setdefault(self.groups[self.rows.owner[cluster[0]]].cause, []).append((probability, cluster))
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
        """Group explanations that restore the same numbers, or lost them in the same way; likeliest first.

        Where one restores the numbers that another only replaces, the first represents both.
        """
        contenders = np.flatnonzero(self.scores > best - CONTENDING)
        order = contenders[np.argsort(-self.scores[contenders], kind="stable")]
        if not len(order):
            return []
        restores = self.rows.restores[order] | (order == 0)
        scale, owner = self.rows.scale[order], self.rows.owner[order]
        alike = _are_close(self.rows.places[:, order]) & (scale[:, np.newaxis] == scale)
        alike &= restores[:, np.newaxis] | restores
        alike |= (owner[:, np.newaxis] == owner) & ~restores[:, np.newaxis] & ~restores
        leader, free = np.arange(len(order)), np.ones(len(order), dtype=bool)
        for position in np.flatnonzero(alike.sum(axis=1) > 1).tolist():
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
        blocks = self.rows.blocks[index]
        is_close = bool(((blocks >= -TOLERANCE) & (blocks <= LARGEST)).all())
        return is_close or float(self.likeness[index]) > IDENTIFIED

    def _is_exact(self, index: int) -> bool:
        return bool((np.abs(self.rows.blocks[index]) <= EXACT).all()) or bool(self.agreeing[index] > 1)

    def _cause(self, clusters: _Clusters, least_share: float = 0.0) -> Cause:
        """Make the cause of one kind; its likeliest change is made if that has at least `least_share` of all."""
        probability = _probability(clusters)
        share, cluster = clusters[0]
        index, owner = cluster[0], int(self.rows.owner[cluster[0]])
        group = self.groups[owner]
        place = index - int(self.first[owner])
        restores = group.restores and share >= least_share * probability
        made = self.found[owner]
        after: Inertial | None = None
        if self.rows.scale[index] == 1.0:
            declared = self.evidence.declared
            after = group.inertial(place) if restores else self.evidence.geometry.at_mass(declared.mass)
        is_replaced = group.restores and not restores and after is not None
        also = dict.fromkeys(self.groups[self.rows.owner[one]].cause for one in cluster)
        return Cause(
            group.cause,
            _said(group.changes[place], is_replaced=is_replaced),
            after,
            restores,
            probability,
            _proof(self._sentence(index), is_replaced=is_replaced),
            Origin(made.family, made.number, place, self._is_identified(index)),
            tuple(name for name in also if name != group.cause),
        )

    def _is_identified(self, index: int) -> bool:
        return bool(self.evidence.siblings and self.likeness[index] > IDENTIFIED)

    def _sentence(self, index: int) -> str:
        """Return the evidence for an explanation in words."""
        if self._is_identified(index):
            return _identified(self.evidence)
        if not self.rows.are_possible[0]:
            return f"that is possible, and {self._apart(index)}"
        return f"now {self._apart(0)}; then {self._apart(index)}"

    def _apart(self, index: int) -> str:
        """Return in words the deviation of an explanation from its closest witness."""
        _, size, moments, products, centre = self.rows.blocks[index]
        shape, whose = float(np.hypot(moments, products)), WITNESSES[self.rows.witness[index]]
        return f"{np.exp(size):.3g} times the size of {whose}, {shape:.1%} off its shape, {centre:.1%} off its centre"


def _are_close(ones: Array) -> Mask:
    """Return which of n places, shape (11, n), restore the same numbers, shape (n, n); most differ in mass or size."""
    close = squared_distances(ones[:2], ones[:2]) < SAME
    one, other = np.nonzero(close)
    close[one, other] = np.square(ones[:, one] - ones[:, other]).sum(axis=0) < SAME
    return np.asarray(close)


def _said(change: str, *, is_replaced: bool) -> str:
    """Return the change in words, or its replacement by the geometry where changes of its kind compete."""
    instead = ", or a like change; as that is open, tensor and centre come from the geometry, at the stated mass"
    return f"{change}{instead}" if is_replaced else change


def _proof(evidence: str, *, is_replaced: bool) -> str:
    """Return the evidence for the change, marked as that of the first of several where the geometry replaces it."""
    return f"as for the first, {evidence}" if is_replaced else evidence


def _log_prior(sound: float, likely: Array) -> Array:
    """Return the logarithms of the priors, shape (n,), where the first is that of nothing being wrong."""
    priors = np.maximum(likely, NEVER)
    priors[0] = max(sound, NEVER)
    return np.asarray(np.log(priors))


WITNESSES = ("the geometry", "the visual geometry")
"""How to call them."""

IDENTIFIED = 15.0
"""Gain of log likelihood from siblings above which they have the numbers of an explanation."""


def _identified(evidence: Evidence) -> str:
    names = ", ".join(repr(sibling.link) for sibling in evidence.siblings)
    return f"the numbers become those of {names}, built alike"
