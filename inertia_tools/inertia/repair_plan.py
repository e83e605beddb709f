# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The repair of each link in the scope of a correction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from inertia_tools.description.types import Description, Link
from inertia_tools.inertia.checks import LinkView
from inertia_tools.inertia.checks.density import DensityRange, out_of_range
from inertia_tools.inertia.checks.units import WrongUnits, wrong_units
from inertia_tools.inertia.compute import UNITS
from inertia_tools.inertia.correction_scope import Scope, inertial_codes, is_implausible, is_in_scope
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.mass_model import MassModel
from inertia_tools.inertia.mass_repairs import masses_after
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.repair import (
    Repair,
    lighter_neighbours,
    needs_geometry,
    repair_from_cause,
    repair_from_geometry,
    repair_from_neighbour,
    repair_link,
    repair_units,
    usable_mass,
)
from inertia_tools.inertia.report import LinkReport, Report
from inertia_tools.inertia.unknown_geometry import finding_of


@dataclass(frozen=True, eq=False)
class RepairPlan:
    """Chooses the repair of each link.

    Attributes:
        robot: The description as it is written.
        in_force: The same with the inertials in force.
        masses: Known masses and densities.
        scope: Which links are changed.
        keep_mass: Geometry gets the mass that a link declares, not the one that follows from its density.
    """

    robot: Description
    in_force: Description
    masses: MassModel
    scope: Scope
    keep_mass: bool

    def needing_geometry(self, report: Report, touched: Collection[str]) -> list[str]:
        """Return the names of links to change whose inertial may come from geometry, according to a quick check."""
        return [
            entry.link
            for entry in report.links
            if entry.link in touched and is_in_scope(entry, self.scope, self.masses) and self._takes_geometry(entry)
        ]

    def repairs(
        self, report: Report, computed: Mapping[str, LinkInertial], touched: Collection[str]
    ) -> tuple[dict[str, Repair], list[Finding]]:
        """Choose the repairs of all links in scope.

        Args:
            report: The findings of the robot.
            computed: Mass properties of all links from their geometry.
            touched: Names of the links that may change.

        Returns:
            The repairs by link, and a finding for each link whose repair would need a missing mesh.
        """
        units = self._proven_units(report, computed) if self.scope == "implausible" else {}
        able, unable = [], []
        for entry in report.links:
            if entry.link not in touched:
                continue
            if not (entry.link in units or is_in_scope(entry, self.scope, self.masses)):
                continue
            link, value = self.robot.links[entry.link], computed[entry.link]
            if not (value.lacks_mesh and self._depends_on_geometry(link, entry)):
                able.append(entry)
            elif entry.worst is Severity.ERROR or self._is_given(link.name):
                unable.append(finding_of(link, value, self.masses))
        return self._repairs_of(able, computed, units), unable

    def _repairs_of(
        self, chosen: Iterable[LinkReport], computed: Mapping[str, LinkInertial], units: Mapping[str, WrongUnits]
    ) -> dict[str, Repair]:
        """Choose the repair of each link; frames that need a neighbour's mass come last, once those are known."""
        changes: dict[str, Repair] = {}
        waiting: list[Link] = []
        for entry in chosen:
            link = self.in_force.links[entry.link]
            if link.name in units and entry.proven_cause is None:
                # takes precedence over geometry; None if the geometry itself is in another unit
                repair = repair_units(link, units[link.name])
                changes.update({} if repair is None else {link.name: repair})
                continue
            repair = self._repair(entry, computed[link.name])
            if repair is not None:
                changes[link.name] = repair
            elif inertial_codes(entry, Severity.ERROR):
                waiting.append(link)
        known = masses_after(self.in_force, changes)
        for link in waiting:
            known.pop(link.name, None)  # a default, which counts as unknown
        neighbours = lighter_neighbours(self.in_force, known) if waiting else {}
        for link in waiting:
            changes[link.name] = repair_from_neighbour(link, neighbours.get(link.name), known)
        return changes

    def _repair(self, entry: LinkReport, computed: LinkInertial) -> Repair | None:
        """Choose the new inertial of one link; None if no change is needed, or no data exist."""
        link = self.in_force.links[entry.link]
        computed = replace(computed, inertial=None) if computed.lacks_mesh else computed
        keeps = self.keep_mass or computed.inertial is None
        mass = self.masses.link_mass.get(link.name, usable_mass(link) if keeps else None)
        codes = inertial_codes(entry, Severity.WARNING)
        if link.name in self.masses.link_density and computed.inertial is not None:
            return repair_from_geometry(link, computed, self.masses.link_mass.get(link.name))
        cause, undoes = entry.proven_cause, self.scope != "all" and link.name not in self.masses.link_mass
        if cause is not None and undoes and (codes or self.scope == "implausible"):
            undone = repair_from_cause(link, cause, computed, mass)
            if undone is not None or cause.after is None:
                return undone
        is_recomputed = self.scope == "all" or (self.scope == "implausible" and is_implausible(entry))
        if is_recomputed and computed.inertial is not None:
            return repair_from_geometry(link, computed, mass)
        if codes:
            return repair_link(link, codes, computed, mass)
        if link.name in self.masses.link_mass and link.inertial is not None:
            return None  # the declared tensor is scaled
        return None if computed.inertial is None else repair_from_geometry(link, computed, mass)

    def _takes_geometry(self, entry: LinkReport) -> bool:
        computed = entry.computed
        if computed is None or computed.inertial is None or entry.link in self.masses.link_density:
            return True
        repair = self._repair(entry, computed)
        if repair is None:
            return bool(inertial_codes(entry, Severity.ERROR))
        return repair.method is not Method.DECLARED

    def _proven_units(self, report: Report, computed: Mapping[str, LinkInertial]) -> dict[str, WrongUnits]:
        """Find the links whose numbers are proven to be in another unit, and that have no error."""
        found = {}
        for entry in report.links:
            is_suspect = any(finding.code == UNITS for finding in entry.findings)
            value = computed.get(entry.link)
            if not is_suspect or value is None or value.lacks_mesh or inertial_codes(entry, Severity.ERROR):
                continue
            if self._is_given(entry.link):
                continue
            view = LinkView(self.in_force, self.in_force.links[entry.link])
            units = wrong_units(view, value, out_of_range(view, value, DensityRange()))
            if units is not None and units.is_proven:
                found[entry.link] = units
        return found

    def _depends_on_geometry(self, link: Link, entry: LinkReport) -> bool:
        """Return whether the repair of a link needs its geometry."""
        if link.name in self.masses.link_density or (link.declared is not None and link.declared.auto):
            return True
        in_force = self.in_force.links[entry.link]
        mass = self.masses.link_mass.get(link.name, usable_mass(in_force))
        return needs_geometry(in_force, inertial_codes(entry, Severity.WARNING), mass)

    def _is_given(self, link: str) -> bool:
        return link in self.masses.link_mass or link in self.masses.link_density
