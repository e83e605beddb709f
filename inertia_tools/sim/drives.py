# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the drives of a robot in a simulation, by joint name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.constraints.drive_law import DriveLaw
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.scene.given import as_finite, as_named, as_number
from inertia_tools.spatial import Array

ARRAYS = {
    "target": "joint_target_pos",
    "target_rate": "joint_target_vel",
    "stiffness": "joint_target_ke",
    "damping": "joint_target_kd",
    "effort": "joint_f",
    "effort_limit": "joint_effort_limit",
    "velocity_limit": "joint_velocity_limit",
    "drive_velocity_limit": "joint_drive_velocity_limit",
}
"""Settings of a joint's drive, each with its array in the control or in the model."""

LOCKED = "locked"
"""Key of `Drives.values` for the effort limits of locked drives: rows of a degree of freedom and its limit."""

GAINS = frozenset({"stiffness", "damping"})
LIMITS = frozenset({"effort_limit", "velocity_limit"})
TARGETS = frozenset({"target", "target_rate"})


class Drives:
    """Settings of the drives of a robot, in double precision, and their arrays on the device.

    Args:
        model: The scene.
        control: Control of the steps, whose arrays are written.
        joints: The robot's joints.
    """

    def __init__(self, model: Model, control: Control, joints: NamedJoints) -> None:
        self._model, self._control, self._joints = model, control, joints
        self._new_targets: set[str] = set()
        self._dofs = np.array([joints.dofs[name] for name in joints.names], dtype=int)
        self._coordinates = np.array([joints.places[name] for name in joints.names], dtype=int)
        self._arrays = {
            field: getattr(control if hasattr(control, name) else model, name) for field, name in ARRAYS.items()
        }
        self._locked: dict[int, float] = {}
        self._values = {field: array.numpy().astype(np.float64) for field, array in self._arrays.items()}

    def lock(self, names: Iterable[str]) -> None:
        """Remove the effort limits of joints' rigid drives, as for brakes, until they get other gains."""
        limits = self._values["effort_limit"]
        for dof in (self._joints.dof(name) for name in names):
            self._locked.setdefault(dof, limits[dof])
            limits[dof] = math.inf
        self._arrays["effort_limit"].assign(limits)

    def set(self, **wanted: Mapping[str, float]) -> None:
        """Set fields of drives, each by joint name; the units are those of `ARRAYS`. Either all are set or none.

        New gains end the effect of `lock`; a limit replaces the limit in the description.

        Raises:
            OptionError: A gain is negative or NaN, a limit is not above zero, or something else is not finite.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        for field, by_name in wanted.items():
            for name, value in as_named(field, by_name).items():
                self._joints.dof(name)
                _check(field, name, value)
        for field, by_name in wanted.items():
            for name, value in by_name.items():
                dof = self._joints.dof(name)
                self._values[field][dof] = value
                if field in TARGETS and value != 0.0:
                    self._new_targets.add(name)
                if field in GAINS and dof in self._locked:
                    self._values["effort_limit"][dof] = self._locked.pop(dof)
                elif field == "effort_limit":
                    self._locked.pop(dof, None)
                elif field == "velocity_limit":
                    self._values["drive_velocity_limit"][dof] = math.inf
            if by_name:
                for changed in {field, "effort_limit", "drive_velocity_limit"}:
                    self._arrays[changed].assign(self._values[changed])

    @property
    def rigid(self) -> frozenset[str]:
        """Names of the joints with rigid drives."""
        stiffness = self._values["stiffness"][self._dofs].tolist()
        if math.inf not in stiffness:
            return frozenset()
        return frozenset(name for name, one in zip(self._joints.names, stiffness, strict=True) if one == math.inf)

    def efforts_at(self, positions: Array, rates: Array) -> Array:
        """Return the efforts of the drives at given positions and rates, added efforts included [N m or N].

        Args:
            positions: Joint positions, in the order of the joints [rad or m], shape (joints,).
            rates: Joint velocities, in the same order [rad/s or m/s], shape (joints,).

        Returns:
            Efforts in the order of the joints, shape (joints,); NaN for rigid drives.
        """
        law = self._law
        law.q[self._coordinates], law.qd[self._dofs] = positions, rates
        return np.asarray((law.efforts() + self._values["effort"])[self._dofs])

    @cached_property
    def _law(self) -> DriveLaw:
        return DriveLaw(self._model, self._control)

    def idle_targets(self) -> list[str]:
        """Return the joints that got a target since the last call although their drives have no gains."""
        names, self._new_targets = sorted(self._new_targets), set()
        dofs = {name: self._joints.dof(name) for name in names}
        gains = self._values["stiffness"] + self._values["damping"]
        return [name for name, dof in dofs.items() if not gains[dof] > 0.0]

    def values(self) -> dict[str, Array]:
        """Return all settings, for `restore`."""
        saved = {field: values.copy() for field, values in self._values.items()}
        return saved | {LOCKED: np.array(list(self._locked.items())).reshape(-1, 2)}

    def restore(self, values: Mapping[str, Array]) -> None:
        """Restore the settings that `values` returned."""
        self._locked = {int(dof): float(limit) for dof, limit in values[LOCKED]}
        for field in self._arrays:
            self._values[field] = values[field].copy()
            self._arrays[field].assign(values[field])


def _check(field: str, name: str, value: float) -> None:
    if field in GAINS:
        if not as_number(value) >= 0.0:
            raise OptionError(f"{field} of joint {name!r}", value, "zero or more")
    elif field in LIMITS:
        if not as_number(value) > 0.0:
            raise OptionError(f"{field} of joint {name!r}", value, "more than zero; infinite for none")
    else:
        as_finite(f"{field} of joint {name!r}", value)
