# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The diagnoses of all links of a robot; links with equal numbers share one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.judge import Diagnosis, diagnose_each
from inertia_tools.inertia.causes.population import Population


def diagnoses(population: Population, names: Iterable[str]) -> Mapping[str, Diagnosis]:
    """Diagnose links, equal ones once: a world often holds many copies of a few links.

    Args:
        population: The links, with their geometry.
        names: The links to diagnose.

    Returns:
        The causes of their numbers, by name, without links whose numbers or geometry are unusable.
    """
    evidences = {name: found for name in names if (found := population.evidence(name)) is not None}
    cases: dict[Hashable, Evidence] = {}
    for evidence in evidences.values():
        cases.setdefault(evidence.digits, evidence)
    judged = dict(zip(cases, diagnose_each(list(cases.values()), population.noise), strict=True))
    return {
        name: judged[own.digits] if own is cases[own.digits] else judged[own.digits].in_words_of(own)
        for name, own in evidences.items()
    }
