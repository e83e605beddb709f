# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The diagnoses of all links of a robot; links with equal numbers share one."""

from __future__ import annotations

from collections.abc import Hashable

from inertia_tools.inertia.causes.judge import Diagnosis, diagnose
from inertia_tools.inertia.causes.population import Population


class Cases:
    """Diagnoses the links of a population, equal links once: a world often holds many copies of a few links."""

    def __init__(self, population: Population) -> None:
        """Start without diagnoses."""
        self._population = population
        self._known: dict[Hashable, Diagnosis] = {}

    def diagnosis(self, name: str) -> Diagnosis:
        """Return the cause of a link's numbers; none where the numbers or the geometry are unusable."""
        evidence = self._population.evidence(name)
        if evidence is None:
            return Diagnosis()
        known = self._known.get(evidence.digits)
        if known is not None:
            return known.in_words_of(evidence)
        found = diagnose(evidence, self._population.noise)
        self._known[evidence.digits] = found
        return found
