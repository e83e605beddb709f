# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What touches what where a robot starts: its links each other, and the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.inertial import Inertial
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.floor import add_floor
from inertia_tools.sim.importing.articulation import Articulation, RobotOptions, add_robot, has_ground, lowest_point
from inertia_tools.sim.importing.rules import ImportRules
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class StartContact:
    """Where two links touch, or nearly, at the start.

    Attributes:
        link_a: Name of the first link.
        link_b: Name of the second; "world" is the ground.
        position: Middle between the nearest points, in the world [m], shape (3,).
        depth: Overlap [m]; negative where they are apart.
    """

    link_a: str
    link_b: str
    position: Array
    depth: float


@dataclass(frozen=True, eq=False)
class Start:
    """A robot where it starts.

    Attributes:
        contacts: What touches what, or nearly; links that a joint joins, or that fixed joints merge, never do.
        free_trees: Links that each root carries which nothing holds, by the name of the root, itself first.
        masses: Mass and centre of mass of each of those trees in the world, by the name of the root.
        ground: Height of the ground [m]: that of the file's own, or of a floor at zero onto which the robot was put;
            where the file has neither, the lowest point of what nothing holds.
    """

    contacts: tuple[StartContact, ...]
    free_trees: Mapping[str, tuple[str, ...]]
    masses: Mapping[str, Inertial]
    ground: float


def start_of(robot: Description, *, near: float, fixed_base: bool = False) -> Start:
    """Put a robot where a simulation of it starts, and look at what touches what.

    Args:
        robot: The description.
        near: Distance up to which links that do not touch are reported [m].
        fixed_base: The root is bolted to the world.

    Raises:
        SimulationError: The robot cannot be simulated.
    """
    builder = ModelBuilder()
    options = RobotOptions(ImportRules(builder.default_shape_density), fixed_base=fixed_base, self_collisions=True)
    placed = add_robot(builder, robot, options)
    ground = _add_ground(builder, placed)
    model = builder.finalize("cpu", "float64")
    state, contacts = model.state(), model.contacts()
    model.collide(state, contacts, near)
    labels = [shape.label or WORLD_NAME for shape in builder.shapes]
    geometry = contacts.geometry
    found = [
        StartContact(*_world_second(labels[a], labels[b], robot), position, float(depth))
        for (a, b), position, depth in zip(geometry.shapes.tolist(), geometry.positions, geometry.depths, strict=True)
        if depth > -near
    ]
    trees = {root: placed.tree(root) for root in placed.free_roots}
    masses = {root: _whole(builder, placed, links) for root, links in trees.items()}
    return Start(tuple(found), trees, masses, ground)


def _add_ground(builder: ModelBuilder, placed: Articulation) -> float:
    """Add the ground of a robot and return its height [m]."""
    low = lowest_point(builder, {placed.links[link].body for root in placed.free_roots for link in placed.tree(root)})
    if has_ground(placed.robot) or not np.isfinite(low):
        add_floor(builder, [placed], True)
        return 0.0
    builder.add_ground_plane(low)
    return float(low)


def _whole(builder: ModelBuilder, placed: Articulation, links: tuple[str, ...]) -> Inertial:
    """Return the mass properties of the bodies of some links in the world."""
    bodies = sorted({placed.links[link].body for link in links if placed.links[link].body >= 0})
    return Inertial.sum(builder.inertial(body).transform(builder.body_pose[body]) for body in bodies)


def _world_second(a: str, b: str, robot: Description) -> tuple[str, str]:
    """Order two names so that what does not move comes second, under the name of the world."""
    first, second = (WORLD_NAME if name not in robot.links or robot.links[name].is_static else name for name in (a, b))
    return (second, first) if first == WORLD_NAME else (first, second)
