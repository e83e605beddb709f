# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Volume integrals of simple solids as polynomials in their sizes.

A solid whose planes of symmetry pass through the origin has a volume and three second moments, each a polynomial in its
sizes with positive coefficients. In this form, one table gives the solid, the difference of two similar ones (a wall)
without subtracting large numbers, and the derivative (the limit of a thin wall).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.inertial import Inertial

Monomial = tuple[float, tuple[int, ...]]
"""A term: its coefficient, and the power of each size."""

Polynomial = tuple[Monomial, ...]


@dataclass(frozen=True)
class SymmetricSolid:
    """Integrals over a solid that is symmetric about the three planes through its origin.

    Attributes:
        volume: Integral of 1.
        squares: Integrals of x^2, y^2 and z^2.
    """

    volume: Polynomial
    squares: tuple[Polynomial, Polynomial, Polynomial]


def solid(table: SymmetricSolid, sizes: Sequence[float]) -> Inertial:
    """Evaluate the integrals for these sizes [m], at unit density."""
    return _inertial(*(_value(polynomial, sizes) for polynomial in (table.volume, *table.squares)))


def wall(table: SymmetricSolid, sizes: Sequence[float], shrinkage: Sequence[float]) -> Inertial:
    """Evaluate the difference to the solid whose sizes are smaller by the shrinkage [m], at unit density."""
    return _inertial(*(_difference(polynomial, sizes, shrinkage) for polynomial in (table.volume, *table.squares)))


def thin_wall(table: SymmetricSolid, sizes: Sequence[float], rates: Sequence[float]) -> Inertial:
    """Evaluate the wall per unit of its thickness in the limit of thickness zero.

    Args:
        table: The solid.
        sizes: Its sizes [m].
        rates: Decrease of each size per unit of thickness.

    Returns:
        Mass is the area [m^2], the tensor that at unit areal density [m^4].
    """
    return _inertial(*(_derivative(polynomial, sizes, rates) for polynomial in (table.volume, *table.squares)))


def _inertial(volume: float, xx: float, yy: float, zz: float) -> Inertial:
    return Inertial(volume, np.zeros(3), np.diag([yy + zz, xx + zz, xx + yy]))


def _value(polynomial: Polynomial, sizes: Sequence[float]) -> float:
    return sum(c * _product(sizes, powers) for c, powers in polynomial)


def _product(sizes: Sequence[float], powers: Sequence[int]) -> float:
    result = 1.0
    for size, power in zip(sizes, powers, strict=True):
        result *= size**power
    return result


def _difference(polynomial: Polynomial, sizes: Sequence[float], shrinkage: Sequence[float]) -> float:
    """Return p(sizes) - p(sizes - shrinkage) as a sum of positive terms.

    One size after the other is reduced, and a^n - b^n = (a - b) (a^(n-1) + a^(n-2) b + ... + b^(n-1)).
    """
    inner = [size - less for size, less in zip(sizes, shrinkage, strict=True)]
    total = 0.0
    for coefficient, powers in polynomial:
        for i, power in enumerate(powers):
            ladder = sum(sizes[i] ** (power - 1 - k) * inner[i] ** k for k in range(power))
            others = _product(inner[:i], powers[:i]) * _product(sizes[i + 1 :], powers[i + 1 :])
            total += coefficient * shrinkage[i] * ladder * others
    return total


def _derivative(polynomial: Polynomial, sizes: Sequence[float], rates: Sequence[float]) -> float:
    total = 0.0
    for coefficient, powers in polynomial:
        for i, power in enumerate(powers):
            if power:
                lowered = [p - (j == i) for j, p in enumerate(powers)]
                total += coefficient * rates[i] * power * _product(sizes, lowered)
    return total
