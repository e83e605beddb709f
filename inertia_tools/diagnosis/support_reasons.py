# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Does the ground support the robot initially: feet that touch it, and a centre of mass above them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.diagnosis.contact_reasons import DEPTH, link_size
from inertia_tools.diagnosis.reason import FIND_MESHES, Reason, reason_at
from inertia_tools.geometry.planar_hull import inside_margin, planar_hull
from inertia_tools.inertia.finding import Severity
from inertia_tools.sim.start_contacts import Start, StartContact
from inertia_tools.spatial import Array
from inertia_tools.wording import counted

TOUCHES = 1e-3
"""Distance from the ground [m] within which a link touches it after the first millimetre of settling."""

NEAR = 0.05
"""Height above the ground [m] below which a link may be a foot, in any robot."""

NEAR_SHARE = 0.5
"""The same, as a share of the height of the robot's centre of mass; hands of walking robots hang higher."""

SAME_SIZE = 1.1
"""Largest ratio of the sizes of two links that may both be feet."""

BARELY = 1e-3
"""Distance of a centre of mass outside of the feet [m] that is rounding in the file."""


def support_reasons(robot: Description, start: Start) -> Iterator[Reason]:
    """Check each tree that is not held to the world."""
    for root, links in start.free_trees.items():
        shapes = [shape for name in links for shape in robot.links[name].collisions]
        if all(shape.missing_mesh is not None for shape in shapes):
            yield _nothing_to_stand_on(robot, root, lost=len(shapes))
            continue
        below = [one for one in start.contacts if one.link_a in links and one.link_b not in links]
        touching = [one for one in below if one.depth >= -TOUCHES]
        feet = {one.link_a for one in touching}
        gaps = _gaps(robot, feet, below)
        yield from _hanging_feet(robot, feet, gaps)
        yield from _in_the_ground(robot, root, max((one.depth for one in touching), default=0.0), start.ground)
        if touching and start.masses[root].mass > 0.0:
            points = np.array([one.position[:2] for one in touching])
            yield from _falls(robot, root, start.masses[root].com, points, gaps)


def _nothing_to_stand_on(robot: Description, root: str, lost: int) -> Reason:
    """Report a robot without collisions, or whose collision meshes were all not found."""
    message = "no link has a collision shape, so the robot falls through the ground"
    remedy = "give the links <collision> shapes, or bolt the root to the world (--fixed-base)"
    if lost:
        meshes = counted(lost, "collision mesh", "collision meshes")
        message = f"none of its {meshes} was found, so the robot falls through the ground"
        remedy = FIND_MESHES
    return reason_at(robot.links[root].place, Severity.WARNING, "no-collision", message, remedy, score=0.99, link=root)


def _in_the_ground(robot: Description, root: str, depth: float, ground: float) -> Iterator[Reason]:
    """Report a robot that intersects its file's ground, or a floor at z = 0."""
    has_own = ground == 0.0
    below = depth if has_own else -ground
    if below <= DEPTH:
        return
    where = "in the ground" if has_own else "below z = 0, where simulators put a floor"
    message = f"it starts {1e3 * below:.3g} mm deep {where}, which throws it out"
    yield reason_at(
        robot.links[root].place,
        Severity.WARNING if has_own else Severity.INFO,
        "starts-in-ground",
        message,
        f"raise the pose of {root!r} by {below:.4g} m",
        score=below / (below + NEAR),
        link=root,
        value=below,
        bound=DEPTH,
    )


def _gaps(robot: Description, feet: set[str], below: Sequence[StartContact]) -> dict[str, float]:
    """Return the height above the ground of links that nearly touch it and are in no leg that does [m]."""
    on_legs = {carrier for name in feet for carrier in _chain(robot, name)}
    gaps: dict[str, float] = {}
    for one in below:
        if one.link_a not in on_legs and not feet & set(_chain(robot, one.link_a)):
            gaps[one.link_a] = min(gaps.get(one.link_a, np.inf), -one.depth)
    return gaps


def _hanging_feet(robot: Description, feet: set[str], gaps: Mapping[str, float]) -> Iterator[Reason]:
    """Report links that nearly touch the ground and are as large as one that does."""
    sizes = [link_size(robot, name) for name in feet]
    for name, gap in gaps.items():
        size = link_size(robot, name)
        if not any(size < SAME_SIZE * one and one < SAME_SIZE * size for one in sizes):
            continue
        message = f"it is {1e3 * gap:.3g} mm above the ground that {', '.join(sorted(feet))} touch"
        remedy = "make the legs equally long: compare the origins of the joints above it with those of the others"
        yield reason_at(
            robot.links[name].place,
            Severity.INFO,
            "foot-off-ground",
            message,
            remedy,
            score=gap / (gap + NEAR),
            link=name,
            value=gap,
            bound=TOUCHES,
        )


def _chain(robot: Description, link: str) -> Iterator[str]:
    """Yield a link and all its ancestors."""
    yield link
    while link in robot.parent_joint:
        link = robot.parent_joint[link].parent
        yield link


def _falls(robot: Description, root: str, com: Array, points: Array, gaps: Mapping[str, float]) -> Iterator[Reason]:
    """Report a centre of mass that is not above the contact points with the ground, and what nearly touches it."""
    outside = -inside_margin(com[:2], planar_hull(points))
    if outside <= BARELY:
        return
    message = (
        f"the centre of mass is {1e3 * outside:.3g} mm outside the hull of the points that touch the ground "
        f"({counted(len(points), 'point')}), at a height of {com[2]:.3g} m, so the robot tips"
    )
    if gaps:
        nearest = min(gaps, key=lambda name: gaps[name])
        message += f"; {nearest!r} is {1e3 * gaps[nearest]:.3g} mm above the ground"
    remedy = (
        "start in a pose that stands, check the largest masses and centres of mass, or bolt the root (--fixed-base)"
    )
    yield reason_at(
        robot.links[root].place,
        Severity.WARNING,
        "com-outside-support",
        message,
        remedy,
        score=outside / (outside + NEAR),
        link=root,
        value=outside,
        bound=0.0,
    )
