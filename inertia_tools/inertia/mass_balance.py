# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Masses that satisfy all known sums and change as little as possible.

The divergence m log(m/p) - m + p pulls each mass m to its former value p; it is least at m = p. Under sums A m = b its
total is least at m = p exp(A^T y): all links of one sum change by one factor, and none becomes negative. The
multipliers y minimise the convex dual 1^T m(y) - b^T y, here by Newton's method with a line search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import MassContradictionError
from inertia_tools.spatial import Array

MET = 1e-9
"""Relative residual below which a sum is met."""

SMALLEST = 1e-6
"""Least share of its former mass that a link keeps."""

ITERATIONS = 100
HALVINGS = 40

WIDEST_STEP = 5.0
"""Largest change of a logarithm of a mass in one step of Newton's method, so that no exponential overflows."""


@dataclass(frozen=True)
class MassEntry:
    """One known fact: the sum of the masses of some links.

    Attributes:
        words: Its description.
        links: The links.
        mass: Their mass [kg].
    """

    words: str
    links: tuple[str, ...]
    mass: float


def balanced(known: Mapping[str, float], entries: Sequence[MassEntry]) -> dict[str, float]:
    """Return the mass of each link that an entry names [kg], so that all entries hold.

    Args:
        known: Former masses [kg], all positive.
        entries: The known sums.

    Raises:
        MassContradictionError: The entries contradict each other; it names the smallest set of them that does.
    """
    names = list(dict.fromkeys(link for entry in entries for link in entry.links))
    prior = np.array([known.get(name) or _alone(name, entries) for name in names])
    place = {name: number for number, name in enumerate(names)}
    sums = np.zeros((len(entries), len(names)))
    for row, entry in enumerate(entries):
        sums[row, [place[link] for link in entry.links]] = 1.0
    wanted = np.array([entry.mass for entry in entries])
    masses = _solved(prior, sums, wanted)
    if masses is None:
        raise MassContradictionError(entry.words for entry in _conflict(prior, sums, wanted, entries))
    given = {entry.links[0]: entry.mass for entry in entries if len(entry.links) == 1}
    return {name: given.get(name, float(mass)) for name, mass in zip(names, masses, strict=True)}


def _alone(name: str, entries: Sequence[MassEntry]) -> float:
    """Return the known mass of a link that had none."""
    return next((entry.mass for entry in entries if entry.links == (name,)), 1.0)


def _solved(prior: Array, sums: Array, wanted: Array) -> Array | None:
    """Return the masses nearest to the former ones; None if none exist."""
    masses = _with_singles(prior, sums, wanted)
    scale = float(np.abs(wanted).max(initial=0.0)) or 1.0
    for _ in range(ITERATIONS):
        residual = sums @ masses - wanted
        if (np.abs(residual) <= MET * np.maximum(np.abs(wanted), MET * scale)).all():
            return _polished(masses, sums, wanted) if (masses >= 0.5 * SMALLEST * prior).all() else None
        step = _newton_step(masses, sums, residual)
        change = sums.T @ step
        largest = float(np.abs(change).max(initial=0.0))
        size = min(1.0, WIDEST_STEP / largest) if largest else 1.0
        for _ in range(HALVINGS):
            trial = masses * np.exp(size * change)
            if trial.sum() - wanted @ (size * step) <= masses.sum():
                break
            size *= 0.5
        masses = trial
    return None


def _newton_step(masses: Array, sums: Array, residual: Array) -> Array:
    """Return the change of the multipliers that removes the residual to the first order."""
    step = np.linalg.lstsq((sums * masses) @ sums.T, -residual, rcond=1e-13)[0]
    return np.asarray(step, dtype=np.float64)


def _polished(masses: Array, sums: Array, wanted: Array) -> Array:
    """Return masses that meet the sums to rounding: one full step more, which squares the residual, if it helps."""
    residual = sums @ masses - wanted
    trial: Array = masses * np.exp(sums.T @ _newton_step(masses, sums, residual))
    return trial if np.abs(sums @ trial - wanted).max(initial=0.0) < np.abs(residual).max(initial=0.0) else masses


def _with_singles(prior: Array, sums: Array, wanted: Array) -> Array:
    """Start from the known masses of single links, which may differ much from the former ones."""
    start = prior.copy()
    for row in np.flatnonzero((sums.sum(axis=1) == 1.0) & (wanted > 0.0)):
        start[int(np.argmax(sums[row]))] = wanted[row]
    return start


def _conflict(prior: Array, sums: Array, wanted: Array, entries: Sequence[MassEntry]) -> list[MassEntry]:
    """Return contradicting entries, none of which can be left out of the contradiction."""
    kept = list(range(len(entries)))
    for row in range(len(entries)):
        others = [one for one in kept if one != row]
        if others and not _is_feasible(prior, sums[others], wanted[others]):
            kept = others
    return [entries[row] for row in kept]


def _is_feasible(prior: Array, sums: Array, wanted: Array) -> bool:
    """Return whether positive masses satisfy the sums."""
    from scipy.optimize import linprog

    scale = float(np.abs(wanted).max(initial=0.0)) or 1.0
    lowest = np.minimum(SMALLEST * prior / scale, SMALLEST)
    bounds = [(low, None) for low in lowest]
    return bool(linprog(np.zeros(len(prior)), A_eq=sums, b_eq=wanted / scale, bounds=bounds).status == 0)
