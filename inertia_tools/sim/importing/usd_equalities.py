# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's equalities in a stage: joints that follow others, and joints that stand for a connect or a weld.

They hold as joints and couplings do, or are rows of the table `mujoco:equality_constraint`, which hold nothing here.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inertia_tools.description.types import WORLD as WORLD_LINK
from inertia_tools.description.types import Description, Joint
from inertia_tools.description.usd.attributes import applied_schemas, authored
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.custom_frequencies import WORLD_REFERENCE
from inertia_tools.sim.scene.mujoco_attributes import declare_mujoco
from inertia_tools.sim.scene.mujoco_kinds import EQUALITIES, NAMESPACE, EqType
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import quaternion_from_rotation

OF_BODIES = {"MjcEqualityConnectAPI": EqType.CONNECT, "MjcEqualityWeldAPI": EqType.WELD}
OF_JOINTS = "MjcEqualityJointAPI"
TERMS = 5
"""Coefficients of the polynomial of two joints."""


def equality_of(usd_bodies: UsdBodies, joint: Joint) -> EqType | None:
    """Return the MuJoCo equality that a joint of the stage represents; None for a joint."""
    path = usd_bodies.joint_paths.get(joint.name)
    applied = () if path is None else applied_schemas(usd_bodies.stage.GetPrimAtPath(path))
    return next((kind for name, kind in OF_BODIES.items() if name in applied), None)


def without_equalities(robot: Description, usd_bodies: UsdBodies) -> Description:
    """Return a stage without the joints that represent equalities of bodies."""
    return replace(robot, loop_joints=tuple(one for one in robot.loop_joints if equality_of(usd_bodies, one) is None))


@dataclass(frozen=True, eq=False)
class UsdEqualities:
    """Equalities of a stage that was added to a scene.

    Attributes:
        builder: The scene.
        usd: Contents of the stage.
        placed: Its bodies, joints and shapes in the scene.
        freedoms: Joint, or joint and number of its freedom, by the path of the prim.
    """

    builder: Scene
    usd: UsdBodies
    placed: Articulation
    freedoms: Mapping[str, Any]

    def add_rows(self, robot: Description) -> None:
        """Add a row for each equality; `robot` is the stage with all its joints."""
        for joint in robot.loop_joints:
            kind = equality_of(self.usd, joint)
            if kind is not None:
                path = self.usd.joint_paths[joint.name]
                enabled = path not in self.usd.disabled_joints
                self._add(path, {**self._between(joint, path), "type": int(kind), "enabled": enabled})
        for path, polynomial, leader, enabled in self._couplings():
            ends = {"joint1": path, "joint2": leader}
            values: dict[str, Any] = {"type": int(EqType.JOINT), "polycoef": polynomial, "enabled": enabled}
            for name, end in ends.items():
                if end is not None:
                    joint_index, number = self._freedom(end)
                    first = sum(joint.dof_count for joint in self.builder.joints[:joint_index])
                    values |= {name: joint_index, f"{name}_dof": first + number}
            self._add(path, values)

    def add_couplings(self) -> None:
        """Couple joints by the linear part of their polynomials, with a warning about omitted terms."""
        for path, polynomial, leader, enabled in self._couplings():
            if leader is None or polynomial[2:].any() or not polynomial[1]:
                message = f"{path}: the equality is not a linear coupling of two joints and is ignored"
                warnings.warn(message, SceneWarning, stacklevel=6)
                continue
            (follower, dof), (leading, leader_dof) = self._freedom(path), self._freedom(leader)
            self.builder.add_mimic(
                follower,
                leading,
                offset=polynomial[0],
                multiplier=polynomial[1],
                dof=dof,
                leader_dof=leader_dof,
                label=path,
                enabled=enabled,
            )

    def _couplings(self) -> Iterator[tuple[str, np.ndarray, str | None, bool]]:
        """Iterate over equalities of joints: path, polynomial [rad or m], path of the leader, and whether it acts."""
        for path in self.freedoms:
            prim = self.usd.stage.GetPrimAtPath(path)
            if OF_JOINTS not in applied_schemas(prim):
                continue
            stated = authored(prim, "newton:mimicEnabled")
            yield path, self._polynomial(prim), self._leader(prim), stated is None or bool(stated)

    def _polynomial(self, prim: Any) -> np.ndarray:
        """Return coefficients; an offset by Newton's name is by degree, as that of a turn is there."""
        found = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
        for number in range(TERMS):
            stated = authored(prim, f"mjc:coef{number}")
            found[number] = found[number] if stated is None else float(stated)
        offset, ratio = (authored(prim, f"newton:mimicCoef{number}") for number in range(2))
        if offset is not None:
            is_turn = prim.GetTypeName() == "PhysicsRevoluteJoint"
            found[0] = math.radians(float(offset)) if is_turn else float(offset) * self.usd.units.metre
        found[1] = found[1] if ratio is None else float(ratio)
        return found

    def _leader(self, prim: Any) -> str | None:
        for name in ("newton:mimicJoint", "mjc:target"):
            targets = (
                [str(path) for path in prim.GetRelationship(name).GetTargets()] if prim.GetRelationship(name) else []
            )
            if targets and targets[0] in self.freedoms:
                return targets[0]
        return None

    def _freedom(self, path: str) -> tuple[int, int]:
        index = self.freedoms[path]
        return index if isinstance(index, tuple) else (index, 0)

    def _between(self, joint: Joint, path: str) -> dict[str, Any]:
        """Return the bodies of an equality, the anchor on the first for a point and on the second for a pose."""
        prim = self.usd.stage.GetPrimAtPath(path)
        at_child = joint.pose_child_joint
        at_parent = joint.pose_parent_child @ at_child
        ends = {joint.parent: at_parent, joint.child: at_child}
        first = self._link(prim, "physics:body0")
        second = next(name for name in (joint.parent, joint.child) if name != first)
        one, other = self._placed(first, ends[first]), self._placed(second, ends[second])
        between = one[1] @ other[1].inverse()
        torque = authored(prim, "mjc:torqueScale")
        return {
            "body1": one[0],
            "body2": other[0],
            "anchor": (one if equality_of(self.usd, joint) is EqType.CONNECT else other)[1].position,
            "relpose": np.array([*between.position, *quaternion_from_rotation(between.rotation)]),
            "torquescale": 1.0 if torque is None else float(torque),
        }

    def _placed(self, link: str, frame: Any) -> tuple[int, Any]:
        """Return the body that a link became part of, and a frame of the link there."""
        place = self.placed.links.get(link)
        return (WORLD, frame) if place is None else (place.body, place.pose_body_link @ frame)

    def _link(self, prim: Any, relation: str) -> str:
        """Return the link that a joint names, by itself or by what stands on it."""
        targets = [f"{path}/" for path in prim.GetRelationship(relation).GetTargets()]
        owners = [
            (len(body.path), name)
            for name, body in self.usd.bodies.items()
            if any(target.startswith(f"{body.path}/") for target in targets)
        ]
        return max(owners, default=(0, WORLD_LINK))[1]

    def _add(self, path: str, values: Mapping[str, Any]) -> None:
        declare_mujoco(self.builder, [EQUALITIES])
        own = self.builder.get_custom_attributes_by_frequency([EQUALITIES])
        named = {f"{NAMESPACE}:equality_constraint_{name}": value for name, value in {**values, "label": path}.items()}
        defaults = {one.key: one.default for one in own if one.references != WORLD_REFERENCE}
        prim = self.usd.stage.GetPrimAtPath(path)
        stated = {
            f"{NAMESPACE}:eq_{word}": np.asarray(value)
            for word in ("solref", "solimp")
            if (value := authored(prim, f"mjc:{word}")) is not None
        }
        self.builder.add_custom_row(EQUALITIES, {**defaults, **stated, **named})
