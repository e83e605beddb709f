# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A scene on a device: what does not change, its state, its drives, and its contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import warp as wp

from inertia_tools.inertial import Inertial
from inertia_tools.sim.custom_arrays import CustomArray, HoldsCustomAttributes, arrays_of
from inertia_tools.sim.custom_attributes import AttributeAssignment as Assignment
from inertia_tools.sim.custom_attributes import AttributeFrequency
from inertia_tools.sim.precision import Precision
from inertia_tools.spatial import Array, Pose


@dataclass(frozen=True, eq=False)
class State(HoldsCustomAttributes):
    """Where the bodies are and how they move, on the device.

    Attributes:
        data: Structure of arrays with one entry a body: `q` the pose of the body's frame (position, quaternion
            x, y, z, w); `qd` the velocity of the centre of mass and the angular velocity, world axes; `qdd` the
            acceleration and the torque at that instant; `f` the applied force and torque about the centre of mass;
            `joint_q` the coordinate of the joint that holds the body.
    """

    data: Any
    custom: Mapping[str, Any] = field(default_factory=dict)

    @property
    def body_q(self) -> Any:
        """Pose of each body's frame in the world, Warp array."""
        return self.data.q

    @property
    def body_qd(self) -> Any:
        """Velocity of the centre of mass [m/s] and angular velocity [rad/s], world axes, Warp array."""
        return self.data.qd

    @property
    def body_f(self) -> Any:
        """Applied force [N] and torque about the centre of mass [N m], world axes, Warp array."""
        return self.data.f


@dataclass(frozen=True, eq=False)
class Control(HoldsCustomAttributes):
    """Drives of the joints, one entry for each body, on the device; see `Precision.Control`."""

    data: Any
    custom: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Contacts(HoldsCustomAttributes):
    """Contacts of the last step, and what friction holds, one entry for each slot, on the device."""

    data: Any
    slot_count: int
    custom: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Model(HoldsCustomAttributes):
    """A finished scene.

    Attributes:
        precision: Types of its numbers.
        device: Where it lies, as Warp names it.
        bodies, shapes: Structures of arrays.
        slot_count: Number of contact slots.
        slot_shapes: Shapes of each slot's feature and solid, shape (slots, 2).
        slot_bodies: Bodies of those, shape (slots, 2).
        labels: What each shape belongs to.
        mass: Mass of each body [kg], zero for what does not move.
        start: Pose of each body at the start.
        names: Name of each body.
        inertials: Mass properties of each body in its own frame.
        gravity: Acceleration of free fall [m/s^2], shape (3,).
        custom_arrays: Attributes that users added, of whatever they belong to.
        custom: Those that belong to the model.
    """

    AttributeAssignment: ClassVar[type[Assignment]] = Assignment
    AttributeFrequency: ClassVar[type[AttributeFrequency]] = AttributeFrequency

    precision: Precision
    device: str
    bodies: Any
    shapes: Any
    slot_count: int
    slot_shapes: np.ndarray
    slot_bodies: np.ndarray
    labels: tuple[str, ...]
    start: tuple[Pose, ...]
    names: tuple[str, ...]
    inertials: tuple[Inertial, ...]
    moves: np.ndarray
    gravity: Array
    custom_arrays: tuple[CustomArray, ...] = ()
    custom: Mapping[str, Any] = field(default_factory=dict)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.names)

    def state(self) -> State:
        """Return the state at the start: everything at rest."""
        p, count = self.precision, self.body_count
        data = p.State()
        poses = [[*pose.position, *pose.quaternion] for pose in self.start]
        data.q = self.array(np.reshape(poses, (count, 7)), p.transform)
        data.qd = self.zeros(count, p.vec6)
        fresh = np.zeros((count, 6))
        fresh[self.moves, :3] = self.gravity
        data.qdd = self.array(fresh, p.vec6)
        data.f = self.zeros(count, p.vec6)
        data.joint_q = self.zeros(count, p.scalar)
        return State(data, custom=self._custom(Assignment.STATE, State))

    def control(self) -> Control:
        """Return drives that do nothing."""
        data = self.precision.Control()
        for name in ("target", "target_rate", "stiffness", "damping", "effort"):
            setattr(data, name, self.zeros(self.body_count, self.precision.scalar))
        return Control(data, custom=self._custom(Assignment.CONTROL, Control))

    def contacts(self) -> Contacts:
        """Return contacts that hold nothing yet."""
        p, data = self.precision, self.precision.Contacts()
        for name in ("slip", "friction_impulse", "force", "point", "normal", "arm", "lacks"):
            setattr(data, name, self.zeros(self.slot_count, p.vec3))
        for name in ("normal_impulse", "depth", "load", "grip"):
            setattr(data, name, self.zeros(self.slot_count, p.scalar))
        for name in ("slides", "braced", "close"):
            setattr(data, name, self.zeros(self.slot_count, wp.int32))
        data.near = self.zeros(self.shapes.pair_count, wp.int32)
        data.spring = self.zeros(self.slot_count, p.mat33)
        return Contacts(data, self.slot_count, custom=self._custom(Assignment.CONTACT, Contacts))

    def collide(self, state: State, contacts: Contacts) -> int:
        """Find where shapes overlap in a state, without moving anything; a step does so by itself.

        Args:
            state: Where the bodies are.
            contacts: Takes points, normals and depths; the depth is zero where nothing overlaps, and forces are zero.

        Returns:
            The number of points that overlap.
        """
        from inertia_tools.sim.xpbd.detect import detect_kernel

        inputs = [self.bodies, self.shapes, contacts.data, self.scratch(), state.data]
        wp.launch(detect_kernel(self.precision), dim=1, inputs=inputs, device=self.device)
        return int(np.count_nonzero(contacts.data.depth.numpy()[: self.slot_count]))

    def _custom(self, assignment: Assignment, holder: type) -> dict[str, Any]:
        """Return the attributes that users added to one kind of object, at their values at the start."""
        return arrays_of(self.custom_arrays, assignment, self.device, holder)

    def scratch(self) -> Any:
        """Return the arrays that a kernel works in."""
        work = self.precision.Work()
        for name, variable in self.precision.Work.vars.items():
            setattr(work, name, self.zeros(self.body_count, variable.type.dtype))
        return work

    def array(self, values: Any, dtype: Any) -> Any:
        """Put values on the device."""
        return wp.array(
            np.ascontiguousarray(values, dtype=_numpy_type(dtype, self.precision)), dtype=dtype, device=self.device
        )

    def zeros(self, count: int, dtype: Any) -> Any:
        """Put zeros on the device; Warp wants at least one."""
        return wp.zeros(max(count, 1), dtype=dtype, device=self.device)


def _numpy_type(dtype: Any, p: Precision) -> Any:
    return np.int32 if dtype is wp.int32 else p.numpy
