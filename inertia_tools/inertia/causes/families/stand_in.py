# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that are not the link's own: placeholders, copies, values rounded to few decimals, or a dropped off-diagonal.

These mistakes lose information. The geometry, or a link of the same geometry, supplies the probable true values. They
decide whether the mistake explains the numbers, and the geometry replaces the lost values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from inertia_tools.inertia.causes.codes import CAD_ROUNDING, COPIED, DIAGONAL_ONLY, PLACEHOLDER
from inertia_tools.inertia.causes.evidence import COPIED_DIGITS as EQUAL
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, each
from inertia_tools.spatial import Array, are_usable

FEW_DIGITS = 2
"""Significant digits up to which three equal moments look typed."""

COARSE = 0.01
"""Last decimals that exceed this ratio of the largest moment count as coarse."""


TURNED = 0.02
"""Products above this ratio of the largest moment belong to a part that is rotated against its axes."""


HARDLY = -7.0
"""Logarithm of the probability below which a mirror is skipped."""


def placeholder(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain three equal moments of few digits by a placeholder."""
    if not _is_typed(evidence.written):
        return ()
    said = f"{evidence.written[0, 0]:g} three times is a placeholder: take the tensor from the geometry"
    return (replace(_of_tensors(evidence, PLACEHOLDER, said, _likely(evidence)), is_systematic=True),)


def _is_typed(tensor: Array) -> bool:
    """Return whether a tensor has three equal moments of few digits, and products that are zero or equal to those."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    largest = max(xx, yy, zz)
    equal = largest - min(xx, yy, zz) <= EQUAL * largest and largest > 0.0
    filled = (all(abs(product - same) <= EQUAL * largest for product in (xy, xz, yz)) for same in (0.0, xx))
    return equal and any(filled) and _digits(xx) <= FEW_DIGITS


def _is_identity(tensor: Array) -> bool:
    """Return whether a tensor is a power of ten times the identity, or has one power of ten in all entries."""
    return _is_typed(tensor) and f"{tensor[0, 0]:.9e}".startswith("1.000000000e")


def copied(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers by a link of another shape that has the same ones, unless both are an identity."""
    if evidence.copy_of is None or _is_identity(evidence.written):
        return ()
    said = f"mass and tensor are those of {evidence.copy_of!r}, which is another body: take them from the geometry"
    return (_lost(COPIED, said, *_wholly(evidence)),)


def diagonal_only(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain a diagonal tensor by dropped products, or by moments about rotated axes."""
    written = evidence.written
    moments = np.diag(written)
    if np.abs(written - np.diag(moments)).max() > EQUAL * np.abs(moments).max() or moments.min() <= 0.0:
        return ()
    tensors = evidence.turn.T @ _likely(evidence) @ evidence.turn
    tensors = tensors * (moments.sum() / np.trace(tensors, axis1=1, axis2=2))[:, np.newaxis, np.newaxis]
    tensors = tensors[[are_usable(one) for one in tensors]]
    if not _products(tensors).any():
        return ()
    axes = np.linalg.eigh(tensors)[1]
    refilled = _products(tensors) + np.diag(moments)
    turned = (axes * np.sort(moments)) @ axes.transpose(0, 2, 1)
    wholes = np.stack([refilled, turned], axis=1).reshape(-1, 3, 3)
    wholes = wholes[np.abs(_products(wholes)).max(axis=(1, 2)) > TURNED * moments.max()]
    if not len(wholes):
        return ()
    said = "the tensor has no products, but the part is rotated relative to the axes: take the tensor from the geometry"
    return (_of_tensors(evidence, DIAGONAL_ONLY, said, evidence.turn @ wholes @ evidence.turn.T),)


def cad_rounding(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by rounded decimals: the geometry's value is within the last digit, or nearly so."""
    written = evidence.written
    step = _step(written)
    largest = float(np.abs(written).max())
    if step is None or not step > COARSE * largest or _is_typed(written):
        return ()
    tensors = evidence.turn.T @ _likely(evidence) @ evidence.turn
    inside = np.clip(tensors, written - 0.5 * step, written + 0.5 * step)
    said = f"the tensor is rounded to {step:g} kg m^2, too coarse for its size: take it from the geometry"
    return (_of_tensors(evidence, CAD_ROUNDING, said, evidence.turn @ inside @ evidence.turn.T),)


def _products(tensors: Array) -> Array:
    """Return tensors with zeros on the diagonal, shape (n, 3, 3)."""
    return np.where(np.eye(3, dtype=bool), 0.0, tensors)


def _likely(evidence: Evidence) -> Array:
    """Return the probable tensors of the link at its mass: from geometry and from siblings, shape (n, 3, 3)."""
    mass = evidence.declared.mass
    found = np.stack([one.gyration * mass for one in evidence.witnesses])
    if not evidence.siblings:
        return found
    masses, _, tensors, logs = evidence.likenesses
    kept = logs > HARDLY
    return np.concatenate([found, tensors[kept] * (mass / masses[kept])[:, np.newaxis, np.newaxis]])


def _wholly(evidence: Evidence) -> tuple[Array, Array, Array]:
    """Return the probable masses, centres and tensors of a link whose declared values are all foreign."""
    mass, geometry = evidence.declared.mass, evidence.geometry
    found = np.full(2, mass), np.array([geometry.com, evidence.declared.com]), np.array([geometry.gyration * mass] * 2)
    if not evidence.siblings:
        return found
    *likes, logs = evidence.likenesses
    kept = logs > HARDLY
    masses, coms, tensors = (np.concatenate([own, like[kept]]) for own, like in zip(found, likes, strict=True))
    return masses, coms, tensors


def _of_tensors(evidence: Evidence, cause: str, said: str, tensors: Array) -> Hypotheses:
    """Make explanations that keep mass and centre, from tensors in link axes, shape (n, 3, 3)."""
    count, declared = len(tensors), evidence.declared
    symmetric = 0.5 * (tensors + tensors.transpose(0, 2, 1))
    return _lost(cause, said, np.full(count, declared.mass), each(declared.com, count), symmetric)


def _lost(cause: str, said: str, masses: Array, coms: Array, tensors: Array) -> Hypotheses:
    count = len(masses)
    return Hypotheses(
        cause,
        [said] * count,
        masses,
        coms,
        tensors,
        np.full(count, 1.0 / count),
        restores=False,
        geometry_scale=np.ones(count),
    )


def _digits(value: float) -> int:
    """Count the significant digits of a number in its shortest notation."""
    return len(f"{value:.9e}".split("e")[0].replace(".", "").replace("-", "").rstrip("0"))


def _step(tensor: Array) -> float | None:
    """Return the largest power of ten of which all entries are multiples; None without one."""
    entries = [abs(entry) for entry in tensor.ravel().tolist()]
    largest = max(entries)
    if largest == 0.0:
        return None
    for exponent in range(math.floor(math.log10(largest)), -10, -1):
        step = 10.0**exponent
        if all(abs(count - round(count)) < STEP_TOLERANCE for count in (entry / step for entry in entries)):
            return step
    return None


STEP_TOLERANCE = 1e-6
"""How far a binary number may deviate from a multiple of a decimal step."""
