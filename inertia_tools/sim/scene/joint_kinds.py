# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One function for each kind of joint, by the names that users of Newton know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.given import as_number
from inertia_tools.sim.scene.joint_config import JointDofConfig
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.joints import SceneJoints
from inertia_tools.sim.scene.xform import Xform


@dataclass
class SceneJointKinds(SceneJoints):
    """Adds joints of each kind."""

    def add_joint_fixed(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: Any,
    ) -> int:
        """Join two bodies rigidly; options as for `add_joint`."""
        return self.add_joint(JointKind.FIXED, parent, child, parent_xform, child_xform, **options)

    def add_joint_revolute(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: Any,
    ) -> int:
        """Join two bodies by a hinge; options as for `add_joint`."""
        return self.add_joint(JointKind.REVOLUTE, parent, child, parent_xform, child_xform, **options)

    def add_joint_prismatic(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: Any,
    ) -> int:
        """Join two bodies by a slide; options as for `add_joint`."""
        return self.add_joint(JointKind.PRISMATIC, parent, child, parent_xform, child_xform, **options)

    def add_joint_ball(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: Any,
    ) -> int:
        """Join two bodies by a ball and socket; options as for `add_joint`.

        Its coordinate is a quaternion x, y, z, w. Its target, and the position at which its spring rests, are rotation
        vectors in the parent's joint frame [rad]: drive and spring pull along the rotation from where it is to there.
        """
        return self.add_joint(JointKind.BALL, parent, child, parent_xform, child_xform, **options)

    def add_joint_free(
        self,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        parent: int = WORLD,
        **options: Any,
    ) -> int:
        """Add a free joint, which leaves a body as free as without a joint; options as for `add_joint`.

        Its coordinates are the position and quaternion of the body in the world, its velocities those of `body_qd`.
        """
        return self.add_joint(JointKind.FREE, parent, child, parent_xform, child_xform, **options)

    def add_joint_distance(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        min_distance: float = -1.0,
        max_distance: float = 1.0,
        **options: Any,
    ) -> int:
        """Keep the distance of two points between a minimum and a maximum [m]; a negative one is no bound.

        The distance is the joint's one coordinate; further options as for `add_joint`.

        Raises:
            OptionError: A distance is not a number, or the minimum exceeds the maximum; or as `add_joint` raises it.
        """
        limits = {
            "limit_lower": _bound("min_distance", min_distance, -math.inf),
            "limit_upper": _bound("max_distance", max_distance, math.inf),
        }
        return self.add_joint(JointKind.DISTANCE, parent, child, parent_xform, child_xform, **{**limits, **options})

    def add_joint_cable(self, parent: int, child: int, *_: object, **__: object) -> int:
        """Refuse a cable, which is not simulated.

        Raises:
            SimulationError: Always; the message names an alternative.
        """
        return self.add_joint(JointKind.CABLE, parent, child)

    def add_joint_d6(
        self,
        parent: int,
        child: int,
        linear_axes: Sequence[JointDofConfig] | None = None,
        angular_axes: Sequence[JointDofConfig] | None = None,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: Any,
    ) -> int:
        """Join two bodies so that they move along and about the listed axes only; see `add_joint`."""
        chosen = {"linear_axes": linear_axes, "angular_axes": angular_axes}
        return self.add_joint(JointKind.D6, parent, child, parent_xform, child_xform, **{**chosen, **options})


def _bound(name: str, distance: float, off: float) -> float:
    """Return a distance [m], or what stands for none where it is negative.

    Raises:
        OptionError: It is no number.
    """
    number = as_number(distance)
    if math.isnan(number):
        raise OptionError(name, distance, "a number of metres, negative for no bound")
    return number if number >= 0.0 else off
