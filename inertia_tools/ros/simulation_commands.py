# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What topics and services ask of a simulation, as commands that the loop runs between two steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from builtin_interfaces.msg import Duration
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState

import inertia_tools.srv as srv
from inertia_tools.description.types import Description
from inertia_tools.errors import InertiaToolsError, MissingDependencyError, SimulationError, UnknownLinkError
from inertia_tools.ros.simulation_loop import Push, World


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
    )
    if settings.start_noise > 0.0:
        offsets = np.random.default_rng(settings.seed).normal(0.0, settings.start_noise, len(simulation.joint_names))
        simulation.set_joint_positions(dict(zip(simulation.joint_names, offsets.tolist(), strict=True)))
    if settings.hold_joints:
        simulation.hold()
    world.simulation, world.pushes = simulation, {}


@dataclass(frozen=True)
class JointTargets:
    """Targets by joint name, None for a kind that the message leaves out.

    Attributes:
        positions: Positions to drive to [rad or m].
        velocities: Velocities to drive to [rad/s or m/s].
        efforts: Efforts to apply [N m or N].
    """

    positions: dict[str, float] | None = None
    velocities: dict[str, float] | None = None
    efforts: dict[str, float] | None = None

    def apply(self, world: World) -> list[str]:
        """Set the targets in a world and return the names it has no joint for."""
        if world.simulation is None:
            return []
        known = set(world.simulation.joint_names)
        kept = [
            None if values is None else {name: value for name, value in values.items() if name in known}
            for values in (self.positions, self.velocities, self.efforts)
        ]
        if any(kept):
            world.simulation.set_joint_targets(*kept)
        return sorted(self._names() - known)

    def _names(self) -> set[str]:
        return {name for values in (self.positions, self.velocities, self.efforts) for name in values or ()}


def targets_of(message: JointState) -> JointTargets:
    """Read a joint command; a number that is not finite leaves its joint as it is.

    Raises:
        SimulationError: An array has neither no entry nor one for each name.
    """

    def pick(kind: str, values: Sequence[float]) -> dict[str, float] | None:
        if not len(values):
            return None
        if len(values) != len(message.name):
            raise SimulationError(f"joint command with {len(message.name)} names and {len(values)} {kind} values")
        return {name: value for name, value in zip(message.name, values, strict=True) if math.isfinite(value)}

    return JointTargets(
        pick("position", message.position), pick("velocity", message.velocity), pick("effort", message.effort)
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
        steps: How many steps it lasts; infinite until the next one.
    """

    body: str
    frame: str
    force: tuple[float, float, float]
    torque: tuple[float, float, float]
    point: tuple[float, float, float]
    steps: float = field(default=1)

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
        world.pushes[self.body] = Push(force, torque, self.point, self.steps)


def wrench_of(request: srv.ApplyWrench.Request, world_frame: str, step_nanoseconds: int) -> WrenchRequest:
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
    return WrenchRequest(
        request.body,
        "" if frame == world_frame else frame,
        force,
        torque,
        place,
        _steps_of(request.duration, step_nanoseconds),
    )


def _steps_of(duration: Duration, step_nanoseconds: int) -> float:
    """Return how many steps a duration lasts: at least one, without end when it is negative."""
    nanoseconds = duration.sec * 1_000_000_000 + duration.nanosec
    return math.inf if nanoseconds < 0 else max(1, round(nanoseconds / step_nanoseconds))
