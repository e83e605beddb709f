# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of bodies of a USD stage: each of mass, tensor and centre of mass from the first rule that applies.

1. The values that the body states through PhysicsMassAPI, always; without principal axes, those of the body.
2. For a stated mass without a tensor: the tensor of the colliders, scaled to that mass.
3. OpenUSD's computation from unit-density records of the colliders, with the densities of prims and materials.

A body without stated values has the mass of its colliders, at the density of their materials or of water, or as stated
on the colliders. These cases and rule 2 use double precision. Rule 3 is single precision, as OpenUSD is, and takes
precedence where a collider states a centre, axes or a tensor without the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.types import DeclaredInertial, Description, Link
from inertia_tools.description.usd.stage import refusing
from inertia_tools.description.usd_bodies import AuthoredMass, UsdBody
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.usd_mass.colliders import (
    WATER,
    UnitCollider,
    accumulated,
    tensor_of,
    unit_collider,
    worthless,
)
from inertia_tools.inertia.usd_mass.reference_mass import ReferenceMass, ReferenceStage
from inertia_tools.inertia.usd_mass.unusable import ignored_values
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, Pose

EMPTY_RADIUS = 0.1
"""Radius of the sphere that OpenUSD uses for a body with a mass and no collider [m]."""


@dataclass(frozen=True, eq=False)
class UsdInertial:
    """The mass properties of one body.

    Attributes:
        declared: The declaration in force; None without mass.
        value: The mass properties; None without mass.
        findings: Findings made on the way.
        is_of_colliders: The body states neither mass nor tensor, so that both come from its colliders.
    """

    declared: DeclaredInertial | None
    value: LinkInertial | None
    findings: tuple[Finding, ...] = ()
    is_of_colliders: bool = False


def usd_inertials(
    robot: Description, params: AutoInertiaParams, default_density: float = WATER
) -> Mapping[str, UsdInertial]:
    """Compute the mass properties of every body of a USD stage, in the axes of its prim.

    Args:
        robot: The description read from the stage.
        params: How colliders are integrated.
        default_density: Density of colliders without a stated one [kg/m^3]; OpenUSD's own where OpenUSD computes.

    Raises:
        ParseError: OpenUSD cannot read a value that it needs.
    """
    usd_bodies = robot.usd
    assert usd_bodies is not None
    asked = ReferenceStage(usd_bodies)
    with refusing(robot.document):  # OpenUSD reads values that were not read before
        return {
            name: _Body(link, usd_bodies.bodies[name], asked, params, default_density).resolve()
            if name in usd_bodies.bodies
            else UsdInertial(None, None)
            for name, link in robot.links.items()
        }


class _Body:
    """One body and its values computed so far."""

    def __init__(
        self, link: Link, body: UsdBody, asked: ReferenceStage, params: AutoInertiaParams, density: float
    ) -> None:
        self._link, self._body, self._asked, self._params, self._density = link, body, asked, params, density
        self._stated = AuthoredMass() if body.stated is None and body.has_odd_colliders else body.stated
        self._units: list[UnitCollider] | None = None
        self._openusd: ReferenceMass | None = None
        self._was_asked = False
        self._findings = list(ignored_values(link.name, body, link.place))

    def resolve(self) -> UsdInertial:
        """Apply the rules."""
        stated = self._stated
        if not self._body.states_mass or stated is None:
            return self._from_colliders()
        mass = stated.mass if stated.mass is not None else self._reference_mass()
        com = stated.com if stated.com is not None else self._reference_com()
        tensor = tensor_of(stated) if stated.has_tensor else self._tensor_for(mass)
        return self._outcome(mass, com, tensor)

    def _outcome(self, mass: float | None, com: Array, tensor: Array | None) -> UsdInertial:
        """Combine the values; a body that states everything is declared, any other is composed."""
        stated = self._stated
        if mass is None and tensor is None:
            return UsdInertial(None, None, tuple(self._findings))
        assert stated is not None
        method = self._method(stated)
        inertial = Inertial(0.0 if mass is None else mass, com, np.zeros((3, 3)) if tensor is None else tensor)
        defaulted = () if mass is not None else ("mass",)
        declared = DeclaredInertial(
            inertial.mass, Pose(inertial.com), inertial.inertia, self._link.place, defaulted=defaulted
        )
        value = LinkInertial(self._link.name, inertial, method)
        is_of_colliders = stated.mass is None and not stated.has_tensor
        return UsdInertial(declared, value, tuple(self._findings), is_of_colliders)

    def _from_colliders(self) -> UsdInertial:
        """Compute a body without stated values; its colliders state mass or density, or everything."""
        total = accumulated(self._parts(), self._body, self._density)
        if total is None:
            return UsdInertial(None, None, tuple(self._findings))
        method = self._method(AuthoredMass())
        volume = sum(part.unit.mass for part in self._parts() if part.unit is not None)
        density = total.mass / volume if volume > 0.0 else None
        declared = DeclaredInertial(total.mass, Pose(total.com), total.inertia, self._link.place)
        value = LinkInertial(self._link.name, total, method, volume, density)
        return UsdInertial(declared, value, tuple(self._findings), is_of_colliders=True)

    def _method(self, stated: AuthoredMass) -> Method:
        """Return the source of the values: all from the prim, all from colliders of one kind, or from several."""
        has = (stated.mass is not None, stated.com is not None, stated.has_tensor)
        methods = {Method.DECLARED} if any(has) else set()
        if not all(has):
            methods |= {part.method for part in self._parts()}
        return methods.pop() if len(methods) == 1 else Method.COMPOSITE

    def _parts(self) -> list[UnitCollider]:
        """Integrate the enabled colliders once, and report the unusable ones."""
        if self._units is None:
            parts = [unit_collider(c, self._params) for c in self._body.colliders if c.is_enabled]
            for part in parts:
                self._findings += [_of(self._link.name, finding) for finding in part.findings]
                if part.unit is None:
                    self._findings.append(worthless(part, self._link.name))
            self._units = [part for part in parts if part.unit is not None]
        return self._units

    def _reference(self) -> ReferenceMass | None:
        """Call OpenUSD once, and only if a value is missing."""
        if not self._was_asked:
            self._openusd, self._was_asked = self._asked.compute(self._body, self._parts()), True
        return self._openusd

    def _reference_mass(self) -> float | None:
        found = self._reference()
        return None if found is None else found.mass

    def _reference_com(self) -> Array:
        found = self._reference()
        return np.zeros(3) if found is None else found.com

    def _tensor_for(self, mass: float | None) -> Array | None:
        """Return the tensor of a body that states none."""
        stated = self._stated
        assert stated is not None
        if stated.mass is None or mass is None:
            found = self._reference()
            return None if found is None else found.tensor
        if not mass > 0.0:
            return np.zeros((3, 3))
        total = accumulated(self._parts(), self._body, self._density)
        if total is not None:
            return total.inertia * (mass / total.mass)
        self._findings.append(self._ball(mass))
        return np.eye(3) * (0.4 * mass * EMPTY_RADIUS**2)

    def _ball(self, mass: float) -> Finding:
        message = (
            f"it states {mass:g} kg without a tensor, and no collider has a volume; OpenUSD's ball of 0.1 m is taken"
        )
        return Finding.at(Severity.WARNING, "assumed-inertial", self._link.name, message, self._link.place)


def _of(link: str, finding: Finding) -> Finding:
    return replace(finding, link=link)
