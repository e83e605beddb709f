# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Correcting a description: wrong values are changed, everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError, OptionTypeError, WriteError
from inertia_tools.geometry.mesh.batch import Progress
from inertia_tools.geometry.mesh.integral import OpenMeshPolicy
from inertia_tools.inertia.causes import Cause, causes_asked
from inertia_tools.inertia.compute import (
    GeometryChoice,
    LinkInertial,
    MassPolicy,
    check_options,
    compute,
    compute_link,
    without_densities,
)
from inertia_tools.inertia.correction import Correction, merged_report
from inertia_tools.inertia.correction_scope import SCOPES, Scope, inertial_codes
from inertia_tools.inertia.direct_repairs import DirectRepair, Subject
from inertia_tools.inertia.effective import before_total
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.given import names_of, require_description
from inertia_tools.inertia.mass_model import MassModel
from inertia_tools.inertia.mass_repairs import refuse_masses_of_others, with_known_masses
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.repair import Repair, repair_from_cause, usable_mass
from inertia_tools.inertia.repair_plan import RepairPlan
from inertia_tools.inertia.repaired_document import repaired
from inertia_tools.inertia.report import LinkReport, Report, check
from inertia_tools.inertia.simulators import simulators_named
from inertia_tools.inertia.simulators.rules import Simulator
from inertia_tools.inertia.target_report import with_target_findings
from inertia_tools.inertia.unknown_geometry import refuse_total, with_findings
from inertia_tools.inertia.writable import changeable, changing, writable

Chooser = Callable[[LinkReport, Repair], Repair | None]
"""Decides on the change of one link, given its report entry: returns the change to make, or None."""


def fix(
    robot: Description,
    scope: Scope = "invalid",
    *,
    density: float | None = None,
    masses: MassModel | None = None,
    geometry: GeometryChoice = "collision",
    open_mesh: OpenMeshPolicy = "auto",
    params: AutoInertiaParams | None = None,
    mass_policy: MassPolicy = "keep",
    links: Iterable[str] | None = None,
    apply: Iterable[str] = (),
    repairs: Sequence[DirectRepair] = (),
    choose: Chooser | None = None,
    targets: Iterable[str] = (),
    progress: Progress | None = None,
) -> Correction:
    """Correct the inertials of a robot with the smallest sufficient change.

    A link with a proven cause gets its values from before the mistake; the scope decides on the others.

    Args:
        robot: The description.
        scope: Links to change: "invalid" those with an error; "implausible" also those with rounded, defaulted,
            placeholder or copied numbers, or a tensor or centre of mass that does not match the geometry, which get
            tensor and centre from the geometry; "all" every link that has geometry.
        density: Density where no mass is known [kg/m^3]; short for `masses=MassModel(density=...)`.
        masses: Known masses and densities.
        geometry: Which shapes to integrate where a link has both.
        open_mesh: What to do with meshes that are not closed, as for `compute`.
        params: How shapes are integrated, as for `compute`.
        mass_policy: "keep" scales geometry to the mass that a link declares; "density" uses the mass from the density.
        links: Names of the only links to touch; all by default.
        apply: Causes to undo, and nothing else: "CODE" in every link in which it is proven, "LINK=CODE" in one link in
            which it is possible.
        repairs: Repairs requested by name, such as `ConvertUnits`; only these are made, in order.
        choose: Called with each change before it is made; returns the change to make, or None.
        targets: Names of simulators that must accept the result as stated, such as "gazebo"; links that one of them
            would not accept are corrected as if they had an error.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: A choice or number is out of range.
        UnknownLinkError: A named link does not exist.
        NothingToRepairError: A mass is given for a link that cannot be changed.
        WriteError: urdf-parser-py reads the document as it was, but not the corrected one; or the document overrides
            the numbers to write.
    """
    require_description(robot)
    apply, targets = names_of("apply", apply), names_of("targets", targets)
    links = None if links is None else names_of("links", links)
    masses = _mass_model(masses, density)
    masses.validate(robot)
    integration = check_options(masses.density, geometry, mass_policy, open_mesh, params)
    _refuse_set_total(robot, masses)
    if scope not in SCOPES:
        raise OptionError("scope", scope, "one of " + ", ".join(SCOPES))
    judge = _Judge(robot, scope, masses, geometry, integration, simulators_named(targets), progress)
    before = judge.report()
    asked = causes_asked(before, apply)
    if repairs and asked is None:
        asked = {}
    with np.errstate(over="ignore", invalid="ignore"):  # overflows are refused when the file is written
        in_force = before_total(robot, params=integration)
        touched = changeable(robot, links)
        plan = RepairPlan(robot, in_force, masses, scope, keep_mass=mass_policy == "keep")
        if judge.is_quick and asked is None:
            before = judge.integrated(before, plan.needing_geometry(before, touched))
        computed = judge.computed(before)
        refuse_total(robot, computed, masses)
        refuse_masses_of_others(in_force, masses)
        alone: list[Finding] = []
        if asked is None:
            planned, alone = plan.repairs(before, computed, touched)
        else:
            undone = _undone(in_force, [before[name] for name in asked if name in touched], asked, computed)
            planned = Subject(robot, in_force, computed, touched, undone).repaired(repairs)
        able = touched - {finding.link for finding in alone}
        changes, unwritten = writable(robot, with_known_masses(in_force, planned, masses, computed, able))
        faulty = [entry.link for entry in before.links if inertial_codes(entry, Severity.WARNING)]
        changes = changing(robot, in_force, changes, faulty)
        alone += unwritten
        if choose is not None:
            changes, unwritten = writable(robot, _agreed(before, changes, choose))
            alone += unwritten
        corrected = repaired(robot, in_force, changes)
    after = before if corrected is robot else judge.report(corrected)
    merged = with_findings(merged_report(before, after, changes), alone)
    return Correction(robot, corrected, changes, merged, with_findings(after, alone))


@dataclass(frozen=True, eq=False)
class _Judge:
    """How a correction checks a robot.

    Attributes:
        robot: The description as it is written.
        scope: Which links are changed.
        masses: Known masses and densities.
        geometry: Which shapes to integrate where a link has both.
        integration: Integration parameters for the numbers to write.
        targets: Simulators that must accept the result as stated.
        progress: Called with the number of meshes done, and of all.
    """

    robot: Description
    scope: Scope
    masses: MassModel
    geometry: GeometryChoice
    integration: AutoInertiaParams
    targets: Sequence[Simulator]
    progress: Progress | None

    @property
    def is_quick(self) -> bool:
        """Whether links are first checked without Warp: few have errors and take their numbers from geometry."""
        has_automatic = self.robot.usd is not None or any(
            link.declared is not None and link.declared.auto for link in self.robot.links.values()
        )
        return self.scope == "invalid" and not has_automatic and self.integration.may_load_warp

    def report(self, corrected: Description | None = None) -> Report:
        """Check the robot, or its corrected description."""
        report = check(
            self.robot if corrected is None else corrected,
            density=self.masses.density,
            geometry=self.geometry,
            params=replace(self.integration, may_load_warp=False) if self.is_quick else self.integration,
            progress=self.progress if corrected is None else None,
        )
        return with_target_findings(report, self.targets)

    def integrated(self, report: Report, links: Sequence[str]) -> Report:
        """Integrate the geometry of links with the parameters for the numbers to write."""
        wanted = compute(
            self.robot, density=self.masses.density, geometry=self.geometry, params=self.integration, links=links,
            progress=self.progress,
        )  # fmt: skip
        return replace(report, links=tuple(_with_computed(one, wanted.get(one.link)) for one in report.links))

    def computed(self, report: Report) -> dict[str, LinkInertial]:
        """Return the computed mass properties of the check; only links with a given density are computed again."""
        computed = {entry.link: entry.computed for entry in report.links if entry.computed is not None}
        for name, density in self.masses.link_density.items():
            link = without_densities(self.robot.link(name))
            computed[name] = compute_link(link, density=density, geometry=self.geometry, params=self.integration)
        return computed


def _mass_model(masses: MassModel | None, density: float | None) -> MassModel:
    """Return the mass model with the density that is given as a shorthand.

    Raises:
        OptionTypeError: `masses` is not a MassModel.
    """
    if masses is not None and not isinstance(masses, MassModel):
        raise OptionTypeError("masses", masses, "a MassModel")
    masses = masses or MassModel()
    return masses if density is None else replace(masses, density=density)


def _refuse_set_total(robot: Description, masses: MassModel) -> None:
    """Refuse known masses for a document whose compiler scales all masses.

    Raises:
        WriteError: The compiler does.
    """
    total = 0.0 if robot.mjcf is None else robot.mjcf.compiler.settotalmass
    if total > 0.0 and masses.says_masses:
        raise WriteError(
            f"{robot.document.name}: settotalmass of <compiler> scales all masses to {total:g} kg; remove it first"
        )


def _with_computed(entry: LinkReport, value: LinkInertial | None) -> LinkReport:
    """Replace the computed mass properties of an entry, and the findings about them."""
    if value is None:
        return entry
    said = () if entry.computed is None else entry.computed.notes
    findings = [finding for finding in entry.findings if finding not in said]
    return replace(entry, computed=value, findings=most_severe_first(list(dict.fromkeys([*findings, *value.notes]))))


def _undone(
    robot: Description, chosen: Iterable[LinkReport], asked: Mapping[str, Cause], computed: Mapping[str, LinkInertial]
) -> dict[str, Repair]:
    """Undo the requested cause in each link."""
    found = {}
    for entry in chosen:
        link = robot.links[entry.link]
        repair = repair_from_cause(link, asked[link.name], computed[link.name], usable_mass(link))
        if repair is not None:
            found[link.name] = repair
    return found


def _agreed(report: Report, changes: Mapping[str, Repair], choose: Chooser) -> dict[str, Repair]:
    """Return the changes that the chooser accepts or substitutes."""
    chosen = {name: choose(report[name], change) for name, change in changes.items()}
    return {name: change for name, change in chosen.items() if change is not None}
