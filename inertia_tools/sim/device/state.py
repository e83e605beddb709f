# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the bodies of a scene are and how they move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.errors import SimulationError
from inertia_tools.sim.device.custom_arrays import HoldsCustomAttributes, arrays_of, carry_over
from inertia_tools.sim.device.soft_state import SoftState, start_particles
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment
from inertia_tools.spatial import Array, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.sim.device.model import Model

OF_COORDINATES = ("joint_q", "joint_q_left")
OF_DOFS = ("joint_qd", "joint_f_then", "rate_turn", "law_then", "path_bend", "path_zigzag")
"""Arrays of a state with an entry a coordinate, or a degree of freedom; all others have one a body."""


@dataclass(frozen=True, eq=False)
class State(HoldsCustomAttributes):
    """Where the bodies are and how they move, on the device.

    Attributes:
        data: Structure of arrays; see `Precision.State`.
        has_parent_f: `body_parent_f` was requested of the model.
        soft: Particles; None where there are none.
    """

    data: Any
    has_parent_f: bool = False
    custom: Mapping[str, Any] = field(default_factory=dict)
    soft: SoftState | None = None

    @property
    def body_q(self) -> Any:
        """Pose of each body's frame in the world, Warp array; quaternions that are written to it have length 1."""
        return self.data.q

    @property
    def body_qd(self) -> Any:
        """Velocity of the centre of mass [m/s] and angular velocity [rad/s], world axes, Warp array."""
        return self.data.qd

    @property
    def body_f(self) -> Any:
        """Applied force [N] and torque about the centre of mass [N m], world axes, Warp array."""
        return self.data.f

    @property
    def particle_q(self) -> Any:
        """Positions of particles [m], Warp array; None where there are none."""
        return None if self.soft is None else self.soft.particle_q

    @property
    def particle_qd(self) -> Any:
        """Velocities of particles [m/s], Warp array; None where there are none."""
        return None if self.soft is None else self.soft.particle_qd

    @property
    def particle_f(self) -> Any:
        """Applied forces on particles [N], Warp array; None where there are none."""
        return None if self.soft is None else self.soft.particle_f

    def assign(self, other: State) -> None:
        """Take over all that another state of the same scene holds.

        Raises:
            SimulationError: It is of another scene or precision.
        """
        mine, theirs = self.data, other.data
        names = list(mine._cls.vars)
        if mine._cls is not theirs._cls or any(getattr(mine, n).shape != getattr(theirs, n).shape for n in names):
            raise SimulationError("a state takes over from states of its own scene only; make both by model.state()")
        for name in names:
            wp.copy(getattr(mine, name), getattr(theirs, name))
        if self.soft is not None and other.soft is not None:
            for name in ("particle_q", "particle_qd", "particle_f"):
                wp.copy(getattr(self.soft, name), getattr(other.soft, name))
        carry_over(other.custom, self.custom)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.data.q)

    @property
    def joint_coord_count(self) -> int:
        """Number of coordinates of all joints."""
        return len(self.data.joint_q)

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of all joints."""
        return len(self.data.joint_qd)

    def clear_forces(self) -> None:
        """Let no force act on bodies and particles: `body_f` and `particle_f` become zero."""
        self.data.f.zero_()
        if self.soft is not None:
            self.soft.particle_f.zero_()

    @property
    def joint_q(self) -> Any:
        """Coordinates of the joints at the end of the step, turns counted [rad or m], Warp array.

        A ball has a quaternion x, y, z, w; a free joint the pose of its body. They are read from the bodies: writing
        them moves nothing.
        """
        return self.data.joint_q

    @property
    def joint_qd(self) -> Any:
        """Rates of the degrees of freedom [rad/s or m/s], Warp array; read from the bodies likewise."""
        return self.data.joint_qd

    @property
    def body_parent_f(self) -> Any:
        """Wrench that its joints exert on each body, Warp array; None unless it was requested.

        Force [N] and torque about the body's centre of mass [N m], world axes: the mean over the step in axes that turn
        with the body, as it stands at the end. It is zero for free bodies; several
        joints that a body is the child of add up.
        """
        return self.data.parent_f if self.has_parent_f else None


def start_state(model: Model, has_parent_f: bool) -> State:
    """Return the state at the start: all bodies where they were built, and as fast."""
    p, count = model.precision, model.body_count
    special = dict.fromkeys(OF_COORDINATES, model.joint_coord_count)
    special |= dict.fromkeys(OF_DOFS, model.joint_dof_count)
    data = model.sized(p.State, count, special)
    poses = np.reshape([[*pose.position, *pose.quaternion] for pose in model.start], (count, 7))
    written, speeds = model.changed_start("body_q"), model.changed_start("body_qd")
    poses = poses if written is None else written
    data.q = model.array(poses, p.transform)
    data.qd = model.array(model.start_velocities if speeds is None else speeds, p.vec6)
    fresh = np.zeros((count, 6))
    fresh[model.moves, :3] = model.gravities[model.bodies.world.numpy()[:count]][model.moves]
    data.qdd = model.array(fresh, p.vec6)
    data.joint_q = model.array(model.start_coordinates, p.scalar)
    data.joint_qd = model.array(model.start_rates, p.scalar)
    data.joint_q_left = model.array(np.full(len(model.start_coordinates), np.nan), p.scalar)
    if p.name == "float32":
        _keep_rounding(model, data, poses)
    custom = arrays_of(model.custom_arrays, AttributeAssignment.STATE, model.device, State)
    return State(data, has_parent_f, custom, start_particles(model))


def _keep_rounding(model: Model, data: Any, poses: Array) -> None:
    """Keep what single precision leaves out of the poses at the start [m], shape (bodies, 7)."""
    p = model.precision
    turns = [rotation_from_quaternion(pose[3:]) for pose in poses]
    arms = [turn @ np.float32(i.com) for turn, i in zip(turns, model.inertials, strict=True)]
    centres = poses[:, :3] + np.reshape(arms, (-1, 3))
    data.q_left = model.array(poses, p.transform)
    data.x_left = model.array(centres, p.vec3)
    data.x_low_left = model.array(centres - centres.astype(np.float32), p.vec3)
    data.r_low_left = model.array(poses[:, 3:] - poses[:, 3:].astype(np.float32), p.quat)
