# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The order of the bodies and joints of a file in a scene."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError

ORDERS = ("dfs", "bfs", None)


@dataclass(frozen=True)
class TreeOrder:
    """The order of bodies and joints.

    Attributes:
        joint_ordering: "dfs" for depth first, "bfs" for breadth first, None for the order of the file.
        bodies_follow: Whether bodies are in the order of their parent joints; otherwise as in the file.
    """

    joint_ordering: str | None = "dfs"
    bodies_follow: bool = True

    def __post_init__(self) -> None:
        if self.joint_ordering not in ORDERS:
            raise OptionError("joint_ordering", self.joint_ordering, "'dfs', 'bfs' or None")

    def of_joints(self, robot: Description) -> list[str]:
        """Return the names of links in the order of their parent joints, roots first."""
        if self.joint_ordering == "dfs":
            return list(robot.depth_first)
        if self.joint_ordering == "bfs":
            order = list(robot.roots)
            for name in order:  # grows while it is walked
                order.extend(joint.child for joint in robot.child_joints[name])
            return order
        carried = [joint.child for joint in robot.joints.values()]
        return [*(name for name in robot.roots if name not in carried), *carried]

    def of_bodies(self, robot: Description) -> list[str]:
        """Return the names of links in the order of their bodies."""
        return self.of_joints(robot) if self.bodies_follow else list(robot.links)
