# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots and objects on a floor, or a world: the facade that the node, the command line and notebooks use."""

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
    """A robot, standing on a floor or bolted to the world; a world with all that is in it; or several of these.

    Args:
        robot: The description; its inertials must be possible. Or entities, each with a name, which comes before those
            of its links and joints, and a pose of its own.
        dt: Length of a step [s].
        substeps: Substeps of each step.
        gravity: Acceleration of free fall [m/s^2]; None for that which the description states, else 9.81 downwards.
        ground: Put a floor at z = 0, unless the file is a world, which has its own, or has one itself; or what to put
            there instead, terrain or triangles about the world's origin. What stands on these starts as on a floor:
            `lift` it first.
        fixed_base: Bolt every root link to the world, and what floats on a joint; a root named `world` is anyway.
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
        reactions: Find what joints exert on bodies, which `joint_efforts` needs of drives that hold rigidly.
        friction_combine: How the friction of two shapes is combined: "min", "mean", "product" or "max"; None for the
            rule of the simulators that read the first description: the smaller one of Gazebo for URDF and SDFormat, the
            larger one of MuJoCo for MJCF, the mean of PhysX for USD.

    Raises:
        OptionError: A number is out of range, or there are resolvers for what is not USD.
        SimulationError: A link that moves has an impossible inertial, two entities have the same name, or the device
            does not exist.
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
