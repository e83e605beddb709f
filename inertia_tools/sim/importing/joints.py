# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a description in a scene: chains of joints, drives, springs, couplings, and loops.

Several joints of one body become one joint with several axes if translations come first, rotations share one point, and
axes are perpendicular. Otherwise intermediate bodies are added between them, each with a small share of the mass of the
body that they carry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from inertia_tools.description.joint import RESISTING
from inertia_tools.description.kinematics import led_by_first
from inertia_tools.description.types import WORLD as WORLD_LINK
from inertia_tools.description.types import Description, Format, Joint, JointType
from inertia_tools.errors import OptionError, ParseError, SimulationError
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.sim.importing.limits import KINDS
from inertia_tools.sim.importing.mjcf_welds import weld_groups
from inertia_tools.sim.importing.start_pose import TURNS, Position, motion_of
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.joint_config import JointDofConfig, JointTargetMode
from inertia_tools.sim.scene.joint_frames import ORTHOGONAL
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.posing import built_coordinates
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, Pose

SHARE = 1e-3
"""Share of a body's mass that each intermediate body between its joints receives."""

SAME_POINT = 1e-9
"""Anchors within this distance of one line are one point, for joints that rotate about one point [m]."""

Dof = tuple[int, int]
"""A joint of the scene, and the index of one of its degrees of freedom."""


class JointImport:
    """Puts the joints of a description between the bodies of a scene.

    Args:
        builder: The scene.
        robot: The description.
        bodies: Body of each link.
        poses: Initial pose of each link in the world.
        positions: Nonzero initial joint positions by name [rad or m].
        label: Returns the name of a joint in the scene from its own name and that of its child link.
    """

    def __init__(
        self,
        builder: Scene,
        robot: Description,
        bodies: Mapping[str, int],
        poses: Mapping[str, Pose],
        positions: Mapping[str, Position],
        label: Callable[[str, str], str] = lambda name, link: name,
    ) -> None:
        self._label = label
        self._builder, self._robot, self._bodies = builder, robot, bodies
        self._poses, self._positions = poses, positions
        self._welds = weld_groups(robot)
        self.dofs: dict[str, Dof] = {}
        self.findings: list[Finding] = []

    def add(self, joint: Joint) -> int:
        """Add the joints that move a body, and return the index of its tree joint.

        Raises:
            SimulationError: A joint has an invalid number.
        """
        groups = list(_groups(joint.row))
        parent = self._bodies.get(joint.parent, WORLD)
        child_at_zero = joint.pose_parent_child
        if joint.parent not in self._bodies:
            child_at_zero = self._poses[joint.child] @ motion_of(joint.row, self._positions).inverse()
        child = self._bodies[joint.child]
        between = [self._body_between(joint, child, groups, number) for number in range(len(groups) - 1)]
        if between:
            self._report(joint, len(between))
        index = -1
        for group, below in zip(groups, [*between, child], strict=True):
            try:
                index = self._add_group(group, parent, below, child_at_zero, self._keeps_apart(joint))
            except OptionError as error:
                raise SimulationError(f"{group[0].place}: joint {group[0].name!r}: {error}") from error
            parent, child_at_zero = below, Pose()
        return index

    def couple(self, joints: Iterable[Joint]) -> list[str]:
        """Couple joints, and return the names of those that cannot be coupled.

        Couplings of MJCF are equalities with entries of their own. Other formats state the leader at the follower;
        in a chain each joint is coupled to the first leader.

        Raises:
            ParseError: Couplings form a cycle.
        """
        left_out = []
        joints = list(joints)
        _refuse_cycles(joints)
        of_joint = self._robot.format is not Format.MJCF
        mimics = {joint.name: joint.mimic for joint in joints if joint.mimic is not None}
        led = led_by_first(mimics) if of_joint else mimics
        for name, stated in mimics.items():
            mimic = led.get(name, stated)
            ends = {name, mimic.joint}
            if len(ends) < 2 or not ends <= self.dofs.keys():
                left_out.append(f"{name}: mimic of {stated.joint!r}")
                continue
            (follower, dof), (leader, leader_dof) = self.dofs[name], self.dofs[mimic.joint]
            self._builder.add_mimic(
                follower,
                leader,
                multiplier=mimic.multiplier,
                offset=mimic.offset,
                dof=dof,
                leader_dof=leader_dof,
                of_joint=of_joint,
            )
        return left_out

    def list_starts(self) -> None:
        """Set the start coordinates of joints that do not start at zero; their bodies are already placed."""
        builder = self._builder
        starting = {self.dofs[name][0] for name in self._positions if name in self.dofs}
        builder.place_joints({joint: built_coordinates(builder, builder.joints[joint]) for joint in starting})

    def close(self, loops: Iterable[Joint]) -> list[str]:
        """Add the joints that close loops, and return the names of those that cannot be added."""
        left_out = []
        for loop in loops:
            if loop.type not in KINDS or len(list(_groups(loop.row))) > 1:
                kind = f"{len(loop.row)} joints in series" if loop.further else f"a {loop.type.value} joint"
                left_out.append(f"{loop.name}: {kind} in a loop")
                continue
            held = self._as_at_start(loop)
            turned = held if self._moves(held.child) else held.with_ends_exchanged()
            if not self._moves(turned.child):
                left_out.append(f"{loop.name}: a loop between bodies that do not move")
                continue
            parent, child = self._bodies.get(turned.parent, WORLD), self._bodies[turned.child]
            keeps_apart = False if loop.touches else None
            added = self._add_group(turned.row, parent, child, turned.pose_parent_child, keeps_apart)
            if self._robot.format is Format.MJCF:
                self._builder.joints[added] = replace(self._builder.joints[added], is_equality=True)
        return left_out

    def _as_at_start(self, loop: Joint) -> Joint:
        """Return a loop joint of MJCF whose frames hold the start poses instead of those of the document."""
        robot, world = self._robot, Pose()
        if robot.format is not Format.MJCF or not self._positions:
            return loop
        at_zero = robot.link_poses.get(loop.parent, world).inverse() @ robot.link_poses[loop.child]
        if not loop.pose_parent_child.isclose(at_zero, SAME_POINT):
            return loop
        between = self._poses.get(loop.parent, world).inverse() @ self._poses[loop.child]
        return replace(loop, pose_parent_child=between)

    def _moves(self, link: str) -> bool:
        """Return whether a link moves on a joint of its own, or of a link that carries it, or is free."""
        name = link
        while name in self._bodies:
            body = self._bodies[name]
            above = self._builder.joint_above(body)
            if above is not None and self._builder.joints[above].kind is not JointKind.FIXED:
                return True
            if name not in self._robot.parent_joint:
                return above is None and not self._builder.body_kinematic[body]
            name = self._robot.parent_joint[name].parent
        return False

    def _body_between(self, joint: Joint, child: int, groups: Sequence[Sequence[Joint]], number: int) -> int:
        """Add the intermediate body between two groups of joints, with a share of the child's mass."""
        builder, share = self._builder, SHARE
        left = 1.0 - share * (len(groups) - 1)
        beyond = tuple(one for group in groups[number + 1 :] for one in group)
        if number == 0:
            builder.body_mass[child] *= left
            builder.body_inertia[child] = np.asarray(builder.body_inertia[child]) * left
        return builder.add_link(
            self._poses[joint.child] @ motion_of(beyond, self._positions).inverse(),
            mass=builder.body_mass[child] * share / left,
            inertia=np.asarray(builder.body_inertia[child]) * (share / left),
            com=builder.body_com[child],
            lock_inertia=True,
            gravity_scale=builder.body_gravity_scale[child],
            name=f"{joint.child}:{groups[number][-1].name}",
        )

    def _report(self, joint: Joint, count: int) -> None:
        bodies = "a body" if count == 1 else f"{count} bodies"
        message = (
            f"its {len(joint.row)} joints are not equivalent to one joint (slides, then rotations "
            f"about one point and orthogonal axes); "
            f"{bodies} of {SHARE:g} of its mass connect them"
        )
        place = joint.place
        self.findings.append(Finding.at(Severity.INFO, "divided-body", joint.child, message, place))

    def _keeps_apart(self, joint: Joint) -> bool | None:
        """Return whether a joint keeps its bodies from touching; None leaves it to the scene.

        What a joint moves touches the world, and in MJCF what is fixed to it. Of several joints between two links, each
        has to let them touch.
        """
        if all(one.touches for one in joint.row):
            return False
        world = self._robot.links.get(WORLD_LINK)
        is_held = world is not None and world.is_static and joint.parent == WORLD_LINK
        is_held = is_held or self._welds.get(joint.parent) == WORLD_LINK
        return False if is_held and joint.type is not JointType.FIXED else None

    def _add_group(
        self,
        group: Sequence[Joint],
        parent: int,
        child: int,
        child_at_zero: Pose,
        keeps_apart: bool | None = None,
    ) -> int:
        """Add one joint, or several as one of many axes."""
        anchor = Pose(_anchor(group))
        frames = {"parent_xform": child_at_zero @ anchor, "child_xform": anchor}
        first, index = group[0], self._builder.joint_count
        is_one = all(
            one.name.startswith(f"{first.name} ") for one in group[1:]
        )  # degrees of freedom of a generic USD joint
        name = first.name if is_one else "_".join(one.name for one in group)
        if len(group) > 1:
            linear = [one for one in group if one.type is JointType.PRISMATIC]
            angular = [one for one in group if one.type in TURNS]
            self._builder.add_joint_d6(
                parent,
                child,
                [self._config(one) for one in linear],
                [self._config(one) for one in angular],
                name=name,
                label=self._label(name, first.child),
                collision_filter_parent=keeps_apart,
                **frames,
            )
            self.dofs |= {one.name: (index, dof) for dof, one in enumerate([*linear, *angular])}
            return index
        config = self._config(first)
        words = {field: getattr(config, field) for field in config.__dataclass_fields__}
        if KINDS[first.type] in (JointKind.FREE, JointKind.FIXED):
            words = {}
        self._builder.add_joint(
            KINDS[first.type],
            parent,
            child,
            name=name,
            label=self._label(name, first.child),
            collision_filter_parent=keeps_apart,
            **frames,
            **words,
        )
        if first.type is JointType.PRISMATIC or first.type in TURNS:
            self.dofs[first.name] = (index, 0)
        return index

    def _config(self, joint: Joint) -> JointDofConfig:
        """Return a degree of freedom with what the description says of it, and else the scene's default.

        Its axis is in the axes of the child. A drive, a spring and limits are those of the description, or none.
        """
        default = self._builder.default_joint_cfg
        limited = joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
        config = JointDofConfig(
            axis=joint.axis,
            limit_lower=_or(joint.limit.lower, -np.inf) if limited else -np.inf,
            limit_upper=_or(joint.limit.upper, np.inf) if limited else np.inf,
            limit_ke=default.limit_ke,
            limit_kd=default.limit_kd,
            stiffness=joint.stiffness,
            springref=joint.rest,
            effort_limit=_bound(joint.limit.effort, default.effort_limit),
            velocity_limit=default.velocity_limit,
            drive_velocity_limit=_bound(joint.limit.velocity),
            **resistance(joint, default),
        )
        drive = joint.drive
        if drive is None:
            return config
        return replace(
            config,
            target_ke=drive.stiffness,
            target_kd=drive.damping,
            target_pos=drive.position,
            target_vel=drive.velocity,
            effort_limit=min(_bound(drive.effort), config.effort_limit),
            velocity_limit=min(config.drive_velocity_limit, config.velocity_limit),
            target_mode=None if drive.stiffness > 0.0 or drive.damping > 0.0 else JointTargetMode.EFFORT,
        )


def _refuse_cycles(joints: Iterable[Joint]) -> None:
    """Raise an error for couplings that form a cycle.

    Raises:
        ParseError: There are some.
    """
    leaders = {joint.name: joint.mimic.joint for joint in joints if joint.mimic is not None}
    places = {joint.name: joint.place for joint in joints}
    for name in leaders:
        row = [name]
        while row[-1] in leaders and leaders[row[-1]] not in row:
            row.append(leaders[row[-1]])
        if len(row) > 1 and leaders.get(row[-1]) == name:
            followed = ", ".join(f"{one!r} follows {leaders[one]!r}" for one in row)
            message = f"cyclic mimic: {followed}; remove one mimic"
            raise ParseError(message, places[name].file, places[name].line)


def _groups(row: Sequence[Joint]) -> Iterable[list[Joint]]:
    """Split a chain of joints into groups that can be one joint of the scene."""
    group: list[Joint] = []
    for joint in row:
        if group and not _fits([*group, joint]):
            yield group
            group = []
        group.append(joint)
    yield group


def _fits(group: Sequence[Joint]) -> bool:
    """Return whether joints in a row can be one: slides first, then turns about one point, at right angles.

    A slide along the only axis of rotation before it, as of a screw, may as well come first.
    """
    slides = [one for one in group if one.type is JointType.PRISMATIC]
    turns = [one for one in group if one.type in TURNS]
    if len(slides) + len(turns) < len(group) or max(len(slides), len(turns)) > 3:
        return False
    late = [one for one in slides if turns and group.index(one) > group.index(turns[0])]
    if any(len(turns) > 1 or np.abs(np.cross(one.axis, turns[0].axis)).max() > ORTHOGONAL for one in late):
        return False
    anchors = [one.pose_child_joint.position for one in turns]
    return all(_at_right_angles(axes) for axes in (slides, turns)) and all(
        np.abs(anchor - anchors[0]).max() <= SAME_POINT for anchor in anchors
    )


def _at_right_angles(joints: Sequence[Joint]) -> bool:
    axes = np.array([one.axis for one in joints]).reshape(-1, 3)
    return bool((np.abs(axes @ axes.T - np.eye(len(axes))) <= ORTHOGONAL).all())


def _anchor(group: Sequence[Joint]) -> Array:
    """Return the common point of rotation in the frame of the child; translations have none."""
    turning = [one for one in group if one.type is not JointType.PRISMATIC]
    return (turning or list(group))[0].pose_child_joint.position


def resistance(joint: Joint, default: JointDofConfig) -> dict[str, float]:
    """Return the damping, friction and armature of a joint from the file, or the default."""
    return {
        name: getattr(joint if name in joint.stated or getattr(joint, name) else default, name) for name in RESISTING
    }


def _bound(stated: float | None, default: float = np.inf) -> float:
    """Return a limit of effort or velocity as stated; zero, or none stated, leaves the default."""
    return stated if stated and stated > 0.0 else default


def _or(value: float | None, other: float) -> float:
    return other if value is None else value
