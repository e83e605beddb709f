# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Messages about bodies whose mass properties break a rule: one sentence a rule, with values before and after."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.inertia_rules import SENTENCES, Rule
from inertia_tools.spatial import Array


def sentences(before: tuple[float, Array], broken: Rule, after: Inertial) -> Iterator[str]:
    """Yield a sentence for each rule that a body broke.

    Args:
        before: Its mass [kg], and its tensor about the centre of mass [kg m^2], shape (3, 3).
        broken: The rules.
        after: Its mass properties after correction.
    """
    mass, tensor = before
    change = f"{mass:g} kg, {moments(tensor)} -> {after.mass:g} kg, {moments(after.inertia)}"
    low = _eigenvalues(tensor)[0] if np.isfinite(tensor).all() else np.nan
    for rule in Rule:
        if rule in broken:
            yield f"{SENTENCES[rule].format(mass=mass, low=low)}: {change}"


def moments(tensor: Array) -> str:
    """Return the principal moments of a tensor [kg m^2] as text, or its entries where one is not a number."""
    entries = np.asarray(tensor, dtype=np.float64)
    if not np.isfinite(entries).all():
        return f"tensor {entries.tolist()}"
    return "moments [" + ", ".join(f"{moment:g}" for moment in _eigenvalues(entries)) + "] kg m^2"


def _eigenvalues(tensor: Array) -> Array:
    entries = np.asarray(tensor, dtype=np.float64)
    return np.asarray(np.linalg.eigvalsh(0.5 * (entries + entries.T)), dtype=np.float64)
