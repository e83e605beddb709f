# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What one link really has under the rules of its format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inertia_tools.description.types import Description, Link, Place, Shape
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.spatial import are_usable


@dataclass(frozen=True, eq=False)
class EffectiveInertial:
    """What one link really has.

    Attributes:
        link: The link with the declaration that is in force: defaults filled in, the automatic computed.
        value: The mass properties; None when its format gives it none.
        findings: What was noticed on the way.
        bearers: Shapes that mass and tensor come from, so that nothing is declared that could be wrong; None where it
            is declared, in part at least.
        walls: Where the meshes stand whose surface has the mass; they need not enclose anything.
        bounds: Settings of a compiler that make another inertial of what the file gives the link, as they are written.
        typed: The link with what the file states; None where that is in force.
    """

    link: Link
    value: LinkInertial | None
    findings: tuple[Finding, ...] = ()
    bearers: tuple[Shape, ...] | None = None
    walls: tuple[Place, ...] = ()
    bounds: tuple[str, ...] = ()
    typed: Link | None = None


def declared_inertial(link: Link) -> LinkInertial | None:
    """Wrap what a link declares; None when it is incomplete or absent."""
    if link.declared is None or not link.declared.is_stated:
        return None
    return LinkInertial(link.name, link.inertial, Method.DECLARED)


def declared_inertials(robot: Description) -> Mapping[str, EffectiveInertial]:
    """Return what links declare, for formats in which that is what they have."""
    return MappingProxyType(
        {name: EffectiveInertial(link, declared_inertial(link)) for name, link in robot.links.items()}
    )


def has_usable_mass(value: LinkInertial | None) -> bool:
    """Tell whether a value can be added to others: it is finite and has a mass."""
    inertial = None if value is None else value.inertial
    return inertial is not None and inertial.is_finite() and inertial.mass > 0.0 and are_usable(inertial.mass)
