# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joint targets by name, limited like those of hardware drives, and the gains of the drives.

Nothing here depends on ROS.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inertia_tools.errors import MimicJointError, OptionError

if TYPE_CHECKING:
    from inertia_tools.description.types import JointMimic
    from inertia_tools.sim.joint_limits import JointLimits
    from inertia_tools.sim.simulation import Simulation

DERIVED = -1.0
"""Value for a gain that is derived from the robot; see `Simulation.default_gains`."""

LARGEST_COMMAND = 1e6
"""Bound of commands for joints without limits of their own [rad, m, ...].

Larger commands are mistakes of the sender, and no solver could follow them.
"""

LEAST_GAIN = 1e-30
"""Gain used in place of zero, so that the joint keeps its drive, which acts once its gains are raised again."""

AGREES_WITHIN = 1e-3
"""Permitted difference of a command for a mimic joint from its leader's [rad, m, ...].

Senders that command all joints of a robot use other solvers and rounding.
"""


@dataclass(frozen=True)
class JointControl:
    """How drives follow commands.

    Attributes:
        stiffness: Effort per unit of position error [N m/rad or N/m]; infinite is rigid, negative is derived.
        damping: Effort per unit of velocity error [N m s/rad or N s/m]; negative is derived.
        is_limited: Whether commands are limited by the description's limits.
    """

    stiffness: float = DERIVED
    damping: float = DERIVED
    is_limited: bool = True

    def gains_of(self, simulation: Simulation, names: Sequence[str]) -> dict[str, tuple[float, float]]:
        """Return stiffness and damping of joints, by name."""
        stated = max(self.stiffness, LEAST_GAIN), max(self.damping, LEAST_GAIN)
        if self.stiffness >= 0.0 and self.damping >= 0.0:
            return dict.fromkeys(names, stated)
        derived = simulation.default_gains()
        return {
            name: (
                stated[0] if self.stiffness >= 0.0 else derived[name].stiffness,
                stated[1] if self.damping >= 0.0 else derived[name].damping,
            )
            for name in names
        }

    def hold(self, simulation: Simulation, names: Sequence[str] | None = None) -> None:
        """Hold joints, by default all, at their current positions; followers are held by their leaders."""
        now, wanted = simulation.snapshot().joint_positions, set(simulation.joint_names if names is None else names)
        held = [name for name in simulation.leading_joints if name in wanted]
        self.drive(simulation, JointTargets(positions={name: now[name] for name in held}))

    def check(self, simulation: Simulation, targets: JointTargets) -> JointTargets:
        """Return the limited targets of all joints except followers.

        Raises:
            MimicJointError: A mimic joint is commanded differently from its leader.
            OptionError: Commands are limited, and one for a joint without a limit exceeds `LARGEST_COMMAND`.
        """
        led = targets.of_leaders(simulation.mimics)
        return led.within(simulation.joint_limits if self.is_limited else {}, self.is_limited)

    def drive(self, simulation: Simulation, targets: JointTargets) -> None:
        """Set the targets of drives, either all or none; for errors see `check`."""
        limited = self.check(simulation, targets)
        names = limited.names
        gains = self.gains_of(simulation, names)
        stiffness = {name: gains[name][0] if name in limited.positions else 0.0 for name in names}
        follows = limited.positions.keys() | limited.velocities.keys()
        damping = {name: gains[name][1] if name in follows else 0.0 for name in names}
        positions, velocities, efforts = _with_feed_forward(limited, stiffness, damping)
        simulation.set_joint_targets(positions, velocities, efforts)
        led = {name: 0.0 for name, one in simulation.mimics.items() if one.joint in names}
        simulation.set_joint_gains(stiffness | led, damping | led)
        self.bound(simulation, names)

    def bound(self, simulation: Simulation, names: Collection[str]) -> None:
        """Limit efforts and velocities of drives by the joints' limits, or not at all if commands are not limited."""
        limits = simulation.joint_limits if self.is_limited else {}
        simulation.set_drive_limits(
            effort={name: limits[name].effort if name in limits else math.inf for name in names},
            velocity={name: limits[name].velocity if name in limits else math.inf for name in names},
        )


@dataclass(frozen=True)
class JointTargets:
    """Targets by joint name.

    A joint with a position target follows it, one with only a velocity target follows that, and one with only an effort
    moves freely under it. An effort beside a position or a velocity is added to that of the drive.

    Attributes:
        positions: Positions to drive to [rad or m].
        velocities: Velocities to drive to [rad/s or m/s].
        efforts: Efforts to apply [N m or N].
    """

    positions: Mapping[str, float] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)
    efforts: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints that have a target of any kind."""
        return tuple(sorted({*self.positions, *self.velocities, *self.efforts}))

    def of(self, known: set[str]) -> JointTargets:
        """Return the targets of the given joints only."""
        kinds = (self.positions, self.velocities, self.efforts)
        return JointTargets(*({n: v for n, v in values.items() if n in known} for values in kinds))

    def renamed(self, names: Mapping[str, Sequence[str]]) -> JointTargets:
        """Return the targets for the joints that are given for each name."""
        kinds = (self.positions, self.velocities, self.efforts)
        return JointTargets(*({full: v for n, v in values.items() for full in names[n]} for values in kinds))

    def of_leaders(self, mimics: Mapping[str, JointMimic]) -> JointTargets:
        """Return the targets without those of mimic joints, which must agree with their leaders.

        Raises:
            MimicJointError: A position or a velocity differs from that of the leader's target, or there is an effort.
        """
        followers = [name for name in self.names if name in mimics]
        for name in followers:
            one = mimics[name]
            for values, ratio, offset in (
                (self.positions, one.multiplier, one.offset),
                (self.velocities, one.multiplier, 0.0),
                (self.efforts, 0.0, 0.0),
            ):
                led = offset + ratio * values.get(one.joint, math.nan if ratio else 0.0)
                if name in values and not abs(values[name] - led) <= AGREES_WITHIN:
                    raise MimicJointError(name, one.joint)
        return self.of(set(self.names).difference(followers))

    def within(self, limits: Mapping[str, JointLimits], is_limited: bool) -> JointTargets:
        """Return the targets limited to the permitted range.

        Raises:
            OptionError: `is_limited` is set, and a target of a joint without a limit exceeds `LARGEST_COMMAND`.
        """

        def bounded(kind: str, name: str, value: float, low: float, high: float) -> float:
            value = min(max(value, low), high)
            if is_limited and abs(value) > LARGEST_COMMAND:
                raise OptionError(f"{kind} command of joint {name!r}", value, f"at most {LARGEST_COMMAND:g}")
            return value

        inf = math.inf
        positions, velocities, efforts = {}, {}, {}
        for name, value in self.positions.items():
            low, high = (limits[name].lower, limits[name].upper) if name in limits else (-inf, inf)
            positions[name] = bounded("position", name, value, low, high)
        for name, value in self.velocities.items():
            most = limits[name].velocity if name in limits else inf
            velocities[name] = bounded("velocity", name, value, -most, most)
        for name, value in self.efforts.items():
            most = limits[name].effort if name in limits else inf
            efforts[name] = bounded("effort", name, value, -most, most)
        return JointTargets(positions, velocities, efforts)


def _with_feed_forward(
    targets: JointTargets, stiffness: Mapping[str, float], damping: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return targets of drives, with efforts beside other targets converted to offsets of those targets.

    The drive's effort limit then applies to both together. Rigid drives need no such conversion.
    """
    positions = dict(targets.positions)
    velocities = dict.fromkeys(positions, 0.0) | dict(targets.velocities)
    efforts = dict.fromkeys(targets.names, 0.0)
    for name, effort in targets.efforts.items():
        if stiffness[name] > 0.0:
            positions[name] += effort / stiffness[name]
        elif damping[name] > 0.0:
            velocities[name] += effort / damping[name]
        else:
            efforts[name] = effort
    return positions, velocities, efforts
