# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Equality constraints, by the names that users of Newton and MuJoCo know: each is a joint, or a coupling of two."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.articulations import SceneArticulations
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.given import as_finite_vector, as_index, as_row
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.xform import Xform, as_pose
from inertia_tools.spatial import ArrayLike, Pose


@dataclass
class SceneEqualities(SceneArticulations):
    """Adds equality constraints; they are hard, and close a loop if the second body already has a parent joint."""

    def add_equality_constraint_connect(
        self, body1: int = WORLD, body2: int = WORLD, anchor: ArrayLike = (0.0, 0.0, 0.0), *, name: str = "",
        enabled: bool = True,
    ) -> int:  # fmt: skip
        """Connect two bodies at a point, and return the index of the ball joint.

        Args:
            body1: Index of a body, or `WORLD`.
            body2: Likewise.
            anchor: The point at the initial poses, in the frame of the first body [m].
            name: Its name.
            enabled: Whether it is enabled initially.

        Raises:
            OptionError: The point is not three finite numbers, or a body is not an index.
            SimulationError: A body is unknown.
        """
        body2 = self._index_of_place(body2, "body2")
        point = self._start_of(body1, "body1") @ Pose(as_finite_vector("anchor", anchor))
        return self._hold(JointKind.BALL, body1, body2, point, point, name, enabled)

    def add_equality_constraint_weld(
        self, body1: int = WORLD, body2: int = WORLD, anchor: ArrayLike = (0.0, 0.0, 0.0), relpose: Xform | None = None,
        *, name: str = "", enabled: bool = True,
    ) -> int:  # fmt: skip
        """Fix one body in the frame of another, and return the index of the fixed joint.

        Args:
            body1: Index of a body, or `WORLD`.
            body2: Likewise.
            anchor: Point of the connection in the frame of the second body [m]; it has no effect on a hard joint.
            relpose: Pose of the second body in the frame of the first; by default the initial one.
            name: Its name.
            enabled: Whether it is enabled initially.

        Raises:
            OptionError: The pose is invalid, the point is not three finite numbers, or a body is not an index.
            SimulationError: A body is unknown.
        """
        first, second = self._start_of(body1, "body1"), self._start_of(body2, "body2")
        held = first.inverse() @ second if relpose is None else as_pose(relpose)
        grip = Pose(as_finite_vector("anchor", anchor))
        return self._hold(JointKind.FIXED, body1, body2, first @ held @ grip, second @ grip, name, enabled)

    def add_equality_constraint_joint(
        self, joint1: int, joint2: int, polycoef: ArrayLike = (0.0, 1.0, 0.0, 0.0, 0.0)
    ) -> int:
        """Couple a joint to another linearly, `q1 = polycoef[0] + polycoef[1] q2`; see `add_mimic`.

        Raises:
            OptionError: The polynomial is not linear.
            SimulationError: A joint does not exist, or has no coordinate.
        """
        for name, index in (("joint1", joint1), ("joint2", joint2)):
            as_index(name, index, "a joint")
        numbers = as_row("polycoef", polycoef, "finite numbers")
        if len(numbers) < 2 or any(numbers[2:]):
            raise OptionError("polycoef", numbers, "two numbers followed by zeros, as couplings are linear")
        return self.add_mimic(joint1, joint2, offset=numbers[0], multiplier=numbers[1])

    def _start_of(self, body: int, name: str = "body") -> Pose:
        index = self._index_of_place(body, name)
        return Pose() if index == WORLD else self.body_pose[index]

    def _hold(
        self, kind: JointKind, body1: int, body2: int, at_first: Pose, at_second: Pose, name: str, enabled: bool
    ) -> int:
        """Join two bodies by frames that are given in the world at the start; the child is one that can be."""
        parent, child, at_parent, at_child = body1, body2, at_first, at_second
        if body2 == WORLD:
            parent, child, at_parent, at_child = body2, body1, at_second, at_first
        frames = (self._start_of(parent).inverse() @ at_parent, self._start_of(child).inverse() @ at_child)
        joint = self.add_joint(kind, parent, child, *frames, name=name, enabled=enabled, damping=0.0)
        self.joints[joint] = replace(self.joints[joint], is_equality=True)
        return joint
