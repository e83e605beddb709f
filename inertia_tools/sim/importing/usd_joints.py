# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joint properties in the schemas of other solvers, converted to fields of a description."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inertia_tools.description.joint import RESISTING, Joint, JointType
from inertia_tools.description.types import Description
from inertia_tools.description.usd.joints import own_damping
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.sim.importing.start_pose import TURNS
from inertia_tools.sim.scene.joint_config import JointDofConfig
from inertia_tools.usd import PrimType, SchemaResolverManager

DEGREE = math.radians(1.0)
"""[rad]."""

ONE_DOF = {"PhysicsRevoluteJoint": "angular", "PhysicsPrismaticJoint": "linear"}
"""The word of schemas for the freedom of joints that have one."""


@dataclass(frozen=True)
class JointState:
    """Schema values of one degree of freedom that a description lacks.

    Attributes:
        position: Initial position [rad or m]; None if not stated.
        velocity: Initial velocity [rad/s or m/s]; likewise.
        limit_ke: Stiffness of its limits [N m/rad or N/m]; likewise.
        limit_kd: Damping of its limits [N m s/rad or N s/m]; likewise.
        velocity_limit: Velocity limit [rad/s or m/s]; likewise.
        effort_limit: Effort limit of its drive [N m or N], the tighter one if UsdPhysics states one too; likewise.
    """

    position: float | None = None
    velocity: float | None = None
    limit_ke: float | None = None
    limit_kd: float | None = None
    velocity_limit: float | None = None
    effort_limit: float | None = None

    @property
    def config(self) -> dict[str, float]:
        """The stated values of the degree of freedom, by names of `JointDofConfig`."""
        names = ("limit_ke", "limit_kd", "velocity_limit", "effort_limit")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class _Units:
    """What one unit of a stage is in SI for a freedom: of its position, of effort, and of armature and gains."""

    way: float
    effort: float
    gain: float


@dataclass(frozen=True, eq=False)
class JointSchemas:
    """Reads joints through resolvers.

    Attributes:
        chain: The resolvers.
        usd: The stage.
        default: Default joint configuration.
        in_degrees: Whether solver schemas state angles in degrees, else in radians.
        gain: Factor on the gains of drives.
    """

    chain: SchemaResolverManager
    usd: UsdBodies
    default: JointDofConfig
    in_degrees: bool = False
    gain: float = 1.0

    def apply(self, robot: Description) -> Description:
        """Return the description with the joint values of schemas."""
        joints = {name: self._row(joint) for name, joint in robot.joints.items()}
        return replace(robot, joints=joints, loop_joints=tuple(self._row(joint) for joint in robot.loop_joints))

    def states(self, robot: Description) -> dict[str, JointState]:
        """Return the additional schema values of each joint, by name."""
        joints = (*robot.joints.values(), *robot.loop_joints)
        return {one.name: self.state_of(one) for joint in joints for one in joint.row}

    def state_of(self, joint: Joint) -> JointState:
        """Return the additional schema values of a joint with one degree of freedom."""
        prim, dof = self._prim(joint.name), self._dof(joint)
        if prim is None or dof is None:
            return JointState()
        by_angle, units = self._per_radian(joint), self._units(joint)

        def stated(key: str, factor: float) -> float | None:
            value = self.chain.authored(prim, PrimType.JOINT, key)
            return None if value is None else float(value) * factor

        def gain(word: str) -> float | None:
            found = stated(f"limit_{dof}_{word}", units.gain / by_angle)
            return stated(f"limit_{word}", units.gain / by_angle) if found is None else found

        return JointState(
            stated(f"{dof}_position", units.way * by_angle),
            stated(f"{dof}_velocity", units.way * by_angle),
            gain("ke"),
            gain("kd"),
            _positive(stated("velocity_limit", units.way * (DEGREE if joint.type in TURNS else 1.0))),
            _positive(
                _tighter(stated("effort_limit", units.effort), None if joint.drive is None else joint.drive.effort)
            ),
        )

    def _row(self, joint: Joint) -> Joint:
        own = self._applied(joint)
        return replace(own, further=tuple(self._applied(one) for one in joint.further))

    def _applied(self, joint: Joint) -> Joint:
        """Return one joint with what schemas state."""
        prim = self._prim(joint.name)
        if prim is None or joint.type in (JointType.FIXED, JointType.FLOATING):
            return joint
        self.chain.collect_prim_attrs(prim)
        units = self._units(joint)

        def value(key: str, default: float, unit: float) -> float:
            found = self.chain.authored(prim, PrimType.JOINT, key)
            return default if found is None else float(found) * unit

        dof = self._dof(joint)
        own = None if dof is None else own_damping(prim, dof, self.usd.units)
        by_angle = {"damping": units.gain / self._per_radian(joint), "damping_per_rad": units.gain}
        return replace(
            joint,
            armature=value("armature", self.default.armature, units.gain),
            friction=value("friction", self.default.friction, units.effort),
            damping=self._first(prim, by_angle, self.default.damping if own is None else 0.0) + (own or 0.0),
            stiffness=value("stiffness", joint.stiffness, units.gain),
            rest=value("springref", joint.rest, units.way),
            stated=frozenset(RESISTING),
            drive=None
            if joint.drive is None
            else replace(
                joint.drive, stiffness=joint.drive.stiffness * self.gain, damping=joint.drive.damping * self.gain
            ),
        )

    def _first(self, prim: Any, units: Mapping[str, float], default: float) -> float:
        """Return what the first resolver states that has one of some keys, each in a unit of its own."""
        for resolver in self.chain.resolvers:
            for key, unit in units.items():
                found = resolver.get_value(prim, PrimType.JOINT, key)
                if found is not None:
                    return float(found) * unit
        return default

    def _prim(self, name: str) -> Any | None:
        """Return the prim of a joint; the parts of a generic joint are named after it."""
        paths = self.usd.joint_paths
        path = paths.get(name) or paths.get(name.rpartition(" ")[0])
        return None if path is None else self.usd.stage.GetPrimAtPath(path)

    def _dof(self, joint: Joint) -> str | None:
        """Return the word of schemas for the freedom of a joint."""
        prim = self._prim(joint.name)
        if prim is None:
            return None
        own = ONE_DOF.get(str(prim.GetTypeName()))
        if own is not None:
            return own
        frame = joint.pose_child_joint.rotation.T @ joint.axis
        axis = "XYZ"[int(np.argmax(np.abs(frame)))]
        return f"{'rot' if joint.type in TURNS else 'trans'}{axis}"

    def _units(self, joint: Joint) -> _Units:
        """Return what the numbers of a joint's freedom are in SI."""
        units = self.usd.units
        if joint.type in TURNS or joint.type is JointType.BALL:
            return _Units(1.0, units.inertia, units.inertia)
        return _Units(units.metre, units.kilogram * units.metre, units.kilogram)

    def _per_radian(self, joint: Joint) -> float:
        """Return the radians in the unit of angle that schemas have; 1 for what does not turn."""
        return DEGREE if self.in_degrees and joint.type in TURNS else 1.0


def _tighter(one: float | None, other: float | None) -> float | None:
    return min((bound for bound in (one, other) if bound is not None), default=None)


def _positive(bound: float | None) -> float | None:
    """Return a bound that leaves something; files write zero, and infinity, for none."""
    return bound if bound is not None and 0.0 < bound < math.inf else None
