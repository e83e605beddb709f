# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Are the limits of joints in radians, and their origins in metres?

CAD programs and data sheets state degrees and millimetres. A limit in degrees never acts; an origin in millimetres
puts the link hundreds of metres from its parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.finding import Finding, Severity

LIMIT_IN_DEGREES = "limit-in-degrees"
ORIGIN_IN_MILLIMETRES = "origin-in-millimetres"

TWO_TURNS = 4.0 * math.pi
"""Largest limit of the joints of arms [rad]; larger ones are winches, or degrees."""

ONE_TURN_IN_DEGREES = 360.0
"""Largest limit that may be in degrees; a larger one means that there is no limit."""

WRITTEN_DEGREES = 0.5
"""Limits in degrees are written to this [deg]; those in radians rarely are multiples of it."""

FAR = 50.0
"""Ratio of a joint's distance to the size of the links at which the distance may be in millimetres.

A factor of 1000 in the unit leaves room for joints at a twentieth of a link's size.
"""

MILLIMETRE = 1e-3
"""In metres."""


def check_joint_units(robot: Description, views: Mapping[str, LinkView]) -> Iterator[Finding]:
    """Report limits in degrees and origins in millimetres, at the link that the joint moves.

    Args:
        robot: The description.
        views: Its links that are checked, by name.
    """
    for joint in robot.joints.values():
        if joint.child not in robot.links:
            continue
        for one in joint.row:
            yield from _limit(one)
        parent = robot.links.get(joint.parent)
        if parent is not None and not parent.is_static and joint.type is not JointType.FLOATING:
            yield from _origin(joint, views)  # in a world, things are far apart


def _limit(joint: Joint) -> Iterator[Finding]:
    """Report a rotation of many turns whose limits look like degrees."""
    limits = [one for one in (joint.limit.lower, joint.limit.upper) if one is not None]
    largest = max(map(abs, limits), default=0.0)
    if joint.type is not JointType.REVOLUTE or not TWO_TURNS < largest <= ONE_TURN_IN_DEGREES:
        return
    if any(one % WRITTEN_DEGREES for one in limits):
        return
    turned = " to ".join(f"{math.radians(one):.4g}" for one in limits)
    message = (
        f"the limits of joint {joint.name!r}, {' to '.join(f'{one:g}' for one in limits)} rad, allow "
        f"{largest / math.tau:.3g} turns; if they are degrees, write {turned}"
    )
    yield Finding.at(Severity.INFO, LIMIT_IN_DEGREES, joint.child, message, joint.place)


def _origin(joint: Joint, views: Mapping[str, LinkView]) -> Iterator[Finding]:
    """Report a joint that is far from a parent and a child that are both small."""
    sizes = [views[name].size for name in (joint.parent, joint.child) if name in views]
    origin = joint.pose_parent_child.position
    distance = float(np.linalg.norm(origin))
    if len(sizes) < 2 or not min(sizes) > 0.0 or not FAR * max(sizes) < distance < math.inf:
        return
    metres = " ".join(f"{one:.4g}" for one in origin * MILLIMETRE)
    message = (
        f"joint {joint.name!r} is {distance:.4g} m from the origin of {joint.parent!r}, and the larger of both "
        f"links measures {max(sizes):.3g} m; if its origin is in millimetres, write {metres}"
    )
    yield Finding.at(Severity.INFO, ORIGIN_IN_MILLIMETRES, joint.child, message, joint.place)
