# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One robot on a floor, or a world: the facade that the node, the command line and notebooks use."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError, SimulationError, UnknownLinkError
from inertia_tools.sim.builder import GRAVITY, ModelBuilder
from inertia_tools.sim.device.finite import check_finite
from inertia_tools.sim.device.model import Model
from inertia_tools.sim.device.state import State
from inertia_tools.sim.drive_gains import DriveGains, suited_gains
from inertia_tools.sim.drives import Drives
from inertia_tools.sim.floor import add_floor
from inertia_tools.sim.importing.articulation import LinkPlace
from inertia_tools.sim.joint_efforts import drive_efforts
from inertia_tools.sim.joint_limits import JointLimits, stated_limits
from inertia_tools.sim.named_joints import named_joints
from inertia_tools.sim.observation import BodyContact, Snapshot, observe_contacts, observe_robot
from inertia_tools.sim.pushes import Pushes, push_for
from inertia_tools.sim.saved_state import SavedState, copied_arrays, pushes_of, put_back
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.given import as_finite, as_finite_vector, as_named
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.xform import as_pose
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Array, ArrayLike, Pose

if TYPE_CHECKING:
    from inertia_tools.usd import SchemaResolver

LOST = "more than {} contacts are near in a step, and the others are not felt; give meshes fewer corners"

IDLE = "targets of {} have no effect: their drives have no gains; call set_joint_gains or hold"

DEFAULT_SUBSTEPS = 4
DEFAULT_ITERATIONS = 3
MANY_STEPS = 100
"""Who asks for so many steps at once waits for them all, and gets them sooner without drafts of kernels."""


class Simulation:
    """A robot, standing on a floor or bolted to the world; or a world with all that is in it.

    Args:
        robot: The description; its inertials must be possible.
        dt: Length of a step [s].
        substeps: Substeps of each step.
        gravity: Acceleration of free fall [m/s^2].
        ground: Put a floor at z = 0, unless the file is a world, which has its own, or has one itself; or what to put
            there instead, terrain or triangles about the world's origin. What stands on these starts as on a floor:
            `lift` it first.
        fixed_base: Bolt every root link to the world; one named `world` is anyway.
        pose: Pose of the root link at the start, or of the document's frame where several links are roots; by default
            the lowest point of a robot touches z = 0, and a world is as its file says.
        device: Where to compute, as Warp names it: "cpu", "cuda:0".
        dtype: "float32", or "float64", which costs next to nothing on a CPU and keeps contact forces free of the
            rounding of positions, which is felt at short substeps.
        iterations: Passes over contacts and joints in each substep.
        schema_resolvers: Where solvers' values in a USD stage are looked for, as for `ModelBuilder.add_usd`.
        angles_in_degrees: Angles in those are in degrees, as there.
        enable_restitution: Shapes bounce by their restitution; without it they do not.
        sleep: Leave out steps while everything lies still, as `SolverXPBD` does; time passes all the same.
        drafts: Let first steps be made by drafts of kernels, as `SolverXPBD` does, unless many are asked for at once.
        reactions: Find what joints exert on bodies, which `joint_efforts` needs of drives that hold rigidly.

    Raises:
        OptionError: A number is out of range, or there are resolvers for what is not USD.
        SimulationError: A link that moves has an impossible inertial, or the device does not exist.
    """

    def __init__(
        self,
        robot: Description,
        dt: float = 1.0 / 240.0,
        substeps: int = DEFAULT_SUBSTEPS,
        gravity: ArrayLike = GRAVITY,
        ground: bool | Heightfield | Mesh = True,
        fixed_base: bool = False,
        pose: Pose | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        iterations: int = DEFAULT_ITERATIONS,
        schema_resolvers: Sequence[SchemaResolver] | None = None,
        angles_in_degrees: bool = False,
        enable_restitution: bool = False,
        sleep: bool = False,
        drafts: bool = True,
        reactions: bool = False,
    ) -> None:
        if not isinstance(robot, Description):
            raise OptionError("robot", robot, "a Description, as load returns it")
        if not (math.isfinite(dt) and dt > 0.0):
            raise OptionError("dt", dt, "a positive number of seconds")
        builder = ModelBuilder(gravity=np.asarray(gravity, dtype=np.float64))
        self.robot = robot
        self.dt = dt
        self._articulation = builder.add_description(
            robot,
            xform=pose,
            fixed_base=fixed_base,
            schema_resolvers=schema_resolvers,
            angles_in_degrees=angles_in_degrees,
        )
        add_floor(builder, robot, self._articulation, ground)
        self._model = builder.finalize(device, dtype)
        self._drafts = drafts
        self._solver = SolverXPBD(
            self._model,
            iterations=iterations,
            substeps=substeps,
            enable_restitution=enable_restitution,
            sleep=sleep,
            drafts=drafts,
        )
        if reactions:
            self._model.request_state_attributes("body_parent_f")
        self._state = self._model.state()
        self._control = self._model.control()
        self._contacts = self._model.contacts()
        self._steps = 0
        self._has_lost = False
        self._pushes = Pushes()
        self._start = copied_arrays(*self._stepped())
        self._joints = named_joints(self._articulation, builder.joints, self._model)
        self._drives = Drives(self._model, self._control, self._joints)
        self._start_motion = self._motion()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the links, in document order."""
        return tuple(self._articulation.links)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have one coordinate."""
        return self._joints.names

    @property
    def model(self) -> Model:
        """The scene on its device."""
        return self._model

    @property
    def state(self) -> State:
        """Where the bodies are now, on the device."""
        return self._state

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.dt

    @property
    def step_count(self) -> int:
        """Steps made since the start or the last reset."""
        return self._steps

    @property
    def fixed_base(self) -> bool:
        """Nothing moves freely: each root is static, bolted to the world, or on a joint to it."""
        return self._articulation.fixed_base

    @property
    def free_roots(self) -> tuple[str, ...]:
        """Names of the links that nothing holds, in document order: roots, and what floating joints carry."""
        return self._articulation.free_roots

    @property
    def free_links(self) -> frozenset[str]:
        """Names of those links and of all that they carry."""
        return frozenset(name for root in self.free_roots for name in self._articulation.tree(root))

    @property
    def weight(self) -> float:
        """Weight of what moves freely, and of all that moves where everything is held [N]."""
        names = self.free_links or self.names
        bodies = {self._articulation.links[name].body for name in names}
        mass = sum(self._model.inertials[body].mass for body in bodies if self._model.moves[body])
        return float(mass * np.linalg.norm(self._model.gravity))

    @cached_property
    def joint_limits(self) -> Mapping[str, JointLimits]:
        """What the hardware of each joint can do, as the description states it; drives keep to them."""
        return MappingProxyType(stated_limits(self._articulation.robot, self._joints))

    # Commands

    def step(self, count: int = 1) -> None:
        """Make steps.

        Raises:
            OptionError: The count is no whole number, or below zero.
            SimulationError: A body has left the finite numbers.
        """
        if isinstance(count, bool) or not hasattr(count, "__index__") or operator.index(count) < 0:
            raise OptionError("count", count, "a whole number of steps, zero or more")
        if idle := self._drives.idle_targets():
            warnings.warn(IDLE.format(", ".join(idle)), SceneWarning, stacklevel=2)
        self._solver.drafts = self._drafts and count < MANY_STEPS
        for _ in range(count):
            pushed = bool(self._pushes)
            if pushed:
                check_finite(self._model, self._state, f"at {self.time:.4f} s")
                self._send(self._state.body_f, self._pushes.on_bodies(self._motion()))
            self._solver.step(self._state, self._state, self._control, self._contacts, self.dt)
            self._steps += 1
            self._pushes.pass_time(self.dt)
            if pushed and not self._pushes:
                self._state.body_f.zero_()
        check_finite(self._model, self._state, f"at {self.time:.4f} s")
        if not self._has_lost and self._contacts.lost:
            self._has_lost = True
            warnings.warn(LOST.format(self._contacts.rows.first.numpy()[1]), SceneWarning, stacklevel=2)

    def save(self) -> SavedState:
        """Keep everything that steps depend on, so that `restore` brings it back to the bit."""
        arrays = copied_arrays(*self._stepped(), self._control)
        return SavedState(self, arrays, self._drives.values(), pushes_of(self._pushes), self._steps)

    def restore(self, saved: SavedState) -> None:
        """Go back to where `save` was called: the steps that follow are those that followed then.

        Raises:
            SimulationError: It was saved of another simulation.
        """
        if saved.owner is not self:
            raise SimulationError("the saved state is of another simulation")
        put_back(saved.arrays, *self._stepped(), self._control)
        self._drives.restore(saved.drives)
        self._pushes, self._steps = pushes_of(saved.pushes), saved.step_count
        self._solver.wake()

    def reset(self) -> None:
        """Go back to the start: time zero, everything at rest, no wrench; drives stay as they are."""
        put_back(self._start, *self._stepped())
        self._solver.wake()
        self._pushes.clear()
        self._steps = 0

    def set_joint_positions(self, positions: Mapping[str, float]) -> None:
        """Put joints at positions [rad or m]; what they carry moves along, at the velocities it had.

        Raises:
            OptionError: A position is not finite.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        coordinates, motion = self._coordinates(), self._motion()
        for name, value in as_named("positions", positions).items():
            coordinates[self._joints.body(name)] = as_finite(f"position of joint {name!r}", value)
        self._place({}, coordinates, motion)

    def set_joint_velocities(self, velocities: Mapping[str, float]) -> None:
        """Give joints velocities [rad/s or m/s]; the root keeps its own, the others follow.

        Raises:
            OptionError: A velocity is not finite.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        self._send_velocities(self._joints.with_rates(self._motion(), as_named("velocities", velocities)))

    def set_body_state(
        self,
        name: str,
        position: ArrayLike,
        quaternion: ArrayLike,
        linear: ArrayLike = (0.0, 0.0, 0.0),
        angular: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Move a whole robot so that one of its links has this pose and velocity; the joints stay as they are.

        Args:
            name: The link.
            position: Its origin [m].
            quaternion: Its orientation (x, y, z, w).
            linear: Velocity of its origin [m/s].
            angular: Angular velocity, world axes [rad/s].

        Raises:
            OptionError: A number is not finite, or the quaternion is no rotation.
            UnknownLinkError: The robot has no such link.
            SimulationError: The robot is bolted to the world.
        """
        link, motion, placed = self._link_place(name), self._motion(), self._articulation
        root = placed.root_of[name]
        if root not in self.free_roots:
            raise SimulationError(f"link {name!r} is bolted to the world or on a joint to it; move its joints")
        was = motion.pose(link.body) @ link.pose_body_link
        becomes = as_pose([*as_finite_vector("position", position), *np.ravel(quaternion)])
        body = placed.links[root].body
        self._place({body: becomes @ was.inverse() @ motion.pose(body)}, self._coordinates(), motion)
        bodies = {placed.links[carried].body for carried in placed.tree(root)}
        velocity = as_finite_vector("linear", linear), as_finite_vector("angular", angular)
        self._send_velocities(self._motion().moving_rigidly(bodies, becomes.position, *velocity))

    def lift(self, height: float) -> None:
        """Raise all that moves freely [m].

        Raises:
            OptionError: The height is not finite.
        """
        motion, up = self._motion(), np.array([0.0, 0.0, as_finite("height", height)])
        bodies = {self._articulation.links[root].body for root in self.free_roots}
        self._place({body: Pose(up) @ motion.pose(body) for body in bodies}, self._coordinates(), motion)

    def set_joint_targets(
        self,
        positions: Mapping[str, float] | None = None,
        velocities: Mapping[str, float] | None = None,
        efforts: Mapping[str, float] | None = None,
    ) -> None:
        """Set what drives aim at: positions [rad or m], velocities [rad/s or m/s]; and efforts to add [N m or N].

        Raises:
            OptionError: A target or an effort is not finite.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        wanted = {"target": positions, "target_rate": velocities, "effort": efforts}
        self._drives.set(**{field: by_name for field, by_name in wanted.items() if by_name is not None})

    def set_joint_gains(
        self, stiffness: float | Mapping[str, float], damping: float | Mapping[str, float] = 0.0
    ) -> None:
        """Set the gains of drives; zero gains leave a joint free.

        Args:
            stiffness: Effort for a unit of position error [N m/rad or N/m]; infinite holds rigidly.
            damping: Effort for a unit of velocity error [N m s/rad or N s/m].

        Raises:
            OptionError: A gain is negative or NaN.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        given = {"stiffness": stiffness, "damping": damping}
        everywhere = {
            field: gains if isinstance(gains, Mapping) else dict.fromkeys(self.joint_names, gains)
            for field, gains in given.items()
        }
        self._drives.set(**everywhere)

    def default_gains(self) -> Mapping[str, DriveGains]:
        """Return finite gains that suit the robot, as it is at the start; see `drive_gains`."""
        return self._default_gains

    @cached_property
    def _default_gains(self) -> Mapping[str, DriveGains]:
        return MappingProxyType(suited_gains(self._start_motion, self._joints, self._model.moves))

    def set_drive_limits(
        self, effort: Mapping[str, float] | None = None, velocity: Mapping[str, float] | None = None
    ) -> None:
        """Limit what drives give [N m or N], and how fast their joints get [rad/s or m/s]; infinite for no limit.

        Raises:
            OptionError: A limit is not above zero.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        self._drives.set(effort_limit=effort or {}, velocity_limit=velocity or {})

    def hold(self, stiffness: float | None = None, damping: float | None = None) -> None:
        """Hold every joint where it is now.

        Args:
            stiffness: As for `set_joint_gains`; None holds rigidly, as brakes do, with no limit of effort.
            damping: As for `set_joint_gains`; none by default.
        """
        self.set_joint_targets(positions=self._joint_positions(), velocities=dict.fromkeys(self.joint_names, 0.0))
        self.set_joint_gains(math.inf if stiffness is None else stiffness, damping or 0.0)
        if stiffness is None:
            self._drives.lock(self.joint_names)

    def apply_wrench(
        self,
        body: str,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
        duration: float = 0.0,
    ) -> None:
        """Push or twist a link.

        Args:
            body: Name of the link.
            force: Force, world axes [N].
            torque: Torque, world axes [N m].
            point: Where the force acts, in the link's frame [m]; its origin by default.
            duration: How long [s]: zero for one step, negative until the next call for this link or a reset.

        Raises:
            OptionError: Force, torque or point are not three finite numbers, or the duration is not a number.
            UnknownLinkError: The robot has no such link.
        """
        if math.isnan(duration):
            raise OptionError("duration", duration, "a number of seconds")
        pull, twist = as_finite_vector("force", force), as_finite_vector("torque", torque)
        at = None if point is None else as_finite_vector("point", point)
        self._pushes.add(body, push_for(self._link_place(body), pull, twist, at, duration, self.dt))

    # Observation

    def snapshot(self) -> Snapshot:
        """Return the robot as it is now; what has left the finite numbers is NaN."""
        joint_q = self._state.joint_q.numpy()
        return observe_robot(self._articulation, self._joints, self._model, self._motion(), joint_q, self.time)

    def joint_efforts(self) -> dict[str, float]:
        """Return what the drives gave in the last step [N m or N], by the names of the joints; see `drive_efforts`."""
        reactions = self._state.body_parent_f
        held = None if reactions is None else reactions.numpy().astype(np.float64)
        return drive_efforts(self._joints, self._drives, self.snapshot(), self._motion(), held)

    def contacts(self) -> list[BodyContact]:
        """Return what touches what, with forces averaged over the last step."""
        return observe_contacts(self._model, self._contacts)

    # Inside

    def _stepped(self) -> tuple[Any, ...]:
        """Return what holds the arrays that steps change."""
        return self._state, self._contacts, self._solver

    def _motion(self) -> BodyMotion:
        return self._model.motion(self._state)

    def _link_place(self, name: str) -> LinkPlace:
        if name not in self._articulation.links:
            raise UnknownLinkError(name, self.names)
        return self._articulation.links[name]

    def _coordinates(self) -> Array:
        return self._joints.coordinates(self._state.joint_q.numpy(), self._model.body_count)

    def _joint_positions(self) -> dict[str, float]:
        return self._joints.positions(self._state.joint_q.numpy())

    def _place(self, moved: Mapping[int, Pose], coordinates: Array, motion: BodyMotion) -> None:
        """Put root bodies at poses and all joints at their coordinates; friction forgets what it held."""
        placed = self._articulation
        bodies = {placed.links[root].body for root in placed.root_of.values()}
        roots = {body: motion.pose(body) for body in bodies - self._joints.held}
        self._send(self._state.body_q, self._joints.placed(motion, {**roots, **moved}, coordinates))
        values = self._joints.with_coordinates(self._state.joint_q.numpy(), coordinates)
        self._send(self._state.joint_q, values)
        self._contacts.data.slip.zero_()
        self._contacts.data.turn.zero_()
        self._contacts.data.rubbed.zero_()

    def _send_velocities(self, qd: Array) -> None:
        self._send(self._state.body_qd, np.where(self._model.moves[:, None], qd, 0.0))

    def _send(self, array: Any, values: Array) -> None:
        array.assign(values.astype(self._model.precision.numpy))
