# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses and velocities of the roots of a selection.

The pose of a free root is part of a state's coordinates. Any other root has a joint frame in its parent or the world,
which is part of the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.model.joint_frames import let_move, move_parent_frames
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.selection.rows import holder
from inertia_tools.sim.selection.writing import chosen_by, poses_for, values_for, write

POSE, TWIST = 7, 6
"""Numbers of coordinates and of degrees of freedom of a free joint."""


class Roots:
    """Root joints of the selected articulations.

    Args:
        model: The model.
        joints: Index of each articulation's first joint that closes no loop, shape (worlds, articulations per world).
    """

    def __init__(self, model: Model, joints: np.ndarray) -> None:
        self._model, self._joints = model, joints

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of worlds and of articulations per world."""
        return int(self._joints.shape[0]), int(self._joints.shape[1])

    @property
    def kind(self) -> JointKind:
        """Type of the first articulation's root joint."""
        return self._model.built_joints[int(self._joints.flat[0])].kind

    def poses(self, source: Any) -> np.ndarray:
        """Return the root poses, shape (worlds, articulations per world, 7)."""
        if self._move_freely():
            return np.asarray(holder("source", source).joint_q.numpy()[self._places(POSE)])
        return np.asarray(self._model.joint_X_p.numpy()[self._joints])

    def place(self, target: Any, values: Any, mask: Any) -> None:
        """Set the root poses; see `ArticulationView.set_root_transforms`."""
        holder("target", target)
        chosen, poses = chosen_by(mask, self.shape), poses_for("values", values, self.shape)
        if self._move_freely():
            write(target.joint_q, self._places(POSE), poses, chosen)
            return
        joints = self._joints[chosen].tolist()
        move_parent_frames(self._model, dict(zip(joints, poses[chosen], strict=True)))
        let_move(self._model, target, [self._model.built_joints[joint].child for joint in joints])

    def twists(self, source: Any) -> np.ndarray | None:
        """Return the root velocities, shape (worlds, articulations per world, 6); None for roots that are not free."""
        return (
            np.asarray(holder("source", source).joint_qd.numpy()[self._places(TWIST)]) if self._move_freely() else None
        )

    def set_twists(self, target: Any, values: Any, mask: Any) -> None:
        """Set the root velocities; see `ArticulationView.set_root_velocities`."""
        holder("target", target)
        chosen = chosen_by(mask, self.shape)
        rates = values_for("values", values, (*self.shape, TWIST))
        if self._move_freely():
            write(target.joint_qd, self._places(TWIST), rates, chosen)
        elif rates[chosen].any():
            known = f"zero: the root joint is of type {self.kind.name}; use set_dof_velocities for its velocity"
            raise OptionError("values", rates[chosen].tolist(), known)

    def _move_freely(self) -> bool:
        """Return whether the root joints are free joints.

        Raises:
            OptionError: Some are free and others are not.
        """
        kinds = {self._model.built_joints[joint].kind for joint in self._joints.ravel().tolist()}
        if len(kinds) > 1 and JointKind.FREE in kinds:
            known = "articulations whose roots are all free, or none"
            raise OptionError("pattern", sorted(kind.name for kind in kinds), known)
        return JointKind.FREE in kinds

    def _places(self, count: int) -> np.ndarray:
        starts = self._model.coordinate_starts if count == POSE else self._model.dof_starts
        first: np.ndarray = np.asarray(starts)[self._joints]
        return np.asarray(first[..., None] + np.arange(count))
