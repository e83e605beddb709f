# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints: the links that they connect, and their degrees of freedom."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.source import Place
from inertia_tools.spatial import Array, Pose


class JointType(enum.StrEnum):
    """The degrees of freedom of a joint."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FLOATING = "floating"
    PLANAR = "planar"
    BALL = "ball"
    GEARBOX = "gearbox"


UNKNOWN_JOINT_TYPE = "unknown-joint-type"
"""Code of the remark about a joint of unknown type, which is treated as fixed."""


@dataclass(frozen=True)
class JointLimit:
    """Bounds of a joint: positions [rad or m], effort [N m or N], velocity [rad/s or m/s].

    None where the file states no bound, so that an unlimited joint is not mistaken for one held at zero.
    """

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True)
class JointMimic:
    """A joint position that follows another: position = multiplier * leader + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def position(self, leader: float) -> float:
        """Return the follower's position for a position of the leader [rad or m]."""
        return self.multiplier * leader + self.offset

    def after(self, above: JointMimic) -> JointMimic:
        """Return how the follower depends on the joint that its leader follows."""
        return JointMimic(above.joint, self.multiplier * above.multiplier, self.position(above.offset))


@dataclass(frozen=True)
class JointDrive:
    """The effort of an actuator at a joint: stiffness (position - q) + damping (velocity - dq/dt), bounded.

    Attributes:
        stiffness: Proportional gain [N m/rad or N/m].
        damping: Derivative gain [N m s/rad or N s/m].
        position: Initial target position [rad or m].
        velocity: Initial target velocity [rad/s or m/s].
        effort: Largest effort [N m or N]; None for no bound.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    position: float = 0.0
    velocity: float = 0.0
    effort: float | None = None


RESISTING = ("damping", "friction", "armature")
"""Properties that resist the motion of a joint, zero if a file states none."""


def _x_axis() -> Array:
    return np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    Attributes:
        name: Its name.
        type: Its degrees of freedom.
        parent: Name of the parent link, or `world`.
        child: Name of the child link.
        pose_parent_child: The child link's frame seen from the parent link at joint position zero.
        axis: Unit axis in the child link's frame at joint position zero, shape (3,).
        limit: Bounds.
        damping: Viscous damping [N m s/rad or N s/m].
        friction: Coulomb friction [N m or N].
        mimic: The joint that it follows, if any.
        place: Its location in the file.
        pose_child_joint: The joint's own frame seen from the child link; the axes pass through its origin.
        further: Joints between the same two links that this one carries, each moved by those before it; their frames
            are also seen from the child link at joint positions zero.
        armature: Reflected rotor inertia at the joint [kg m^2 or kg].
        stiffness: Stiffness of a spring in the joint [N m/rad or N/m].
        rest: Rest position of that spring [rad or m].
        start: Initial position that the file states [rad or m]; None for zero.
        drive: The actuators' combined effort; None without any.
        touches: Whether its two links collide with each other although it connects them.
        unused: Attributes of the joint in the file that this package does not use.
        stated: Those of `RESISTING` that the file states, zero or not.
    """

    name: str
    type: JointType
    parent: str
    child: str
    pose_parent_child: Pose
    place: Place
    axis: Array = field(default_factory=_x_axis)
    limit: JointLimit = JointLimit()
    damping: float = 0.0
    friction: float = 0.0
    mimic: JointMimic | None = None
    pose_child_joint: Pose = field(default_factory=Pose)
    further: tuple[Joint, ...] = ()
    armature: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    start: float | None = None
    drive: JointDrive | None = None
    touches: bool = False
    unused: tuple[str, ...] = ()
    stated: frozenset[str] = frozenset()

    @property
    def row(self) -> tuple[Joint, ...]:
        """This joint and those that it carries, in the order in which they move the child."""
        return (self, *self.further)

    def with_child_frame(self, child: str, pose: Pose) -> Joint:
        """Return the same joint with another frame of its child.

        Args:
            child: Name of the link that has the new frame.
            pose: The new frame seen from the former one.
        """
        back = pose.inverse()
        return replace(
            self,
            child=child,
            pose_parent_child=self.pose_parent_child @ pose,
            pose_child_joint=back @ self.pose_child_joint,
            axis=back.rotation @ self.axis,
            further=tuple(one.with_child_frame(child, pose) for one in self.further),
        )

    def with_parent_frame(self, parent: str, pose: Pose) -> Joint:
        """Return the same joint with another frame of its parent.

        Args:
            parent: Name of the link that has the new frame.
            pose: The former frame seen from the new one.
        """
        return replace(
            self,
            parent=parent,
            pose_parent_child=pose @ self.pose_parent_child,
            further=tuple(one.with_parent_frame(parent, pose) for one in self.further),
        )

    def with_ends_exchanged(self) -> Joint:
        """Return the same joint with its parent as the child; positions, limits and resistance stay as they are.

        The inverse of the motions in a row is the row of their inverses from the last to the first.
        """
        first, *further = (
            replace(
                one,
                parent=self.child,
                child=self.parent,
                pose_parent_child=self.pose_parent_child.inverse(),
                pose_child_joint=self.pose_parent_child @ one.pose_child_joint,
                axis=-(self.pose_parent_child.rotation @ one.axis),
                further=(),
            )
            for one in reversed(self.row)
        )
        return replace(first, further=tuple(further))
