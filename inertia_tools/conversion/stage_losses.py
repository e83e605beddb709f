# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Physics properties of a stage's prims that a description does not hold, noted so that none is lost silently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from inertia_tools.conversion.account import Account, Kind, more_like
from inertia_tools.conversion.stage_physics import ROLLING, TORSIONAL
from inertia_tools.description.types import WORLD, Description
from inertia_tools.description.usd.attributes import authored
from inertia_tools.description.usd.joints import UNLIMITED
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.spatial import Pose

OF_PHYSICS = re.compile(r"(physics|newton|physx\w*|mjc|state|drive|limit):")
"""Prefixes of the names of the properties that are checked."""

HELD = re.compile(
    r"physics:(rigidBodyEnabled|kinematicEnabled|mass|density|centerOfMass|diagonalInertia|principalAxes"
    r"|collisionEnabled|body[01]|localPos[01]|localRot[01]|axis|lowerLimit|upperLimit|jointEnabled"
    r"|excludeFromArticulation|coneAngle[01]Limit|gravityDirection|gravityMagnitude|simulationOwner"
    r"|dynamicFriction|staticFriction|restitution|filteredPairs)"
    r"|(drive|limit):\w+:physics:\w+"
    r"|newton:(inertia|massModel|shellThickness|friction|armature|damping|velocityLimit|mimic\w+)"
    r"|mjc:(frictionloss|armature|damping)"
    r"|physxJoint:(armature|maxJointVelocity)|physxRigidBody:disableGravity"
    rf"|{TORSIONAL}|{ROLLING}"
)
"""Properties that a description holds; those reported as unused of a joint are noted with the joint."""

ACTUATORS = ("NewtonActuator", "MjcActuator")
"""Types of prims whose losses a remark reports."""

APART = 1e-4
"""Distance, and change of a rotation, that exceed the single-precision rounding of a stage [m, 1]."""

REMARKS = ("collision-group", "distance-joint", "unused-actuator")
"""Codes of remarks about content that a description does not hold."""

STARTS = ("position", "velocity")
"""Last words of the names of properties for initial states, for which zero is the default."""


def note_stage_losses(robot: Description, account: Account) -> None:
    """Note the lost properties of prims, one note per name, and the remarks on losses."""
    if robot.usd is None:
        return
    for remark in (one for one in robot.remarks if one.code in REMARKS):
        account.note(Kind.DROPPED, remark.link or robot.name, remark.message, remark.place)
    lines = Lines(robot.document)
    lost: dict[str, list[Any]] = {}
    for prim, name in _stated(robot.usd.stage):
        if not HELD.fullmatch(name):
            lost.setdefault(name, []).append(prim)
    for name, prims in lost.items():
        message = f"{name} of this{more_like(len(prims))} cannot be stored in the target format"
        account.note(Kind.DROPPED, str(prims[0].GetPath()), message, lines.place(prims[0]))
    _note_starts(robot, robot.usd, account)


def _note_starts(robot: Description, stage: UsdBodies, account: Account) -> None:
    """Note the joints whose links are not at position zero in the stage, since they are written at zero."""
    moved = []
    for joint in robot.joints.values():
        child, parent = stage.bodies.get(joint.child), stage.bodies.get(joint.parent)
        if child is None or (parent is None and joint.parent != WORLD):
            continue
        standing = Pose() if parent is None else parent.pose_world_body
        if not (standing @ joint.pose_parent_child).isclose(child.pose_world_body, APART):
            moved.append(joint)
    if moved:
        message = f"the pose of this{more_like(len(moved))} in the stage is lost; joints are written at position zero"
        account.note(Kind.DROPPED, moved[0].name, message, moved[0].place)


def _stated(stage: Any) -> Iterator[tuple[Any, str]]:
    """Iterate over prims and their stated physics properties that differ from the schema."""
    usd = pxr().Usd
    for prim in usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()):
        if prim.GetTypeName() in ACTUATORS:
            continue
        for one in prim.GetAuthoredProperties():
            name = one.GetName()
            if OF_PHYSICS.match(name) and _says_something(prim, name):
                yield prim, name


def _says_something(prim: Any, name: str) -> bool:
    """Return whether a property differs from its schema's default; an infinite bound means none."""
    if prim.GetRelationship(name):
        return bool(prim.GetRelationship(name).GetTargets())
    value = authored(prim, name)
    if value is None or (name.rpartition(":")[2] in STARTS and not np.any(value)):
        return False
    if isinstance(value, float) and value >= UNLIMITED:
        return False
    usual = prim.GetPrimDefinition().GetAttributeFallbackValue(name)
    return usual is None or not np.array_equal(value, usual)
