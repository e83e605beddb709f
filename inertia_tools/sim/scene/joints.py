# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a scene: the first one of each body makes trees, further ones close loops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, SimulationError, UnknownOptionError
from inertia_tools.sim.scene.axis import as_direction
from inertia_tools.sim.scene.bodies import WORLD, SceneBodies
from inertia_tools.sim.scene.built_joint import BuiltDof, BuiltJoint, BuiltMimic
from inertia_tools.sim.scene.custom_attributes import OF_JOINTS, AttributeFrequency
from inertia_tools.sim.scene.given import as_finite, as_index, as_number, as_optional_list, need
from inertia_tools.sim.scene.joint_config import ALIASES, JointDofConfig
from inertia_tools.sim.scene.joint_frames import frame_along
from inertia_tools.sim.scene.joint_kind import ANGULAR_X, JointKind
from inertia_tools.sim.scene.known_names import all_fields
from inertia_tools.sim.scene.xform import Xform, as_pose
from inertia_tools.spatial import Array, Pose

APART = (JointKind.FREE, JointKind.DISTANCE)
"""Joints whose two bodies touch each other where nothing is said."""


@dataclass
class SceneJoints(SceneBodies):
    """Joints, named by their index.

    Attributes:
        joints: The added joints.
        mimics: Couplings of degrees of freedom.
        default_joint_cfg: Default axis, limits, drive and damping of added joints.
    """

    joints: list[BuiltJoint] = field(default_factory=list)
    mimics: list[BuiltMimic] = field(default_factory=list)
    default_joint_cfg: JointDofConfig = field(default_factory=JointDofConfig)
    _above: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    _carriers: set[int] = field(default_factory=set, init=False, repr=False)
    _counted: int = field(default=0, init=False, repr=False)

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of all joints."""
        return sum(joint.dof_count for joint in self.joints)

    @property
    def joint_coord_count(self) -> int:
        """Number of coordinates of all joints."""
        return sum(joint.coordinate_count for joint in self.joints)

    def add_joint(
        self,
        joint_type: JointKind | int,
        parent: int,
        child: int,
        parent_xform: Xform | None = None,
        child_xform: Xform | None = None,
        *,
        linear_axes: Sequence[JointDofConfig] | None = None,
        angular_axes: Sequence[JointDofConfig] | None = None,
        label: str | None = None,
        name: str = "",
        enabled: bool = True,
        collision_filter_parent: bool | None = None,
        custom_attributes: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> int:
        """Join two bodies and return the joint's index.

        The first joint of a child makes it part of a tree; a further one closes a loop, as one of a body that
        `add_body` has put on a free joint does.

        Args:
            joint_type: Joint type, a `JointKind`.
            parent: Index of the parent body, or `WORLD`.
            child: Index of the child body.
            parent_xform: Pose of the joint frame in the parent frame.
            child_xform: Pose of the joint frame in the child frame.
            linear_axes: Orthogonal axes of free translation; for `D6`, and the one axis of a slide.
            angular_axes: Axes of free rotation; two or three rotate in sequence, each about the axis rotated by the
                ones before it; for `D6`, and the one axis of a hinge.
            label: Its name.
            name: Short name for messages.
            enabled: Whether it is enabled initially.
            collision_filter_parent: Shapes of the two bodies do not touch each other; by default those of a joint that
                is free, keeps a distance, or does not act when the scene is finished do, and what a joint leaves to
                move touches the world.
            custom_attributes: Values of attributes of frequency joint, joint_dof and joint_coord, by key; of the last
                two one for all, or a list of them.
            options: Fields of `JointDofConfig` for every degree of freedom of other kinds; the axis is a direction in
                the joint's frame, or a whole `JointDofConfig`.

        Raises:
            OptionError: A pose is none, an option has no meaning for the kind, or a value is out of range.
            SimulationError: A body is unknown, the joint is free and its child hangs on another one, or the kind is not
                simulated.
        """
        kind = _known_kind(joint_type)
        parent, child = self._checked_ends(kind, parent, child)
        named = name or label or f"joint_{len(self.joints)}"
        shape = self._shape_of(kind, named, linear_axes, angular_axes, options)
        at_parent, at_child = as_pose(parent_xform), as_pose(child_xform)
        leaves = kind in APART or (parent == WORLD and kind is not JointKind.FIXED)
        apart = not leaves if collision_filter_parent is None else collision_filter_parent
        joint = BuiltJoint(
            named,
            kind,
            parent,
            child,
            at_parent @ Pose(rotation=shape.linear),
            at_child @ Pose(rotation=shape.angular),
            shape.linear.T @ shape.angular,
            shape.dofs,
            enabled,
            self._closes_loop(parent, child),
            at_parent,
            at_child,
            apart,
            collision_filter_parent is True,
            _free_dofs() if kind is JointKind.FREE else (),
            self.world_of_body(child),
            label or "",
        )
        counts = {
            AttributeFrequency.JOINT_DOF: joint.dof_count,
            AttributeFrequency.JOINT_COORD: joint.coordinate_count,
            AttributeFrequency.JOINT_CONSTRAINT: joint.constraint_count,
        }
        self.set_custom_values(len(self.joints), custom_attributes, *OF_JOINTS, counts=counts)
        self.joints.append(joint)
        return len(self.joints) - 1

    def _shape_of(
        self,
        kind: JointKind,
        name: str,
        linear_axes: Sequence[JointDofConfig] | None,
        angular_axes: Sequence[JointDofConfig] | None,
        options: dict[str, Any],
    ) -> _Shape:
        """Return the frames and degrees of freedom of a joint.

        Raises:
            OptionError: An option has no meaning for the kind, or a value is out of range.
        """
        linear = as_optional_list("linear_axes", linear_axes, "JointDofConfig")
        angular = as_optional_list("angular_axes", angular_axes, "JointDofConfig")
        if kind is JointKind.D6:
            for option, value in options.items():
                raise OptionError(option, value, "in linear_axes or angular_axes")
            return _d6_shape(linear, angular)
        if not linear and not angular:
            return self._shape(kind, name, options)
        expected = {JointKind.PRISMATIC: (1, 0), JointKind.REVOLUTE: (0, 1), JointKind.BALL: (0, 3)}.get(kind)
        if (len(linear), len(angular)) != expected or options:
            raise OptionError("linear_axes", kind.name, "used with JointKind.D6, or one of a slide or of a hinge")
        return self._shape(kind, name, {"axis": (*linear, *angular)[0]})

    def add_mimic(
        self,
        joint: int,
        leader: int,
        *,
        multiplier: float = 1.0,
        offset: float = 0.0,
        dof: int = 0,
        leader_dof: int = 0,
        label: str = "",
        enabled: bool = True,
        of_joint: bool = False,
    ) -> int:
        """Couple a joint to another, `q = offset + multiplier * q_leader`, and return the coupling's index.

        The coupling acts on both joints, as an ideal gear that does no work. Velocities are coupled likewise.

        Args:
            joint: Index of the follower joint.
            leader: Index of the leader joint.
            multiplier: Follower position per leader position.
            offset: Follower position at leader position zero [rad or m].
            dof: Number of the follower's degree of freedom.
            leader_dof: Number of the leader's degree of freedom.
            label: Its name.
            enabled: Whether it is enabled.
            of_joint: Whether it is listed with the joint, in `joint_mimic_joint`, without an index; else separately, in
                `constraint_mimic_joint0` and its like.

        Raises:
            SimulationError: There is no such joint or degree of freedom, it is one of a ball and socket, or it follows
                itself.
            OptionError: A number is not finite.
        """
        joint, leader = as_index("joint", joint, "a joint"), as_index("leader", leader, "a joint")
        dof, leader_dof = (
            as_index(name, number, "a degree of freedom") for name, number in (("dof", dof), ("leader_dof", leader_dof))
        )
        for index, which in ((joint, dof), (leader, leader_dof)):
            if not 0 <= index < self.joint_count:
                raise SimulationError(f"there is no joint {index}; the scene has {self.joint_count}")
            one = self.joints[index]
            if one.kind is JointKind.BALL or not 0 <= which < len(one.dofs):
                raise SimulationError(f"joint {one.name!r} has no coordinate {which} for a coupling")
        if (joint, dof) == (leader, leader_dof):
            raise SimulationError(f"joint {self.joints[joint].name!r} cannot follow itself; name another leader")
        for option, value in (("multiplier", multiplier), ("offset", offset)):
            as_finite(option, value)
        self.mimics.append(BuiltMimic((joint, dof), (leader, leader_dof), offset, multiplier, label, enabled, of_joint))
        return -1 if of_joint else len(self.listed_mimics) - 1

    @property
    def listed_mimics(self) -> list[int]:
        """Numbers of the couplings that are listed by themselves, in `mimics`."""
        return [number for number, mimic in enumerate(self.mimics) if not mimic.of_joint]

    def joint_above(self, body: int) -> int | None:
        """Return the index of the parent joint of a body; None for a body without one."""
        self._count_joints()
        return self._above.get(body)

    def _count_joints(self) -> None:
        """Take note of joints that were added; all of them, where the list became another one."""
        if not 0 <= self._counted <= len(self.joints):
            self._counted = 0
            self._above.clear()
            self._carriers.clear()
        for index in range(self._counted, len(self.joints)):
            joint = self.joints[index]
            if not joint.closes_loop:
                self._above[joint.child] = index
                self._carriers.add(joint.parent)
        self._counted = len(self.joints)

    def forget_joints_above(self) -> None:
        """Look up the joints of bodies again, after a change to the list of joints."""
        self._counted = -1

    def bodies_parents_first(self) -> list[int]:
        """Order the bodies so that each comes after its parent."""
        children: dict[int, list[int]] = {}
        hanging = set()
        for joint in self.joints:
            if joint.parent != WORLD and not joint.closes_loop:
                children.setdefault(joint.parent, []).append(joint.child)
                hanging.add(joint.child)
        order = [body for body in range(self.body_count) if body not in hanging]
        for body in order:  # grows while it is walked
            order.extend(children.get(body, []))
        return order

    def _shape(self, kind: JointKind, name: str, options: dict[str, Any]) -> _Shape:
        """Return the frames and degrees of freedom of a joint of one axis, or of none.

        Raises:
            OptionError: A joint of several degrees of freedom is given limits, of which each would need its own.
        """
        config = _configured(self.default_joint_cfg, options)
        along = frame_along([config.axis])[0]
        free = kind.rows.free
        if kind in (JointKind.BALL, JointKind.PLANAR):
            _refuse_limits(kind, name, options)
            config = replace(config, limit_lower=-np.inf, limit_upper=np.inf)  # those of the scene are for one axis
        return _Shape(along, along, tuple(BuiltDof(row, 1.0, config) for row in free))

    def _checked_ends(self, kind: JointKind, parent: int, child: int) -> tuple[int, int]:
        """Return the indices of both bodies, which a joint of the kind can join."""
        if kind is JointKind.CABLE:
            raise SimulationError("cable joints are not simulated; use a chain of bodies on ball joints")
        child = self._index_of_body(child, "child")
        parent = self._index_of_place(parent, "parent")
        if parent == child:
            raise SimulationError(f"a joint cannot hold body {self.body_name[child]!r} to itself")
        held = self.joint_above(child)
        if held is not None and kind is JointKind.FREE:
            raise SimulationError(
                f"body {self.body_name[child]!r} is already the child of joint {self.joints[held].name!r}; "
                "add its free joint first"
            )
        return parent, child

    def _closes_loop(self, parent: int, child: int) -> bool:
        """Return whether the child already has a tree joint, or the parent is below the child in the tree."""
        if self.joint_above(child) is not None:
            return True
        if child not in self._carriers:
            return False
        above = parent
        while above != child and (held := self.joint_above(above)) is not None:
            above = self.joints[held].parent
        return above == child


@dataclass(frozen=True, eq=False)
class _Shape:
    """Axes of the rows of displacement and rotation in the joint's frame, and the degrees of freedom."""

    linear: Array
    angular: Array
    dofs: tuple[BuiltDof, ...]


def _d6_shape(linear: Sequence[JointDofConfig], angular: Sequence[JointDofConfig]) -> _Shape:
    """Return the frames and degrees of freedom of a joint that lists its axes.

    Raises:
        OptionError: There are more than three of a kind, two are not at a right angle, or a value is out of range.
    """
    for name, axes in (("linear_axes", linear), ("angular_axes", angular)):
        for config in axes:
            need(name, config, JointDofConfig, "ModelBuilder.JointDofConfig")
        if len(axes) > 3:
            raise OptionError(name, len(axes), "at most three axes")
    along, forward = frame_along([config.axis for config in linear])
    about, turning = frame_along([config.axis for config in angular])
    if not linear or not angular:
        along = about = along if linear else about
    for config in (*linear, *angular):
        config.check()
    dofs = [BuiltDof(row, sign, one) for row, (sign, one) in enumerate(zip(forward, linear, strict=True))]
    dofs += [BuiltDof(ANGULAR_X + row, sign, one) for row, (sign, one) in enumerate(zip(turning, angular, strict=True))]
    return _Shape(along, about, tuple(dofs))


def _refuse_limits(kind: JointKind, name: str, options: dict[str, Any]) -> None:
    """Refuse limits that are given for a joint of several degrees of freedom.

    Raises:
        OptionError: There are some.
    """
    axis = options.get("axis")
    for option in ("limit_lower", "limit_upper"):
        value = options.get(option)
        if value is None and isinstance(axis, JointDofConfig):
            value = getattr(axis, option)
        if value is not None and not math.isinf(as_number(value)):
            axes = "angular_axes" if kind is JointKind.BALL else "linear_axes and angular_axes"
            allowed = f"omitted for {name!r}, a joint of kind {kind.name}; use add_joint_d6 with limits in its {axes}"
            raise OptionError(option, value, allowed)


def _configured(default: JointDofConfig, options: dict[str, Any]) -> JointDofConfig:
    """Return the defaults, or the configuration that is given for the axis, with what a caller says.

    Raises:
        OptionError: There is no such option, or a value is out of range.
    """
    known = all_fields(JointDofConfig)
    for name in options:
        if name not in known and name not in ALIASES:
            raise UnknownOptionError("a joint", name, [*sorted(known), *ALIASES, "label", "enabled"])
    given = {ALIASES.get(name, name): value for name, value in options.items() if value is not None}
    axis = given.pop("axis", None)
    base = axis if isinstance(axis, JointDofConfig) else default
    if axis is not None and base is not axis:
        given["axis"] = as_direction(axis)
    config = replace(base, **given)
    config.check()
    return config


def _known_kind(kind: JointKind | int) -> JointKind:
    """Return the kind of a joint.

    Raises:
        OptionError: There is none of that number.
    """
    try:
        return JointKind(kind)
    except ValueError as error:
        raise OptionError("joint_type", kind, "one of " + ", ".join(one.name for one in JointKind)) from error


def _free_dofs() -> tuple[BuiltDof, ...]:
    """Return the six degrees of freedom of a free joint."""
    axes = np.eye(3)
    return tuple(BuiltDof(row, 1.0, JointDofConfig(tuple(axes[row % 3].tolist()))) for row in range(6))
