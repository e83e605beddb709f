# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Names and counts of the elements of a selection, in the order of its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.selection.labels import last_part
from inertia_tools.sim.selection.rows import SelectedRows


class SelectionNames:
    """Names of the first articulation of a selection, which represents all of them.

    Labels are those of the model, and names are their last parts. The name of a degree of freedom is that of its joint;
    if the joint has several, a colon and a number from 0 follow.
    """

    model: Model
    _ids: np.ndarray
    _rows: SelectedRows

    @property
    def device(self) -> Any:
        """Warp device of the arrays."""
        return wp.get_device(self.model.device)

    @property
    def world_ids(self) -> Any:
        """World of each row of the arrays, Warp array of int32; -1 for articulations in no world."""
        copies, own = np.divmod(self._ids[:, 0], max(self.model.scene.articulation_count, 1))
        each = self.model.world_count // self.model.scene_copies
        worlds = np.asarray(self.model.scene.articulation_world, dtype=int)[own]
        first = copies * each if self.model.scene_copies > 1 else np.zeros_like(copies)
        numbers = np.where(worlds < 0, -1 if self.model.scene_copies == 1 else first, first + worlds)
        return wp.array(numbers.astype(np.int32), dtype=wp.int32, device=self.model.device)

    @property
    def is_sparse(self) -> bool:
        """Whether some worlds have no selected articulation."""
        worlds: list[int] = self.world_ids.numpy().tolist()
        return worlds != [-1] and worlds != list(range(self.model.world_count))

    @property
    def joint_labels(self) -> list[str]:
        """Labels of the joints."""
        return self._labels(AttributeFrequency.JOINT, self.model.joint_label)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
        return [last_part(label) for label in self.joint_labels]

    @property
    def joint_dof_counts(self) -> list[int]:
        """Number of degrees of freedom of each joint."""
        return [self.model.built_joints[joint].dof_count for joint in self._of_first(AttributeFrequency.JOINT)]

    @property
    def joint_coord_counts(self) -> list[int]:
        """Number of coordinates of each joint."""
        return [self.model.built_joints[joint].coordinate_count for joint in self._of_first(AttributeFrequency.JOINT)]

    @property
    def joint_dof_names(self) -> list[str]:
        """Names of the degrees of freedom."""
        return _numbered(self.joint_names, self.joint_dof_counts)

    @property
    def joint_coord_names(self) -> list[str]:
        """Names of the coordinates."""
        return _numbered(self.joint_names, self.joint_coord_counts)

    @property
    def link_labels(self) -> list[str]:
        """Labels of the links."""
        return self._labels(AttributeFrequency.BODY, self.model.body_label)

    @property
    def link_names(self) -> list[str]:
        """Names of the links."""
        return [last_part(label) for label in self.link_labels]

    @property
    def body_labels(self) -> list[str]:
        """Same as `link_labels`."""
        return self.link_labels

    @property
    def body_names(self) -> list[str]:
        """Same as `link_names`."""
        return self.link_names

    @property
    def shape_labels(self) -> list[str]:
        """Labels of the shapes on the links."""
        return self._labels(AttributeFrequency.SHAPE, self.model.shape_label)

    @property
    def shape_names(self) -> list[str]:
        """Names of the shapes on the links."""
        return [last_part(label) for label in self.shape_labels]

    @cached_property
    def link_shapes(self) -> list[list[int]]:
        """Shapes on each link, as indices in `shape_names`."""
        number = {shape: index for index, shape in enumerate(self._of_first(AttributeFrequency.SHAPE))}
        shapes = self.model.body_shapes
        return [[number[shape] for shape in shapes[body]] for body in self._of_first(AttributeFrequency.BODY)]

    @property
    def body_shapes(self) -> list[list[int]]:
        """Same as `link_shapes`."""
        return self.link_shapes

    @property
    def joints_contiguous(self) -> bool:
        """Whether the joints are contiguous in arrays of the model."""
        return self._is_contiguous(AttributeFrequency.JOINT)

    @property
    def joint_dofs_contiguous(self) -> bool:
        """Whether the degrees of freedom are contiguous in arrays of the model."""
        return self._is_contiguous(AttributeFrequency.JOINT_DOF)

    @property
    def joint_coords_contiguous(self) -> bool:
        """Whether the coordinates are contiguous in arrays of the model."""
        return self._is_contiguous(AttributeFrequency.JOINT_COORD)

    @property
    def links_contiguous(self) -> bool:
        """Whether the links are contiguous in arrays of the model."""
        return self._is_contiguous(AttributeFrequency.BODY)

    @property
    def shapes_contiguous(self) -> bool:
        """Whether the shapes are contiguous in arrays of the model."""
        return self._is_contiguous(AttributeFrequency.SHAPE)

    def _is_contiguous(self, frequency: AttributeFrequency) -> bool:
        return bool((np.diff(self._of_first(frequency)) == 1).all())

    def _of_first(self, frequency: AttributeFrequency) -> list[int]:
        """Return the indices of the first articulation's entries in arrays of the model."""
        entries: list[int] = self._rows.of(frequency)[0, 0].tolist()
        return entries

    def _labels(self, frequency: AttributeFrequency, labels: Sequence[str]) -> list[str]:
        return [labels[index] for index in self._of_first(frequency)]


def _numbered(names: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Repeat each name by its count, with a number appended if the count is above one."""
    return [
        name if count == 1 else f"{name}:{number}"
        for name, count in zip(names, counts, strict=True)
        for number in range(count)
    ]
