# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The bodies of a stage: their names, poses and content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inertia_tools.description.types import WORLD
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.names import names_of
from inertia_tools.description.usd.placement import Placement
from inertia_tools.spatial import Pose

WORLD_PATH = ""
"""Path that represents the world among the paths of bodies."""


class BodyIndex:
    """Bodies by the paths of their prims.

    Attributes:
        prims: The prims.
        link: Name of the link of each, and of the world.
        pose: Frame of each without scale, in the stage [m].
    """

    def __init__(self, prims: Sequence[Any], placement: Placement) -> None:
        self.prims = {str(prim.GetPath()): prim for prim in prims}
        self.link = {WORLD_PATH: WORLD, **names_of(prims, {WORLD})}
        self.pose = {path: placement.of(prim)[1] for path, prim in self.prims.items()}

    def pose_of(self, path: str) -> Pose:
        """Return the frame of a body, or that of the stage for the world."""
        return self.pose.get(path, Pose())

    def above(self, prim: Any) -> str | None:
        """Return the path of the body that contains a prim, else that of the world; None if that body is left out."""
        api = pxr().UsdPhysics.RigidBodyAPI
        while prim and not prim.IsPseudoRoot():
            path = str(prim.GetPath())
            if path in self.prims:
                return path
            if prim.HasAPI(api):
                return None
            prim = prim.GetParent()
        return WORLD_PATH
