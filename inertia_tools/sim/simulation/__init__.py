# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of robots and objects on a floor, or of a world: the facade for the node, the CLI and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from inertia_tools.description.types import Description
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.sim.simulation.driving import Driving
from inertia_tools.sim.simulation.entity import Entity as Entity
from inertia_tools.sim.simulation.knowing import Knowing
from inertia_tools.sim.simulation.observing import Observing
from inertia_tools.sim.simulation.options import (
    DEFAULT_ITERATIONS,
    DEFAULT_STEP,
    DEFAULT_SUBSTEPS,
    SimulationOptions,
)
from inertia_tools.sim.simulation.surroundings import Surroundings
from inertia_tools.sim.simulation.teleporting import Teleporting
from inertia_tools.spatial import ArrayLike, Pose

if TYPE_CHECKING:
    import numpy as np

    from inertia_tools.usd import SchemaResolver


class Simulation(Teleporting, Knowing, Driving, Surroundings, Observing):
    """Simulation of a robot on a floor or bolted to the world, of a whole world, or of several robots and objects.

    Args:
        robot: The description; its inertials must be physically possible. Or entities, each with its own pose, and a
            name that prefixes those of its links and joints.
        dt: Length of a step [s].
        substeps: Minimum number of substeps per step.
        gravity: Acceleration of gravity [m/s^2], shape (3,); None for that of the description, or else 9.81 downwards.
        ground: Whether to add a floor at z = 0, unless the file is a world or has its own ground; or a Heightfield or a
            Mesh to use as terrain, placed at the world's origin. Robots still start as on a floor at z = 0: `lift` them
            first.
        fixed_base: Whether to bolt every root link, and every link on a floating joint, to the world; a root named
            `world` always is.
        pose: Initial pose of the root link in the world, or of the document's frame if there are several roots. By
            default the lowest point of a robot touches z = 0, and a world is as in its file.
        device: Name of a Warp device, such as "cpu" or "cuda:0".
        dtype: "float32" or "float64". Double precision costs almost nothing on a CPU, and keeps contact forces free of
            position rounding, which matters at short substeps.
        iterations: Passes over contacts and joints in each substep; at least 2 are made.
        schema_resolvers: Schemas in which to look up solvers' values of a USD stage; see `ModelBuilder.add_usd`.
        angles_in_degrees: Whether angles in these schemas are in degrees.
        enable_restitution: Whether shapes bounce according to their restitution.
        sleep: Whether to skip steps while everything is at rest; see `SolverXPBD`. Time advances regardless.
        reactions: Whether to compute joint wrenches on bodies, which `joint_efforts` needs for rigid drives.
        friction_combine: Rule that combines the friction coefficients of two shapes: "min", "mean", "product" or "max".
            None for the rule of the simulator of the first description's format: the minimum of Gazebo for URDF and
            SDFormat, the maximum of MuJoCo for MJCF, the mean of PhysX for USD.

    Raises:
        OptionError: A number is out of range, or there are resolvers without a USD stage.
        SimulationError: A moving link has a physically impossible inertial, two entities have the same name, or the
            device does not exist.
    """

    def __init__(
        self,
        robot: Description | Entity | Sequence[Entity],
        dt: float = DEFAULT_STEP,
        substeps: int = DEFAULT_SUBSTEPS,
        gravity: ArrayLike | None = None,
        ground: bool | Heightfield | Mesh = True,
        fixed_base: bool = False,
        pose: Pose | None = None,
        device: str = "cpu",
        dtype: str | np.dtype[Any] = "float32",
        iterations: int = DEFAULT_ITERATIONS,
        schema_resolvers: Sequence[SchemaResolver] | None = None,
        angles_in_degrees: bool = False,
        enable_restitution: bool = False,
        sleep: bool = False,
        reactions: bool = False,
        friction_combine: str | None = None,
    ) -> None:
        options = SimulationOptions(
            dt=dt,
            substeps=substeps,
            gravity=gravity,
            ground=ground,
            device=device,
            dtype=dtype,
            iterations=iterations,
            schema_resolvers=schema_resolvers,
            angles_in_degrees=angles_in_degrees,
            enable_restitution=enable_restitution,
            sleep=sleep,
            reactions=reactions,
            friction_combine=friction_combine,
        )
        super().__init__(robot, pose, fixed_base, options)
