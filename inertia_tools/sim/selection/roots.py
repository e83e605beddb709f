# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the articulations of a selection stand, and how fast their roots move.

The pose of a root on a free joint is in the coordinates of a state. Any other is where its joint has it on the parent:
that is a part of the model, as a bolt in the floor is.
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
"""Coordinates and rates of a free joint."""


class Roots:
    """The first joints of articulations that look alike.

    Args:
        model: The model.
        joints: Index of the first joint of each that closes no loop, shape (worlds, articulations a world).
    """

    def __init__(self, model: Model, joints: np.ndarray) -> None:
        self._model, self._joints = model, joints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of worlds, and of articulations in each."""
        return int(self._joints.shape[0]), int(self._joints.shape[1])

    @property
    def kind(self) -> JointKind:
        """Kind of the joint of the first articulation."""
        return self._model.built_joints[int(self._joints.flat[0])].kind

    def poses(self, source: Any) -> np.ndarray:
        """Return the pose of each, shape (worlds, articulations a world, 7)."""
        if self._move_freely():
            return np.asarray(holder("source", source).joint_q.numpy()[self._places(POSE)])
        return np.asarray(self._model.joint_X_p.numpy()[self._joints])

    def place(self, target: Any, values: Any, mask: Any) -> None:
        """Write the pose of each; see `ArticulationView.set_root_transforms`."""
        holder("target", target)
        chosen, poses = chosen_by(mask, self.shape), poses_for("values", values, self.shape)
        if self._move_freely():
            write(target.joint_q, self._places(POSE), poses, chosen)
            return
        joints = self._joints[chosen].tolist()
        move_parent_frames(self._model, dict(zip(joints, poses[chosen], strict=True)))
        let_move(self._model, target, [self._model.built_joints[joint].child for joint in joints])

    def twists(self, source: Any) -> np.ndarray | None:
        """Return the rates of each, shape (worlds, articulations a world, 6); None where they do not move freely."""
        return (
            np.asarray(holder("source", source).joint_qd.numpy()[self._places(TWIST)]) if self._move_freely() else None
        )

    def set_twists(self, target: Any, values: Any, mask: Any) -> None:
        """Write the rates of each; see `ArticulationView.set_root_velocities`."""
        holder("target", target)
        chosen = chosen_by(mask, self.shape)
        rates = values_for("values", values, (*self.shape, TWIST))
        if self._move_freely():
            write(target.joint_qd, self._places(TWIST), rates, chosen)
        elif rates[chosen].any():
            known = f"zero: the root hangs on a joint of kind {self.kind.name}; set_dof_velocities moves that"
            raise OptionError("values", rates[chosen].tolist(), known)

    def _move_freely(self) -> bool:
        """Return whether the roots are on free joints.

        Raises:
            OptionError: Some are, others not.
        """
        kinds = {self._model.built_joints[joint].kind for joint in self._joints.ravel().tolist()}
        if len(kinds) > 1 and JointKind.FREE in kinds:
            known = "articulations whose roots all move freely, or none"
            raise OptionError("pattern", sorted(kind.name for kind in kinds), known)
        return JointKind.FREE in kinds

    def _places(self, count: int) -> np.ndarray:
        starts = self._model.coordinate_starts if count == POSE else self._model.dof_starts
        first: np.ndarray = np.asarray(starts)[self._joints]
        return np.asarray(first[..., None] + np.arange(count))
