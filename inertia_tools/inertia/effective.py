# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The mass properties that each link has in force under the rules of its format.

A URDF link has the stated inertial, or none. SDFormat has defaults for missing values, and integrates the collisions of
a link that requests it. MJCF is compiled. A USD body gets each of mass, tensor and centre of mass from the first rule
that applies. Loading a file does none of this: callers that need the values request them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inertia_tools.description.types import WORLD, Description, JointType, Link
from inertia_tools.geometry.mesh.batch import Progress
from inertia_tools.inertia.effective_inertial import EffectiveInertial
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.format_rules import RULES
from inertia_tools.inertia.given import require_description
from inertia_tools.inertia.mjcf_mass.bodies import SETTLED as MJCF_SETTLED
from inertia_tools.inertia.parameters import AutoInertiaParams, params_of
from inertia_tools.inertia.sdf_mass import INCOMPLETE, UNRESOLVED

SETTLED = UNRESOLVED | {INCOMPLETE} | MJCF_SETTLED
"""Findings after which an inertial needs no further check."""


def effective(
    robot: Description,
    *,
    params: AutoInertiaParams | None = None,
    include_static: bool = False,
    progress: Progress | None = None,
) -> Mapping[str, EffectiveInertial]:
    """Find the mass properties that every link has under the rules of its format.

    Args:
        robot: The description.
        params: How shapes are integrated where the file does not say.
        include_static: Also calculate the automatic inertials of SDFormat's static models, which nothing uses.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: No calculator has the name of the method.
    """
    rules = RULES[robot.format]
    return rules.effective(
        robot, params_of(params, AutoInertiaParams()), include_static=include_static, progress=progress
    )


def is_ignored(robot: Description, link: Link) -> bool:
    """Return whether nothing uses the mass properties of a link: those of SDFormat's static models."""
    return robot.format.traits.has_static_models and link.is_static


def is_held(robot: Description, link: str) -> bool:
    """Return whether fixed joints hold a link to the world, so that its mass has no effect."""
    while (joint := robot.parent_joint.get(link)) is not None:
        if joint.type is not JointType.FIXED:
            return False
        link = joint.parent
    return link == WORLD or link not in robot.links


def resolve(
    robot: Description, *, params: AutoInertiaParams | None = None, progress: Progress | None = None
) -> Description:
    """Return the description with the inertial in force of every link as its declaration; the document is unchanged.

    Args:
        robot: The description.
        params: How shapes are integrated where the file does not say.
        progress: Called with the number of meshes done, and of all, after each mesh.
    """
    require_description(robot)
    return resolve_noting(robot, params=params, progress=progress)[0]


def resolve_noting(
    robot: Description, *, params: AutoInertiaParams | None = None, progress: Progress | None = None
) -> tuple[Description, tuple[Finding, ...]]:
    """Return the same as `resolve`, and the findings made on the way."""
    if not robot.format.traits.fills_in_inertials:
        return robot, ()
    values = effective(robot, params=params, include_static=True, progress=progress)
    found = replace(robot, links={name: _with_total(value) for name, value in values.items()}, usd=None)
    return found, tuple(finding for value in values.values() for finding in value.findings)


def before_total(robot: Description, *, params: AutoInertiaParams | None = None) -> Description:
    """Return the same as `resolve`, before the total mass that the document requests scales all masses."""
    if not robot.format.traits.fills_in_inertials:
        return robot
    return replace(robot, links={name: value.link for name, value in effective(robot, params=params).items()})


def _with_total(found: EffectiveInertial) -> Link:
    """Return the link with its final mass."""
    declared, value = found.link.declared, found.value
    inertial = None if declared is None else declared.inertial
    if declared is None or inertial is None or value is None or value.inertial is None:
        return found.link
    if value.inertial.mass == inertial.mass or not inertial.mass > 0.0 or declared.inertia is None:
        return found.link
    factor = value.inertial.mass / inertial.mass
    scaled = replace(declared, mass=value.inertial.mass, inertia=declared.inertia * factor)
    return replace(found.link, declared=scaled)
