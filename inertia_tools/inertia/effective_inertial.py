# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The inertial in force of one link under the rules of its format."""

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
    """The inertial in force of one link.

    Attributes:
        link: The link with the declaration in force: defaults filled in, automatic values computed.
        value: The mass properties; None if its format gives it none.
        findings: Findings made on the way.
        bearers: Shapes from which mass and tensor come, so that no declaration can be wrong; None if at least a part is
            declared.
        walls: Places of the meshes whose mass is in their surface; they need not enclose a volume.
        bounds: Compiler settings that change the inertial that the file gives the link, as they are written.
        typed: The link with the inertial that the file states; None if that is in force.
    """

    link: Link
    value: LinkInertial | None
    findings: tuple[Finding, ...] = ()
    bearers: tuple[Shape, ...] | None = None
    walls: tuple[Place, ...] = ()
    bounds: tuple[str, ...] = ()
    typed: Link | None = None


def declared_inertial(link: Link) -> LinkInertial | None:
    """Wrap the declared inertial of a link; None when it is incomplete or absent."""
    if link.declared is None or not link.declared.is_stated:
        return None
    return LinkInertial(link.name, link.inertial, Method.DECLARED)


def declared_inertials(robot: Description) -> Mapping[str, EffectiveInertial]:
    """Return the declared inertials, for formats in which those are in force."""
    return MappingProxyType(
        {name: EffectiveInertial(link, declared_inertial(link)) for name, link in robot.links.items()}
    )


def has_usable_mass(value: LinkInertial | None) -> bool:
    """Return whether a value can be added to others: it is finite and has a mass."""
    inertial = None if value is None else value.inertial
    return inertial is not None and inertial.is_finite() and inertial.mass > 0.0 and are_usable(inertial.mass)
