# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Actuation of a stage's joints besides UsdPhysics drives: actuators of Newton and MuJoCo, and mimics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inertia_tools.description.joint import Joint, JointDrive, JointMimic, JointType
from inertia_tools.description.usd.attributes import applied_schemas, numbers, stated_or
from inertia_tools.description.usd_bodies import Units

NEWTON, MUJOCO = "NewtonActuator", "MjcActuator"
TARGETS = {NEWTON: "newton:targets", MUJOCO: "mjc:target"}
"""The relationship to the joint of an actuator, by the type of its prim."""

PROPORTIONAL, BOUNDED, MIMIC = "NewtonPDControlAPI", "NewtonMaxEffortClampingAPI", "NewtonMimicAPI"
PHYSX_MIMIC, PHYSX_MIMIC_API = "physxMimicJoint", "PhysxMimicJointAPI"
PHYSX_WORDS = ("gearing", "offset")
"""PhysX keeps position + gearing * position of the leader + offset at zero."""

ANGLES = (JointType.REVOLUTE, JointType.CONTINUOUS)
ONE_FREEDOM = (*ANGLES, JointType.PRISMATIC)


@dataclass(eq=False)
class Actuation:
    """Drives, mimics and unsupported prims.

    Attributes:
        drives: Drives, by the name of the joint.
        mimics: Leaders of followers, by the name of the following joint.
        unused: Unsupported prims, each with the reason.
    """

    drives: dict[str, JointDrive] = field(default_factory=dict)
    mimics: dict[str, JointMimic] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    def apply(self, joint: Joint) -> Joint:
        """Return a joint with its drive and coupling."""
        first, *further = (
            replace(
                one,
                further=(),
                drive=self.drives.get(one.name, one.drive),
                mimic=self.mimics.get(one.name, one.mimic),
            )
            for one in joint.row
        )
        return replace(first, further=tuple(further))


def read_actuation(
    prims: Sequence[Any], joints: Mapping[str, Joint], paths: Mapping[str, str], stage: Any, units: Units
) -> Actuation:
    """Read actuators, and the joints that follow others.

    Args:
        prims: The actuators.
        joints: The joint that carries each link, by its name.
        paths: Path of the prim of each joint, by name.
        stage: The stage.
        units: Its units.
    """
    found = Actuation()
    row = {one.name: one for joint in joints.values() for one in joint.row}
    names = {path: name for name, path in paths.items()}
    for prim in prims:
        kind = str(prim.GetTypeName())
        name = names.get(target_of(prim, TARGETS[kind]), "")
        joint = row.get(name)
        reason = "acts on no joint"
        if joint is not None:
            reason = (
                _add_drive(found, prim, joint, units)
                if joint.type in ONE_FREEDOM
                else "acts on several degrees of freedom"
            )
        if reason:
            found.unused.append(f"{prim.GetPath()} {reason}")
    for name, joint in row.items():
        prim = stage.GetPrimAtPath(paths[name]) if name in paths else None
        if prim and MIMIC in applied_schemas(prim) and stated_or(prim, "newton:mimicEnabled", True):
            reason = _add_mimic(found, prim, joint, row.get(names.get(target_of(prim, "newton:mimicJoint"), "")), units)
            if reason:
                found.unused.append(f"{prim.GetPath()} {reason}")
        axis = _mimicking_axis(prim) if prim else ""
        if axis:
            leader = row.get(names.get(target_of(prim, f"{PHYSX_MIMIC}:{axis}:referenceJoint"), ""))
            reason = _add_physx_mimic(found, prim, axis, joint, leader, units)
            if reason:
                found.unused.append(f"{prim.GetPath()} {reason}")
    return found


def _mimicking_axis(prim: Any) -> str:
    """Return the axis of a PhysX mimic joint; empty for none."""
    beginning = f"{PHYSX_MIMIC_API}:"
    return next((api.removeprefix(beginning) for api in applied_schemas(prim) if api.startswith(beginning)), "")


def target_of(prim: Any, name: str) -> str:
    """Return the first path of a relationship; empty if it has none."""
    relationship = prim.GetRelationship(name)
    targets = relationship.GetTargets() if relationship else []
    return str(targets[0]) if targets else ""


def _add_drive(found: Actuation, prim: Any, joint: Joint, units: Units) -> str:
    """Let an actuator drive a joint; return why it cannot, or its ignored properties."""
    if joint.drive is not None or joint.name in found.drives:
        return f"acts on {joint.name!r}, which already has a drive"
    drive, reason = (_newton if str(prim.GetTypeName()) == NEWTON else _mujoco)(prim, joint, units)
    if drive is not None:
        found.drives[joint.name] = drive
    return reason


def _newton(prim: Any, joint: Joint, units: Units) -> tuple[JointDrive | None, str]:
    """Return the drive of a proportional-derivative controller; its angles are in radians."""
    schemas = set(applied_schemas(prim))
    if PROPORTIONAL not in schemas:
        return None, "has a controller other than NewtonPDControlAPI"
    way, effort = _way_and_effort(joint, units)
    gain = effort / way
    stiffness, damping = (float(stated_or(prim, f"newton:{word}", 0.0)) * gain for word in ("kp", "kd"))
    push = float(stated_or(prim, "newton:constEffort", 0.0)) * effort
    bound = float(stated_or(prim, "newton:maxEffort", math.inf)) if BOUNDED in schemas else math.inf
    left_out = sorted(schemas - {PROPORTIONAL, BOUNDED})
    if push and not stiffness:
        left_out.append("newton:constEffort")
    drive = JointDrive(
        stiffness, damping, push / stiffness if stiffness else 0.0, effort=bound * effort if bound < math.inf else None
    )
    return drive, f"is taken without {', '.join(left_out)}" if left_out else ""


def _way_and_effort(joint: Joint, units: Units) -> tuple[float, float]:
    """Return the sizes in SI of one unit of a joint's position and of its effort; angles are in radians."""
    way = 1.0 if joint.type in ANGLES else units.metre
    return way, units.inertia if joint.type in ANGLES else units.kilogram * units.metre


def _mujoco(prim: Any, joint: Joint, units: Units) -> tuple[JointDrive | None, str]:
    """Return the drive of an affine MuJoCo law at zero control; one without bias drives nothing."""
    words = {word: str(stated_or(prim, f"mjc:{word}", default)) for word, default in DEFAULT_WORDS.items()}
    if words["biasType"] == "none" and words["dynType"] == "none":
        return None, ""
    if (words["gainType"], words["biasType"], words["dynType"]) != ("fixed", "affine", "none"):
        return None, "has a law other than a fixed gain with an affine bias"
    bias = _some(prim, "biasPrm", 3)
    gear = float(_some(prim, "gear", 1)[0]) if stated_or(prim, "mjc:gear", None) is not None else 1.0
    stiffness, damping = -bias[1] * gear**2, -bias[2] * gear**2
    low, high = (float(stated_or(prim, f"mjc:forceRange:{end}", 0.0)) for end in ("min", "max"))
    limited = str(stated_or(prim, "mjc:forceLimited", "auto"))
    is_bounded = limited == "true" or (limited == "auto" and low < high)
    effort = max(abs(low), abs(high)) * abs(gear) if is_bounded else None
    position = bias[0] * gear / stiffness if stiffness else 0.0
    way, push = _way_and_effort(joint, units)
    bound = effort * push if effort else None
    return JointDrive(stiffness * push / way, damping * push / way, position * way, effort=bound), ""


DEFAULT_WORDS = {"gainType": "fixed", "biasType": "none", "dynType": "none"}
"""Defaults of MuJoCo's actuators."""


def _some(prim: Any, word: str, count: int) -> list[float]:
    """Return the first numbers of a MuJoCo attribute, padded with zeros."""
    stated = numbers(stated_or(prim, f"mjc:{word}", None))
    values = np.zeros(count)
    if stated is not None:
        values[: min(count, stated.size)] = stated.ravel()[:count]
    return values.tolist()


def _add_mimic(found: Actuation, prim: Any, joint: Joint, leader: Joint | None, units: Units) -> str:
    """Couple a joint to another by Newton's schema; return why that is impossible.

    A slide that follows a hinge, as a rack its pinion, moves by the ratio in units of length per radian.
    """
    ratio, offset = (
        float(stated_or(prim, f"newton:mimicCoef{number}", default)) for number, default in ((1, 1.0), (0, 0.0))
    )
    if leader is not None and {joint.type, leader.type} <= set(ONE_FREEDOM):
        own, leading = (1.0 if one.type in ANGLES else units.metre for one in (joint, leader))
        ratio *= own / leading
    return _couple(found, joint, leader, ratio, offset, units)


def _add_physx_mimic(found: Actuation, prim: Any, axis: str, joint: Joint, leader: Joint | None, units: Units) -> str:
    """Couple a joint to another of its type by PhysX's schema; return why that is impossible."""
    ratio, offset = (-float(stated_or(prim, f"{PHYSX_MIMIC}:{axis}:{word}", 0.0)) for word in PHYSX_WORDS)
    if leader is not None and (joint.type in ANGLES) != (leader.type in ANGLES):
        return "mimics a joint of another kind"
    return _couple(found, joint, leader, ratio, offset, units)


def _couple(found: Actuation, joint: Joint, leader: Joint | None, ratio: float, offset: float, units: Units) -> str:
    """Couple a joint to another, or return why that is impossible.

    Args:
        found: The actuation found so far.
        joint: The follower.
        leader: Its leader.
        ratio: Its position per position of the leader [rad or m per rad or m].
        offset: Its position if that of the leader is zero [degrees or units of length].
        units: Those of the stage.
    """
    if leader is None or leader is joint:
        return "mimics no other joint"
    if {joint.type, leader.type} - set(ONE_FREEDOM):
        return "mimics a joint of another kind"
    unit = math.radians(1.0) if joint.type in ANGLES else units.metre
    found.mimics[joint.name] = JointMimic(leader.name, ratio, offset * unit)
    return ""
