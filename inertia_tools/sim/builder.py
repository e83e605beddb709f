# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collecting a scene, in NumPy: bodies, their shapes, and the joints between them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from inertia_tools.description.types import Description
from inertia_tools.sim.joint_config import JointDofConfig
from inertia_tools.sim.scene_joints import SceneJoints
from inertia_tools.sim.scene_shapes import SceneShapes
from inertia_tools.sim.shape_config import ShapeConfig
from inertia_tools.sim.xform import Xform
from inertia_tools.spatial import ArrayLike

if TYPE_CHECKING:
    from inertia_tools.sim.articulation import Articulation
    from inertia_tools.sim.model import Model

GRAVITY = (0.0, 0.0, -9.81)


@dataclass
class ModelBuilder(SceneShapes, SceneJoints):
    """Collects a scene; bodies, shapes and joints are named by their index.

    Attributes:
        gravity: Acceleration of free fall [m/s^2].
        balance_inertia: `finalize` repairs violations of the triangle inequality; otherwise it only warns of them.
        bound_mass: Least mass of a body that has any [kg]; None for no bound.
        bound_inertia: Least principal moment of a body that has mass [kg m^2]; None for no bound.
        validate_inertia_detailed: `finalize` names each body it corrects, the rule, and the values before and after;
            otherwise it says how many there were.
        inertia_repair: "relative" repairs go by the size of the body itself; "absolute" ones add the constants of
            Newton, 1e-6 kg m^2, whatever the body.
    """

    ShapeConfig: ClassVar[type[ShapeConfig]] = ShapeConfig
    JointDofConfig: ClassVar[type[JointDofConfig]] = JointDofConfig

    gravity: ArrayLike = GRAVITY
    balance_inertia: bool = True
    bound_mass: float | None = None
    bound_inertia: float | None = None
    validate_inertia_detailed: bool = False
    inertia_repair: str = "relative"

    def add_description(
        self, robot: Description, *, xform: Xform | None = None, fixed_base: bool = False
    ) -> Articulation:
        """Add a robot: links rigidly joined become one body, its meshes collide as their hulls.

        Args:
            robot: The description.
            xform: Pose of its root link; by default the lowest point of its geometry touches z = 0, or, on a fixed
                base, the identity.
            fixed_base: The root does not move; it does not either when it is named `world`.

        Raises:
            SimulationError: A link has an impossible inertial, or moves and has none.
        """
        from inertia_tools.sim.articulation import add_robot

        return add_robot(self, robot, xform, fixed_base)

    def add_urdf(self, path: str | os.PathLike[str], **options: object) -> Articulation:
        """Read a URDF and add it; options as for `add_description`.

        Raises:
            ParseError: The file cannot be read.
            SimulationError: As for `add_description`.
        """
        from inertia_tools.description import load

        return self.add_description(load(path), **options)  # type: ignore[arg-type]

    def finalize(self, device: str = "cpu", dtype: str = "float32") -> Model:
        """Check the scene and move it to a device.

        Mass properties that no body can have are corrected in the model, with an `InertiaWarning`; the lists of the
        builder stay as they are. In this order: what is not finite, and a negative mass, become zero; a mass is raised
        to `bound_mass`; a tensor without mass becomes zero; a tensor is made symmetric, positive definite (or that of a
        solid sphere of 1000 kg/m^3, if it is zero), no smaller than `bound_inertia`, and true to the triangle
        inequality. A body that has no mass in the end does not move, and is named.

        Args:
            device: As Warp names it: "cpu", "cuda:0".
            dtype: "float32" or "float64"; see `Simulation`.

        Raises:
            OptionError: The dtype or a setting has no meaning.
            SimulationError: The device does not exist.
        """
        from inertia_tools.sim.model_building import build_model

        return build_model(self, device, dtype)
