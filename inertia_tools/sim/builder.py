# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collecting a scene, in NumPy: bodies, their shapes, and the joints between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from inertia_tools.sim.scene.bodies import WORLD as WORLD
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency, CustomAttribute
from inertia_tools.sim.scene.equalities import SceneEqualities
from inertia_tools.sim.scene.given import as_count
from inertia_tools.sim.scene.joint_config import JointDofConfig
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.scene.soft_solids import SceneSoftSolids
from inertia_tools.sim.scene_imports import SceneImports
from inertia_tools.spatial import ArrayLike

if TYPE_CHECKING:
    from inertia_tools.sim.device.model import Model
    from inertia_tools.sim.scene.collapse import Collapse

GRAVITY = (0.0, 0.0, -9.81)


@dataclass
class ModelBuilder(SceneImports, SceneEqualities, SceneSoftSolids):
    """Collects a scene; bodies, shapes, joints, particles and what deforms between them are named by their index.

    Attributes:
        gravity: Acceleration of free fall [m/s^2].
        balance_inertia: `finalize` repairs violations of the triangle inequality; otherwise it only warns of them.
        bound_mass: Least mass of a body that has any [kg]; None for no bound.
        bound_inertia: Least principal moment of a body that has mass [kg m^2]; None for no bound.
        validate_inertia_detailed: `finalize` names each body it corrects, the rule, and the values before and after;
            otherwise it says how many there were.
        inertia_repair: "relative" repairs go by the size of the body itself; "absolute" ones add the constants of
            Newton, 1e-6 kg m^2, whatever the body.
        friction_combine: How the coefficients of friction of two shapes that touch are combined: "mean", "min",
            "product" or "max".
        restitution_combine: The same of their restitutions.
        broad_phase: "list" all pairs of shapes at `finalize`, which is fast for few; "search" those that are near in
            each step, which thousands need; "auto" goes by their number.
        articulation_label: Names of the articulations.
    """

    ShapeConfig: ClassVar[type[ShapeConfig]] = ShapeConfig
    JointDofConfig: ClassVar[type[JointDofConfig]] = JointDofConfig
    CustomAttribute: ClassVar[type[CustomAttribute]] = CustomAttribute

    gravity: ArrayLike = GRAVITY
    balance_inertia: bool = True
    bound_mass: float | None = None
    bound_inertia: float | None = None
    validate_inertia_detailed: bool = False
    inertia_repair: str = "relative"
    world_count: int = field(default=1, init=False)
    friction_combine: str = "mean"
    restitution_combine: str = "mean"
    broad_phase: str = "auto"
    articulation_label: list[str] = field(default_factory=list)

    @property
    def articulation_count(self) -> int:
        """Number of articulations."""
        return len(self.articulation_label)

    def add_articulation(self, label: str = "", custom_attributes: Mapping[str, Any] | None = None) -> int:
        """Count a tree of joints as an articulation, for attributes that have a value for each; return its index.

        Args:
            label: Its name.
            custom_attributes: Values of attributes of frequency articulation, by key.

        Raises:
            OptionError: An attribute is unknown, or belongs to something else.
        """
        self.articulation_label.append(label or f"articulation_{self.articulation_count}")
        self.set_custom_values(self.articulation_count - 1, custom_attributes, AttributeFrequency.ARTICULATION)
        return self.articulation_count - 1

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
        from inertia_tools.sim.scene.collapse import collapse_joints

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
            OptionError: The dtype or a setting has no meaning, or gravity is not finite.
            SimulationError: The device does not exist.
        """
        from inertia_tools.sim.device.building import build_model
        from inertia_tools.sim.device.worlds import replicate

        return replicate(build_model(self, device, dtype), self.world_count)

    def replicate(self, count: int) -> None:
        """Have `finalize` make so many copies of the scene, worlds that do not feel each other.

        Bodies, joints and contacts of world w follow those of world w - 1 in all arrays, those of users' attributes
        too; an attribute of frequency world has one value a world, that of the first where no other is given, and one
        of frequency once a single one. The solver steps worlds in
        parallel: on a CPU one thread takes a share of them, on CUDA each has a thread of its own.

        Args:
            count: How many worlds there are.

        Raises:
            OptionError: It is below one.
        """
        self.world_count = as_count("count", count)
