# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What was found about a robot, link by link."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.types import Description, Link, Mesh
from inertia_tools.geometry.mesh_batch import Progress, Wanted, prepare
from inertia_tools.geometry.mesh_integral import OpenMeshPolicy
from inertia_tools.inertia.checks import check_against_geometry, check_link
from inertia_tools.inertia.checks.density import DensityRange
from inertia_tools.inertia.compute import WATER, GeometryChoice, LinkInertial, compute
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first, worst
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertial import Inertial


@dataclass(frozen=True, eq=False)
class LinkReport:
    """One link: what its file declares, what its geometry gives, and what was found.

    Attributes:
        link: The link's name.
        declared: Complete declared mass properties in link axes, valid or not; None when incomplete or absent.
        effective: What the link has under the rules of its format; for URDF what is declared.
        computed: What its geometry gives; None when that was not asked for.
        corrected: What it has after a correction; None when none was made.
        changed: The correction changed it.
        findings: Most severe first.
    """

    link: str
    declared: LinkInertial | None
    effective: LinkInertial | None = None
    computed: LinkInertial | None = None
    corrected: LinkInertial | None = None
    changed: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def worst(self) -> Severity | None:
        """The highest severity; None without findings."""
        return worst(self.findings)


@dataclass(frozen=True, eq=False)
class ModelTotals:
    """A whole model at joint positions zero, in the axes of its root link."""

    name: str
    inertial: Inertial


@dataclass(frozen=True, eq=False)
class Report:
    """Everything found about one robot.

    Attributes:
        robot: The description that was looked at.
        links: One entry a link, in document order.
        totals: The model as a whole; None when no link has a usable inertial.
    """

    robot: Description
    links: tuple[LinkReport, ...]
    totals: ModelTotals | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings over all links, most severe first."""
        return most_severe_first([finding for link in self.links for finding in link.findings])

    @property
    def worst(self) -> Severity | None:
        """The highest severity; None without findings."""
        return worst(self.findings)

    @property
    def total_mass(self) -> float:
        """Sum of the finite effective masses [kg]."""
        masses = [_mass_of(link.effective) for link in self.links]
        return sum(mass for mass in masses if math.isfinite(mass))

    def count(self, severity: Severity) -> int:
        """Count the findings of that severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def __getitem__(self, link: str) -> LinkReport:
        """Return the entry of one link.

        Raises:
            UnknownLinkError: The model has no such link.
        """
        self.robot.link(link)
        return next(entry for entry in self.links if entry.link == link)


QUICK = AutoInertiaParams(may_load_warp=False)
"""How shapes are integrated when nobody asks for a value, only whether one is right."""


def check(
    robot: Description,
    *,
    density: float = WATER,
    geometry: GeometryChoice = "collision",
    open_mesh: OpenMeshPolicy = "auto",
    params: AutoInertiaParams = QUICK,
    compare_geometry: bool = True,
    density_min: float = DensityRange.low,
    density_max: float = DensityRange.high,
    progress: Progress | None = None,
) -> Report:
    """Judge the mass properties that every link declares, in one pass.

    Args:
        robot: The description.
        density: Density [kg/m^3] at which `computed` is given.
        geometry: Which shapes to integrate where a link has both.
        open_mesh: What to do with meshes that are not closed, as for `compute`.
        params: How shapes are integrated; by default without voxels, which take longer than all the rest.
        compare_geometry: Also integrate the geometry, fill `computed`, and report what is wrong with the shapes.
        density_min: Mean densities below this are suspicious [kg/m^3].
        density_max: Mean densities above this are suspicious [kg/m^3].
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: A density is not positive, the bounds are out of order, or a choice is unknown.
    """
    allowed = DensityRange(density_min, density_max)
    computed: Mapping[str, LinkInertial] = {}
    with np.errstate(over="ignore", invalid="ignore"):  # files may declare anything
        if compare_geometry:
            params = params if open_mesh == "auto" else replace(params, open_mesh=open_mesh)
            prepare(wanted_meshes(robot, geometry, params), progress)
            computed = compute(robot, density=density, geometry=geometry, params=params)
        links = tuple(_report_link(robot, link, computed.get(link.name), allowed) for link in robot.links.values())
        return Report(robot, links, totals(robot))


def wanted_meshes(
    robot: Description, geometry: GeometryChoice = "collision", params: AutoInertiaParams = QUICK
) -> Iterator[Wanted]:
    """List what a check wants of the robot's meshes: the integral of those that carry mass, the hulls of all."""
    for link in robot.links.values():
        heavy = (link.collisions or link.visuals) if geometry == "collision" else (link.visuals or link.collisions)
        for shape in link.shapes:
            if isinstance(shape.geometry, Mesh):
                if shape in heavy and params.calculator is None:
                    yield shape.geometry, params.mesh_options
                yield shape.geometry, None


def stats(robot: Description) -> Report:
    """Report the mass properties each link has and the totals of the model, with the findings of the declarations."""
    return check(robot, compare_geometry=False)


def declared_inertial(link: Link) -> LinkInertial | None:
    """Wrap what a link declares; None when it is incomplete or absent."""
    if link.inertial is None:
        return None
    return LinkInertial(link.name, link.inertial, Method.DECLARED)


def totals(robot: Description) -> ModelTotals | None:
    """Add up the finite inertials of all links at joint positions zero, in the axes of the root link."""
    total = Inertial.zero()
    for name, pose in robot.link_poses.items():
        inertial = robot.links[name].inertial
        if inertial is not None and inertial.is_finite() and inertial.mass > 0.0:
            total = total + inertial.transform(pose)
    return ModelTotals(robot.name, total) if total.mass > 0.0 else None


def _report_link(robot: Description, link: Link, computed: LinkInertial | None, allowed: DensityRange) -> LinkReport:
    declared = declared_inertial(link)
    found = list(check_link(robot, link))
    if computed is not None:
        found += [*check_against_geometry(robot, link, computed, allowed), *computed.notes]
    return LinkReport(
        link=link.name,
        declared=declared,
        effective=declared,
        computed=computed,
        findings=most_severe_first(found),
    )


def _mass_of(value: LinkInertial | None) -> float:
    return 0.0 if value is None or value.inertial is None else value.inertial.mass
