# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One degree of freedom of a joint: its axis, its limits, its drive, and what resists it."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from inertia_tools.errors import OptionError, UnknownOptionError
from inertia_tools.sim.scene.axis import as_direction
from inertia_tools.sim.scene.given import as_finite, as_number
from inertia_tools.sim.scene.known_names import KnownAttributes
from inertia_tools.spatial import ArrayLike

FINITE = frozenset({"target_pos", "target_vel", "springref"})
NOT_NEGATIVE = ("target_ke", "target_kd", "armature", "friction", "damping", "stiffness")
MAY_BE_INFINITE = {
    **dict.fromkeys(("limit_lower", "limit_upper"), "a number; omit it for no limit"),
    **dict.fromkeys(("limit_ke", "limit_kd"), "a number; inf is a rigid limit"),
}
POSITIVE = ("effort_limit", "velocity_limit", "drive_velocity_limit")


class JointTargetMode(enum.IntEnum):
    """Which gains of a drive act; the values are Newton's."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    POSITION_VELOCITY = 3
    EFFORT = 4


MAXVAL = math.inf
"""Stands for no limit."""

LIMIT_KE = 1e4
LIMIT_KD = 10.0
"""Stiffness and damping of limits in solvers whose limits give, where nothing is stated."""

ALIASES = {"target_q": "target_pos", "target_qd": "target_vel", "rest_q": "springref", "actuator_mode": "target_mode"}
"""Other names of fields, as newer releases of Newton have them."""


@dataclass(init=False)
class JointDofConfig(KnownAttributes):
    """A degree of freedom; positions are in rad or m, efforts in N m or N.

    `target_q`, `target_qd`, `rest_q` and `actuator_mode` are other names of `target_pos`, `target_vel`, `springref` and
    `target_mode`.

    Attributes:
        axis: Direction in the joint's frame, shape (3,), whose length does not matter; or an `Axis`.
        limit_lower: Lower position limit [rad or m].
        limit_upper: Upper position limit [rad or m].
        target_pos: Target position of the drive [rad or m].
        target_vel: Target velocity of the drive [rad/s or m/s].
        target_ke: Stiffness of the drive [N m/rad or N/m]; infinite: rigid.
        target_kd: Damping of the drive [N m s/rad or N s/m].
        target_mode: `POSITION` ignores the target velocity, `VELOCITY` the stiffness, `NONE` and `EFFORT` the drive;
            None and `POSITION_VELOCITY` use all.
        armature: Rotor inertia reflected to this degree of freedom [kg m^2 or kg].
        friction: Coulomb friction, static and kinetic [N m or N].
        effort_limit: Effort limit of the drive [N m or N].
        velocity_limit: Velocity limit of the joint [rad/s or m/s].
        drive_velocity_limit: Velocity limit while the drive has gains [rad/s or m/s].
        damping: Viscous damping of the joint [N m s/rad or N s/m].
        stiffness: Stiffness of the joint spring [N m/rad or N/m].
        springref: Rest position of that spring [rad or m].
        limit_ke: Limit stiffness of other solvers; limits are hard here, so a value causes one warning.
        limit_kd: Likewise.
    """

    axis: ArrayLike = (1.0, 0.0, 0.0)
    limit_lower: float = -math.inf
    limit_upper: float = math.inf
    target_pos: float = 0.0
    target_vel: float = 0.0
    target_ke: float = 0.0
    target_kd: float = 0.0
    target_mode: JointTargetMode | int | None = None
    armature: float = 0.0
    friction: float = 0.0
    effort_limit: float = math.inf
    velocity_limit: float = math.inf
    drive_velocity_limit: float = math.inf
    damping: float = 0.0
    stiffness: float = 0.0
    springref: float = 0.0
    limit_ke: float = LIMIT_KE
    limit_kd: float = LIMIT_KD

    def __init__(self, axis: Any = None, **values: Any) -> None:
        """Take what is given, by field or by its other name; what is None stays at its default.

        Raises:
            UnknownOptionError: There is no such field.
            OptionError: An axis is none.
        """
        known = {field.name: field.default for field in fields(JointDofConfig)}
        for name, value in values.items():
            field = ALIASES.get(name, name)
            if field not in known:
                raise UnknownOptionError("JointDofConfig", name, [*known, *ALIASES])
            if value is not None:
                known[field] = value
        if axis is not None:
            known["axis"] = as_direction(axis)
        for field, value in known.items():
            object.__setattr__(self, field, value)

    @classmethod
    def create_unlimited(cls, axis: Any) -> JointDofConfig:
        """Return a degree of freedom without limits, drive, rotor and friction."""
        return cls(axis, limit_ke=0.0, limit_kd=0.0)

    @property
    def mode(self) -> JointTargetMode:
        """The target mode, derived from the gains if none is given."""
        if self.target_mode is not None:
            return JointTargetMode(self.target_mode)
        if self.target_ke > 0.0:
            return JointTargetMode.POSITION_VELOCITY if self.target_kd > 0.0 else JointTargetMode.POSITION
        return JointTargetMode.VELOCITY if self.target_kd > 0.0 else JointTargetMode.NONE

    def with_mode(self) -> JointDofConfig:
        """Return a copy in which gains and targets that the target mode ignores are zero.

        Raises:
            OptionError: There is no such mode.
        """
        if self.target_mode is None:
            return replace(self)
        self._known_mode()
        idle = self.target_mode in (JointTargetMode.NONE, JointTargetMode.EFFORT)
        return replace(
            self,
            target_ke=0.0 if idle or self.target_mode == JointTargetMode.VELOCITY else self.target_ke,
            target_kd=0.0 if idle else self.target_kd,
            target_vel=0.0 if self.target_mode == JointTargetMode.POSITION else self.target_vel,
        )

    def _known_mode(self) -> None:
        try:
            JointTargetMode(0 if self.target_mode is None else self.target_mode)
        except ValueError:
            said = ", ".join(mode.name for mode in JointTargetMode)
            raise OptionError("target_mode", self.target_mode, said) from None

    def check(self) -> None:
        """Check the values.

        Raises:
            OptionError: A value is negative or not a number, or the lower limit exceeds the upper one.
        """
        for name in FINITE:
            as_finite(name, getattr(self, name))
        for name in NOT_NEGATIVE:
            value = as_number(getattr(self, name))
            if not value >= 0.0 or (math.isinf(value) and name != "target_ke"):
                raise OptionError(name, getattr(self, name), "a finite number, zero or more")
        for name in POSITIVE:
            if not as_number(getattr(self, name)) > 0.0:
                raise OptionError(name, getattr(self, name), "more than zero; omit it for no limit")
        for name, allowed in MAY_BE_INFINITE.items():
            if math.isnan(as_number(getattr(self, name))):
                raise OptionError(name, getattr(self, name), allowed)
        self._known_mode()
        if not self.limit_lower <= self.limit_upper:
            raise OptionError("limit_lower", self.limit_lower, f"no more than limit_upper, {self.limit_upper}")


def _alias(field: str) -> property:
    """Return an attribute that is a field under another name."""
    return property(
        attrgetter(field), lambda config, value: setattr(config, field, value), doc=f"The same as `{field}`."
    )


for _name, _field in ALIASES.items():
    setattr(JointDofConfig, _name, _alias(_field))
