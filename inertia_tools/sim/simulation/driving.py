# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Drives of joints, and wrenches on links."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from inertia_tools.description.types import JointMimic
from inertia_tools.errors import OptionError
from inertia_tools.sim.drive_gains import DriveGains
from inertia_tools.sim.joint_limits import JointLimits, stated_limits
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.pushes import push_for
from inertia_tools.sim.scene.given import as_finite_vector, as_named, as_number
from inertia_tools.sim.simulation.running import RunningSimulation
from inertia_tools.spatial import ArrayLike

POSITION_LIMITS = ("joint_limit_lower", "joint_limit_upper")
"""Arrays of the model that limit positions."""


class Driving(RunningSimulation):
    """Drives of joints, and wrenches on links, of a simulation."""

    @property
    def joint_limits(self) -> Mapping[str, JointLimits]:
        """Limits of each joint with one coordinate, from the description or the last `set_position_limits`, by name."""
        built = self._built
        stated = stated_limits(built.described, built.joints)
        lower, upper = (getattr(built.model, name).numpy() for name in POSITION_LIMITS)
        dofs = built.joints.dofs
        now = {name: (float(lower[dofs[name]]), float(upper[dofs[name]])) for name in stated}
        return MappingProxyType({n: replace(one, lower=now[n][0], upper=now[n][1]) for n, one in stated.items()})

    @property
    def mimics(self) -> Mapping[str, JointMimic]:
        """Couplings of joints, by the name of the follower.

        The drive of the leader also moves the follower, which needs none of its own.
        """
        return MappingProxyType(self._built.joints.led)

    @property
    def leading_joints(self) -> tuple[str, ...]:
        """Names of the joints with one coordinate, without followers."""
        return tuple(name for name in self.joint_names if name not in self._built.joints.led)

    def set_joint_targets(
        self,
        positions: Mapping[str, float] | None = None,
        velocities: Mapping[str, float] | None = None,
        efforts: Mapping[str, float] | None = None,
    ) -> None:
        """Set target positions [rad or m], target velocities [rad/s or m/s] and added efforts [N m or N] by joint name.

        Raises:
            OptionError: A target or an effort is not finite.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        given = {"positions": positions, "velocities": velocities, "efforts": efforts}
        fields = {"positions": "target", "velocities": "target_rate", "efforts": "effort"}
        self._built.drives.set(
            **{fields[name]: as_named(name, by_name) for name, by_name in given.items() if by_name is not None}
        )

    def set_joint_gains(
        self,
        stiffness: float | Mapping[str, float] | Mapping[str, DriveGains],
        damping: float | Mapping[str, float] = 0.0,
    ) -> None:
        """Set the gains of drives; zero gains leave a joint free.

        Args:
            stiffness: Effort per position error [N m/rad or N/m], by joint name; infinite makes a drive rigid. A single
                number applies to all joints except followers, whose gains become zero. Both gains of each joint, as
                `default_gains` returns them, are allowed too.
            damping: Effort per velocity error [N m s/rad or N s/m], likewise; ignored where both gains are given.

        Raises:
            OptionError: A gain is negative or NaN.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        given: dict[str, Any] = {"stiffness": stiffness, "damping": damping}
        if isinstance(stiffness, Mapping) and {type(gains) for gains in stiffness.values()} == {DriveGains}:
            given = {field: {name: getattr(gains, field) for name, gains in stiffness.items()} for field in given}
        everywhere = {
            field: gains
            if isinstance(gains, Mapping)
            else dict.fromkeys(self.joint_names, gains) | dict.fromkeys(self.mimics, 0.0)
            for field, gains in given.items()
        }
        self._built.drives.set(**everywhere)

    def default_gains(self) -> Mapping[str, DriveGains]:
        """Return default finite gains for the initial pose, by joint name; see `drive_gains`."""
        return MappingProxyType(self._built.suited_gains)

    def set_drive_limits(
        self, effort: Mapping[str, float] | None = None, velocity: Mapping[str, float] | None = None
    ) -> None:
        """Limit the efforts of drives [N m or N] and the speeds of joints [rad/s or m/s]; infinite means no limit.

        Raises:
            OptionError: A limit is not positive.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        given = {"effort": effort, "velocity": velocity}
        wanted = {f"{what}_limit": as_named(what, limits) for what, limits in given.items() if limits is not None}
        self._built.drives.set(**wanted)

    def set_position_limits(
        self, lower: Mapping[str, float] | None = None, upper: Mapping[str, float] | None = None
    ) -> None:
        """Set position limits of joints [rad or m]; infinite means no limit. Either all are set or none.

        Raises:
            OptionError: A limit is not a number, or a lower one is above the upper one.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        built = self._built
        arrays = [getattr(built.model, name) for name in POSITION_LIMITS]
        values = [array.numpy().astype(np.float64) for array in arrays]
        for numbers, wanted, what in zip(values, (lower, upper), ("lower", "upper"), strict=True):
            for name, value in as_named(what, {} if wanted is None else wanted).items():
                numbers[built.joints.dof(name)] = _as_bound(f"{what} limit of joint {name!r}", value)
        for name in self.joint_names:
            dof = built.joints.dof(name)
            if values[0][dof] > values[1][dof]:
                raise OptionError(f"lower limit of joint {name!r}", values[0][dof], f"at most {values[1][dof]:g}")
        for array, numbers in zip(arrays, values, strict=True):
            array.assign(numbers)
        built.solver.notify_model_changed(SolverNotifyFlags.JOINT_DOF_PROPERTIES)

    def hold(self, stiffness: float | None = None, damping: float | None = None) -> None:
        """Hold every joint at its current position; followers are held by their leaders.

        Args:
            stiffness: See `set_joint_gains`; None makes the drives rigid like brakes, without effort limits.
            damping: See `set_joint_gains`; zero by default.
        """
        now, leading = self._built.joint_positions(), self.leading_joints
        self.set_joint_targets({name: now[name] for name in leading}, dict.fromkeys(leading, 0.0))
        self.set_joint_gains(math.inf if stiffness is None else stiffness, 0.0 if damping is None else damping)
        if stiffness is None:
            self._built.drives.lock(leading)

    def apply_wrench(
        self,
        body: str,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
        duration: float = 0.0,
    ) -> None:
        """Apply a force and a torque to a link.

        Args:
            body: Name of the link.
            force: Force, world axes [N], shape (3,).
            torque: Torque, world axes [N m], shape (3,).
            point: Point of application in the link's frame [m], shape (3,); by default its origin.
            duration: Duration [s]; zero means one step, negative until the next call for this link or a reset.

        Raises:
            OptionError: Force, torque or point are not three finite numbers, or the duration is not a number.
            UnknownLinkError: The robot has no such link.
        """
        if math.isnan(as_number(duration)):
            raise OptionError("duration", duration, "a number of seconds")
        pull, twist = as_finite_vector("force", force), as_finite_vector("torque", torque)
        at = None if point is None else as_finite_vector("point", point)
        place = self._link_place(body)
        if not self._moves(place.body):
            self._warn_of_no_effect(f"a wrench on {body!r}", "it is bolted to the world")
        self._built.pushes.add(body, push_for(place, pull, twist, at, duration, self.dt))


def _as_bound(name: str, value: Any) -> float:
    """Return a number that may be infinite.

    Raises:
        OptionError: The value is not a number; the message calls it `name`.
    """
    number = as_number(value)
    if math.isnan(number):
        raise OptionError(name, value, "a number, or infinite for none")
    return number
