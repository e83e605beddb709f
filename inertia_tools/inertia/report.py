# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about a robot, link by link."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from inertia_tools.description.types import Description, Heightmap, Link, Mesh, link_count
from inertia_tools.geometry.mesh.batch import Progress, Wanted, prepare
from inertia_tools.geometry.mesh.integral import OpenMeshPolicy
from inertia_tools.inertia.causes import Cause, Population, stories
from inertia_tools.inertia.checks import (
    LinkView,
    check_against_geometry,
    check_bounded,
    check_joint_units,
    check_kin,
    check_limits,
    check_link,
    check_own_geometry,
)
from inertia_tools.inertia.checks.density import DensityRange
from inertia_tools.inertia.compute import (
    UNITS,
    VISUAL_FALLBACK,
    WATER,
    GeometryChoice,
    LinkInertial,
    compute,
    size_doubt,
    wanted_integrals,
)
from inertia_tools.inertia.effective import SETTLED, effective, is_held, is_ignored
from inertia_tools.inertia.effective_inertial import EffectiveInertial, declared_inertial, has_usable_mass
from inertia_tools.inertia.finding import Finding, Severity, from_remarks, most_severe_first, worst
from inertia_tools.inertia.format_rules import RULES
from inertia_tools.inertia.given import require_description
from inertia_tools.inertia.link_inertial import MISSING_MESH
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams, params_of
from inertia_tools.inertia.sdf_mass import NO_COLLISION
from inertia_tools.inertia.shape import shape_fault
from inertia_tools.inertia.writable import is_masked
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import are_usable


@dataclass(frozen=True, eq=False)
class LinkReport:
    """One link: declared inertial, inertial in force, inertial from geometry, and findings.

    Attributes:
        link: The link's name.
        declared: Complete declared mass properties in link axes, valid or not; None if incomplete or absent.
        effective: The inertial in force under the rules of the format: for URDF the declared one, for SDFormat also one
            computed on request or by default, for MJCF the one that MuJoCo compiles.
        computed: Mass properties from its geometry; None if they were not requested.
        corrected: The inertial after a correction; None if none was made.
        changed: The correction changed it.
        findings: Most severe first.
        causes: Why its numbers are wrong: the proven cause, else the possible ones, the likeliest first.
    """

    link: str
    declared: LinkInertial | None
    effective: LinkInertial | None = None
    computed: LinkInertial | None = None
    corrected: LinkInertial | None = None
    changed: bool = False
    findings: tuple[Finding, ...] = ()
    causes: tuple[Cause, ...] = ()

    @property
    def proven_cause(self) -> Cause | None:
        """The proven cause, if there is one."""
        return self.causes[0] if self.causes and self.causes[0].is_proven else None

    @property
    def worst(self) -> Severity | None:
        """The highest severity; None without findings."""
        return worst(self.findings)


@dataclass(frozen=True, eq=False)
class ModelTotals:
    """A whole model, or a world of them, at joint positions zero, in its own frame.

    The frame of a robot without models is that of its root link.
    """

    name: str
    inertial: Inertial


@dataclass(frozen=True, eq=False)
class Report:
    """All findings about one robot.

    Attributes:
        robot: The description that was checked.
        links: One entry per link, in document order.
        models: The document as a whole first, then each model in it; those without a usable inertial are left out.
        document_findings: Findings about no single link.
        include_static: SDFormat's static models count in the totals.
    """

    robot: Description
    links: tuple[LinkReport, ...]
    models: tuple[ModelTotals, ...] = ()
    document_findings: tuple[Finding, ...] = ()
    include_static: bool = False

    @property
    def totals(self) -> ModelTotals | None:
        """The document as a whole; None when no link has a usable inertial."""
        return self.models[0] if self.models else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings over the document and all links, most severe first."""
        of_links = [finding for link in self.links for finding in link.findings]
        return most_severe_first([*self.document_findings, *of_links])

    @property
    def worst(self) -> Severity | None:
        """The highest severity; None without findings."""
        return worst(self.findings)

    @property
    def link_count(self) -> int:
        """Number of links that were checked, without the world."""
        return link_count([entry.link for entry in self.links], self.robot.format)

    @property
    def total_mass(self) -> float:
        """Sum of the effective masses that are numbers [kg], including negative ones, which `models` leaves out.

        SDFormat's static models count only if `include_static` is set.
        """
        names = {link.name for link in _calculated(self.robot, self.include_static)}
        masses = [_mass_of(link.effective) for link in self.links if link.link in names]
        return sum(mass for mass in masses if are_usable(mass))

    @property
    def meshes_not_found(self) -> tuple[str, ...]:
        """URIs of meshes that were not found, for movable links: those are not compared with their geometry."""
        shapes = (shape for link in self.robot.links.values() if not link.is_static for shape in link.shapes)
        lost = (shape.missing_mesh for shape in shapes if shape.missing_mesh is not None)
        return tuple(dict.fromkeys(mesh.uri for mesh in lost if mesh.uri))

    def filtered(self, keeps: Callable[[Finding], bool]) -> Report:
        """Return the report with only the findings that `keeps` accepts."""

        def kept(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
            return tuple(filter(keeps, findings))

        links = tuple(replace(entry, findings=kept(entry.findings)) for entry in self.links)
        return replace(self, links=links, document_findings=kept(self.document_findings))

    def without_codes(self, codes: Collection[str]) -> Report:
        """Return the report without the findings with those codes."""
        return self.filtered(lambda finding: finding.code not in codes) if codes else self

    def count(self, severity: Severity) -> int:
        """Count the findings of that severity; a finding that a cause explains counts as one with it."""
        return sum(finding.severity is severity and not finding.explained_by for finding in self.findings)

    def __getitem__(self, link: str) -> LinkReport:
        """Return the entry of one link.

        Raises:
            UnknownLinkError: The model has no such link.
        """
        self.robot.link(link)
        return self._by_name[link]

    @cached_property
    def _by_name(self) -> Mapping[str, LinkReport]:
        return {entry.link: entry for entry in self.links}


OF_SOLIDS = frozenset({"open-mesh", "flat-mesh"})
"""Findings about meshes without a volume, which matter if they are solids."""

STATED = frozenset({Method.DECLARED, Method.ASSUMED, Method.NONE})
"""Sources of an inertial other than geometry."""

QUICK = AutoInertiaParams(may_load_warp=False)
"""Integration parameters for checks, where no accurate value is requested."""


def check(
    robot: Description,
    *,
    density: float = WATER,
    geometry: GeometryChoice = "collision",
    open_mesh: OpenMeshPolicy = "auto",
    params: AutoInertiaParams | None = None,
    compare_geometry: bool = True,
    include_static: bool = False,
    density_min: float = DensityRange.low,
    density_max: float = DensityRange.high,
    progress: Progress | None = None,
) -> Report:
    """Check the mass properties that every link declares, in one pass.

    Args:
        robot: The description.
        density: Density [kg/m^3] for `computed`.
        geometry: Which shapes to integrate where a link has both.
        open_mesh: Treatment of meshes that are not closed, as for `compute`.
        params: How shapes are integrated; by default without voxels, which take longer than all the rest.
        compare_geometry: Also integrate the geometry, fill `computed`, and report faults of the shapes.
        include_static: Also calculate the inertials of SDFormat's static models, and count them in totals.
        density_min: Mean densities below this are suspicious [kg/m^3].
        density_max: Mean densities above this are suspicious [kg/m^3].
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: A density is not positive, the bounds are out of order, or a choice is unknown.
    """
    require_description(robot)
    params, allowed = params_of(params, QUICK), DensityRange(density_min, density_max)
    computed: Mapping[str, LinkInertial] = {}
    with np.errstate(over="ignore", invalid="ignore"):  # files may declare any number
        if compare_geometry:
            params = params if open_mesh == "auto" else replace(params, open_mesh=open_mesh)
            prepare(wanted_meshes(robot, geometry, params, include_static=include_static), progress)
            names = [link.name for link in _calculated(robot, include_static)]
            computed = compute(robot, density=density, geometry=geometry, params=params, links=names)
        in_force = effective(robot, params=params, include_static=include_static, progress=progress)
        remarks = _by_link(from_remarks(robot.remarks))
        views = _judged(robot, in_force, remarks)
        kin = _by_link(_of_robot(robot, views)) if compare_geometry else {}
        links = tuple(
            _report_link(link, in_force[link.name], computed.get(link.name), allowed, views, [remarks, kin])
            for link in robot.links.values()
        )
        if compare_geometry:
            typed = {
                name: replace(view, link=in_force[name].typed or view.link)
                for name, view in views.items()
                if in_force[name].bearers is None
            }
            links = _with_causes(links, Population(robot, typed, computed, params), allowed, in_force)
        values = {link.name: in_force[link.name].value for link in _calculated(robot, include_static)}
        refusals = from_remarks(RULES[robot.format].refusals(robot))
        return Report(robot, links, totals(robot, values), (*remarks.get("", ()), *refusals), include_static)


def _calculated(robot: Description, include_static: bool) -> list[Link]:
    """List the links whose mass properties count, or are requested."""
    return [link for link in robot.links.values() if include_static or not is_ignored(robot, link)]


def causes(robot: Description, **options: Any) -> Mapping[str, tuple[Cause, ...]]:
    """Return why links have wrong numbers, by name: the proven cause of each, else the possible ones.

    Args:
        robot: The description.
        **options: Options of `check`.
    """
    return {entry.link: entry.causes for entry in check(robot, **options).links if entry.causes}


def _with_causes(
    links: tuple[LinkReport, ...],
    population: Population,
    allowed: DensityRange,
    in_force: Mapping[str, EffectiveInertial],
) -> tuple[LinkReport, ...]:
    """Add the causes to the links, and group the findings that they explain under them."""
    stories_told = stories(population, {entry.link: entry.findings for entry in links}, allowed)
    robot = population.robot
    told = {name: one for name, one in stories_told.items() if not _is_idle(robot, in_force[name], one.causes)}
    return tuple(
        replace(entry, findings=most_severe_first(list(told[entry.link].findings)), causes=told[entry.link].causes)
        if entry.link in told
        else entry
        for entry in links
    )


def _is_idle(robot: Description, in_force: EffectiveInertial, proposed: Sequence[Cause]) -> bool:
    """Return whether undoing causes would not change a link, because the bounds of a compiler override it."""
    if in_force.typed is None:
        return False
    return all(cause.after is not None and is_masked(robot, in_force.link, cause.after) for cause in proposed)


def wanted_meshes(
    robot: Description,
    geometry: GeometryChoice = "collision",
    params: AutoInertiaParams = QUICK,
    *,
    include_static: bool = False,
) -> Iterator[Wanted]:
    """List the meshes that a check needs: the integrals of those that carry mass, and the hulls of all."""
    links = _calculated(robot, include_static)
    yield from wanted_integrals(links, geometry, params)
    for link in links:
        sound = (shape for shape in link.shapes if shape_fault(shape) is None)
        yield from ((shape.geometry, None) for shape in sound if isinstance(shape.geometry, Mesh))


def stats(
    robot: Description,
    *,
    params: AutoInertiaParams | None = None,
    include_static: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Report the inertials in force of all links and the totals of the models, with their findings.

    Args:
        robot: The description.
        params: How shapes are integrated, where the file requests that without parameters.
        include_static: As for `check`.
        progress: Called with the number of meshes done, and of all, after each mesh.
    """
    chosen = params_of(params, AutoInertiaParams())
    return check(robot, params=chosen, compare_geometry=False, include_static=include_static, progress=progress)


def totals(robot: Description, values: Mapping[str, LinkInertial | None]) -> tuple[ModelTotals, ...]:
    """Add up the usable inertials of the document and of each model, at joint positions zero.

    Args:
        robot: The description.
        values: What each link has, by name.
    """
    placed = {
        name: value.inertial.transform(robot.link_poses[name])
        for name, value in values.items()
        if value is not None and value.inertial is not None and has_usable_mass(value)
    }
    has_whole = bool(robot.models) and (not robot.is_world or any(model.is_world for model in robot.models))
    sums = [] if has_whole else [(robot.name, Inertial.sum(placed.values()))]
    for model in robot.models:
        total = Inertial.sum(placed[name] for name in model.links if name in placed)
        sums.append((model.name, total.transform(model.pose.inverse())))
    return tuple(ModelTotals(name, total) for name, total in sums if total.mass > 0.0)


def _judged(
    robot: Description, in_force: Mapping[str, EffectiveInertial], remarks: Mapping[str, list[Finding]]
) -> dict[str, LinkView]:
    """Return the links to check: without static links, and without those whose findings are conclusive."""
    return {
        name: LinkView(robot, in_force[name].link)
        for name, link in robot.links.items()
        if not (link.is_static or any(f.code in SETTLED for f in (*remarks.get(name, ()), *in_force[name].findings)))
    }


def _of_robot(robot: Description, views: Mapping[str, LinkView]) -> list[Finding]:
    """Return the findings about several links, and about joints."""
    return [*check_kin(robot, views), *check_limits(robot), *check_joint_units(robot, views)]


def _by_link(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.link, []).append(finding)
    return found


def _report_link(
    link: Link,
    in_force: EffectiveInertial,
    computed: LinkInertial | None,
    allowed: DensityRange,
    views: Mapping[str, LinkView],
    said: Sequence[Mapping[str, list[Finding]]],
) -> LinkReport:
    """Make the entry of a link; `said` holds findings by link, from the reader and from comparisons of links."""
    of_reading, of_kin = (findings.get(link.name, []) for findings in said)
    found = [*of_reading, *in_force.findings]
    if link.name in views:
        found += check_link(views[link.name])
        if computed is not None:
            found += _against_geometry(views[link.name], computed, allowed, in_force)
    found += of_kin
    if computed is not None:
        is_huge = [] if any(one.code == UNITS for one in found) else _huge(views, in_force, computed)
        found += is_huge
        has_no_fallback = any(one.code == NO_COLLISION for one in in_force.findings)
        is_judged = link.name in views and views[link.name].sound is not None  # checked at its own mass
        unwanted = {VISUAL_FALLBACK: has_no_fallback, UNITS: is_judged or bool(is_huge)}
        walls = {(place.file, place.line, place.path) for place in in_force.walls}
        notes = [one for one in computed.notes if not unwanted.get(one.code, False)]
        found += [one for one in notes if not (one.code in OF_SOLIDS and (one.file, one.line, one.path) in walls)]
    return LinkReport(
        link=link.name,
        declared=declared_inertial(link),
        effective=in_force.value,
        computed=computed,
        findings=most_severe_first(list(dict.fromkeys(found))),
    )


def _huge(views: Mapping[str, LinkView], in_force: EffectiveInertial, computed: LinkInertial) -> list[Finding]:
    """Report an inertial from geometry of implausible mass, unless the link is held to the world."""
    value, view = in_force.value, views.get(computed.link)
    if value is None or value.method in STATED or view is None or is_held(view.robot, value.link):
        return []
    doubt = size_doubt(replace(value, volume=computed.volume), view.link.place, Severity.WARNING)
    return [] if doubt is None else [doubt]


def _against_geometry(
    view: LinkView, computed: LinkInertial, allowed: DensityRange, in_force: EffectiveInertial
) -> Iterator[Finding]:
    """Compare a link with its geometry, as far as that is known: a missing mesh makes it unknown.

    An inertial that comes from geometry matches it by definition; then only the densities in the file are checked, and
    only those of the bearers. A bearer may be a height field, whose extent no check knows.
    """
    for shape, error in view.missing_meshes:
        yield Finding.at(Severity.INFO, MISSING_MESH, view.link.name, str(error), shape.place)
    known = replace(computed, inertial=None, volume=None) if view.missing_meshes or computed.lacks_mesh else computed
    bearers = in_force.bearers
    if in_force.typed is not None:
        yield from check_bounded(replace(view, link=in_force.typed), view, known, allowed, in_force.bounds)
    elif bearers is None:
        yield from check_against_geometry(view, known, allowed)
    elif not any(isinstance(shape.geometry, Heightmap) for shape in bearers):
        own = LinkView(view.robot, replace(view.link, collisions=bearers, visuals=()))
        yield from check_own_geometry(own, known, allowed)


def _mass_of(value: LinkInertial | None) -> float:
    return 0.0 if value is None or value.inertial is None else value.inertial.mass
