# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision groups of a stage, as pairs of shapes that are kept apart.

A collider may be in several groups, and is kept apart from another where any of its groups is from any of the other's.
A group that is inverted touches only those that it names, and so nothing that is in no group.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.sim.scene.scene import Scene


def keep_groups_apart(builder: Scene, usd_bodies: UsdBodies, shapes: Mapping[str, int]) -> None:
    """Exclude collisions of shapes as the collision groups of a stage do.

    Args:
        builder: The scene.
        usd_bodies: Contents of the stage.
        shapes: Index of the shape of each prim, by its path; non-colliding ones are ignored.
    """
    solid = {path: index for path, index in shapes.items() if builder.shapes[index].config.has_shape_collision}
    groups = _memberships(usd_bodies, solid)
    if not any(groups.values()):
        return
    physics = pxr().UsdPhysics
    table = physics.CollisionGroup.ComputeCollisionGroupTable(usd_bodies.stage)
    inverted = {path for path in usd_bodies.collision_groups if _is_inverted(usd_bodies.stage.GetPrimAtPath(path))}
    allowed: dict[tuple[tuple[str, ...], tuple[str, ...]], bool] = {}
    for one, other in combinations(solid, 2):
        ends = (groups[one], groups[other])
        if ends not in allowed:
            allowed[ends] = _touch(table, *ends, inverted)
        if not allowed[ends]:
            builder.add_shape_collision_filter_pair(solid[one], solid[other])


def _memberships(usd_bodies: UsdBodies, solid: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return the paths of the groups that each collider is in, by the path of the collider."""
    found: dict[str, list[str]] = {path: [] for path in solid}
    for group in usd_bodies.collision_groups:
        prim = usd_bodies.stage.GetPrimAtPath(group)
        query = pxr().UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()
        for path in solid:
            if query.IsPathIncluded(path):
                found[path].append(group)
    return {path: tuple(names) for path, names in found.items()}


def _is_inverted(prim: Any) -> bool:
    return bool(pxr().UsdPhysics.CollisionGroup(prim).GetInvertFilteredGroupsAttr().Get())


def _touch(table: Any, first: tuple[str, ...], second: tuple[str, ...], inverted: set[str]) -> bool:
    """Return whether a collider in some groups may touch one in others."""
    if not first or not second:
        return not inverted & {*first, *second}
    return all(table.IsCollisionEnabled(one, other) for one in first for other in second)
