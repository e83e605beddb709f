# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a scene as lists of one quantity each, by the names that Newton uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.columns import Column, ColumnOf
from inertia_tools.sim.scene.joint_config import JointDofConfig, JointTargetMode
from inertia_tools.sim.scene.joint_kind import ANGULAR_X, JointKind
from inertia_tools.sim.scene.joints import SceneJoints
from inertia_tools.sim.scene.xform import as_pose, as_transform
from inertia_tools.spatial import Array


def joint_count(scene: SceneJoints) -> int:
    """Return the number of joints of a scene."""
    return scene.joint_count


def starts_of(counts: Iterable[int]) -> list[int]:
    """Return the start of each of consecutive blocks of these lengths, then the end of all."""
    starts: list[int] = np.concatenate([[0], np.cumsum(list(counts), dtype=int)]).astype(int).tolist()
    return starts


def places_of_dofs(joints: Iterable[BuiltJoint]) -> list[tuple[int, int]]:
    """Return the joint of each degree of freedom, and its number in that joint."""
    return [(index, number) for index, joint in enumerate(joints) for number in range(joint.dof_count)]


def axis_of(joint: BuiltJoint, number: int) -> Array:
    """Return the axis of a degree of freedom in the joint's frame, shape (3,)."""
    dof = joint.listed_dofs[number]
    if joint.kind is JointKind.FREE:
        unit: Array = np.eye(3)[dof.row % 3]
        return unit
    if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.D6):
        stated = np.asarray(dof.config.axis, dtype=np.float64)
        return np.asarray(stated / np.linalg.norm(stated))
    frame = joint.given_parent.rotation.T @ joint.pose_parent.rotation
    if dof.row < ANGULAR_X:
        return np.asarray(dof.sign * frame[:, dof.row])
    return np.asarray(dof.sign * (frame @ joint.turn)[:, dof.row - ANGULAR_X])


def dimensions_of(joint: BuiltJoint) -> tuple[int, int]:
    """Return the numbers of linear and of angular degrees of freedom of a joint."""
    if joint.kind is JointKind.FREE:
        return (3, 3)
    if joint.kind is JointKind.DISTANCE:
        return (1, 0)
    turns = sum(dof.row >= ANGULAR_X for dof in joint.dofs)
    return (len(joint.dofs) - turns, turns)


def _set_joint(scene: SceneJoints, index: int, **values: Any) -> None:
    scene.joints[index] = replace(scene.joints[index], **values)


def _set_dof(scene: SceneJoints, index: int, number: int, **values: Any) -> None:
    joint = scene.joints[index].with_dof(number, **values)
    joint.listed_dofs[number].config.check()
    scene.joints[index] = joint


def _of_joint(field: str, doc: str, *, is_fixed: bool = True) -> ColumnOf:
    """Return a column of a field of joints."""

    def write(scene: SceneJoints, index: int, value: Any) -> None:
        _set_joint(scene, index, **{field: value})

    return ColumnOf(
        joint_count, lambda scene, index: getattr(scene.joints[index], field), None if is_fixed else write, doc
    )


def _of_dofs(read: Callable[[JointDofConfig], Any], changes: Callable[[Any], Mapping[str, Any]], doc: str) -> ColumnOf:
    """Return a column of the degrees of freedom: what is read of their values, and which values a new one changes."""

    def read_at(scene: SceneJoints, place: int) -> Any:
        index, number = places_of_dofs(scene.joints)[place]
        return read(scene.joints[index].listed_dofs[number].config)

    def write_at(scene: SceneJoints, place: int, value: Any) -> None:
        _set_dof(scene, *places_of_dofs(scene.joints)[place], **changes(value))

    return ColumnOf(_dofs, read_at, write_at, doc)


def _of_dof(field: str, doc: str) -> ColumnOf:
    """Return a column of a field of the degrees of freedom."""
    return _of_dofs(attrgetter(field), lambda value: {field: value}, doc)


def _of_coordinate(field: str, doc: str) -> ColumnOf:
    """Return a column with an entry a coordinate; those of a quaternion, and of a free joint, follow the start."""

    def place_of(scene: Any, place: int) -> tuple[int, int]:
        index = int(np.searchsorted(scene.joint_q_start, place, side="right")) - 1
        return index, place - scene.joint_q_start[index]

    def read(scene: Any, place: int) -> Any:
        index, number = place_of(scene, place)
        joint = scene.joints[index]
        if joint.coordinate_count != joint.dof_count:
            return scene.joint_q[place]
        return getattr(joint.dofs[number].config, field)

    def write(scene: Any, place: int, value: Any) -> None:
        index, number = place_of(scene, place)
        joint = scene.joints[index]
        if joint.coordinate_count == joint.dof_count:
            _set_dof(scene, index, number, **{field: value})

    return ColumnOf(lambda scene: scene.joint_coord_count, read, write, doc)


def _frame(end: str) -> ColumnOf:
    """Return a column of the frames seen from the parents or the children."""

    def read(scene: SceneJoints, index: int) -> Any:
        return as_transform(getattr(scene.joints[index], f"given_{end}"))

    def write(scene: SceneJoints, index: int, xform: Any) -> None:
        scene.joints[index] = scene.joints[index].with_frames(**{end: as_pose(xform)})

    return ColumnOf(
        joint_count, read, write, f"Pose of each joint frame in the frame of the {end} body, a Warp transform."
    )


def _axis(scene: SceneJoints, place: int) -> Array:
    joint, number = places_of_dofs(scene.joints)[place]
    return axis_of(scene.joints[joint], number)


def _dofs(scene: SceneJoints) -> int:
    return scene.joint_dof_count


def _mimics(scene: SceneJoints) -> int:
    return len(scene.listed_mimics)


def _mimic(field: str, doc: str) -> ColumnOf:
    """Return a column of a field of the couplings."""

    def write(scene: SceneJoints, index: int, value: Any) -> None:
        number = scene.listed_mimics[index]
        scene.mimics[number] = replace(scene.mimics[number], **{field: value})

    return ColumnOf(_mimics, lambda scene, index: getattr(scene.mimics[scene.listed_mimics[index]], field), write, doc)


def _end_of_mimic(end: str, doc: str) -> ColumnOf:
    """Return a column of the joint at an end of the couplings."""
    return ColumnOf(_mimics, lambda scene, index: getattr(scene.mimics[scene.listed_mimics[index]], end)[0], None, doc)


@dataclass
class JointColumns(SceneJoints):
    """Lists with one entry per joint, degree of freedom or coordinate; values written to them are stored."""

    joint_type = _of_joint("kind", "Type of each joint, a `JointKind`.")
    joint_parent = _of_joint("parent", "Index of the parent body; -1 is the world.")
    joint_child = _of_joint("child", "Index of the child body.")
    joint_label = ColumnOf(
        joint_count,
        lambda scene, index: scene.joints[index].label or scene.joints[index].name,
        lambda scene, index, label: _set_joint(scene, index, label=label),
        "Name of each joint.",
    )
    joint_enabled = _of_joint("enabled", "Whether each joint is enabled.", is_fixed=False)
    joint_world = _of_joint("world", "World of each joint; -1: all worlds.", is_fixed=False)
    joint_collision_filter_parent = ColumnOf(
        joint_count,
        lambda scene, index: scene.joints[index].filters_parent,
        lambda scene, index, apart: _set_joint(scene, index, filters_parent=apart, filters_always=apart),
        "Whether the two bodies of each joint do not collide.",
    )
    joint_X_p = _frame("parent")
    joint_X_c = _frame("child")
    joint_dof_dim = ColumnOf(
        joint_count,
        lambda scene, index: dimensions_of(scene.joints[index]),
        None,
        "Numbers of linear and of angular degrees of freedom of each joint.",
    )
    joint_axis = ColumnOf(
        _dofs, _axis, None, "Axis of each degree of freedom in the joint frame, unit vector, shape (3,)."
    )
    joint_target_mode = _of_dofs(
        lambda config: config.mode,
        lambda mode: {"target_mode": JointTargetMode(int(mode))},
        "Active gains of each drive, a `JointTargetMode`.",
    )
    joint_target_ke = _of_dof("target_ke", "Stiffness of each drive [N m/rad or N/m].")
    joint_target_kd = _of_dof("target_kd", "Damping of each drive [N m s/rad or N s/m].")
    joint_target_qd = _of_dof("target_vel", "Target velocity of each drive [rad/s or m/s].")
    joint_target_vel = _of_dof("target_vel", "Target velocity of each drive [rad/s or m/s].")
    joint_target_pos = _of_dof("target_pos", "Target position of each drive [rad or m].")
    joint_target_q = _of_coordinate("target_pos", "Target position of each drive, one for each coordinate [rad or m].")
    joint_rest_q = _of_coordinate("springref", "Rest position of each spring, one for each coordinate [rad or m].")
    joint_stiffness = _of_dof("stiffness", "Stiffness of each spring [N m/rad or N/m].")
    joint_damping = _of_dof("damping", "Viscous damping of each joint [N m s/rad or N s/m].")
    joint_armature = _of_dof("armature", "Rotor inertia of each degree of freedom [kg m^2 or kg].")
    joint_friction = _of_dof("friction", "Coulomb friction [N m or N].")
    joint_limit_lower = _of_dof("limit_lower", "Lower position limit [rad or m].")
    joint_limit_upper = _of_dof("limit_upper", "Upper position limit [rad or m].")
    joint_limit_ke = _of_dof("limit_ke", "Stiffness of the limits in other solvers [N m/rad or N/m].")
    joint_limit_kd = _of_dof("limit_kd", "Damping of the limits in other solvers [N m s/rad or N s/m].")
    joint_effort_limit = _of_dof("effort_limit", "Effort limit of each drive [N m or N].")
    joint_velocity_limit = _of_dofs(
        lambda config: min(config.velocity_limit, config.drive_velocity_limit),
        lambda limit: {"velocity_limit": float(limit), "drive_velocity_limit": np.inf},
        "Velocity limit of the joint or of its drive, the smaller one [rad/s or m/s].",
    )
    constraint_mimic_enabled = _mimic("enabled", "Whether each coupling is enabled.")
    constraint_mimic_label = _mimic("name", "Name of each coupling.")
    constraint_mimic_coef0 = _mimic("offset", "Position of the follower at leader position zero [rad or m].")
    constraint_mimic_coef1 = _mimic("ratio", "Follower position per leader position.")
    constraint_mimic_joint0 = _end_of_mimic("follower", "Index of the follower joint.")
    constraint_mimic_joint1 = _end_of_mimic("leader", "Index of the leader joint.")

    @property
    def joint_q_start(self) -> list[int]:
        """First coordinate of each joint in `joint_q`."""
        return starts_of(joint.coordinate_count for joint in self.joints)[:-1]

    @property
    def joint_qd_start(self) -> list[int]:
        """First degree of freedom of each joint."""
        return starts_of(joint.dof_count for joint in self.joints)[:-1]

    @property
    def joint_cts_start(self) -> list[int]:
        """Where the rows that each joint holds begin, where all of them are counted."""
        return starts_of(joint.constraint_count for joint in self.joints)[:-1]

    @property
    def joint_constraint_count(self) -> int:
        """Number of rows that all joints hold."""
        return sum(joint.constraint_count for joint in self.joints)

    @property
    def joint_parents(self) -> dict[int, list[int]]:
        """Indices of the parent bodies of each body."""
        found: dict[int, list[int]] = {}
        for joint in self.joints:
            found.setdefault(joint.child, []).append(joint.parent)
        return found

    @property
    def joint_children(self) -> dict[int, list[int]]:
        """Indices of the child bodies of each body."""
        found: dict[int, list[int]] = {}
        for joint in self.joints:
            found.setdefault(joint.parent, []).append(joint.child)
        return found

    @property
    def constraint_mimic_count(self) -> int:
        """Number of couplings that are listed by themselves."""
        return len(self.listed_mimics)

    @property
    def joint_mimic_joint(self) -> Column:
        """Joint that each joint follows; -1 for none, and where a coupling of its own says so."""
        leaders = {mimic.follower[0]: mimic.leader[0] for mimic in self.mimics if mimic.of_joint}
        return Column("joint_mimic_joint", self.joint_count, lambda index: leaders.get(index, -1))

    @property
    def joint_mimic_coeffs(self) -> Column:
        """Offset and ratio of the coupling of each joint; (0, 1) for none."""
        found = {mimic.follower[0]: (mimic.offset, mimic.ratio) for mimic in self.mimics if mimic.of_joint}
        return Column("joint_mimic_coeffs", self.joint_count, lambda index: found.get(index, (0.0, 1.0)))
