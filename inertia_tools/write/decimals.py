# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as decimals for a file, rounded so that a valid tensor stays valid to the last digit.

Rounding can make a tensor impossible: MuJoCo refuses a triangle violation of 1e-12, libsdformat one of 2e-15. The
decimals are therefore checked exactly, as integer multiples of the last digit, and the diagonal is raised by a few if
needed.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from inertia_tools.errors import InertiaError
from inertia_tools.inertial import six_of_tensor
from inertia_tools.spatial import Array

DIGITS = 12
"""Significant digits, counted from the largest number of a group; below 1e-12 a physical value has no meaning."""

SAFE_PARTS = 10**12
"""The exact inequalities hold with a margin of the largest entry over this, so that a reader's rounding is safe."""

DOUBLINGS = 12
"""Limit on doubling the raise of the diagonal; beyond 2^12 last digits the tensor was not valid to begin with."""

DIAGONAL = (0, 3, 5)


def format_number(value: float) -> str:
    """Write one number with its significant digits."""
    return format_group([value])[0]


def format_group(values: Array | list[float], size: float | None = None) -> list[str]:
    """Write numbers of one kind, rounded to the same absolute step.

    Args:
        values: The numbers.
        size: Size that the step is relative to; the largest of the numbers by default.
    """
    largest = max([abs(float(value)) for value in values]) if size is None else size
    return [_text(decimal) for decimal in _rounded(values, _step(largest))]


def format_tensor(inertia: Array, *, is_as_given: bool = False) -> list[str]:
    """Write a tensor as ixx, ixy, ixz, iyy, iyz, izz whose decimals are exactly a possible tensor.

    Args:
        inertia: A possible tensor [kg m^2], shape (3, 3).
        is_as_given: Write an impossible tensor too, only rounded.

    Raises:
        InertiaError: The tensor is impossible beyond rounding, or an entry is not finite.
    """
    six = six_of_tensor(inertia)
    if not np.isfinite(six).all():
        raise InertiaError(f"the tensor {six.tolist()} holds values that are not finite numbers; it was not written")
    step = _step(float(np.abs(six).max()))
    counts = [int(decimal / step) for decimal in _rounded(six, step)]
    raise_by = 1
    for _ in range(DOUBLINGS if six.any() else 0):
        if _is_possible(counts):
            return [_text(count * step) for count in counts]
        for place in DIAGONAL:
            counts[place] += raise_by
        raise_by *= 2
    if is_as_given:
        return [_text(decimal) for decimal in _rounded(six, step)]
    raise InertiaError(f"no body can have the tensor {six.tolist()}; it was not written")


def _step(largest: float) -> Decimal:
    """Return the value of the last significant digit, a power of ten."""
    if largest == 0.0:
        return Decimal(1)
    return Decimal(1).scaleb(Decimal(largest).adjusted() - DIGITS + 1)


def _rounded(values: Array | list[float], step: Decimal) -> list[Decimal]:
    return [(Decimal(float(value)) / step).to_integral_value() * step for value in values]


def _text(decimal: Decimal) -> str:
    """Write a decimal in short notation: plain where that is readable, else with an exponent."""
    if decimal == 0:
        return "0"
    normal = decimal.normalize()
    exponent = normal.adjusted()
    if -5 <= exponent < DIGITS:
        return f"{normal:f}"
    mantissa = f"{normal.scaleb(-exponent):f}"
    return f"{mantissa}e{exponent:+03d}"


def _is_possible(six: list[int]) -> bool:
    """Check a tensor exactly: it and tr(I)/2 - I are positive definite, with a margin (Sylvester's criterion).

    tr(I)/2 - I is the matrix of second moments of the mass; it is positive exactly where the triangle inequality of
    the principal moments holds.

    Args:
        six: Entries in units of the last digit; they, the margin and half the trace are integers in a smaller unit.
    """
    margin = 2 * max(abs(entry) for entry in six)
    xx, xy, xz, yy, yz, zz = (2 * SAFE_PARTS * entry for entry in six)
    half = (xx + yy + zz) // 2
    return _is_positive(xx - margin, xy, xz, yy - margin, yz, zz - margin) and _is_positive(
        half - xx - margin, -xy, -xz, half - yy - margin, -yz, half - zz - margin
    )


def _is_positive(xx: int, xy: int, xz: int, yy: int, yz: int, zz: int) -> bool:
    minor = xx * yy - xy * xy
    determinant = minor * zz - xx * yz * yz - yy * xz * xz + 2 * xy * xz * yz
    return xx > 0 and minor > 0 and determinant > 0
