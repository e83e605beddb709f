# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The longest time step at which springs and dampers, evaluated at the start of the step, are stable.

Semi-implicit Euler with explicit efforts, M (v' - v) = -h (K q + D v) and q' = q + h v', multiplies a mode x by z with
(z - 1)^2 x.M.x + h (z - 1) x.D.x + h^2 z x.K.x = 0. For positive mass, and K and D without negative eigenvalues, all
|z| <= 1 as long as 4 M - 2 h D - h^2 K has no negative eigenvalue (Jury's conditions on that polynomial). The bound is
the step at which that matrix becomes singular: 2/omega for one spring, 2 I/d for one damper.

A damper that is evaluated at the end of the step, D v', adds h z (z - 1) x.D.x instead, and 2 h D to that matrix: it
counts as negative damping here, and makes the bound of a spring longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class StableStep:
    """A bound on the time step.

    Attributes:
        longest: The longest stable step [s]; infinite if unbounded.
        shares: Share of each degree of freedom in the mode that becomes unstable first, shape (n,); they add up to 1,
            or are all zero.
    """

    longest: float
    shares: Array


def longest_step(inertia: float, stiffness: float, damping: float) -> float:
    """Return the longest stable step of one degree of freedom [s]: h^2 k / I + 2 h d / I = 4 there.

    Args:
        inertia: Effective inertia [kg m^2 or kg], above zero.
        stiffness: Stiffness of the spring [N m/rad or N/m], zero or more.
        damping: Damping of the damper [N m s/rad or N s/m]; negative for one evaluated at the end of the step.
    """
    if stiffness <= 0.0 and damping <= 0.0:
        return math.inf
    return 4.0 * inertia / (damping + math.sqrt(damping**2 + 4.0 * stiffness * inertia))


def longest_stable_step(mass_matrix: Array, stiffness: Array, damping: Array) -> StableStep:
    """Return the longest stable step of coupled degrees of freedom.

    Args:
        mass_matrix: Positive definite mass matrix [kg m^2, kg m or kg], shape (n, n).
        stiffness: Springs along the degrees of freedom [N m/rad or N/m], zero or more, shape (n,).
        damping: Dampers along them [N m s/rad or N s/m], less those evaluated at the end of the step, shape (n,).
    """
    shares = np.zeros(len(mass_matrix))
    if not np.any((stiffness > 0.0) | (damping > 0.0)):
        return StableStep(math.inf, shares)
    active = np.flatnonzero((stiffness > 0.0) | (damping != 0.0))
    # The others follow freely, so the inertia of the active ones is the inverse of their part of M^-1.
    compliance = np.linalg.inv(mass_matrix)[np.ix_(active, active)]
    count = len(active)
    # With s = 1/h: 4 s^2 M - 2 s D - K is singular; as a linear problem in (s x, x).
    companion = np.zeros((2 * count, 2 * count))
    companion[:count, :count] = 0.5 * compliance * damping[active]
    companion[:count, count:] = 0.25 * compliance * stiffness[active]
    companion[count:, :count] = np.eye(count)
    values, vectors = np.linalg.eig(companion)
    first = int(np.argmax(values.real))
    mode = np.abs(vectors[:count, first]) ** 2 / np.diag(compliance)
    shares[active] = mode / mode.sum()
    return StableStep(1.0 / float(values[first].real), shares)


def effective_inertias(mass_matrix: Array) -> Array:
    """Return the effective inertia of each degree of freedom while the others are free, shape (n,).

    That is 1 / (M^-1)_jj [kg m^2 or kg]: the inertia that an explicit spring or damper at the joint accelerates.
    """
    return np.asarray(1.0 / np.diag(np.linalg.inv(mass_matrix)))
