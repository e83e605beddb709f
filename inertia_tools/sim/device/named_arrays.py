# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The build-time data of a scene as arrays and lists of its model, under the names that Newton uses.

They are created on first access. The arrays that the solver reads in every step are separate; see `Model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import UnknownFrequencyError
from inertia_tools.sim.device.attribute_frequencies import FREQUENCIES
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import rows_of
from inertia_tools.sim.scene.built_joint import dofs_of
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment, AttributeFrequency
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.joint_columns import starts_of
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.shape_pairs import may_touch
from inertia_tools.spatial import Array

SCALAR, VEC2, VEC3, TRANSFORM, MAT33, VEC6 = "scalar", "vec2", "vec3", "transform", "mat33", "vec6"
"""Types that depend on the precision of the model."""


@dataclass(frozen=True)
class Column:
    """How a list of the scene becomes an array.

    Attributes:
        dtype: Type of a value.
        points_at: What the values index, if they are indices; each copy of a scene refers to its own.
    """

    dtype: Any
    points_at: str = ""


COLUMNS: dict[str, Column] = {
    "body_flags": Column(wp.int32),
    "body_world": Column(wp.int32),
    "joint_f": Column(SCALAR),
    "joint_act": Column(SCALAR),
    "joint_rest_q": Column(SCALAR),
    "joint_target_mode": Column(wp.int32),
    "joint_limit_ke": Column(SCALAR),
    "joint_limit_kd": Column(SCALAR),
    "joint_axis": Column(VEC3),
    "joint_world": Column(wp.int32),
    "joint_articulation": Column(wp.int32, "articulation"),
    "joint_mimic_joint": Column(wp.int32, "joint"),
    "joint_mimic_coeffs": Column(VEC2),
    "articulation_world": Column(wp.int32),
    "articulation_end": Column(wp.int32, "joint"),
    "shape_transform": Column(TRANSFORM),
    "shape_body": Column(wp.int32, "body"),
    "shape_flags": Column(wp.int32),
    "shape_type": Column(wp.int32),
    "shape_scale": Column(VEC3),
    "shape_color": Column(VEC3),
    "shape_opacity": Column(SCALAR),
    "shape_is_solid": Column(wp.bool),
    "shape_margin": Column(SCALAR),
    "shape_gap": Column(SCALAR),
    "shape_collision_group": Column(wp.int32),
    "shape_collision_radius": Column(SCALAR),
    "shape_collision_aabb_lower": Column(VEC3),
    "shape_collision_aabb_upper": Column(VEC3),
    "shape_world": Column(wp.int32),
    "shape_material_ke": Column(SCALAR),
    "shape_material_kd": Column(SCALAR),
    "shape_material_kf": Column(SCALAR),
    "shape_material_ka": Column(SCALAR),
    "shape_material_kh": Column(SCALAR),
    "constraint_mimic_joint0": Column(wp.int32, "joint"),
    "constraint_mimic_joint1": Column(wp.int32, "joint"),
    "constraint_mimic_coef0": Column(SCALAR),
    "constraint_mimic_coef1": Column(SCALAR),
    "constraint_mimic_enabled": Column(wp.bool),
}
"""Lists of the scene that are arrays of its model."""


LISTS = {
    "body_label": "Name of each body.",
    "joint_label": "Name of each joint.",
    "shape_label": "Name of each shape.",
    "articulation_label": "Name of each articulation.",
    "constraint_mimic_label": "Name of each coupling.",
    "shape_source": "Mesh or height field of each shape; None for other shapes.",
}
"""Lists of the scene that its model has, concatenated for all copies."""

COUNTS = {
    "shape_count": "Number of shapes.",
    "articulation_count": "Number of articulations.",
    "constraint_mimic_count": "Number of couplings that are listed by themselves.",
    "joint_constraint_count": "Number of rows that all joints hold.",
}
"""Counts of the scene that its model multiplies by the number of copies."""


class NamedArrays:
    """Arrays and lists of a model by name; see the module.

    Attributes:
        scene: The scene at the time that the model was built.
    """

    scene: Scene
    precision: Any
    device: str
    copy_count: int
    start: Any
    start_coordinates: Any
    start_velocities: Any
    start_rates: Any
    bodies: Any
    built_joints: Any
    moves: Any

    @cached_property
    def _made(self) -> dict[str, Any]:
        return {}

    def named_array(self, name: str) -> Any:
        """Return an array of `COLUMNS`."""
        if name not in self._made:
            self._made[name] = self._array_of_scene(name)
        return self._made[name]

    def _array_of_scene(self, name: str) -> Any:
        column = COLUMNS[name]
        return self._array(self._copied(list(getattr(self.scene, name)), column.points_at), column.dtype)

    def is_rewritten(self, name: str) -> bool:
        """Return whether an array of `COLUMNS` has other values than the scene."""
        if not self.was_asked_for(name):
            return False
        return not np.array_equal(self._made[name].numpy(), self._array_of_scene(name).numpy())

    def was_asked_for(self, name: str) -> bool:
        """Return whether an array exists; only then can users have written to it."""
        return name in self._made

    def _copied(self, values: Sequence[Any], points_at: str = "") -> np.ndarray:
        """Return the values for all copies of the scene."""
        host = np.asarray([np.asarray(value) for value in values])
        if self.scene_copies == 1 or not len(host):
            return host
        copies = np.concatenate([host] * self.scene_copies)
        if points_at:
            step = np.repeat(np.arange(self.scene_copies) * getattr(self.scene, f"{points_at}_count"), len(host))
            copies = np.where(copies >= 0, copies + step, copies)
        return copies

    @property
    def scene_copies(self) -> int:
        """Number of copies of the scene."""
        return max(len(self.start) // max(self.scene.body_count, 1), 1)

    def _array(self, values: Any, dtype: Any) -> Any:
        p = self.precision
        kind = {
            SCALAR: p.scalar,
            VEC2: wp.vec2f if p.scalar is wp.float32 else wp.vec2d,
            VEC3: p.vec3,
            TRANSFORM: p.transform,
            MAT33: p.mat33,
            VEC6: p.vec6,
        }.get(dtype, dtype)
        return wp.array(values, dtype=kind, device=self.device)

    def _started(self, name: str, values: Any, dtype: Any) -> Any:
        if name not in self._made:
            self._made[name] = self._array(values, dtype)
        return self._made[name]

    def changed_start(self, name: str) -> np.ndarray | None:
        """Return what users wrote to a start array, such as `body_q`; None if nothing."""
        array = self._made.get(name)
        if array is None or not len(array):
            return None
        now, built = array.numpy(), self._array(self._built_start(name)[0], self._built_start(name)[1]).numpy()
        return None if np.array_equal(now, built) else now.astype(np.float64)

    @property
    def start_poses(self) -> Array:
        """Poses of the bodies at the start, positions [m] and quaternions x, y, z, w, shape (bodies, 7)."""
        of_copy = rows_of(self.start[: len(self.start) // self.copy_count])
        return np.tile(of_copy, (self.copy_count, 1))

    def _built_start(self, name: str) -> tuple[Any, str]:
        return {
            "body_q": (self.start_poses, TRANSFORM),
            "body_qd": (self.start_velocities, VEC6),
            "joint_q": (self.start_coordinates, SCALAR),
            "joint_qd": (self.start_rates, SCALAR),
        }[name]

    @property
    def body_q(self) -> Any:
        """Pose of each body at the start; states made from now on begin with the values of this array."""
        return self._started("body_q", *self._built_start("body_q"))

    @property
    def body_qd(self) -> Any:
        """Velocity of each body at the start, as in `State.body_qd`; states made from now on begin with it."""
        return self._started("body_qd", *self._built_start("body_qd"))

    @property
    def joint_q(self) -> Any:
        """Coordinates of the joints at the start; states made from now on begin with the values of this array."""
        return self._started("joint_q", *self._built_start("joint_q"))

    @property
    def joint_qd(self) -> Any:
        """Rates of the degrees of freedom at the start; states made from now on begin with them."""
        return self._started("joint_qd", *self._built_start("joint_qd"))

    @property
    def joint_q_start(self) -> Any:
        """First coordinate of each joint, then the number of all coordinates."""
        return self._started("joint_q_start", starts_of(j.coordinate_count for j in self.built_joints), wp.int32)

    @property
    def joint_qd_start(self) -> Any:
        """First degree of freedom of each joint, then the number of all degrees of freedom."""
        return self._started("joint_qd_start", starts_of(j.dof_count for j in self.built_joints), wp.int32)

    @cached_property
    def _targets(self) -> Array:
        """Targets of the drive of each degree of freedom that its target mode leaves, shape (dofs, 2)."""
        of_copy = self.built_joints[: len(self.built_joints) // self.copy_count]
        aims = [(dof.config.target_pos, dof.config.target_vel) for joint in of_copy for dof in dofs_of(joint)]
        return np.tile(np.reshape(aims, (-1, 2)), (self.copy_count, 1))

    @property
    def joint_target_q(self) -> Any:
        """Target position of each drive, as `Control.joint_target_q`; controls made from now on begin with it."""
        return self._started("joint_target_q", self._targets[:, 0], SCALAR)

    @property
    def joint_target_qd(self) -> Any:
        """Target velocity of each drive, as `Control.joint_target_qd`; controls made from now on begin with it."""
        return self._started("joint_target_qd", self._targets[:, 1], SCALAR)

    @property
    def joint_target_q_start(self) -> Any:
        """First target of each joint in `Control.joint_target_q`, equal to its first degree of freedom."""
        return self.joint_qd_start

    @property
    def joint_X_p(self) -> Any:
        """Frame of each joint seen from its parent, or in the world; for writing see `SolverNotifyFlags`."""
        return self._started("joint_X_p", rows_of(joint.given_parent for joint in self.built_joints), TRANSFORM)

    @property
    def joint_X_c(self) -> Any:
        """Frame of each joint seen from its child; for writing see `SolverNotifyFlags`."""
        return self._started("joint_X_c", rows_of(joint.given_child for joint in self.built_joints), TRANSFORM)

    @property
    def joint_dof_dim(self) -> Any:
        """Numbers of linear and of angular degrees of freedom of each joint, shape (joints, 2)."""
        rows = self._copied(list(self.scene.joint_dof_dim)).reshape(-1, 2)
        return self._started("joint_dof_dim", rows, wp.int32)

    @property
    def articulation_start(self) -> Any:
        """Index of the first joint of each articulation, and the number of joints."""
        starts = self._copied(self.scene.articulation_start, "joint")
        return self._started("articulation_start", [*starts, len(self.built_joints)], wp.int32)

    def get_custom_frequency_count(self, frequency: str) -> int:
        """Return the number of rows of a custom table.

        Raises:
            UnknownFrequencyError: There is no such table.
        """
        if frequency not in self.scene.custom_frequencies:
            raise UnknownFrequencyError("Model", frequency, self.scene.custom_frequencies)
        return self.scene.custom_row_count(frequency) * self.scene_copies

    @property
    def custom_frequency_articulation(self) -> dict[str, Any]:
        """Articulation of each row of custom tables that have one, Warp arrays of int32 by key."""
        tables = self.scene.custom_frequencies.values()
        owners = {one.key: one.articulation_owner_attribute for one in tables if self.scene.custom_row_count(one.key)}
        return {key: self._custom_array(owner) for key, owner in owners.items() if owner is not None}

    def _custom_array(self, key: str) -> Any:
        holder: Any = self
        for part in key.split(":"):
            holder = getattr(holder, part)
        return holder

    @property
    def attribute_frequency(self) -> dict[str, AttributeFrequency | str]:
        """Frequency of each attribute of the model, its states and controls; custom ones by their keys."""
        return {**FREQUENCIES, **{key: one.frequency for key, one in self.scene.custom_attributes.items()}}

    @property
    def attribute_assignment(self) -> dict[str, AttributeAssignment]:
        """Object that each custom attribute belongs to, by its key."""
        attributes: dict[str, Any] = self.scene.custom_attributes
        return {key: one.assignment for key, one in attributes.items()}

    def get_attribute_frequency(self, name: str) -> AttributeFrequency | str:
        """Return the frequency of an attribute of the model, a state or a control.

        Args:
            name: Its name; for a custom attribute its key: the namespace and a colon, if it has one, and the name.

        Raises:
            UnknownFrequencyError: There is no such attribute.
        """
        found = self.attribute_frequency.get(name) if isinstance(name, str) else None
        if found is None:
            raise UnknownFrequencyError("Model", name, self.attribute_frequency)
        return found

    @property
    def joint_ancestor(self) -> Any:
        """Index of the joint whose child is the parent of each joint; -1 for none."""
        parents = [joint.parent for joint in self.built_joints]
        above = [-1 if parent < 0 else self.joint_above(parent) for parent in parents]
        return self._started("joint_ancestor", [-1 if one is None else one for one in above], wp.int32)

    @property
    def body_inv_mass(self) -> Any:
        """Inverse mass of each body [1/kg]; zero for bodies that forces do not move."""
        return self.bodies.inv_mass

    @property
    def body_inv_inertia(self) -> Any:
        """Inverse tensor of each body in its axes [1/(kg m^2)]."""
        return self.bodies.inv_inertia

    @cached_property
    def coordinate_starts(self) -> list[int]:
        """First coordinate of each joint."""
        return starts_of(joint.coordinate_count for joint in self.built_joints)[:-1]

    @cached_property
    def dof_starts(self) -> list[int]:
        """First degree of freedom of each joint."""
        return starts_of(joint.dof_count for joint in self.built_joints)[:-1]

    @cached_property
    def bodies_parents_first(self) -> list[int]:
        """All bodies, parents before children."""
        order, count = self.scene.bodies_parents_first(), self.scene.body_count
        return [body + copy * count for copy in range(self.scene_copies) for body in order]

    def joint_above(self, body: int) -> int | None:
        """Return the index of the tree joint of a body; None for a body without one."""
        copy, own = divmod(body, max(self.scene.body_count, 1))
        joint = self.scene.joint_above(own)
        return None if joint is None else joint + copy * self.scene.joint_count

    @property
    def body_shapes(self) -> dict[int, list[int]]:
        """Indices of the shapes of each body; those of the world under -1."""
        found: dict[int, list[int]] = {body: [] for body in range(-1, len(self.start))}
        for shape, body in enumerate(self._copied(list(self.scene.shape_body), "body").tolist()):
            found[body].append(shape)
        return found

    @property
    def shape_contact_pairs(self) -> Any:
        """Pairs of shapes that may collide, lower index first, Warp array of vec2i.

        Pairs of two world shapes are excluded.
        """
        if "shape_contact_pairs" not in self._made:
            self._made["shape_contact_pairs"] = self._array(self._pairs_that_may_touch(), wp.vec2i)
        return self._made["shape_contact_pairs"]

    @property
    def shape_contact_pair_count(self) -> int:
        """Number of pairs of shapes that may collide."""
        return len(self.shape_contact_pairs)

    def _pairs_that_may_touch(self) -> list[tuple[int, int]]:
        is_static = [shape.body == WORLD for shape in self.scene.shapes]
        once = [pair for pair in may_touch(self.scene, self.scene.shapes, is_static) if pair[0] < pair[1]]
        steps = range(0, self.scene.shape_count * self.scene_copies, max(self.scene.shape_count, 1))
        return [(first + step, second + step) for step in steps for first, second in once]

    @property
    def heightfield_count(self) -> int:
        """Number of heightfields."""
        return sum(int(kind == GeoType.HFIELD) for kind in self.scene.shape_type) * self.scene_copies

    @property
    def up_axis(self) -> Any:
        """Axis of the world that points up."""
        return self.scene.up_axis

    @property
    def shape_collision_filter_pairs(self) -> set[tuple[int, int]]:
        """Pairs of shapes, lower index first, that never collide, whatever their groups."""
        count = self.scene.shape_count
        pairs = self.scene.shape_collision_filter_pairs
        return {(a + copy * count, b + copy * count) for copy in range(self.scene_copies) for a, b in pairs}


def _column(name: str) -> property:
    doc = f"Warp array of `ModelBuilder.{name}`."
    return property(lambda model: model.named_array(name), doc=doc)


def _of_copies(name: str, doc: str) -> property:
    def read(model: NamedArrays) -> Any:
        value = getattr(model.scene, name)
        return (value if isinstance(value, int) else list(value)) * model.scene_copies

    return property(read, doc=doc)


for _name in COLUMNS:
    setattr(NamedArrays, _name, _column(_name))
for _name, _doc in {**LISTS, **COUNTS}.items():
    setattr(NamedArrays, _name, _of_copies(_name, _doc))
