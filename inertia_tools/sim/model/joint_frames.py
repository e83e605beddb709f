# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of joint frames after `finalize`, such as moving the base of a bolted arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.device.joint_arrays import move_joints
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import rows_of
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.xform import as_pose
from inertia_tools.spatial import Array

SIDES = {"joint_X_p": "parent", "joint_X_c": "child"}
"""Arrays of joint frames that users may write to, and their side of the joint."""


def move_parent_frames(model: Model, frames: Mapping[int, Array]) -> None:
    """Move the parent frames of joints, on the host, in `joint_X_p`, and in the arrays that the next step reads.

    Args:
        model: The scene.
        frames: New frames by joint index, in the parent's frame or the world: position [m] and unit quaternion
            (x, y, z, w), shape (7,).
    """
    if not frames:
        return
    array, built = model.joint_X_p, model.built_joints
    move_joints(model, {index: built[index].with_frames(parent=as_pose(row)) for index, row in frames.items()})
    rows = array.numpy().copy()
    rows[list(frames)] = list(frames.values())
    array.assign(rows)
    model.frames_taken["joint_X_p"] = rows


def let_move(model: Model, target: Any, bodies: Sequence[int]) -> None:
    """Wake bodies after their joints were moved.

    Args:
        model: The scene.
        target: State in which to wake them, or the model for all states.
        bodies: Indices of the bodies.
    """
    model.changed_times += 1
    if not isinstance(target, State):
        _note_change(model, bodies)
    elif target.has_scene and bodies:
        rest = target.data.rest.numpy()
        rest[list(bodies)] = 0.0
        target.data.rest.assign(rest)


def _note_change(model: Model, bodies: Sequence[int]) -> None:
    """Let the next step take bodies, and all that joints connect with them, for bodies of another model."""
    clusters, version = model.clusters.of_body.numpy(), model.bodies.version.numpy()
    chosen = list(bodies)
    changed = (clusters >= 0) & np.isin(clusters, clusters[chosen])
    changed[chosen] = True
    model.bodies.version.assign(version + changed)


def take_frames(model: Model) -> None:
    """Apply changes of `joint_X_p` and `joint_X_c`.

    Raises:
        OptionError: A frame is not finite, or its quaternion is zero.
    """
    moved = dict(enumerate(model.built_joints))
    changed = set()
    for name, side in SIDES.items():
        for index, row in _rewritten(model, name).items():
            if not (np.isfinite(row).all() and row[3:].any()):
                raise OptionError(f"{name}[{index}]", row.tolist(), "a finite position and a quaternion x, y, z, w")
            if moved[index].kind is not JointKind.FREE:
                moved[index] = moved[index].with_frames(**{side: as_pose(row)})
                changed.add(index)
    if changed:
        move_joints(model, {index: moved[index] for index in sorted(changed)})
        model.frames_taken |= {name: getattr(model, name).numpy().copy() for name in SIDES}
        ends = {body for index in changed for body in (moved[index].parent, moved[index].child)}
        _note_change(model, sorted(ends - {WORLD}))


def _rewritten(model: Model, name: str) -> dict[int, Array]:
    """Return the frames in an array that users changed since the last call, or since the scene was built."""
    if not model.joint_count or not model.was_asked_for(name):
        return {}
    rows, taken = getattr(model, name).numpy(), model.frames_taken.get(name)
    if taken is None:
        taken = rows_of(getattr(joint, f"given_{SIDES[name]}") for joint in model.built_joints).astype(rows.dtype)
    return {int(index): rows[index].astype(np.float64) for index in np.flatnonzero((rows != taken).any(axis=1))}
