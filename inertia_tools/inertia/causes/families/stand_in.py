# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that are not the link's own: typed to fill the gap, copied, or cut to a few decimals or to the diagonal.

These mistakes lose information. What the link had is taken from its geometry, or from a link built alike; that shows
whether the mistake explains the numbers, and the geometry has to stand in for what was lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import CAD_ROUNDING, COPIED, DIAGONAL_ONLY, PLACEHOLDER
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, are_usable

EQUAL = 1e-9
"""Numbers that differ by less than this ratio are the same digits."""

FEW_DIGITS = 2
"""Significant digits up to which three equal moments look typed."""

COARSE = 0.01
"""Decimals that leave more than this ratio of the largest moment open are coarse."""


TURNED = 0.02
"""Products over this ratio of the largest moment belong to a part that is turned against its axes."""


HARDLY = -7.0
"""Logarithm of the probability of a mirror that is not worth a look."""


def placeholder(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain three equal moments of few digits by somebody who knew none."""
    if not _is_typed(evidence.written):
        return ()
    said = f"{evidence.written[0, 0]:g} three times is no tensor of this link: take it from the geometry"
    return (_lost(evidence, PLACEHOLDER, said, list(_likely(evidence))),)


def _is_typed(tensor: Array) -> bool:
    """Tell whether a tensor has three equal moments of few digits, and no products, or the same number for those."""
    moments, products = np.diag(tensor), tensor[np.triu_indices(3, 1)]
    equal = np.ptp(moments) <= EQUAL * moments.max() and moments.max() > 0.0
    filled = np.ptp(products) <= EQUAL * moments.max() and (not products.any() or products[0] == moments[0])
    return bool(equal and filled and _digits(float(moments[0])) <= FEW_DIGITS)


def copied(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers by a link of another shape that has the same ones."""
    alike = {evidence.link, *(sibling.link for sibling in evidence.siblings)}
    for name in evidence.others.with_numbers_of(evidence.declared, EQUAL):
        if name not in alike:
            said = f"mass and tensor are those of {name!r}, which is another body: take them from the geometry"
            return (_lost(evidence, COPIED, said, list(_wholly(evidence))),)
    return ()


def diagonal_only(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain a diagonal tensor by products that were dropped, or moments that belong to turned axes."""
    written = evidence.written
    moments = np.diag(written)
    if np.abs(written - np.diag(moments)).max() > EQUAL * np.abs(moments).max() or moments.min() <= 0.0:
        return ()
    found = []
    for one in _likely(evidence):
        tensor = evidence.turn.T @ one.inertia @ evidence.turn
        tensor = tensor * (moments.sum() / np.trace(tensor))
        if not are_usable(tensor):
            continue
        axes = np.linalg.eigh(tensor)[1]
        for whole in (
            tensor - np.diag(np.diag(tensor)) + np.diag(moments),
            (axes * np.sort(moments)) @ axes.T,
        ):
            if np.abs(whole - np.diag(np.diag(whole))).max() > TURNED * moments.max():
                found.append(Inertial(one.mass, evidence.declared.com, evidence.turn @ whole @ evidence.turn.T))
    if not found:
        return ()
    said = "the tensor has no products, and the part is turned against its axes: take the tensor from the geometry"
    return (_lost(evidence, DIAGONAL_ONLY, said, found),)


def cad_rounding(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by decimals that were cut: the geometry's value lies within the last digit, or nearly so."""
    written = evidence.written
    step = _step(written)
    largest = float(np.abs(written).max())
    if step is None or not step > COARSE * largest or _is_typed(written):
        return ()
    found = []
    for one in _likely(evidence):
        tensor = evidence.turn.T @ one.inertia @ evidence.turn
        inside = np.clip(tensor, written - 0.5 * step, written + 0.5 * step)
        found.append(Inertial(one.mass, evidence.declared.com, evidence.turn @ inside @ evidence.turn.T))
    said = f"the tensor is rounded to {step:g} kg m^2, which is coarse beside it: take it from the geometry"
    return (_lost(evidence, CAD_ROUNDING, said, found),)


def _likely(evidence: Evidence) -> Iterator[Inertial]:
    """Make what the link may have had at its mass: the geometry's tensor, and those of links built alike."""
    mass = evidence.declared.mass
    yield Inertial(mass, evidence.declared.com, evidence.geometry.gyration * mass)
    if evidence.siblings:
        masses, _, tensors, logs = evidence.likenesses
        for like_mass, tensor, log in zip(masses, tensors, logs, strict=True):
            if log > HARDLY:
                yield Inertial(mass, evidence.declared.com, tensor * (mass / like_mass))


def _wholly(evidence: Evidence) -> Iterator[Inertial]:
    """Make what the link may have had when nothing of what it declares is its own."""
    mass = evidence.declared.mass
    for com in (evidence.geometry.com, evidence.declared.com):
        yield Inertial(mass, com, evidence.geometry.gyration * mass)
    if evidence.siblings:
        for like_mass, com, tensor, log in zip(*evidence.likenesses, strict=True):
            if log > HARDLY:
                yield Inertial(float(like_mass), com, tensor)


def _lost(evidence: Evidence, cause: str, said: str, found: list[Inertial]) -> Hypotheses:
    count = len(found)
    return Hypotheses(
        cause,
        [said] * count,
        np.array([one.mass for one in found]),
        np.array([one.com for one in found]),
        np.array([one.inertia for one in found]),
        np.full(count, 1.0 / count),
        restores=False,
        geometry_scale=np.ones(count),
    )


def _digits(value: float) -> int:
    """Count the significant digits of a number as it is written the short way."""
    return len(f"{value:.9e}".split("e")[0].replace(".", "").replace("-", "").rstrip("0"))


def _step(tensor: Array) -> float | None:
    """Return the power of ten that all entries are multiples of, the largest there is; None without one."""
    largest = float(np.abs(tensor).max())
    if largest == 0.0:
        return None
    for exponent in range(math.floor(math.log10(largest)), -10, -1):
        step = 10.0**exponent
        counts = tensor / step
        if np.abs(counts - np.round(counts)).max() < STEP_TOLERANCE:
            return step
    return None


STEP_TOLERANCE = 1e-6
"""By how much a number in binary may miss a multiple of a decimal step."""
