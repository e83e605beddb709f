# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints as prims of UsdPhysics.

The frame of a joint with one axis is along it; several joints between two links become one generic joint, whose frame
has their axes as x, y, z: translations first, then rotations about x, y and z in that order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.freedoms import freedoms
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.usd_prims import keep_name
from inertia_tools.description.joint import Joint, JointDrive, JointType
from inertia_tools.description.types import WORLD, Description
from inertia_tools.description.usd.actuation import MIMIC
from inertia_tools.description.usd.joints import VELOCITY_LIMIT, damping_name
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import ConversionError
from inertia_tools.spatial import Array, Pose, rotation_between

TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS)
SIMPLE = {
    JointType.FIXED: "FixedJoint",
    JointType.REVOLUTE: "RevoluteJoint",
    JointType.CONTINUOUS: "RevoluteJoint",
    JointType.PRISMATIC: "PrismaticJoint",
    JointType.BALL: "SphericalJoint",
}
DOFS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
ALIGNED = 1e-9
"""Largest component of an axis perpendicular to the axis that represents it."""


class JointWriter:
    """Writes the joints of a robot."""

    def __init__(self, stage: Any, folder: str, paths: Mapping[str, str], robot: Description, account: Account) -> None:
        self._lib, self._stage, self._folder = pxr(), stage, folder
        self._paths, self._robot, self._account = paths, robot, account
        self._taken: set[str] = set()
        self._of_one_freedom: dict[str, tuple[Joint, Any]] = {}

    def write(self, joint: Joint, *, closes_loop: bool = False) -> None:
        """Write a joint with all that it carries between its two links.

        Raises:
            ConversionError: UsdPhysics has no such joint.
        """
        row = [part for one in joint.row for part in freedoms(one, set(), self._account)]
        frame, dofs = _frame_of(joint) if len(row) == 1 else _frame_of_row(row)
        kind = SIMPLE.get(joint.type, "Joint") if len(row) == 1 else "Joint"
        path = f"{self._folder}/{self._name(joint)}"
        made = getattr(self._lib.UsdPhysics, kind).Define(self._stage, path)
        self._connect(made, joint, frame)
        keep_name(made.GetPrim(), joint.name)
        if closes_loop:
            made.CreateExcludeFromArticulationAttr(True)
        if all(one.touches for one in joint.row):
            made.CreateCollisionEnabledAttr(True)
        if kind == "Joint":
            self._free(made.GetPrim(), row, dofs)
            self._note_renamed(joint, dict(zip((one.name for one in row), dofs, strict=False)))
        elif kind in ("RevoluteJoint", "PrismaticJoint"):
            made.CreateAxisAttr("X")
            self._limit(made, joint)
            self._of_one_freedom[joint.name] = joint, made.GetPrim()
            self._resist(made.GetPrim(), joint, "angular" if joint.type in TURNS else "linear")
        self._note_losses(row)

    def couple(self) -> None:
        """Couple joints, once all are written; UsdPhysics has no schema for it, so Newton's is used."""
        rows = (joint for first in self._robot.joints.values() for joint in first.row)
        for joint in (one for one in rows if one.mimic is not None):
            assert joint.mimic is not None
            ends = [self._of_one_freedom.get(name) for name in (joint.name, joint.mimic.joint)]
            kinds = {end[0].type in TURNS for end in ends if end is not None}
            if None in ends or len(kinds) > 1:
                message = "USD cannot store this mimic; it needs two joints of the same kind with one degree of freedom"
                self._account.note(Kind.DROPPED, joint.name, message, joint.place)
            else:
                self._couple(joint, *(end[1] for end in ends if end is not None))

    def _couple(self, joint: Joint, prim: Any, leading: Any) -> None:
        """Couple the prim of a joint to another's; its angles are in degrees."""
        assert joint.mimic is not None
        unit = math.degrees(1.0) if joint.type in TURNS else 1.0
        prim.AddAppliedSchema(MIMIC)
        prim.CreateRelationship("newton:mimicJoint").SetTargets([leading.GetPath()])
        for name, value in (("Coef0", joint.mimic.offset * unit), ("Coef1", joint.mimic.multiplier)):
            prim.CreateAttribute(f"newton:mimic{name}", self._lib.Sdf.ValueTypeNames.Float).Set(value)

    def _name(self, joint: Joint) -> str:
        name = free_name(str(self._lib.Tf.MakeValidIdentifier(joint.name)), self._taken)
        self._taken.add(name)
        if name != joint.name:
            message = f"is renamed {name!r}, as USD names are identifiers"
            self._account.note(Kind.RENAMED, joint.name, message, joint.place)
        return name

    def _connect(self, made: Any, joint: Joint, frame: Pose) -> None:
        """Set the bodies and the joint's frame seen from each; the world has no prim."""
        before = joint.pose_parent_child @ frame
        if joint.parent == WORLD:
            root = self._robot.root_poses.get(joint.child, joint.pose_parent_child)
            before = self._robot.pose_world_document @ root @ frame
        else:
            made.CreateBody0Rel().SetTargets([self._paths[joint.parent]])
        made.CreateBody1Rel().SetTargets([self._paths[joint.child]])
        gf = self._lib.Gf
        for pose, point, turn in (
            (before, made.CreateLocalPos0Attr, made.CreateLocalRot0Attr),
            (frame, made.CreateLocalPos1Attr, made.CreateLocalRot1Attr),
        ):
            x, y, z, w = pose.quaternion.tolist()
            point(gf.Vec3f(*pose.position.tolist()))
            turn(gf.Quatf(w, x, y, z))

    def _limit(self, made: Any, joint: Joint) -> None:
        unit = math.degrees(1.0) if joint.type in TURNS else 1.0
        limit = joint.limit
        if joint.type is JointType.CONTINUOUS:
            return
        if limit.lower is not None:
            made.CreateLowerLimitAttr(limit.lower * unit)
        if limit.upper is not None:
            made.CreateUpperLimitAttr(limit.upper * unit)

    def _free(self, prim: Any, row: Sequence[Joint], dofs: Sequence[str]) -> None:
        """Lock the degrees of freedom that a generic joint does not have, and limit those that it has."""
        by_dof = dict(zip(dofs, row, strict=True)) if len(dofs) == len(row) else dict.fromkeys(dofs, None)
        for dof in DOFS:
            joint = by_dof.get(dof)
            limits = None if joint is None or joint.type is JointType.CONTINUOUS else joint.limit
            unit = math.degrees(1.0) if dof.startswith("rot") else 1.0
            if dof not in by_dof:
                api = self._lib.UsdPhysics.LimitAPI.Apply(prim, dof)
                api.CreateLowAttr(1.0)
                api.CreateHighAttr(-1.0)
            elif limits is not None and (limits.lower is not None or limits.upper is not None):
                api = self._lib.UsdPhysics.LimitAPI.Apply(prim, dof)
                api.CreateLowAttr(-math.inf if limits.lower is None else limits.lower * unit)
                api.CreateHighAttr(math.inf if limits.upper is None else limits.upper * unit)
            if joint is not None:
                self._resist(prim, joint, dof)

    def _resist(self, prim: Any, joint: Joint, dof: str) -> None:
        """Write the drive and resistance of a joint: rotor and dry friction as in Newton, the rest as a drive.

        The largest velocity is in degrees for PhysX, and also in radians.

        The joint's own damping becomes that of a drive without stiffness, so the two are merged; an attribute of this
        package states the joint's part.
        """
        drive = joint.drive or JointDrive()
        if drive.stiffness > 0.0 or drive.damping > 0.0 or joint.damping > 0.0:
            unit = math.radians(1.0) if dof == "angular" or dof.startswith("rot") else 1.0
            bounds = [bound for bound in (drive.effort, joint.limit.effort) if bound and joint.drive is not None]
            api = self._lib.UsdPhysics.DriveAPI.Apply(prim, dof)
            api.CreateTypeAttr("force")
            api.CreateStiffnessAttr(drive.stiffness * unit)
            api.CreateDampingAttr((drive.damping + joint.damping) * unit)
            api.CreateTargetPositionAttr(drive.position / unit)
            api.CreateTargetVelocityAttr(drive.velocity / unit)
            if bounds:
                api.CreateMaxForceAttr(min(bounds))
        if joint.damping > 0.0:
            own = prim.CreateAttribute(damping_name(dof), self._lib.Sdf.ValueTypeNames.Double)
            own.Set(joint.damping)
        fastest = joint.limit.velocity or 0.0
        for name, value in (
            ("newton:friction", joint.friction),
            ("newton:armature", joint.armature),
            (VELOCITY_LIMIT, fastest),
            ("physxJoint:maxJointVelocity", math.degrees(fastest) if joint.type in TURNS else fastest),
        ):
            if value > 0.0:
                prim.CreateAttribute(name, self._lib.Sdf.ValueTypeNames.Float).Set(value)

    def _note_renamed(self, joint: Joint, dof_of: Mapping[str, str]) -> None:
        """Note the names of further joints, since a generic joint has a single name."""
        for one in joint.further:
            message = f"loses its name, as it becomes {dof_of[one.name]} of joint {joint.name!r}"
            self._account.note(Kind.RENAMED, one.name, message, one.place)

    def _note_losses(self, row: Sequence[Joint]) -> None:
        for joint in row:
            lost = {
                "effort limit": joint.limit.effort is not None and joint.drive is None,
                "spring": joint.stiffness > 0.0,
            }
            names = [name for name, is_stated in lost.items() if is_stated]
            if names:
                message = f"{' and '.join(names)}: UsdPhysics cannot store this"
                self._account.note(Kind.DROPPED, joint.name, message, joint.place)
        for name in ("friction", "armature"):
            values = [getattr(joint, name) for joint in row]
            if len(set(values)) > 1:
                message = f"the {name} differs between its degrees of freedom, but a USD joint has a single one"
                self._account.note(Kind.CHANGED, row[0].name, message, row[0].place)


def _frame_of(joint: Joint) -> tuple[Pose, tuple[str, ...]]:
    """Return the frame of a joint seen from its child, x along the axis, and the degrees of freedom of a generic joint.

    Raises:
        ConversionError: UsdPhysics has no such joint.
    """
    at = joint.pose_child_joint.position
    if joint.type in (JointType.FIXED, JointType.BALL):
        return joint.pose_child_joint, ()
    if joint.type is JointType.FLOATING:
        return joint.pose_child_joint, DOFS
    if joint.type in SIMPLE:
        return Pose(at, rotation_between([1.0, 0.0, 0.0], joint.axis)), ()
    reason = f"a {joint.type.value} joint ({joint.name!r}) cannot be stored in UsdPhysics; replace it by other joints"
    raise ConversionError(reason, joint.place.file, joint.place.line)


def _frame_of_row(row: Sequence[Joint]) -> tuple[Pose, tuple[str, ...]]:
    """Return the frame of a generic joint for joints in series, and the degree of freedom of each.

    Raises:
        ConversionError: They are not translations and then rotations about perpendicular axes through one point.
    """
    first = row[0]
    slides = [joint for joint in row if joint.type is JointType.PRISMATIC]
    turns = [joint for joint in row if joint.type in TURNS]
    if len(slides) + len(turns) < len(row):
        raise _no_place(first, len(row))
    at = (turns or slides)[0].pose_child_joint.position
    in_order = [*slides, *turns] == list(row)
    meet = all(np.linalg.norm(joint.pose_child_joint.position - at) <= ALIGNED for joint in turns)
    if not (in_order and meet):
        raise _no_place(first, len(row))
    rotation, dofs = _frame_along(row)
    return Pose(at, rotation), dofs


def _no_place(joint: Joint, count: int) -> ConversionError:
    reason = f"{count} joints in series move link {joint.child!r}, and no single UsdPhysics joint is equivalent"
    return ConversionError(f"{reason}; add a link between them", joint.place.file, joint.place.line)


def _frame_along(row: Sequence[Joint]) -> tuple[Array, tuple[str, ...]]:
    """Return a rotation whose columns include the axes of all joints, and the degree of freedom that each becomes.

    Raises:
        ConversionError: The axes are not perpendicular, oppose each other, or turn in an order that no frame gives.
    """
    axes: list[Array] = []
    for joint in row:
        if not any(_is_along(joint.axis, axis) for axis in axes):
            axes.append(joint.axis)
    for places in permutations(range(3), len(axes)):
        rotation = _completed(dict(zip(places, axes, strict=True)))
        if np.abs(rotation.T @ rotation - np.eye(3)).max() > ALIGNED or np.linalg.det(rotation) < 0.0:
            continue
        dofs = tuple(_dof(joint, rotation) for joint in row)
        if len(set(dofs)) == len(dofs) and sorted(dofs, key=DOFS.index) == list(dofs):
            return rotation, dofs
    raise _no_place(row[0], len(row))


def _is_along(axis: Array, other: Array) -> bool:
    return bool(axis @ other >= 1.0 - ALIGNED)


def _completed(columns: Mapping[int, Array]) -> Array:
    """Return a matrix with these columns and perpendicular ones; right-handed unless all three are given."""
    if len(columns) == 1:
        ((place, axis),) = columns.items()
        return rotation_between(np.eye(3)[place], axis)
    rotation = np.zeros((3, 3))
    for place, axis in columns.items():
        rotation[:, place] = axis
    for missing in {0, 1, 2} - columns.keys():
        rotation[:, missing] = np.cross(rotation[:, missing - 2], rotation[:, missing - 1])
    return rotation


def _dof(joint: Joint, rotation: Array) -> str:
    place = next(k for k in range(3) if _is_along(joint.axis, rotation[:, k]))
    return DOFS[place + (3 if joint.type in TURNS else 0)]
