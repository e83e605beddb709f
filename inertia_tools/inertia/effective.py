# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The mass properties each link really has under the rules of its format.

URDF has what it states, or nothing. SDFormat has defaults for what is not stated, and integrates the collisions of a
link that asks for it. MJCF is compiled. A USD body has each of mass, tensor and centre of mass by the first rule that
gives it. Nothing here happens when a file is loaded: whoever needs the values asks for them.
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
"""Findings after which there is nothing more to say about an inertial."""


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
    """Tell whether the mass properties of a link count for nothing: those of SDFormat's static models."""
    return robot.format.traits.has_static_models and link.is_static


def is_held(robot: Description, link: str) -> bool:
    """Tell whether fixed joints hold a link to the world, so that its mass acts on nothing."""
    while (joint := robot.parent_joint.get(link)) is not None:
        if joint.type is not JointType.FIXED:
            return False
        link = joint.parent
    return link == WORLD or link not in robot.links


def resolve(
    robot: Description, *, params: AutoInertiaParams | None = None, progress: Progress | None = None
) -> Description:
    """Return the description with every link declaring what it really has; the document stays as it is.

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
    """Do as `resolve` does, and return what was noticed on the way, too."""
    if not robot.format.traits.fills_in_inertials:
        return robot, ()
    values = effective(robot, params=params, include_static=True, progress=progress)
    found = replace(robot, links={name: _with_total(value) for name, value in values.items()}, usd=None)
    return found, tuple(finding for value in values.values() for finding in value.findings)


def before_total(robot: Description, *, params: AutoInertiaParams | None = None) -> Description:
    """Return what `resolve` does, before a total mass that the document asks for scales everything."""
    if not robot.format.traits.fills_in_inertials:
        return robot
    return replace(robot, links={name: value.link for name, value in effective(robot, params=params).items()})


def _with_total(found: EffectiveInertial) -> Link:
    """Return the link with the mass that it has in the end."""
    declared, value = found.link.declared, found.value
    inertial = None if declared is None else declared.inertial
    if declared is None or inertial is None or value is None or value.inertial is None:
        return found.link
    if value.inertial.mass == inertial.mass or not inertial.mass > 0.0 or declared.inertia is None:
        return found.link
    factor = value.inertial.mass / inertial.mass
    scaled = replace(declared, mass=value.inertial.mass, inertia=declared.inertia * factor)
    return replace(found.link, declared=scaled)
