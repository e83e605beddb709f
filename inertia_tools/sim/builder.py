# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collecting a scene, in NumPy: bodies, their shapes, and the joints between them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from inertia_tools.description.types import Description
from inertia_tools.sim.joint_config import JointDofConfig
from inertia_tools.sim.scene_bodies import WORLD as WORLD
from inertia_tools.sim.scene_joints import SceneJoints
from inertia_tools.sim.scene_shapes import SceneShapes
from inertia_tools.sim.shape_config import ShapeConfig
from inertia_tools.sim.xform import Xform
from inertia_tools.spatial import ArrayLike

if TYPE_CHECKING:
    from inertia_tools.sim.articulation import Articulation
    from inertia_tools.sim.collapse import Collapse
    from inertia_tools.sim.model import Model

RobotSource = str | bytes | os.PathLike[str] | Description
"""A file, the text of one, or what was read from it."""

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
        self,
        robot: Description,
        *,
        xform: Xform | None = None,
        fixed_base: bool = False,
        collapse_fixed_joints: bool = True,
    ) -> Articulation:
        """Add a robot as its file states it; its meshes collide as their hulls, its links not with each other.

        Args:
            robot: The description.
            xform: Pose of its root link; by default the lowest point of its geometry touches z = 0, or, on a fixed
                base, the identity.
            fixed_base: The root does not move; it does not either when it is named `world`.
            collapse_fixed_joints: Make one body of links that fixed joints hold together. Otherwise only frames without
                mass are merged, which would not move as bodies of their own.

        Raises:
            SimulationError: A link has an impossible inertial, or moves and has none.
        """
        from inertia_tools.sim.articulation import RobotOptions, add_robot
        from inertia_tools.sim.import_rules import ImportRules

        rules = ImportRules(self.default_shape_density, strict=True)
        return add_robot(self, robot, RobotOptions(rules, xform, fixed_base, collapse_fixed_joints))

    def add_urdf(
        self,
        source: RobotSource,
        *,
        ignore_inertial_definitions: bool = False,
        parse_visuals_as_colliders: bool = False,
        scale: float = 1.0,
        collapse_fixed_joints: bool = True,
        xform: Xform | None = None,
        fixed_base: bool = False,
        package_path: Iterable[str | os.PathLike[str]] = (),
    ) -> Articulation:
        """Read a URDF and add it, by the rules of Newton's page.

        What an `<inertial>` states wins. A link without one weighs what its colliders weigh at the default density; a
        mass without a tensor takes tensor and centre of mass of the colliders, scaled to it; visuals weigh nothing
        unless they are made colliders. Every assumption is in the `findings` of the result. Values that no body can
        have are left to `finalize`.

        Args:
            source: A file, its text, or a description.
            ignore_inertial_definitions: Take nothing from `<inertial>`; colliders give all masses.
            parse_visuals_as_colliders: The visuals of a link, where it has any, take the place of its collisions.
            scale: Factor on all lengths. Stated masses stay, so stated tensors grow by its square: they are the mass
                times squared lengths. Masses from colliders grow by its cube.
            collapse_fixed_joints: As for `add_description`.
            xform: As for `add_description`.
            fixed_base: As for `add_description`.
            package_path: Folders to search first for packages that the file names.

        Raises:
            ParseError: The file cannot be read.
            OptionError: The scale is not positive.
        """
        from inertia_tools.sim.articulation import RobotOptions, add_robot
        from inertia_tools.sim.import_options import read_source, scaled, visuals_as_colliders
        from inertia_tools.sim.import_rules import ImportRules

        robot = scaled(read_source(source, package_path), scale)
        if parse_visuals_as_colliders:
            robot = visuals_as_colliders(robot)
        rules = ImportRules(
            self.default_shape_density,
            ignore_inertial_definitions,
            parse_visuals_as_colliders,
            thickness=None if self.default_shape_cfg.is_solid else self.default_shape_cfg.margin,
        )
        return add_robot(self, robot, RobotOptions(rules, xform, fixed_base, collapse_fixed_joints))

    def collapse_fixed_joints(self, joints_to_keep: Collection[str | int] = ()) -> Collapse:
        """Make one body of each group of bodies that fixed joints hold together, before `finalize` judges them.

        Masses add, tensors move to the common centre of mass with all their products; shapes and joints stay where
        they are in space and refer to the merged body; shapes keep their labels. The merged body keeps the name of the
        one nearest the root. What is fixed to the world becomes part of it. What is fixed to a kinematic body becomes
        part of that; a kinematic body that is fixed to what is not stays a body, and the report says so. Indices of
        bodies and joints change: the report has the new ones, and `Articulation.after` applies them.

        Args:
            joints_to_keep: Names or indices of fixed joints that stay.
        """
        from inertia_tools.sim.collapse import collapse_joints

        chosen = [
            index
            for index, joint in enumerate(self.joints)
            if index not in joints_to_keep and joint.name not in joints_to_keep
        ]
        return collapse_joints(self, set(chosen))

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
