# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One story per link: the cause as a finding, and the findings that it explains under it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.inertia.causes.cases import diagnoses
from inertia_tools.inertia.causes.codes import CAD_ROUNDING, COPIED, PLACEHOLDER, WRONG_MESH_UNIT, WRONG_UNIT
from inertia_tools.inertia.causes.judge import Cause, Diagnosis
from inertia_tools.inertia.causes.population import Population
from inertia_tools.inertia.checks import LinkView, check_against_geometry, check_link
from inertia_tools.inertia.checks.density import DensityRange
from inertia_tools.inertia.finding import Finding, Severity, worst
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose
from inertia_tools.wording import listed

DEFAULTED = "default-inertial"
"""Code of the finding about defaulted numbers, which look like a placeholder."""

SAID_BY = {
    PLACEHOLDER: (DEFAULTED, "isotropic-inertia"),
    WRONG_UNIT: ("unit-suspect",),
    CAD_ROUNDING: ("triangle-rounding",),
}
"""Findings that state a cause themselves, so that they head the story of their link."""

GUESSES = frozenset({"unit-suspect"})
"""Findings that a proven cause replaces, and may contradict."""

OF_PAIRS = frozenset({"mirror-mass", "mirror-inertia"})
"""Findings about two links that a mistake in one of them explains."""

OF_GEOMETRY = frozenset(
    {"exceeds-geometry", "oversized-inertia", "undersized-inertia", "com-outside-geometry", "unit-suspect"}
    | {"density-low", "density-high", "isotropic-inertia"}
)
"""Findings that compare with the geometry."""


@dataclass(frozen=True)
class Story:
    """The findings and causes of one link.

    Attributes:
        findings: Its findings; those that a cause explains name the cause.
        causes: The proven cause, else the possible ones.
    """

    findings: tuple[Finding, ...]
    causes: tuple[Cause, ...] = ()


def stories(
    population: Population, findings: Mapping[str, Sequence[Finding]], allowed: DensityRange
) -> Mapping[str, Story]:
    """Find the cause of the findings about each link.

    Args:
        population: The links, with their geometry.
        findings: The findings about each link, by name.
        allowed: Densities that pass.

    Returns:
        The links whose findings or causes change, by name.
    """
    told, folding = {}, _Folding(population, allowed)
    known = diagnoses(population, [name for name in population.views if _is_suspect(population, name, findings)])
    for name in population.views:
        story = _story(folding, name, tuple(findings.get(name, ())), known.get(name, Diagnosis()))
        if story is not None:
            told[name] = story
    return told


def _is_suspect(population: Population, name: str, findings: Mapping[str, Sequence[Finding]]) -> bool:
    """Return whether a link may have a mistake: its numbers are not those of the geometry, or it has a warning."""
    return name in population.is_apart or any(one.severity >= Severity.WARNING for one in findings.get(name, ()))


def _story(folding: _Folding, name: str, found: tuple[Finding, ...], diagnosis: Diagnosis) -> Story | None:
    if diagnosis.proven is not None:
        return Story(folding.folded(name, found, diagnosis.proven), (diagnosis.proven,))
    pattern = next((one for one in found if one.code in (PLACEHOLDER, COPIED)), None)
    if pattern is not None and name in folding.population.computed:
        return Story(folding.under(name, found, pattern.code, _from_geometry(folding.population, name)))
    return Story(found, diagnosis.possible) if diagnosis.possible else None


class _Folding:
    """Puts findings under others that explain them; equal links are worked out once."""

    def __init__(self, population: Population, allowed: DensityRange) -> None:
        self.population, self._allowed = population, allowed
        self._known: dict[Hashable, frozenset[str]] = {}

    def folded(self, name: str, found: tuple[Finding, ...], cause: Cause) -> tuple[Finding, ...]:
        """Put the findings that a cause explains under it."""
        codes = {one.code for one in found}
        head = next((code for code in (cause.code, *SAID_BY.get(cause.code, ())) if code in codes), cause.code)
        if head in codes:
            found = tuple(self._with_cause(name, one, cause) if one.code == head else one for one in found)
        else:
            found = (*found, self.population.views[name].finding(Severity.INFO, head, _sentence(cause)))
        folded = self.under(name, found, head, cause.after)
        if cause.is_exact:
            folded = tuple(_at_least(one, Severity.WARNING) if one.code == head else one for one in folded)
        return folded

    def _with_cause(self, name: str, found: Finding, cause: Cause) -> Finding:
        """Return a finding with its cause in the message."""
        if found.code in GUESSES:
            return self.population.views[name].finding(found.severity, found.code, _sentence(cause))
        said = self._undefaulting(name, cause) if found.code == DEFAULTED else _sentence(cause)
        return replace(found, message=f"{found.message}; {said}")

    def _undefaulting(self, name: str, cause: Cause) -> str:
        """Return the effect of undoing a placeholder that is a default."""
        declared = self.population.views[name].declared
        states_mass = declared is not None and "mass" not in declared.defaulted
        taken = "the tensor from the geometry at that mass" if states_mass else "all from the geometry at --density"
        return f"fix --apply {cause.code} takes {taken}"

    def under(self, name: str, found: tuple[Finding, ...], code: str, after: Inertial | None) -> tuple[Finding, ...]:
        """Mark the findings that disappear with other numbers; without other numbers, those about the geometry."""
        gone: Collection[str] = OF_GEOMETRY if after is None else self._gone(name, found, after) | OF_PAIRS
        if code in (PLACEHOLDER, *SAID_BY[PLACEHOLDER]):
            gone = {*gone, COPIED}
        explained = [one for one in found if one.code in gone and one.code != code]
        if not explained:
            return found
        severity = worst(tuple(explained))
        assert severity is not None
        codes = listed(dict.fromkeys(one.code for one in explained))
        told = []
        for one in found:
            if one in explained:
                told.append(replace(one, explained_by=code))
            elif one.code == code:
                told.append(_at_least(replace(one, message=f"{one.message}; this explains {codes}"), severity))
            else:
                told.append(one)
        return tuple(told)

    def _gone(self, name: str, found: tuple[Finding, ...], after: Inertial) -> frozenset[str]:
        """Return the codes of the findings that a link with other numbers would not have."""
        kind = self.population.kinds.get(name, name)
        key = kind, frozenset((one.code, one.severity) for one in found), after.digits
        if key not in self._known:
            view, computed = self.population.views[name], self.population.computed[name]
            changed = _with(view, after)
            gone = _codes(view, computed, self._allowed) - _codes(changed, computed, self._allowed)
            self._known[key] = frozenset(gone)
        return self._known[key]


def _codes(view: LinkView, computed: LinkInertial, allowed: DensityRange) -> set[str]:
    with np.errstate(over="ignore", invalid="ignore"):
        return {one.code for one in (*check_link(view), *check_against_geometry(view, computed, allowed))}


def _with(view: LinkView, after: Inertial) -> LinkView:
    """Return the link with other numbers."""
    assert view.declared is not None
    declared = replace(
        view.declared, mass=after.mass, pose_link_inertial=Pose(after.com), inertia=after.inertia, defaulted=()
    )
    return LinkView(view.robot, replace(view.link, declared=declared))


def _from_geometry(population: Population, name: str) -> Inertial | None:
    """Return the geometry's mass properties at the declared mass."""
    computed, declared = population.computed[name].inertial, population.declared.get(name)
    if computed is None or declared is None or not computed.mass > 0.0:
        return None
    return computed.scaled_to_mass(declared.mass)


def _at_least(finding: Finding, severity: Severity) -> Finding:
    return replace(finding, severity=max(finding.severity, severity))


def _sentence(cause: Cause) -> str:
    also = f" (or {listed(cause.also, 'or')}, which leads to the same numbers)" if cause.also else ""
    typed = "" if cause.code == WRONG_MESH_UNIT else f"; repair it with fix --apply {cause.code}"
    return f"{cause.change}{also}: {cause.evidence}{typed}"
