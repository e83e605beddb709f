# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of a scene in one model, as independent worlds.

Every array has one block per world, in the same order; indices refer to the block of their own world. Geometry is
stored once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from inertia_tools.sim.collide.anchored import replicated
from inertia_tools.sim.collide.nearby import copies_of_nearby
from inertia_tools.sim.device.custom_arrays import arrays_of
from inertia_tools.sim.device.soft_model import soft_copies
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment

SHARED = frozenset({"gravity", "max_gravity", "feature", "radius", "is_rim", "edge_start", "edge_end", "face"})
"""Arrays shared by all worlds."""

POINTS_AT = {
    "bodies": {"parent": "body", "joint": "joint"},
    "joints": {"parent": "body", "child": "body", "first_dof": "dof", "first_coordinate": "coordinate"},
    "loops": {
        "first_body": "loop body",
        "body": "body",
        "first_row": "row",
        "first_entry": "entry",
        "row_joint": "joint",
        "row_dof": "dof",
        "leader_joint": "joint",
        "leader_dof": "dof",
    },
    "clusters": {
        "of_body": "cluster",
        "first_body": "clustered body",
        "body": "body",
        "first_joint": "joint",
        "joint": "joint",
        "first_pair": "pair",
        "group": "group",
    },
    "shapes": {
        "body": "body",
        "pair_feature": "shape",
        "pair_solid": "shape",
        "pair_slot": "slot",
        "pair_anchored": "anchored",
    },
}
"""Arrays of indices, each with the kind of element that it indexes; negative indices stay unchanged."""


def replicate(model: Model, count: int) -> Model:
    """Return a model with a number of copies of a scene.

    Args:
        model: Model of one scene; its data is reused, so it must not be used afterwards.
        count: Number of copies.
    """
    if count == 1:
        return model
    sizes = {
        "body": model.body_count,
        "joint": model.joint_count,
        "dof": model.joint_dof_count,
        "coordinate": model.joint_coord_count,
        "loop body": int(model.loops.body_count.numpy().sum()) if model.loops.group_count else 0,
        "cluster": model.clusters.count,
        "clustered body": int(model.moves.sum()),
        "pair": model.coupled_pairs,
        "group": model.loops.group_count,
        "row": model.loops.row_total,
        "entry": model.loop_entries,
        "shape": len(model.labels),
        "slot": model.slot_count,
        "anchored": len(model.anchored),
    }
    for struct, indices in POINTS_AT.items():
        data = getattr(model, struct)
        for name, variable in data._cls.vars.items():
            if hasattr(variable.type, "dtype") and name not in SHARED:
                copied = _copies(getattr(data, name).numpy(), count, sizes.get(indices.get(name, ""), 0))
                setattr(data, name, model.array(copied, variable.type.dtype))
    bodies, shapes = sizes["body"], sizes["shape"]
    model.anchored = replicated(model.anchored, count, bodies, shapes, model)
    if model.nearby is not None:
        model.nearby = copies_of_nearby(model.nearby, count, bodies, shapes, model)
    if model.soft is not None:
        model.soft = soft_copies(model.soft, count, bodies)
    model.slot_shapes = _copies(model.slot_shapes, count, sizes["shape"])
    model.slot_bodies = _copies(model.slot_bodies, count, sizes["body"])
    model.moves = np.tile(model.moves, count)
    model.start_coordinates = np.tile(model.start_coordinates, count)
    model.start_velocities = np.tile(model.start_velocities, (count, 1))
    model.start_rates = np.tile(model.start_rates, count)
    model.built_joints = tuple(_of_copy(joint, copy * bodies) for copy in range(count) for joint in model.built_joints)
    for name in ("labels", "start", "names", "inertials"):
        setattr(model, name, getattr(model, name) * count)
    model.custom_arrays = tuple(array.copied(count) for array in model.custom_arrays)
    model.custom = arrays_of(model.custom_arrays, AttributeAssignment.MODEL, model.device, Model)
    model.slot_count *= count
    model.loop_entries *= count
    model.coupled_pairs *= count
    model.copy_count = count
    return model


def _of_copy(joint: BuiltJoint, step: int) -> BuiltJoint:
    """Return a joint between the bodies of another copy, with shifted indices."""
    parent = joint.parent if joint.parent == WORLD else joint.parent + step
    return replace(joint, parent=parent, child=joint.child + step) if step else joint


def _copies(values: np.ndarray, count: int, step: int) -> Any:
    """Stack copies of an array; nonnegative indices are shifted by a step per copy."""
    stacked = np.concatenate([values] * count) if len(values) else values
    if step:
        shift = np.repeat(np.arange(count) * step, len(values)).reshape(-1, *([1] * (values.ndim - 1)))
        stacked = np.where(stacked >= 0, stacked + shift, stacked)
    return stacked
