# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Correcting a description: what is wrong is changed, everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from inertia_tools.description.types import Description, Link
from inertia_tools.errors import OptionError, OptionTypeError, WriteError
from inertia_tools.geometry.mesh.batch import Progress
from inertia_tools.geometry.mesh.integral import OpenMeshPolicy
from inertia_tools.inertia.causes import Cause, causes_asked
from inertia_tools.inertia.checks import LinkView
from inertia_tools.inertia.checks.density import DensityRange, out_of_range
from inertia_tools.inertia.checks.units import WrongUnits, wrong_units
from inertia_tools.inertia.compute import (
    UNITS,
    GeometryChoice,
    LinkInertial,
    MassPolicy,
    check_options,
    compute,
    compute_link,
    without_densities,
)
from inertia_tools.inertia.correction import Correction, merged_report
from inertia_tools.inertia.direct_repairs import DirectRepair, Subject
from inertia_tools.inertia.effective import before_total
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.given import names_of, require_description
from inertia_tools.inertia.mass_model import MassModel
from inertia_tools.inertia.mass_repairs import masses_after, refuse_masses_of_others, with_known_masses
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.repair import (
    DEFAULTED,
    IMPLAUSIBLE,
    IMPOSSIBLE,
    OF_MUJOCO,
    UNUSABLE,
    Repair,
    inertial_faults,
    lighter_neighbours,
    needs_geometry,
    repair_from_cause,
    repair_from_geometry,
    repair_from_neighbour,
    repair_link,
    repair_units,
    usable_mass,
)
from inertia_tools.inertia.repaired_document import repaired
from inertia_tools.inertia.report import LinkReport, Report, check
from inertia_tools.inertia.simulators import simulators_named
from inertia_tools.inertia.target_report import with_target_findings
from inertia_tools.inertia.unknown_geometry import finding_of, refuse_total, with_findings
from inertia_tools.inertia.writable import changeable, changing, writable

INERTIAL = "/inertial"
"""Where a finding of what MuJoCo refuses is about the inertial."""

Scope = Literal["invalid", "implausible", "all"]
SCOPES = ("invalid", "implausible", "all")

Chooser = Callable[[LinkReport, Repair], Repair | None]
"""Decides about the change of a link, of which all is known that was found: returns the one to make, or None."""


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
    """Correct the inertials of a robot with the smallest change that does.

    A link with a proven cause takes what it had before the mistake; the others what the scope says.

    Args:
        robot: The description.
        scope: Which links to touch: "invalid" those with an error; "implausible" also those with rounded, defaulted,
            placeholder or copied numbers, or a tensor or centre of mass that does not go with the geometry, which
            take tensor and centre from that; "all" every link that has geometry.
        density: Density where no mass is known [kg/m^3]; short for `masses=MassModel(density=...)`.
        masses: What is known about the masses.
        geometry: Which shapes to integrate where a link has both.
        open_mesh: What to do with meshes that are not closed, as for `compute`.
        params: How shapes are integrated, as for `compute`.
        mass_policy: "keep" gives geometry the mass that a link declares; "density" the one that follows from it.
        links: Names of the only links to touch; all by default.
        apply: Causes to undo, and nothing else: "CODE" in every link that has it proven, "LINK=CODE" in one link that
            may have it.
        repairs: Repairs that the user asks for by name, such as `ConvertUnits`; these, one after the other, and
            nothing else.
        choose: Asked of each change before it is made; returns the one to make, or None.
        targets: Names of simulators that have to take the result as it is stated, such as "gazebo"; links that they
            would not are corrected as if they had an error.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: A choice or number is out of range.
        UnknownLinkError: A link is named that the robot has not.
        NothingToRepairError: A mass is given for a link that cannot be changed.
        WriteError: urdf-parser-py reads the document as it was, but not the corrected one; or the document overrides
            what would be written.
    """
    require_description(robot)
    apply, targets = names_of("apply", apply), names_of("targets", targets)
    links = None if links is None else names_of("links", links)
    if masses is not None and not isinstance(masses, MassModel):
        raise OptionTypeError("masses", masses, "a MassModel")
    masses = masses or MassModel()
    masses = masses if density is None else replace(masses, density=density)
    masses.validate(robot)
    integration = check_options(masses.density, geometry, mass_policy, open_mesh, params)
    _refuse_set_total(robot, masses)
    if scope not in SCOPES:
        raise OptionError("scope", scope, "one of " + ", ".join(SCOPES))
    keep_mass = mass_policy == "keep"
    judging = integration if scope != "invalid" or _has_automatic(robot) else replace(integration, may_load_warp=False)
    aims = simulators_named(targets)
    before = check(robot, density=masses.density, geometry=geometry, params=judging, progress=progress)
    before = with_target_findings(before, aims)
    asked = causes_asked(before, apply)
    if repairs and asked is None:
        asked = {}
    with np.errstate(over="ignore", invalid="ignore"):  # what leaves the numbers is refused when it is written
        in_force = before_total(robot, params=integration)
        if judging != integration and asked is None:
            chosen = _chosen(robot, before, scope, masses, links)
            names = [entry.link for entry in chosen if _takes_geometry(in_force, entry, masses, keep_mass=keep_mass)]
            wanted = compute(
                robot, density=masses.density, geometry=geometry, params=integration, links=names, progress=progress
            )
            before = replace(before, links=tuple(_with_computed(one, wanted.get(one.link)) for one in before.links))
        computed = _computed(robot, before, masses, geometry, integration)
        refuse_total(robot, computed, masses)
        alone: list[Finding] = []
        touched = changeable(robot, links)
        refuse_masses_of_others(in_force, masses)
        if asked is None:
            units = _proven_units(in_force, before, computed, masses) if scope == "implausible" else {}
            in_scope = _chosen(robot, before, scope, masses, links, besides=units)
            chosen, alone = _parted(robot, in_force, in_scope, computed, masses)
            plan = _plan(in_force, chosen, computed, masses, units, keep_mass=keep_mass, scope=scope)
        else:
            undone = _undone(in_force, [before[name] for name in asked if name in touched], asked, computed)
            plan = Subject(robot, in_force, computed, touched, undone).repaired(repairs)
        able = touched - {finding.link for finding in alone}
        changes, unwritten = writable(robot, with_known_masses(in_force, plan, masses, computed, able))
        alone += unwritten
        faulty = [entry.link for entry in before.links if _inertial_codes(entry, Severity.WARNING)]
        changes = changing(robot, in_force, changes, faulty)
        if choose is not None:
            agreed = {name: one for name in changes if (one := choose(before[name], changes[name])) is not None}
            changes, unwritten = writable(robot, agreed)
            alone += unwritten
        corrected = repaired(robot, in_force, changes)
    after = before
    if corrected is not robot:
        after = check(corrected, density=masses.density, geometry=geometry, params=judging)
        after = with_target_findings(after, aims)
    merged = with_findings(merged_report(before, after, changes), alone)
    return Correction(robot, corrected, changes, merged, with_findings(after, alone))


def _refuse_set_total(robot: Description, masses: MassModel) -> None:
    """Refuse masses for a document that scales them all when it is compiled.

    Raises:
        WriteError: It does.
    """
    total = 0.0 if robot.mjcf is None else robot.mjcf.compiler.settotalmass
    if total > 0.0 and masses.says_masses:
        raise WriteError(f"{robot.document.name}: settotalmass scales all masses to {total:g} kg; remove it first")


def _has_automatic(robot: Description) -> bool:
    """Tell whether what links have in force follows from their geometry already."""
    return robot.usd is not None or any(
        link.declared is not None and link.declared.auto for link in robot.links.values()
    )


def _takes_geometry(in_force: Description, entry: LinkReport, masses: MassModel, *, keep_mass: bool) -> bool:
    """Tell whether a link that an error is in may take its inertial from geometry, as far as a quick look says."""
    computed = entry.computed
    if computed is None or computed.inertial is None or entry.link in masses.link_density:
        return True
    repair = _repair(in_force.links[entry.link], entry, computed, masses, keep_mass=keep_mass, scope="invalid")
    if repair is None:
        return bool(_inertial_codes(entry, Severity.ERROR))
    return repair.method is not Method.DECLARED


def _with_computed(entry: LinkReport, value: LinkInertial | None) -> LinkReport:
    """Put another value of the geometry, with what it has to say, in the place of the one of an entry."""
    if value is None:
        return entry
    said = () if entry.computed is None else entry.computed.notes
    findings = [finding for finding in entry.findings if finding not in said]
    return replace(entry, computed=value, findings=most_severe_first(list(dict.fromkeys([*findings, *value.notes]))))


def _computed(
    robot: Description, report: Report, masses: MassModel, geometry: GeometryChoice, params: AutoInertiaParams
) -> dict[str, LinkInertial]:
    """Take what the check computed; only links of another density are computed again."""
    computed = {entry.link: entry.computed for entry in report.links if entry.computed is not None}
    for name, density in masses.link_density.items():
        link = without_densities(robot.link(name))
        computed[name] = compute_link(link, density=density, geometry=geometry, params=params)
    return computed


def _proven_units(
    in_force: Description, report: Report, computed: Mapping[str, LinkInertial], masses: MassModel
) -> dict[str, WrongUnits]:
    """Find the links whose numbers are proven to be in another unit, and nothing worse, by their names."""
    found = {}
    for entry in report.links:
        is_suspect = any(finding.code == UNITS for finding in entry.findings)
        value = computed.get(entry.link)
        if not is_suspect or value is None or value.lacks_mesh or _inertial_codes(entry, Severity.ERROR):
            continue
        if entry.link in masses.link_mass or entry.link in masses.link_density:
            continue
        view = LinkView(in_force, in_force.links[entry.link])
        units = wrong_units(view, value, out_of_range(view, value, DensityRange()))
        if units is not None and units.is_proven:
            found[entry.link] = units
    return found


def _chosen(
    robot: Description,
    report: Report,
    scope: Scope,
    masses: MassModel,
    links: Iterable[str] | None,
    besides: Collection[str] = (),
) -> list[LinkReport]:
    """Return the entries of the links to touch."""
    touched = changeable(robot, links)
    return [
        entry
        for entry in report.links
        if entry.link in touched and (entry.link in besides or _is_in_scope(entry, scope, masses))
    ]


def _undone(
    robot: Description, chosen: Iterable[LinkReport], asked: Mapping[str, Cause], computed: Mapping[str, LinkInertial]
) -> dict[str, Repair]:
    """Undo a cause in every link that it is asked for."""
    found = {}
    for entry in chosen:
        link = robot.links[entry.link]
        repair = repair_from_cause(link, asked[link.name], computed[link.name], usable_mass(link))
        if repair is not None:
            found[link.name] = repair
    return found


def _parted(
    robot: Description,
    in_force: Description,
    chosen: Iterable[LinkReport],
    computed: Mapping[str, LinkInertial],
    masses: MassModel,
) -> tuple[list[LinkReport], list[Finding]]:
    """Part the links that can be corrected from those that cannot, for want of a mesh, and say so of these."""
    able, alone = [], []
    for entry in chosen:
        link, value = robot.links[entry.link], computed[entry.link]
        if not (value.lacks_mesh and _goes_by_geometry(link, in_force.links[entry.link], entry, masses)):
            able.append(entry)
        elif entry.worst is Severity.ERROR or _is_given(link, masses):
            alone.append(finding_of(link, value, masses))
    return able, alone


def _goes_by_geometry(link: Link, in_force: Link, entry: LinkReport, masses: MassModel) -> bool:
    """Tell whether what is to be done to a link depends on its geometry."""
    if link.name in masses.link_density or (link.declared is not None and link.declared.auto):
        return True
    mass = masses.link_mass.get(link.name, usable_mass(in_force))
    return needs_geometry(in_force, _inertial_codes(entry, Severity.WARNING), mass)


def _is_given(link: Link, masses: MassModel) -> bool:
    return link.name in masses.link_mass or link.name in masses.link_density


def _plan(
    robot: Description,
    chosen: Iterable[LinkReport],
    computed: Mapping[str, LinkInertial],
    masses: MassModel,
    units: Mapping[str, WrongUnits],
    *,
    keep_mass: bool,
    scope: Scope,
) -> dict[str, Repair]:
    """Decide for every link; frames that need a neighbour's mass come last, when those are known."""
    changes: dict[str, Repair] = {}
    waiting: list[Link] = []
    for entry in chosen:
        link = robot.links[entry.link]
        if (
            link.name in units and entry.proven_cause is None
        ):  # which goes before any guess from geometry; None where that alone is in another unit
            repair = repair_units(link, units[link.name])
            changes.update({} if repair is None else {link.name: repair})
            continue
        repair = _repair(link, entry, computed[link.name], masses, keep_mass=keep_mass, scope=scope)
        if repair is not None:
            changes[link.name] = repair
        elif _inertial_codes(entry, Severity.ERROR):
            waiting.append(link)
    known = masses_after(robot, changes)
    for link in waiting:
        known.pop(link.name, None)  # a default, of which nothing is known
    neighbours = lighter_neighbours(robot, known) if waiting else {}
    for link in waiting:
        changes[link.name] = repair_from_neighbour(link, neighbours.get(link.name), known)
    return changes


def _is_in_scope(entry: LinkReport, scope: Scope, masses: MassModel) -> bool:
    if entry.link in masses.link_mass or entry.link in masses.link_density or scope == "all":
        return True
    lowest = Severity.ERROR if scope == "invalid" else Severity.WARNING
    is_implausible = scope == "implausible" and (_is_implausible(entry) or _has_warned_cause(entry))
    return bool(_inertial_codes(entry, lowest)) or is_implausible


def _has_warned_cause(entry: LinkReport) -> bool:
    """Tell whether the cause of a link is proven, and counts as a warning at the least."""
    cause = entry.proven_cause
    if cause is None:
        return False
    return any(
        one.severity >= Severity.WARNING and cause.code in (one.code, one.explained_by) for one in entry.findings
    )


def _is_implausible(entry: LinkReport) -> bool:
    """Tell whether the inertial of a link does not go with its geometry, which can take its place."""
    computed = entry.computed
    has_geometry = computed is not None and computed.inertial is not None and not computed.lacks_mesh
    return has_geometry and any(finding.code in IMPLAUSIBLE for finding in entry.findings)


def is_mended(finding: Finding, lacking: Collection[str]) -> bool:
    """Tell whether a correction may mend what was found.

    Args:
        finding: What was found.
        lacking: Names of links whose geometry is not known, so that it cannot take the place of an inertial.
    """
    is_of_inertial = finding.code in UNUSABLE | IMPOSSIBLE or (finding.code in OF_MUJOCO and INERTIAL in finding.path)
    return is_of_inertial and not (finding.code in UNUSABLE and finding.link in lacking)


def _inertial_codes(entry: LinkReport, lowest: Severity) -> set[str]:
    """Return the codes that speak of the declared inertial; a bad shape is no fault of it."""
    codes = {one.code for one in inertial_faults(entry.findings, entry.effective) if one.severity >= lowest}
    return codes if codes == {DEFAULTED} else codes - {DEFAULTED}


def _repair(
    link: Link, entry: LinkReport, computed: LinkInertial, masses: MassModel, *, keep_mass: bool, scope: Scope
) -> Repair | None:
    """Choose the new inertial of one link; None when there is nothing to do, or nothing to go by."""
    computed = replace(computed, inertial=None) if computed.lacks_mesh else computed
    keeps = keep_mass or computed.inertial is None
    mass = masses.link_mass.get(link.name, usable_mass(link) if keeps else None)
    codes = _inertial_codes(entry, Severity.WARNING)
    if link.name in masses.link_density and computed.inertial is not None:
        return repair_from_geometry(link, computed, masses.link_mass.get(link.name))
    cause = entry.proven_cause
    if cause is not None and scope != "all" and link.name not in masses.link_mass and (codes or scope == "implausible"):
        undone = repair_from_cause(link, cause, computed, mass)
        if undone is not None or cause.after is None:
            return undone
    is_recomputed = scope == "all" or (scope == "implausible" and _is_implausible(entry))
    if is_recomputed and computed.inertial is not None:
        return repair_from_geometry(link, computed, mass)
    if codes:
        return repair_link(link, codes, computed, mass)
    if link.name in masses.link_mass and link.inertial is not None:
        return None  # the declared tensor is scaled
    return None if computed.inertial is None else repair_from_geometry(link, computed, mass)
