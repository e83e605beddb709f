# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A joint of a scene as it was built: frames, degrees of freedom, and couplings of two joints."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inertia_tools.sim.scene.joint_config import JointDofConfig
from inertia_tools.sim.scene.joint_kind import ANGULAR_X, NO_COORDINATE, JointKind, Turning
from inertia_tools.spatial import Array, Pose


@dataclass(frozen=True, eq=False)
class BuiltDof:
    """A degree of freedom of a joint: its row, the sign of its axis along that of the row, and its configuration."""

    row: int
    sign: float
    config: JointDofConfig


@dataclass(frozen=True, eq=False)
class BuiltJoint:
    """A joint between two bodies.

    Attributes:
        name: Its name.
        kind: Joint type.
        parent: Index of the parent body, or `WORLD`.
        child: Index of the child body.
        pose_parent: Frame whose axes the rows of displacement lie along, seen from the parent; x along the axis.
        pose_child: Frame whose axes the rows of rotation lie along, seen from the child; the same origin.
        turn: Axes of the rows of rotation, seen from `pose_parent`, shape (3, 3).
        dofs: Its degrees of freedom.
        enabled: Whether it is enabled.
        closes_loop: Whether the child already has another parent joint, or is its own ancestor through this one.
        given_parent: Its frame seen from the parent as it was given, in which axes are.
        given_child: The same seen from the child.
        filters_parent: Whether shapes of the two bodies do not collide if the joint is enabled at `finalize`.
        filters_always: Whether they do not collide even if it is disabled then.
        free_dofs: The six unconstrained degrees of freedom of a free joint; their values are only stored.
        world: World index; -1: all worlds.
        label: Its name with those of the robot and the body before it; empty for the name alone.
        is_equality: Whether it was added as an equality constraint.
    """

    name: str
    kind: JointKind
    parent: int
    child: int
    pose_parent: Pose
    pose_child: Pose
    turn: Array = field(default_factory=lambda: np.eye(3))
    dofs: tuple[BuiltDof, ...] = ()
    enabled: bool = True
    closes_loop: bool = False
    given_parent: Pose = field(default_factory=Pose)
    given_child: Pose = field(default_factory=Pose)
    filters_parent: bool = True
    filters_always: bool = False
    free_dofs: tuple[BuiltDof, ...] = ()
    world: int = -1
    label: str = ""
    is_equality: bool = False

    @property
    def keeps_apart(self) -> bool:
        """Whether the shapes of its bodies do not collide if the scene is finished as it is."""
        return self.filters_parent and (self.enabled or self.filters_always)

    @property
    def hard_rows(self) -> frozenset[int]:
        """The rows that the joint keeps at zero."""
        return self.kind.rows.hard - {dof.row for dof in self.dofs}

    @property
    def coordinate(self) -> int:
        """The row of the only degree of freedom, along or about x; `NO_COORDINATE` when there is none, or several."""
        return self.dofs[0].row if len(self.dofs) == 1 and self.kind is not JointKind.DISTANCE else NO_COORDINATE

    @property
    def turning(self) -> Turning:
        """How the joint measures rotation."""
        if self.kind is JointKind.BALL:
            return Turning.VECTOR
        return {2: Turning.CROSS, 3: Turning.ANGLES}.get(int(self.angular.sum()), Turning.TWIST)

    @property
    def angular(self) -> np.ndarray:
        """Whether each degree of freedom is a rotation, else a translation, shape (dofs,)."""
        return np.array([dof.row >= ANGULAR_X for dof in self.dofs], dtype=bool)

    @property
    def dof_count(self) -> int:
        """Number of velocities that describe its motion; a free joint has six."""
        return 6 if self.kind is JointKind.FREE else len(self.dofs)

    @property
    def coordinate_count(self) -> int:
        """Number of coordinates; it exceeds that of velocities where a quaternion represents the rotation."""
        return {JointKind.FREE: 7, JointKind.BALL: 4}.get(self.kind, len(self.dofs))

    @property
    def constraint_count(self) -> int:
        """Number of rows that it holds."""
        return 0 if self.kind in (JointKind.FREE, JointKind.DISTANCE) else 6 - self.dof_count

    @property
    def listed_dofs(self) -> tuple[BuiltDof, ...]:
        """All degrees of freedom that have an entry in arrays."""
        return self.free_dofs if self.kind is JointKind.FREE else self.dofs

    def with_dof(self, number: int, **values: Any) -> BuiltJoint:
        """Return the joint with other values of a degree of freedom; its axis stays the same."""
        dofs = list(self.listed_dofs)
        dofs[number] = replace(dofs[number], config=replace(dofs[number].config, **values))
        if self.kind is JointKind.FREE:
            return replace(self, free_dofs=tuple(dofs))
        return replace(self, dofs=tuple(dofs))

    def with_frames(self, parent: Pose | None = None, child: Pose | None = None) -> BuiltJoint:
        """Return the joint in other frames, or in its own where none is given; axes keep their directions in them."""
        parent, child = parent or self.given_parent, child or self.given_child
        to_parent, to_child = self.given_parent.inverse(), self.given_child.inverse()
        return replace(
            self,
            pose_parent=parent @ to_parent @ self.pose_parent,
            pose_child=child @ to_child @ self.pose_child,
            given_parent=parent,
            given_child=child,
        )

    @property
    def lower(self) -> float:
        """Lower limit of the only degree of freedom [rad or m]; -inf if there is none, or several."""
        return self.dofs[0].config.limit_lower if len(self.dofs) == 1 else -np.inf

    @property
    def upper(self) -> float:
        """Upper limit of the same [rad or m]."""
        return self.dofs[0].config.limit_upper if len(self.dofs) == 1 else np.inf

    @property
    def damping(self) -> float:
        """Viscous damping of the same [N m s/rad or N s/m]."""
        return self.dofs[0].config.damping if len(self.dofs) == 1 else 0.0


@dataclass(frozen=True)
class BuiltMimic:
    """A degree of freedom that follows another: position = offset + ratio * position of the leader.

    Attributes:
        follower: Joint and number of its degree of freedom.
        leader: Likewise.
        offset: [rad or m].
        ratio: Follower position per leader position.
        name: Its name.
        enabled: Whether it is enabled.
        of_joint: Whether it is listed with the follower joint, else as a separate coupling.
    """

    follower: tuple[int, int]
    leader: tuple[int, int]
    offset: float
    ratio: float
    name: str = ""
    enabled: bool = True
    of_joint: bool = False


@dataclass(frozen=True, eq=False)
class Freedom:
    """One degree of freedom of a joint, by its index in the joint."""

    joint: BuiltJoint
    number: int

    @property
    def config(self) -> JointDofConfig:
        """Its configuration."""
        return self.joint.dofs[self.number].config

    @property
    def turns(self) -> bool:
        """Whether it is a rotation, else a translation."""
        return self.joint.dofs[self.number].row >= ANGULAR_X


def dofs_of(joint: BuiltJoint) -> list[BuiltDof]:
    """Return the effective degrees of freedom of a joint: without the gains that their target mode excludes.

    A free joint has six, without resistance or drive.
    """
    if joint.kind is JointKind.FREE:
        return [BuiltDof(row, 1.0, JointDofConfig()) for row in range(6)]
    return [replace(dof, config=dof.config.with_mode()) for dof in joint.dofs]
