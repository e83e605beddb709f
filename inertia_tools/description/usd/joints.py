# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of UsdPhysics, as one joint or as several in series."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inertia_tools.description.joint import Joint, JointDrive, JointLimit, JointType
from inertia_tools.description.source import Place
from inertia_tools.description.usd.attributes import authored, numbers, rotation, stated_or
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd_bodies import Units
from inertia_tools.spatial import Pose

TYPES = {
    "PhysicsFixedJoint": "fixed",
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsSphericalJoint": "ball",
    "PhysicsDistanceJoint": "distance",
    "PhysicsJoint": "generic",
}
"""The degrees of freedom of each type of prim."""

SLIDE_OR_TURN = ("prismatic", "revolute")
"""Joints of one degree of freedom, sliding ones first."""

LINEAR_DOFS = ("transX", "transY", "transZ")
ANGULAR_DOFS = ("rotX", "rotY", "rotZ")
AXES = {"X": 0, "Y": 1, "Z": 2}
VELOCITY_LIMIT = "inertiaTools:velocityLimit"
"""Largest velocity of a joint [rad/s or m/s], for which UsdPhysics has no attribute."""

FRICTION = ("newton:friction", "mjc:frictionloss")
"""Dry friction of a joint, for which UsdPhysics has no attribute."""

ARMATURE = ("newton:armature", "mjc:armature", "physxJoint:armature")
"""Armature of a joint, likewise."""

DAMPING = ("newton:damping", "mjc:damping")
"""Damping per radian or unit of length, likewise, in addition to that of drives."""

SINGLE = 1e-6
"""Relative difference of a number after rounding to single precision."""

UNLIMITED = 1e30
"""Limits beyond this, in degrees or units, mean unlimited; files also write infinity as the largest single number."""


@dataclass(frozen=True, eq=False)
class StageJoint:
    """A joint prim, before the joints are arranged in a tree.

    Attributes:
        prim: The prim.
        path: Its path.
        body0: Path of the first body; empty for the world.
        body1: Path of the second one.
        frame0: Frame of the joint seen from the first body.
        frame1: Frame of the joint seen from the second one.
        excluded: It must close a loop.
        is_enabled: It is enabled.
        stack: Further joints of one degree of freedom between the same bodies, which form one joint with this one.
    """

    prim: Any
    path: str
    body0: str
    body1: str
    frame0: Pose
    frame1: Pose
    excluded: bool
    is_enabled: bool
    stack: tuple[StageJoint, ...] = ()


@dataclass(frozen=True)
class _Freedom:
    """One degree of freedom of a joint: along or about an axis of its frame."""

    dof: str
    type: JointType
    axis: int
    limit: JointLimit


def read_frame(prim: Any, side: int, target: Any | None, body: Pose, placement: Placement) -> Pose:
    """Return the frame of a joint seen from a body.

    Args:
        prim: The joint.
        side: 0 or 1.
        target: The prim that the joint names on that side: the body, or a prim on it; None for the world.
        body: Pose of the body in the stage; the identity for the world.
        placement: The poses of prims.
    """
    point = numbers(stated_or(prim, f"physics:localPos{side}", (0.0, 0.0, 0.0)))
    turn = rotation(stated_or(prim, f"physics:localRot{side}", None))
    turn = np.eye(3) if turn is None else turn
    assert point is not None
    if target is None:
        return Pose(point * placement.metre, turn)
    matrix, pose, stretch = placement.of(target)
    if pose is body:
        return Pose(stretch @ point * placement.metre, turn)
    where = matrix[:3, :3] @ point + matrix[:3, 3]
    return body.inverse() @ Pose(where * placement.metre, pose.rotation @ turn)


def stacked(joints: Iterable[StageJoint]) -> list[StageJoint]:
    """Combine joints that connect the same two bodies and have one degree of freedom each.

    As separate joints they would lock each other; exporters of MuJoCo's bodies write the degrees of freedom of a body
    this way. Sliding ones come first, as in a generic joint.
    """
    groups: dict[tuple[str, str], list[StageJoint]] = {}
    found: list[StageJoint] = []
    for joint in joints:
        kind = TYPES[str(joint.prim.GetTypeName())]
        if kind in SLIDE_OR_TURN and joint.is_enabled and not joint.excluded:
            groups.setdefault((joint.body0, joint.body1), []).append(joint)
        else:
            found.append(joint)
    for group in groups.values():
        group.sort(key=lambda joint: SLIDE_OR_TURN.index(TYPES[str(joint.prim.GetTypeName())]))
        found.append(replace(group[0], stack=tuple(group[1:])))
    return found


def joint_between(
    joint: StageJoint, names: Mapping[str, str], links: tuple[str, str], is_reversed: bool, units: Units, place: Place
) -> Joint:
    """Build the joint that carries the second link.

    Args:
        joint: The prim.
        names: Names of joints by the path of the prim.
        links: Names of the parent and the child link.
        is_reversed: The child is the prim's first body, so that its axes have the opposite sign.
        units: Units of the stage.
        place: Its location in the file.
    """
    parts = [
        part for one in (joint, *joint.stack) for part in _parts(one, names[one.path], links, is_reversed, units, place)
    ]
    if is_reversed:
        parts.reverse()
    return replace(parts[0], further=tuple(parts[1:]))


def _parts(
    joint: StageJoint, name: str, links: tuple[str, str], is_reversed: bool, units: Units, place: Place
) -> list[Joint]:
    """Build the joint of a prim as a series of one per degree of freedom."""
    parent_frame, child_frame = joint.frame0, joint.frame1
    if is_reversed:
        parent_frame, child_frame = child_frame, parent_frame
    drives, unused = read_drives(joint.prim, units)
    base = Joint(
        name=name,
        type=JointType.FIXED,
        parent=links[0],
        child=links[1],
        pose_parent_child=parent_frame @ child_frame.inverse(),
        place=place,
        pose_child_joint=child_frame,
        touches=bool(stated_or(joint.prim, "physics:collisionEnabled", False)),
        unused=unused,
    )
    freedoms = freedoms_of(joint.prim, units)
    is_driven = freedoms is not None and any(one.dof in drives for one in freedoms)
    if freedoms is None or (not is_driven and _are_free(freedoms, ANGULAR_DOFS)):
        ball = _resisting(base, joint.prim, units)
        return [replace(ball, type=JointType.BALL, unused=(*unused, *_cone_limits(joint.prim)))]
    if not is_driven and _are_free(freedoms, (*LINEAR_DOFS, *ANGULAR_DOFS)):
        return [replace(base, type=JointType.FLOATING)]
    sign = -1.0 if is_reversed else 1.0
    parts = [
        replace(
            _resisting(base, joint.prim, units, one.dof, is_turn=one.type is not JointType.PRISMATIC),
            name=name if number == 0 else f"{name} {one.dof}",
            type=one.type,
            axis=sign * child_frame.rotation[:, one.axis],
            limit=one.limit,
            drive=drives.get(one.dof),
            unused=unused if number == 0 else (),
        )
        for number, one in enumerate(freedoms)
    ]
    return parts or [base]


def _resisting(joint: Joint, prim: Any, units: Units, dof: str = "", *, is_turn: bool = True) -> Joint:
    """Return a joint with the resisting properties of solvers' schemas and of this package's attribute."""
    inertia = units.inertia if is_turn else units.kilogram
    effort = units.inertia if is_turn else units.kilogram * units.metre
    found = {
        "friction": _first_stated(prim, FRICTION, effort),
        "armature": _first_stated(prim, ARMATURE, inertia),
        "damping": _first_stated(prim, DAMPING, inertia),
    }
    own = own_damping(prim, dof, units) if dof else None
    if own is not None:
        found["damping"] = own + (found["damping"] or 0.0)
    return replace(
        joint,
        friction=found["friction"] or 0.0,
        armature=found["armature"] or 0.0,
        damping=found["damping"] or 0.0,
        stated=frozenset(name for name, value in found.items() if value is not None),
    )


def _first_stated(prim: Any, names: Iterable[str], unit: float) -> float | None:
    values = (authored(prim, name) for name in names)
    return next((float(value) * unit for value in values if value is not None), None)


def damping_name(dof: str) -> str:
    """Return the attribute for the joint's own part of a drive's damping [N m s/rad or N s/m]."""
    return f"inertiaTools:{dof}:damping"


def own_damping(prim: Any, dof: str, units: Units) -> float | None:
    """Return the joint's own part of a drive's damping [N m s/rad or N s/m]; None if none is stated.

    It is at most the drive's damping, which may have been edited later.
    """
    stated = authored(prim, damping_name(dof))
    if stated is None:
        return None
    whole = _drive(prim, dof, units).damping
    return float(stated) if stated <= whole * (1.0 + SINGLE) else whole


def _cone_limits(prim: Any) -> list[str]:
    """Return the unsupported limits of a spherical joint; negative ones mean unlimited."""
    names = [f"physics:coneAngle{number}Limit" for number in (0, 1)]
    return [name for name in names if 0.0 <= float(stated_or(prim, name, -1.0)) < UNLIMITED]


def _are_free(freedoms: Iterable[_Freedom], dofs: tuple[str, ...]) -> bool:
    """Return whether a joint has exactly these degrees of freedom, all without a limit."""
    return tuple(one.dof for one in freedoms if one.limit.lower is None and one.limit.upper is None) == dofs


def freedoms_of(prim: Any, units: Units) -> list[_Freedom] | None:
    """List the degrees of freedom of a joint, sliding ones first; None for a spherical joint."""
    kind = TYPES[str(prim.GetTypeName())]
    if kind == "fixed":
        return []
    if kind == "ball":
        return None
    if kind in ("revolute", "prismatic"):
        axis = AXES[str(stated_or(prim, "physics:axis", "X"))]
        low, high = (stated_or(prim, f"physics:{end}Limit", math.nan) for end in ("lower", "upper"))
        only = _freedom("angular" if kind == "revolute" else "linear", axis, low, high, units)
        fastest = authored(prim, VELOCITY_LIMIT)
        return [only if fastest is None else replace(only, limit=replace(only.limit, velocity=float(fastest)))]
    return _generic_freedoms(prim, units)


def _generic_freedoms(prim: Any, units: Units) -> list[_Freedom]:
    """List the degrees of freedom of a generic joint: those that its limits do not lock.

    An inverted limit locks, and so does one from zero to zero. Limits also count without their applied schema.
    """
    found = []
    for dof in (*LINEAR_DOFS, *ANGULAR_DOFS):
        low, high = (stated_or(prim, f"limit:{dof}:physics:{end}", math.nan) for end in ("low", "high"))
        if not (low > high or low == high == 0.0):
            found.append(_freedom(dof, AXES[dof[-1]], low, high, units))
    return found


def limits_without_schema(prim: Any) -> list[str]:
    """List the degrees of freedom of a joint with a limit, but without the schema that activates it."""
    applied = set(prim.GetAppliedSchemas())
    return [
        dof
        for dof in (*LINEAR_DOFS, *ANGULAR_DOFS)
        if f"PhysicsLimitAPI:{dof}" not in applied
        and any(authored(prim, f"limit:{dof}:physics:{end}") is not None for end in ("low", "high"))
    ]


def _freedom(dof: str, axis: int, low: float, high: float, units: Units) -> _Freedom:
    """Build a degree of freedom; angles are in degrees, missing or infinite limits mean unlimited."""
    is_angular = is_angle(dof)
    factor = math.radians(1.0) if is_angular else units.metre
    lower = low * factor if low > -UNLIMITED else None
    upper = high * factor if high < UNLIMITED else None
    limited = JointType.REVOLUTE if lower is not None or upper is not None else JointType.CONTINUOUS
    return _Freedom(dof, limited if is_angular else JointType.PRISMATIC, axis, JointLimit(lower, upper))


def is_angle(dof: str) -> bool:
    """Return whether a degree of freedom is a rotation."""
    return dof == "angular" or dof.startswith("rot")


def read_drives(prim: Any, units: Units) -> tuple[dict[str, JointDrive], tuple[str, ...]]:
    """Read the drives of a joint by degree of freedom, and return those that are not supported.

    Rotational gains are per degree in UsdPhysics, and per radian here. An acceleration drive is not supported, since
    its gains depend on the present inertia.
    """
    found, unused = {}, []
    for name in prim.GetAppliedSchemas():
        api, _, dof = name.partition(":")
        if api != "PhysicsDriveAPI":
            continue
        if str(stated_or(prim, f"drive:{dof}:physics:type", "force")) == "acceleration":
            unused.append(f"drive:{dof}:physics:type = acceleration")
        else:
            drive = _drive(prim, dof, units)
            own = own_damping(prim, dof, units)
            if own is None:
                found[dof] = drive
            elif drive.stiffness or drive.damping > own * (1.0 + SINGLE):
                found[dof] = replace(drive, damping=max(drive.damping - own, 0.0))
    return found, tuple(unused)


def _drive(prim: Any, dof: str, units: Units) -> JointDrive:
    angular = is_angle(dof)
    position = math.radians(1.0) if angular else units.metre
    effort = units.kilogram * (units.metre**2 if angular else units.metre)

    def stated(word: str, default: float = 0.0) -> float:
        return float(stated_or(prim, f"drive:{dof}:physics:{word}", default))

    bound = stated("maxForce", math.inf)
    return JointDrive(
        stiffness=stated("stiffness") * effort / position,
        damping=stated("damping") * effort / position,
        position=stated("targetPosition") * position,
        velocity=stated("targetVelocity") * position,
        effort=bound * effort if bound < UNLIMITED else None,
    )
