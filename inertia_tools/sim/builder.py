# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The builder that people use: a scene with its importers, which `finalize` moves to a device."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from inertia_tools.errors import OptionError, UnknownJointError, UnknownOptionError
from inertia_tools.sim.scene.approximation import approximate
from inertia_tools.sim.scene.bodies import WORLD as WORLD
from inertia_tools.sim.scene.collapse import Collapse, collapse_joints
from inertia_tools.sim.scene.convex_parts import MeshApproximationConfig
from inertia_tools.sim.scene.custom_attributes import CustomAttribute
from inertia_tools.sim.scene.custom_frequencies import CustomFrequency
from inertia_tools.sim.scene.given import as_index, as_optional_list
from inertia_tools.sim.scene.joint_config import JointDofConfig
from inertia_tools.sim.scene.known_names import with_known_keywords
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.scene_imports import SceneImports

if TYPE_CHECKING:
    import numpy as np

    from inertia_tools.sim.model.model import Model

SKIPPED_CHECKS = frozenset(
    f"skip_{name}"
    for name in (
        "all_validations", "validation_worlds", "validation_joints", "validation_shapes", "validation_inertia",
        "validation_structure", "validation_joint_ordering",
    )
)  # fmt: skip
"""Options of Newton's `finalize`."""

LOG = logging.getLogger(__name__)


@with_known_keywords
@dataclass
class ModelBuilder(SceneImports):
    """Collects a scene; bodies, shapes, joints, particles and what deforms between them are named by their index.

    Its settings, which say how `finalize` judges masses and combines materials, are the attributes of `Scene`.
    """

    ShapeConfig: ClassVar[type[ShapeConfig]] = ShapeConfig
    JointDofConfig: ClassVar[type[JointDofConfig]] = JointDofConfig
    MeshApproximationConfig: ClassVar[type[MeshApproximationConfig]] = MeshApproximationConfig
    CustomAttribute: ClassVar[type[CustomAttribute]] = CustomAttribute
    CustomFrequency: ClassVar[type[CustomFrequency]] = CustomFrequency

    def request_state_attributes(self, *names: str) -> None:
        """Have states of the model carry more from the start; see `Model.request_state_attributes`."""
        self.requested_attributes.update(names)

    def request_contact_attributes(self, *names: str) -> None:
        """Have contacts of the model carry more from the start; see `Model.request_contact_attributes`."""
        self.requested_attributes.update(names)

    def color(self, **_: Any) -> None:
        """Do nothing: colourings of other solvers have no use here."""

    def collapse_fixed_joints(self, joints_to_keep: Collection[str | int] = (), verbose: bool = False) -> Collapse:
        """Make one body of each group of bodies that fixed joints hold together, before `finalize` judges them.

        Masses add, tensors move to the common centre of mass with all their products; shapes and joints stay where
        they are in space and refer to the merged body; shapes keep their labels. The merged body keeps the name of the
        one nearest the root. What is fixed to the world becomes part of it. What is fixed to a kinematic body becomes
        part of that; a kinematic body that is fixed to what is not stays a body, and the report says so. Indices of
        bodies and joints change: the report has the new ones, and `Articulation.after` applies them.

        Args:
            joints_to_keep: Names, labels or indices of fixed joints that stay.
            verbose: Log each merge, at level INFO.

        Raises:
            UnknownJointError: There is no such joint.
        """
        words = [{index, joint.name, joint.label or joint.name} for index, joint in enumerate(self.joints)]
        kept = set()
        for asked in as_optional_list("joints_to_keep", joints_to_keep, "names or indices of joints"):
            one = asked if isinstance(asked, str) else as_index("joints_to_keep", asked, "a joint")
            kept.add(one)
            if not any(one in own for own in words):
                raise UnknownJointError(str(one), [joint.label or joint.name for joint in self.joints])
        report = collapse_joints(self, {index for index, own in enumerate(words) if kept.isdisjoint(own)})
        for merge in report.merges if verbose else ():
            LOG.info("%s: %s became part of %s, %g kg now", merge.joint, merge.child, merge.parent, merge.mass_after)
        return report

    def approximate_meshes(
        self,
        method: str = "convex_hull",
        shape_indices: Iterable[int] | None = None,
        raise_on_failure: bool = False,
        keep_visual_shapes: bool = False,
    ) -> set[int]:
        """Let meshes collide as something simpler; what bodies weigh stays as it is.

        Args:
            method: "convex_hull"; "coacd" for convex parts, as `default_mesh_approximation_cfg` has it; "bounding_box"
                for the smaller of the boxes along the axes of the shape and along its principal ones;
                "bounding_sphere" for the ball about the middle of that box.
            shape_indices: The shapes; those that are no meshes stay as they are. By default all meshes that collide
                with shapes.
            raise_on_failure: Raise where coacd is asked for and not installed; otherwise such meshes collide as their
                hulls, with a warning.
            keep_visual_shapes: Keep each mesh as a shape of its own that is only seen, at the end of the list, and hide
                what collides.

        Returns:
            The indices of the shapes that were changed.

        Raises:
            OptionError: The method is unknown, or there is no such shape.
            SimulationError: See `raise_on_failure`.
        """
        return approximate(self, method, shape_indices, raise_on_failure, keep_visual_shapes)

    def finalize(
        self, device: Any = None, dtype: str | np.dtype[Any] = "float32", *, requires_grad: bool = False, **skip: bool
    ) -> Model:
        """Check the scene and move it to a device.

        Mass properties that no body can have are corrected in the model, with an `InertiaWarning`; the lists of the
        builder stay as they are. In this order: what is not finite, and a negative mass, become zero; a mass is raised
        to `bound_mass`; a tensor without mass becomes zero; a tensor is made symmetric, positive definite (or that of a
        solid sphere of 1000 kg/m^3, if it is zero), no smaller than `bound_inertia`, and true to the triangle
        inequality. A frame without mass on a fixed joint takes a thousandth of the mass that it is fixed to; any other
        body that has no mass in the end does not move. Both are named.

        Args:
            device: As Warp names it, "cpu", "cuda:0", or a Warp device; by default the CPU.
            dtype: "float32" or "float64", or NumPy's dtype; see `Simulation`.
            requires_grad: False: steps are not differentiated.
            skip: Checks that are to be left out, by Newton's names. `skip_validation_inertia`, or
                `skip_all_validations`, leaves mass properties as they are; the others have no effect, as what they
                leave out takes no time here.

        Raises:
            OptionError: The dtype or a setting has no meaning, gravity is not finite, or a list has not one entry for
                each body, joint or particle.
            SimulationError: The device does not exist, a world is still open, or a body without checks has a tensor
                without inverse.
        """
        from inertia_tools.sim.model.building import build_model

        if requires_grad:
            raise OptionError("requires_grad", requires_grad, "False: steps are not differentiated")
        for name in skip.keys() - SKIPPED_CHECKS:
            raise UnknownOptionError("ModelBuilder.finalize", name, ["device", "dtype", *sorted(SKIPPED_CHECKS)])
        from inertia_tools.sim.model.worlds import replicate

        check = not (skip.get("skip_all_validations") or skip.get("skip_validation_inertia"))
        return replicate(build_model(self, str(device or "cpu"), dtype, check_inertia=check), self._copies)
