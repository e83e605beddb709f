# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses and velocities of the bodies of a scene, and the forces on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.errors import SimulationError
from inertia_tools.sim.device.custom_arrays import HoldsCustomAttributes, arrays_of, carry_over
from inertia_tools.sim.device.drive_efforts import DRIVE_EFFORTS, add_drive_efforts
from inertia_tools.sim.device.soft_state import SoftState, start_particles
from inertia_tools.sim.kernels.host_view import HostView
from inertia_tools.sim.kernels.replacing import new_key, refuse_another_kind
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment
from inertia_tools.spatial import Array, rotations_from_quaternions

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData

OF_COORDINATES = ("joint_q", "joint_q_last")
OF_DOFS = (
    *("joint_qd", "joint_f_last", "axis_rate_change", "axis_correction", "law_last"),
    *("path_acceleration", "path_acceleration_change", "pieces_last"),
    *("rest_drive", "rest_gains", "rest_limits", "rest_others"),
)
OF_EACH_JOINT = ("held_last",)
"""Arrays of a state with one entry per coordinate, degree of freedom, or joint; others have one per body, or are
`OF_PAIRS`."""

OF_PAIRS = ("coupling",)
"""Arrays of a state with one entry per pair of bodies of a cluster, in scenes with particles."""


BODY_ARRAYS = {
    "body_q": ("q", "Pose of each body's frame in the world [m, x y z w]; written quaternions must have length 1."),
    "body_qd": ("qd", "Velocity of the centre of mass [m/s] and angular velocity [rad/s] of each body, world axes."),
    "body_f": ("f", "Applied force [N] and torque about the centre of mass [N m] on each body, world axes."),
    "joint_q": (
        "joint_q",
        "Coordinates of the joints at the end of the step, turns counted [rad or m]: a ball has a quaternion x, y, "
        "z, w, a free joint the pose of its body. They are computed from the bodies; writing them moves nothing.",
    ),
    "joint_qd": ("joint_qd", "Velocities of the degrees of freedom [rad/s or m/s], likewise."),
}
"""Arrays of a state that users may write or replace, with the name of each in `Precision.State`."""

PARTICLE_ARRAYS = {
    "particle_q": "Positions of particles [m].",
    "particle_qd": "Velocities of particles [m/s].",
    "particle_f": "Applied forces on particles [N].",
}
"""Arrays of particles that users may write or replace."""


def _nothing() -> SimpleNamespace:
    """Return the structure of arrays of a state without a scene."""
    return SimpleNamespace(**{name: None for name, _ in BODY_ARRAYS.values()}, parent_f=None)


@dataclass(eq=False)
class State(HoldsCustomAttributes):
    """Poses and velocities of the bodies, on the device.

    `Model.state` makes the states of a scene. A state that is constructed directly has only the arrays that it is
    given, and cannot be stepped.

    Attributes:
        data: Structure of arrays; see `Precision.State`.
        has_parent_f: Whether `body_parent_f` was requested of the model.
        soft: Particles; None without particles.
        key: Identifies this set of arrays among those of all states; it changes when an array is replaced.
    """

    data: Any = field(default_factory=_nothing)
    has_parent_f: bool = False
    custom: dict[str, Any] = field(default_factory=dict)
    soft: SoftState | None = None
    key: int = field(default_factory=new_key, init=False)
    _loose: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    _views: dict[str, HostView] = field(default_factory=lambda: defaultdict(HostView), init=False, repr=False)

    def on_host(self, name: str) -> Array:
        """Return one of `BODY_ARRAYS` as a read-only NumPy array; on a CPU it shares memory."""
        return self._views[name].of(getattr(self.data, BODY_ARRAYS[name][0]))

    @property
    def has_scene(self) -> bool:
        """Whether the state belongs to a scene."""
        return not isinstance(self.data, SimpleNamespace)

    def put(self, name: str, array: Any) -> None:
        """Replace an array; the old one is no longer part of the state.

        Args:
            name: One of `BODY_ARRAYS` or `PARTICLE_ARRAYS`.
            array: A Warp array of the same type, length and device.

        Raises:
            OptionError: `array` has another type, length or device, or the state has no such array.
        """
        if self.has_scene:
            refuse_another_kind(f"state.{name}", array, getattr(self, name))
        if name in BODY_ARRAYS:
            setattr(self.data, BODY_ARRAYS[name][0], array)
        elif self.soft is not None:
            self.soft = replace(self.soft, **{name: array})
        else:
            self._loose[name] = array
        self.key = new_key()

    def assign(self, other: State) -> None:
        """Copy everything from another state of the same scene.

        Raises:
            SimulationError: The other state belongs to another scene or precision.
            OptionError: One of the two lacks a custom attribute of the other.
        """
        mine, theirs = self.data, other.data
        if not (self.has_scene and other.has_scene and mine._cls is theirs._cls):
            raise SimulationError(FOREIGN)
        names = list(mine._cls.vars)
        if any(getattr(mine, n).shape != getattr(theirs, n).shape for n in names):
            raise SimulationError(FOREIGN)
        carry_over(other.custom, self.custom)
        for name in names:
            wp.copy(getattr(mine, name), getattr(theirs, name))
        if self.soft is not None and other.soft is not None:
            for array, source in zip(self.soft.arrays(), other.soft.arrays(), strict=True):
                wp.copy(array, source)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return 0 if self.data.q is None else len(self.data.q)

    @property
    def joint_coord_count(self) -> int:
        """Number of coordinates of all joints."""
        return 0 if self.data.joint_q is None else len(self.data.joint_q)

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of all joints."""
        return 0 if self.data.joint_qd is None else len(self.data.joint_qd)

    @property
    def particle_count(self) -> int:
        """Number of particles."""
        return 0 if self.particle_q is None else len(self.particle_q)

    def clear_forces(self) -> None:
        """Set the forces on bodies and particles, `body_f` and `particle_f`, to zero."""
        for forces in (self.body_f, self.particle_f):
            if forces is not None:
                forces.zero_()

    @property
    def body_parent_f(self) -> Any:
        """Wrench of its joints on each body, Warp array; None unless it was requested.

        Force [N] and torque about the body's centre of mass [N m], world axes. It is the mean over the step in axes
        that rotate with the body, at its orientation at the end. It is zero for free bodies; the wrenches of several
        joints with the same child add up.
        """
        return self.data.parent_f if self.has_parent_f else None


FOREIGN = "a state can be assigned only from states of the same scene; create both by model.state()"


def _body_array(name: str) -> property:
    inner, doc = BODY_ARRAYS[name]
    return property(attrgetter(f"data.{inner}"), lambda state, array: state.put(name, array), doc=f"{doc} Warp array.")


def _particle_array(name: str) -> property:
    def read(state: State) -> Any:
        return state._loose.get(name) if state.soft is None else getattr(state.soft, name)

    doc = f"{PARTICLE_ARRAYS[name]} Warp array; None without particles."
    return property(read, lambda state, array: state.put(name, array), doc=doc)


for _name in BODY_ARRAYS:
    setattr(State, _name, _body_array(_name))
for _name in PARTICLE_ARRAYS:
    setattr(State, _name, _particle_array(_name))


def start_state(model: ModelData, requested: Collection[str]) -> State:
    """Return the initial state of the bodies, with the arrays that were requested."""
    p, count = model.precision, model.body_count
    special = dict.fromkeys(OF_COORDINATES, model.joint_coord_count)
    special |= dict.fromkeys(OF_DOFS, model.joint_dof_count)
    special |= dict.fromkeys(OF_EACH_JOINT, model.joint_count)
    special |= dict.fromkeys(OF_PAIRS, 0 if model.soft is None else model.coupled_pairs)
    data = model.sized(p.State, count, special)
    written, speeds = model.changed_start("body_q"), model.changed_start("body_qd")
    poses = model.start_poses if written is None else written
    data.q = model.array(poses, p.transform)
    data.qd = model.array(model.start_velocities if speeds is None else speeds, p.vec6)
    fresh = np.zeros((count, 6))
    falls = model.gravities[model.bodies.world.numpy()[:count]]
    fresh[model.moves, :3] = falls[model.moves]
    data.qdd, data.fall_last = model.array(fresh, p.vec6), model.array(falls, p.vec3)
    coordinates, rates = model.changed_start("joint_q"), model.changed_start("joint_qd")
    data.joint_q = model.array(model.start_coordinates if coordinates is None else coordinates, p.scalar)
    data.joint_qd = model.array(model.start_rates if rates is None else rates, p.scalar)
    data.joint_q_last = model.array(np.full(len(model.start_coordinates), np.nan), wp.float64)
    if p.name == "float32":
        _keep_rounding(model, data, poses)
    custom = arrays_of(model.custom_arrays, AttributeAssignment.STATE, model.device, State)
    if DRIVE_EFFORTS in requested:
        add_drive_efforts(model, custom)
    return State(data, "body_parent_f" in requested, custom, start_particles(model))


def hand_on(source: State, target: State) -> None:
    """Copy the bodies and joints of a state to another one of the same scene, but not the forces."""
    for name in source.data._cls.vars:
        if name != "f":
            wp.copy(getattr(target.data, name), getattr(source.data, name))


def particles_of(state: State) -> SoftState:
    """Return the particles of a state.

    Raises:
        SimulationError: The state has no particles, because it belongs to another scene.
    """
    if state.soft is None:
        raise SimulationError("the state has no particles, but the solver's model has; create it by model.state()")
    return state.soft


def _keep_rounding(model: ModelData, data: Any, poses: Array) -> None:
    """Store the low-order parts of the start poses in single precision [m], shape (bodies, 7)."""
    p = model.precision
    coms = np.reshape([inertial.com for inertial in model.inertials], (-1, 3)).astype(np.float32)
    centres = poses[:, :3] + np.einsum("nij,nj->ni", rotations_from_quaternions(poses[:, 3:]), coms)
    data.q_last = model.array(poses, p.transform)
    data.x_last = model.array(centres, p.vec3)
    data.x_low_last = model.array(centres - centres.astype(np.float32), p.vec3)
    data.r_low_last = model.array(poses[:, 3:] - poses[:, 3:].astype(np.float32), p.quat)
