# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The public scene builder, with importers of robot files; `finalize` moves the scene to a device."""

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
"""Options of Newton's `finalize` that skip checks."""

LOG = logging.getLogger(__name__)


@with_known_keywords
@dataclass
class ModelBuilder(SceneImports):
    """Collects a scene; bodies, shapes, joints, particles and deformable elements are identified by index.

    `finalize` reads its settings, such as `bound_mass` and the rules that combine materials, from attributes of
    `Scene`.
    """

    ShapeConfig: ClassVar[type[ShapeConfig]] = ShapeConfig
    JointDofConfig: ClassVar[type[JointDofConfig]] = JointDofConfig
    MeshApproximationConfig: ClassVar[type[MeshApproximationConfig]] = MeshApproximationConfig
    CustomAttribute: ClassVar[type[CustomAttribute]] = CustomAttribute
    CustomFrequency: ClassVar[type[CustomFrequency]] = CustomFrequency

    def request_state_attributes(self, *names: str) -> None:
        """Add optional attributes to all states of the model; see `Model.request_state_attributes`."""
        self.requested_attributes.update(names)

    def request_contact_attributes(self, *names: str) -> None:
        """Add optional attributes to all contacts of the model; see `Model.request_contact_attributes`."""
        self.requested_attributes.update(names)

    def color(self, **_: Any) -> None:
        """Do nothing: this package's solver needs no graph colouring."""

    def collapse_fixed_joints(self, joints_to_keep: Collection[str | int] = (), verbose: bool = False) -> Collapse:
        """Merge each group of bodies connected by fixed joints into one body, before `finalize` checks them.

        Masses add up, and inertia tensors move to the common centre of mass, products of inertia included. Shapes and
        joints keep their poses in the world and refer to the merged body; shapes keep their labels. The merged body
        keeps the name of the body nearest to the root. Bodies fixed to the world become part of it, and bodies fixed to
        a kinematic body become part of that body. A kinematic body that is fixed to a dynamic one stays separate, and
        the report lists it. Indices of bodies and joints change: the report maps them, and `Articulation.after` applies
        the map.

        Args:
            joints_to_keep: Names, labels or indices of fixed joints that are not merged.
            verbose: Whether to log each merge, at level INFO.

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
            LOG.info("%s: merged %s into %s, now %g kg", merge.joint, merge.child, merge.parent, merge.mass_after)
        return report

    def approximate_meshes(
        self,
        method: str = "convex_hull",
        shape_indices: Iterable[int] | None = None,
        raise_on_failure: bool = False,
        keep_visual_shapes: bool = False,
    ) -> set[int]:
        """Replace the collision geometry of meshes with simpler shapes; the mass properties of bodies stay unchanged.

        Args:
            method: "convex_hull"; "coacd" for a convex decomposition with the options in
                `default_mesh_approximation_cfg`; "bounding_box" for the smaller of two boxes, one aligned with the
                shape's axes and one with its principal axes; "bounding_sphere" for the sphere about that box's centre.
            shape_indices: Indices of the shapes; shapes other than meshes stay unchanged. By default all meshes that
                collide with shapes.
            raise_on_failure: Whether to raise an error if coacd is requested but not installed; otherwise meshes
                collide as their convex hulls, with a warning.
            keep_visual_shapes: Whether to keep each mesh as a separate visual shape, appended to the list, and to hide
                its collision shape.

        Returns:
            Indices of the changed shapes.

        Raises:
            OptionError: The method is unknown, or there is no such shape.
            SimulationError: coacd is not installed, and `raise_on_failure` is set.
        """
        return approximate(self, method, shape_indices, raise_on_failure, keep_visual_shapes)

    def finalize(
        self, device: Any = None, dtype: str | np.dtype[Any] = "float32", *, requires_grad: bool = False, **skip: bool
    ) -> Model:
        """Check the scene and move it to a device.

        Physically impossible mass properties are corrected in the model, with an `InertiaWarning`; the builder's lists
        stay unchanged. The corrections, in this order: values that are not finite and negative masses become zero; a
        mass is raised to `bound_mass`; the tensor of a body without mass becomes zero; a tensor is made symmetric and
        positive definite (a zero tensor becomes that of a solid sphere of 1000 kg/m^3), its moments are raised to
        `bound_inertia`, and it is made to satisfy the triangle inequality. A frame without mass on a fixed joint gets a
        thousandth of the mass of the body that it is fixed to; any other body that remains without mass does not move.
        The warnings name both.

        Args:
            device: Name of a Warp device, such as "cpu" or "cuda:0", or a Warp device; by default the CPU.
            dtype: "float32" or "float64", or NumPy's dtype; see `Simulation`.
            requires_grad: Must be False: steps are not differentiable.
            skip: Checks to skip, by Newton's names. `skip_validation_inertia` and `skip_all_validations` leave mass
                properties uncorrected; the others have no effect, as the checks that they skip take no time here.

        Raises:
            OptionError: The dtype or a setting is invalid, gravity is not finite, or the length of a list is not the
                number of bodies, joints or particles.
            UnknownOptionError: `skip` has an option that Newton's `finalize` does not have.
            SimulationError: The device does not exist, a world is still open, or checks are skipped and a
                body has a singular tensor.
        """
        from inertia_tools.sim.model.building import build_model

        if requires_grad:
            raise OptionError("requires_grad", requires_grad, "False: steps are not differentiable")
        for name in skip.keys() - SKIPPED_CHECKS:
            raise UnknownOptionError("ModelBuilder.finalize", name, ["device", "dtype", *sorted(SKIPPED_CHECKS)])
        from inertia_tools.sim.model.worlds import replicate

        check = not (skip.get("skip_all_validations") or skip.get("skip_validation_inertia"))
        return replicate(build_model(self, str(device or "cpu"), dtype, check_inertia=check), self._copies)
