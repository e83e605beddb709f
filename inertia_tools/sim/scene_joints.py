# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a scene, which make its bodies into trees."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.joint_config import JointDofConfig
from inertia_tools.sim.joint_kind import NO_COORDINATE, JointKind
from inertia_tools.sim.scene_bodies import WORLD, SceneBodies
from inertia_tools.sim.xform import Xform, as_pose
from inertia_tools.spatial import ArrayLike, Pose, rotation_between


@dataclass(frozen=True, eq=False)
class BuiltJoint:
    """A joint between two bodies; each pose is that of the joint's frame, x along the axis, seen from the body.

    Limits are positions [rad or m]; damping is viscous [N m s/rad or N s/m].
    """

    name: str
    kind: JointKind
    parent: int
    child: int
    pose_parent: Pose
    pose_child: Pose
    lower: float = -np.inf
    upper: float = np.inf
    damping: float = 0.0


@dataclass
class SceneJoints(SceneBodies):
    """Joints, named by their index.

    Attributes:
        joints: What was added.
        default_joint_cfg: Axis, limits and damping of joints that are added without them.
    """

    joints: list[BuiltJoint] = field(default_factory=list)
    default_joint_cfg: JointDofConfig = field(default_factory=JointDofConfig)
    _above: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.joints)

    def add_joint(
        self,
        kind: JointKind,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        *,
        axis: ArrayLike | None = None,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        damping: float | None = None,
        name: str = "",
    ) -> int:
        """Join two bodies and return the joint's index.

        Args:
            kind: What the joint leaves free.
            parent: Index of the parent body, or `WORLD`.
            child: Index of the child body; a body is the child of one joint at most.
            parent_xform: The joint's frame seen from the parent.
            child_xform: The joint's frame seen from the child.
            axis: Direction of the axis in the joint's frame; its length does not matter.
            limit_lower: Least position [rad or m].
            limit_upper: Greatest position [rad or m].
            damping: Viscous damping [N m s/rad or N s/m].
            name: Its name.

        Raises:
            OptionError: A pose is none.
            SimulationError: A body is unknown, the child already has a parent, or the joint closes a loop.
        """
        self._check_joint(parent, child)
        default, moves = self.default_joint_cfg, kind.rows.coordinate != NO_COORDINATE
        along = Pose(rotation=rotation_between([1.0, 0.0, 0.0], default.axis if axis is None else axis))
        lower = default.limit_lower if limit_lower is None else limit_lower
        upper = default.limit_upper if limit_upper is None else limit_upper
        self.joints.append(
            BuiltJoint(
                name or f"joint_{len(self.joints)}",
                kind,
                parent,
                child,
                as_pose(parent_xform) @ along,
                as_pose(child_xform) @ along,
                lower if moves else -np.inf,
                upper if moves else np.inf,
                default.damping if damping is None else damping,
            )
        )
        return len(self.joints) - 1

    def joint_above(self, body: int) -> int | None:
        """Return the index of the joint that a body hangs on; None for a body without one."""
        if len(self._above) != len(self.joints):
            self._above = {joint.child: index for index, joint in enumerate(self.joints)}
        return self._above.get(body)

    def forget_joints_above(self) -> None:
        """Look the joints of bodies up anew, as after a change to the list of joints."""
        self._above.clear()

    def bodies_parents_first(self) -> list[int]:
        """Order the bodies so that each comes after the one it hangs on."""
        children: dict[int, list[int]] = {}
        hanging = set()
        for joint in self.joints:
            if joint.parent != WORLD:
                children.setdefault(joint.parent, []).append(joint.child)
                hanging.add(joint.child)
        order = [body for body in range(self.body_count) if body not in hanging]
        for body in order:  # grows while it is walked
            order.extend(children.get(body, []))
        return order

    def add_joint_fixed(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: object,
    ) -> int:
        """Join two bodies rigidly; options as for `add_joint`."""
        return self._add(JointKind.FIXED, parent, child, parent_xform, child_xform, options)

    def add_joint_revolute(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: object,
    ) -> int:
        """Join two bodies by a hinge; options as for `add_joint`."""
        return self._add(JointKind.REVOLUTE, parent, child, parent_xform, child_xform, options)

    def add_joint_prismatic(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: object,
    ) -> int:
        """Join two bodies by a slide; options as for `add_joint`."""
        return self._add(JointKind.PRISMATIC, parent, child, parent_xform, child_xform, options)

    def add_joint_ball(
        self,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        **options: object,
    ) -> int:
        """Join two bodies by a ball and socket; options as for `add_joint`."""
        return self._add(JointKind.BALL, parent, child, parent_xform, child_xform, options)

    def add_joint_free(
        self,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        parent: int = WORLD,
        **options: object,
    ) -> int:
        """State that a body is free, as it is without a joint; options as for `add_joint`."""
        return self._add(JointKind.FREE, parent, child, parent_xform, child_xform, options)

    def add_body(self, xform: Xform | None = None, **options: object) -> int:
        """Add a body on a free joint and return the body's index; options as for `add_link`."""
        body = self.add_link(xform, **options)  # type: ignore[arg-type]
        self.add_joint_free(body)
        return body

    def _add(
        self,
        kind: JointKind,
        parent: int,
        child: int,
        parent_xform: Xform | None,
        child_xform: Xform | None,
        options: dict[str, object],
    ) -> int:
        return self.add_joint(kind, parent, child, parent_xform, child_xform, **options)  # type: ignore[arg-type]

    def _check_joint(self, parent: int, child: int) -> None:
        self._check_body(child)
        if parent != WORLD:
            self._check_body(parent)
        held = self.joint_above(child)
        if held is not None:
            name = self.body_name[child]
            raise SimulationError(
                f"body {name!r} already hangs on joint {self.joints[held].name!r}; loops are not supported"
            )
        above = parent
        while (held := self.joint_above(above)) is not None:
            above = self.joints[held].parent
        if above == child:
            raise SimulationError(f"a joint from {self.body_name[parent]!r} to {self.body_name[child]!r} closes a loop")
