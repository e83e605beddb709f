# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Construction of a simulation, and its loading into a world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import MissingDependencyError, SimulationError
from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.simulation_world import World

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Entity, Simulation


@dataclass(frozen=True)
class SimulationSettings:
    """Settings of a simulation.

    Attributes:
        dt: Time step [s].
        substeps: Substeps of the solver in each step.
        gravity: Acceleration of gravity along -z [m/s^2]; negative for that of the description.
        device: Name of the Warp device.
        ground: Whether to add a floor at z = 0.
        fixed_base: Whether the root is bolted to the world.
        hold_joints: Whether joints are held at their initial positions.
        start_noise: Standard deviation of a random initial offset of each joint [rad or m].
        seed: Seed of that offset.
        dtype: "float64" or "float32".
        enable_restitution: Whether shapes bounce according to their restitution.
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


def require_device(name: str) -> None:
    """Refuse a device that this machine lacks, before there is a robot; the CPU needs no look.

    Raises:
        SimulationError: There is none of that name.
        WriteError: The cache of kernels cannot be created.
    """
    if name != "cpu":
        from inertia_tools.kernel_loading import start_warp
        from inertia_tools.sim.kernels.on_device import known_device

        start_warp()
        known_device(name)


def require_simulatable(robot: Description, settings: SimulationSettings) -> None:
    """Check that a robot can be simulated by building its scene, without stepping or compiling kernels.

    Raises:
        InertiaToolsError: The robot cannot be simulated.
    """
    from inertia_tools.sim.builder import ModelBuilder

    if not robot.links:
        raise SimulationError("the description has no link to simulate")
    ModelBuilder().add_description(robot, fixed_base=settings.fixed_base)


def load(
    world: World, robot: Description | Sequence[Entity], settings: SimulationSettings, control: JointControl
) -> None:
    """Restart with a robot or a scene of entities; if it cannot be simulated, the world is unchanged.

    Raises:
        InertiaToolsError: The robot cannot be simulated.
    """
    simulation = _build(robot, settings)
    if settings.start_noise > 0.0:
        offsets = np.random.default_rng(settings.seed).normal(0.0, settings.start_noise, len(simulation.joint_names))
        simulation.set_joint_positions(dict(zip(simulation.joint_names, offsets.tolist(), strict=True)))
    if settings.hold_joints:
        control.hold(simulation)
    simulation.snapshot()
    world.begin(simulation)


def _build(robot: Description | Sequence[Entity], settings: SimulationSettings) -> Simulation:
    try:
        from inertia_tools.sim.simulation import Simulation
    except ModuleNotFoundError as error:
        if error.name != "warp":
            raise
        raise MissingDependencyError("warp-lang", "simulating", "pip install warp-lang") from error
    return Simulation(
        robot,
        dt=settings.dt,
        substeps=settings.substeps,
        gravity=(0.0, 0.0, -settings.gravity) if settings.gravity >= 0.0 else None,
        ground=settings.ground,
        fixed_base=settings.fixed_base,
        device=settings.device,
        dtype=settings.dtype,
        enable_restitution=settings.enable_restitution,
        reactions=True,
    )
