# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links that overlap each other or the ground in the robot's initial configuration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.description.types import Description, Format
from inertia_tools.diagnosis.reason import Reason, reason_at
from inertia_tools.errors import MeshError
from inertia_tools.geometry.extent import shape_points
from inertia_tools.inertia.finding import Severity
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.sim.start_contacts import Start

DEPTH = 1e-3
"""Overlap that file authors leave between parts, and that contact models tolerate [m]."""


def self_contact_reasons(robot: Description, start: Start) -> Iterator[Reason]:
    """Report pairs of links that overlap initially.

    In MJCF they push each other, unless the file says otherwise; in other formats only if self-collision is enabled,
    as the file may state for one of them.
    """
    for (a, b), depth in _deepest(start).items():
        if WORLD_NAME in (a, b) or depth <= DEPTH:
            continue
        acts = robot.format is Format.MJCF or robot.links[a].self_collides or robot.links[b].self_collides
        smaller = min((a, b), key=lambda name: link_size(robot, name))
        share = min(depth / max(link_size(robot, smaller), depth), 1.0)
        when = "" if acts else ", which acts where self-collision is on"
        message = f"it overlaps {b if smaller == a else a!r} by {1e3 * depth:.3g} mm at the start{when}"
        remedy = (
            f"shrink or move one of the two collision shapes, start at other joint positions, or keep {a!r} and {b!r} "
            f"apart ({_exclusion(robot)})"
        )
        yield reason_at(
            robot.links[smaller].place,
            Severity.WARNING if acts else Severity.INFO,
            "self-contact",
            message,
            remedy,
            score=share,
            link=smaller,
            value=depth,
            bound=DEPTH,
        )


def _deepest(start: Start) -> dict[tuple[str, str], float]:
    """Return the deepest overlap of each pair of links [m]."""
    found: dict[tuple[str, str], float] = {}
    for contact in start.contacts:
        pair = min((contact.link_a, contact.link_b), (contact.link_b, contact.link_a))
        if pair[0] != pair[1]:
            found[pair] = max(found.get(pair, -np.inf), contact.depth)
    return found


def link_size(robot: Description, name: str) -> float:
    """Return the smallest side of the box around the collisions of a link [m]; zero without any."""
    corners = []
    for shape in robot.links[name].collisions:
        try:
            corners.append(shape_points(shape))
        except MeshError:
            continue
    points = np.concatenate(corners) if corners else np.zeros((0, 3))
    return float(np.ptp(points, axis=0).min()) if len(points) else 0.0


def _exclusion(robot: Description) -> str:
    return {
        Format.MJCF: "<contact><exclude>",
        Format.SDF: "<self_collide>false",
        Format.USD: "PhysicsFilteredPairsAPI",
    }.get(robot.format, "<disable_collisions> of its SRDF")
