# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What topics and services ask of a simulation, as commands that the loop runs between two steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState

import inertia_tools.srv as srv
from inertia_tools.description.types import Description
from inertia_tools.errors import InertiaToolsError, MissingDependencyError, SimulationError, UnknownLinkError
from inertia_tools.ros.simulation_loop import World


@dataclass(frozen=True)
class SimulationSettings:
    """How a simulation is set up.

    Attributes:
        dt: Time step [s].
        substeps: Substeps of the solver in each step.
        gravity: Acceleration of gravity along -z [m/s^2].
        device: Where to compute.
        ground: There is a level ground at z = 0.
        fixed_base: The root is bolted to the world.
        hold_joints: Joints are held where they start.
        start_noise: Standard deviation of a random offset of each joint at the start [rad or m].
        seed: Seed of that offset.
        dtype: "float64" or "float32".
        enable_restitution: Shapes bounce by their restitution.
    """

    dt: float
    substeps: int
    gravity: float
    device: str
    ground: bool
    fixed_base: bool
    hold_joints: bool
    start_noise: float
    seed: int
    dtype: str
    enable_restitution: bool


def load(world: World, robot: Description, settings: SimulationSettings) -> None:
    """Start anew with a robot; when it cannot be simulated, the world stays as it is.

    Raises:
        InertiaToolsError: The robot cannot be simulated.
    """
    try:
        from inertia_tools.sim.simulation import Simulation
    except ModuleNotFoundError as error:
        if error.name != "warp":
            raise
        raise MissingDependencyError("warp-lang", "simulating", "pip install warp-lang") from error
    simulation = Simulation(
        robot,
        dt=settings.dt,
        substeps=settings.substeps,
        gravity=(0.0, 0.0, -settings.gravity),
        ground=settings.ground,
        fixed_base=settings.fixed_base,
        device=settings.device,
        dtype=settings.dtype,
        enable_restitution=settings.enable_restitution,
        drafts=False,  # too slow to keep pace with time
    )
    if settings.start_noise > 0.0:
        offsets = np.random.default_rng(settings.seed).normal(0.0, settings.start_noise, len(simulation.joint_names))
        simulation.set_joint_positions(dict(zip(simulation.joint_names, offsets.tolist(), strict=True)))
    if settings.hold_joints:
        simulation.hold()
    world.simulation, world.hold_joints = simulation, settings.hold_joints


@dataclass(frozen=True)
class Gains:
    """Gains of a joint that follows commands.

    Attributes:
        stiffness: Effort for a unit of position error [N m/rad or N/m]; infinite follows rigidly.
        damping: Effort for a unit of velocity error [N m s/rad or N s/m].
    """

    stiffness: float = math.inf
    damping: float = 100.0


@dataclass(frozen=True)
class JointTargets:
    """Targets by joint name.

    A joint with a position follows it, one with only a velocity follows that, and one with only an effort is free to
    move under it.

    Attributes:
        positions: Positions to drive to [rad or m].
        velocities: Velocities to drive to [rad/s or m/s].
        efforts: Efforts to apply [N m or N].
        gains: Gains of joints that follow a position or velocity.
    """

    positions: dict[str, float]
    velocities: dict[str, float]
    efforts: dict[str, float]
    gains: Gains = Gains()

    def apply(self, world: World) -> list[str]:
        """Set the targets in a world and return the names it has no joint for."""
        if world.simulation is None:
            return []
        kinds = (self.positions, self.velocities, self.efforts)
        known = set(world.simulation.joint_names)
        named = {name for values in kinds for name in values}
        positions, velocities, efforts = ({n: v for n, v in values.items() if n in known} for values in kinds)
        stiffness = {name: self.gains.stiffness if name in positions else 0.0 for name in named & known}
        damping = {n: 0.0 if n not in positions and n not in velocities else self.gains.damping for n in named & known}
        world.simulation.set_joint_targets(positions, dict.fromkeys(positions, 0.0) | velocities, efforts)
        world.simulation.set_joint_gains(stiffness, damping)
        return sorted(named - known)


def targets_of(message: JointState, gains: Gains) -> JointTargets:
    """Read a joint command; a number that is not finite leaves its joint as it is.

    Raises:
        SimulationError: An array has neither no entry nor one for each name.
    """

    def pick(kind: str, values: Sequence[float]) -> dict[str, float]:
        if not len(values):
            return {}
        if len(values) != len(message.name):
            raise SimulationError(f"joint command with {len(message.name)} names and {len(values)} {kind} values")
        return {name: value for name, value in zip(message.name, values, strict=True) if math.isfinite(value)}

    return JointTargets(
        pick("position", message.position),
        pick("velocity", message.velocity),
        pick("effort", message.effort),
        gains,
    )


@dataclass(frozen=True)
class WrenchRequest:
    """A push as a service asks for it.

    Attributes:
        body: Name of the body.
        frame: Frame that force and torque are given in: empty or the world's for the world, else a body.
        force: Force [N], shape (3,).
        torque: Torque [N m], shape (3,).
        point: Point of attack in the body's link frame [m], shape (3,).
        duration: Simulated time it lasts [s]: zero for one step, negative until the next one or a reset.
    """

    body: str
    frame: str
    force: tuple[float, float, float]
    torque: tuple[float, float, float]
    point: tuple[float, float, float]
    duration: float = 0.0

    def apply(self, world: World) -> None:
        """Put the push to work, in place of one that is at work on the same body.

        Raises:
            InertiaToolsError: There is no such body or frame, or no simulation yet.
        """
        if world.simulation is None:
            raise InertiaToolsError("no robot description has arrived yet")
        names = list(world.simulation.names)
        for name in (self.body, *([self.frame] if self.frame else [])):
            if name not in names:
                raise UnknownLinkError(name, names)
        force, torque = self.force, self.torque
        if self.frame:
            turn = Rotation.from_quat(world.simulation.snapshot().quaternions[names.index(self.frame)])
            force, torque = tuple(turn.apply(force).tolist()), tuple(turn.apply(torque).tolist())
        world.simulation.apply_wrench(self.body, force, torque, self.point, self.duration)


def wrench_of(request: srv.ApplyWrench.Request, world_frame: str) -> WrenchRequest:
    """Read an ApplyWrench request.

    Raises:
        SimulationError: A number is not finite.
    """
    wrench, point = request.wrench.wrench, request.point
    force = (wrench.force.x, wrench.force.y, wrench.force.z)
    torque = (wrench.torque.x, wrench.torque.y, wrench.torque.z)
    place = (point.x, point.y, point.z)
    if not np.isfinite([*force, *torque, *place]).all():
        raise SimulationError("force, torque and point must be finite numbers")
    frame = request.wrench.header.frame_id
    duration = request.duration.sec + 1e-9 * request.duration.nanosec
    return WrenchRequest(request.body, "" if frame == world_frame else frame, force, torque, place, duration)
