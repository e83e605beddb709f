# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of a robot in its start pose, between its links and with the ground."""

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
    """A point where two links touch or nearly touch at the start.

    Attributes:
        link_a: Name of the first link.
        link_b: Name of the second; "world" is the ground.
        position: Midpoint between the nearest points, in the world [m], shape (3,).
        depth: Penetration depth [m]; negative if the links are apart.
    """

    link_a: str
    link_b: str
    position: Array
    depth: float


@dataclass(frozen=True, eq=False)
class Start:
    """A robot in its start pose.

    Attributes:
        contacts: Contacts and near contacts, except between links that are connected by a joint or merged by fixed
            joints.
        free_trees: Links of each free tree, root first, by the name of the root.
        masses: Mass properties of each free tree in the world, by the name of the root.
        ground: Height of the ground [m]: that of the file's own ground, or zero for the floor on which the robot was
            placed; without either, the lowest point of the free trees.
    """

    contacts: tuple[StartContact, ...]
    free_trees: Mapping[str, tuple[str, ...]]
    masses: Mapping[str, Inertial]
    ground: float


def start_of(robot: Description, *, near: float, near_share: float = 0.0, fixed_base: bool = False) -> Start:
    """Place a robot as at the start of a simulation, and find its contacts.

    Args:
        robot: The description.
        near: Distance up to which near contacts are reported [m].
        near_share: Same, as a share of the height of the highest centre of mass of a free tree; the larger counts.
        fixed_base: Whether the root is bolted to the world.

    Raises:
        SimulationError: The robot cannot be simulated.
    """
    builder = ModelBuilder()
    options = RobotOptions(ImportRules(builder.default_shape_density), fixed_base=fixed_base, self_collisions=True)
    placed = add_robot(builder, robot, options)
    ground = _add_ground(builder, placed)
    model = builder.finalize("cpu", "float64")
    state, contacts = model.state(), model.contacts()
    trees = {root: placed.tree(root) for root in placed.free_roots}
    masses = {root: _whole(builder, placed, links) for root, links in trees.items()}
    near = max([near, *(near_share * (one.com[2] - ground) for one in masses.values() if one.mass > 0.0)])
    model.collide(state, contacts, near)
    labels = [shape.label or WORLD_NAME for shape in builder.shapes]
    geometry = contacts.geometry
    found = [
        StartContact(*_world_second(labels[a], labels[b], robot), position, float(depth))
        for (a, b), position, depth in zip(geometry.shapes.tolist(), geometry.positions, geometry.depths, strict=True)
        if depth > -near
    ]
    return Start(tuple(found), trees, masses, ground)


def _add_ground(builder: ModelBuilder, placed: Articulation) -> float:
    """Add the ground of a robot, and return its height [m]."""
    low = lowest_point(builder, {placed.links[link].body for root in placed.free_roots for link in placed.tree(root)})
    has_own = has_ground(placed.robot)
    if has_own or not np.isfinite(low):
        add_floor(builder, [placed], not has_own)
        return 0.0
    builder.add_ground_plane(low)
    return float(low)


def _whole(builder: ModelBuilder, placed: Articulation, links: tuple[str, ...]) -> Inertial:
    """Return the total mass properties of the bodies of some links, in the world frame."""
    bodies = sorted({placed.links[link].body for link in links if placed.links[link].body >= 0})
    return Inertial.sum(builder.inertial(body).transform(builder.body_pose[body]) for body in bodies)


def _world_second(a: str, b: str, robot: Description) -> tuple[str, str]:
    """Order two names so that a static link comes second, named as the world."""
    first, second = (WORLD_NAME if name not in robot.links or robot.links[name].is_static else name for name in (a, b))
    return (second, first) if first == WORLD_NAME else (first, second)
