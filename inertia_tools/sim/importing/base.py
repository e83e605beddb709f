# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the roots of a file are connected: free, fixed, or on a joint of the caller, to the world or to a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.given import as_index
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.xform import Xform, as_pose
from inertia_tools.spatial import Pose

ENDS = ("parent", "child", "parent_xform", "child_xform")
"""What the importer itself says of a base joint."""


@dataclass(frozen=True, eq=False)
class Base:
    """Options for the joints of roots.

    Attributes:
        floating: Whether roots have a free joint (True), a fixed one (False), or the format's default (None).
        base_joint: Options of `ModelBuilder.add_joint` for the joint of each root, in place of `floating`.
        parent_body: Index of the parent body of roots; -1 is the world.
        xform: Pose of the imported file in the frame of that body.
        override_root_xform: Whether `xform` is the pose of the root itself, regardless of its pose in the file.
    """

    floating: bool | None = None
    base_joint: Mapping[str, Any] | None = None
    parent_body: int = WORLD
    xform: Xform | None = None
    override_root_xform: bool = False

    def __post_init__(self) -> None:
        """Keep the parent body as an index; raises `OptionTypeError` for what is not a whole number."""
        index = as_index("parent_body", self.parent_body, "a body, or -1 for the world")
        object.__setattr__(self, "parent_body", index)

    def check(self, builder: Scene) -> None:
        """Check that the options are consistent.

        Raises:
            OptionError: Two options contradict each other.
            SimulationError: There is no such parent body.
        """
        if self.floating is not None and self.base_joint is not None:
            raise OptionError(
                "base_joint",
                self.base_joint,
                "omitted if floating is given. Cannot specify both 'floating' and 'base_joint': "
                "each defines the root joint",
            )
        is_said = isinstance(self.base_joint, Mapping) and "joint_type" in self.base_joint
        if self.base_joint is not None and not is_said:
            raise OptionError("base_joint", self.base_joint, "a dictionary with joint_type and options of add_joint")
        taken = [name for name in ENDS if name in (self.base_joint or {})]
        if taken:
            raise OptionError(
                "base_joint", taken, f"without these: a base_joint dict cannot specify {', '.join(taken)}"
            )
        if self.override_root_xform and self.xform is None:
            raise OptionError("override_root_xform", True, "given together with xform, the pose of the root")
        if self.parent_body == WORLD:
            return
        if not 0 <= self.parent_body < builder.body_count:
            raise SimulationError(f"there is no body {self.parent_body}; the scene has {builder.body_count}")
        if self.floating:
            raise OptionError(
                "floating", True, "False or None with a parent_body: the parent of a FREE joint is the world"
            )
        self.articulation_of_parent(builder)

    def articulation_of_parent(self, builder: Scene) -> int:
        """Return the articulation of the parent body, which must be the last one.

        Raises:
            OptionError: The body has no articulation, or an earlier one.
        """
        joint = builder.joint_above(self.parent_body)
        found = -1 if joint is None else builder.joint_articulation[joint]
        named = builder.body_label[self.parent_body]
        if found < 0:
            raise OptionError(
                "parent_body", self.parent_body, f"in an articulation; {named!r} is not part of any articulation"
            )
        if found != builder.articulation_count - 1:
            said = f"a body of the most recent articulation; {named!r} belongs to {builder.articulation_label[found]!r}"
            raise OptionError("parent_body", self.parent_body, said)
        return found

    def parent_pose(self, builder: Scene) -> Pose:
        """Return the pose of the parent body in the world."""
        return Pose() if self.parent_body == WORLD else builder.body_pose[self.parent_body]

    def start(self, builder: Scene, turn: Pose) -> Pose:
        """Return the pose of the file's frame in the world, rotated so that its up axis is the scene's."""
        return self.parent_pose(builder) @ as_pose(self.xform) @ turn

    def hold(self, builder: Scene, body: int, is_free: bool, label: str) -> int:
        """Join a root to its parent, and return the index of the joint.

        Args:
            builder: The scene.
            body: The root's body, at its final pose.
            is_free: Whether it has a free joint unless `floating` or `base_joint` state another one.
            label: Prefix of the joint's name.
        """
        at = self.parent_pose(builder).inverse() @ builder.body_pose[body]
        if self.base_joint is not None:
            options = dict(self.base_joint)
            kind = options.pop("joint_type")
            frames = {"parent_xform": Pose(at.position), "child_xform": Pose(rotation=at.rotation.T)}
            if self.override_root_xform:
                frames = {"parent_xform": at, "child_xform": Pose()}
            named = options.pop("label", None) or f"{label}/base_joint"
            return builder.add_joint(kind, self.parent_body, body, label=named, **frames, **options)
        floats = is_free if self.floating is None else self.floating
        if floats and self.parent_body == WORLD:
            return builder.add_joint(JointKind.FREE, WORLD, body, label=f"{label}/floating_base")
        return builder.add_joint(JointKind.FIXED, self.parent_body, body, at, label=f"{label}/fixed_base")

    def gather(self, builder: Scene, joints: Sequence[int], label: str) -> None:
        """Make an articulation of joints, or add them to that of the parent body."""
        if not joints:
            return
        if self.parent_body == WORLD:
            builder.add_articulation(list(joints), label)
            return
        found = self.articulation_of_parent(builder)
        builder.articulation_joints[found] = (*builder.articulation_joints[found], *joints)
