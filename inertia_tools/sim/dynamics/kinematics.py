# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Forward and inverse kinematics of a model: bodies from joint coordinates, and joint coordinates from bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.dynamics.joint_axes import axes_of
from inertia_tools.sim.dynamics.kinematic_arguments import (
    check_fillable,
    check_joint,
    check_state,
    chosen_of,
    indices_of,
    numbers_of,
    on_host,
)
from inertia_tools.sim.scene.body_motion import BodyMotion, rows_of
from inertia_tools.sim.scene.flags import BodyFlags
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.posing import child_of_joint, coordinates_of_joint
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.model.model import Model


def eval_fk(
    model: Model,
    joint_q: Any,
    joint_qd: Any,
    state: Any,
    mask: Any = None,
    indices: Any = None,
    body_flag_filter: int = BodyFlags.ALL,
    *,
    joint_mask: Any = None,
) -> None:
    """Compute the poses and velocities of bodies from coordinates and velocities of joints (forward kinematics).

    Bodies are processed parents first. A body on a distance joint, or without a joint, does not change.

    Args:
        model: The scene.
        joint_q: Coordinates of all joints [rad or m], Warp or NumPy array; see `State.joint_q`.
        joint_qd: Velocities of all degrees of freedom [rad/s or m/s], likewise.
        state: Object with `body_q` and `body_qd` to write to: a `State`, or the model itself.
        mask: Booleans that select articulations; None for all articulations and all joints outside of any.
        indices: Indices of articulations, instead of a mask.
        body_flag_filter: Write only to bodies with one of these `BodyFlags`.
        joint_mask: Booleans that select joints; None for all.

    Raises:
        OptionError: Both a mask and indices are given, the length of an argument does not fit the scene, or a
            coordinate or a velocity in use is not finite.
    """
    chosen = _chosen_joints(model, mask, indices, joint_mask)
    check_state(state)
    q = numbers_of("joint_q", joint_q, model.joint_coord_count)
    qd = numbers_of("joint_qd", joint_qd, model.joint_dof_count)
    poses, motions = _bodies_of(model, state)
    motion, flags = BodyMotion(model.inertials, poses, motions), model.body_flags.numpy()
    first_q, first_qd = model.coordinate_starts, model.dof_starts
    for body in model.bodies_parents_first:
        index = model.joint_above(body)
        if index is None or index not in chosen or not flags[body] & int(body_flag_filter):
            continue
        joint = model.built_joints[index]
        coordinates = q[first_q[index] : first_q[index] + joint.coordinate_count]
        rates = qd[first_qd[index] : first_qd[index] + joint.dof_count]
        check_joint(joint, coordinates, rates)
        posed = child_of_joint(joint, motion.pose(joint.parent), coordinates.tolist())
        if posed is not None:
            poses[body] = rows_of([posed])[0]
            motions[body] = motion.moved_by(joint, rates)
    _write(state.body_q, poses)
    _write(state.body_qd, motions)


def eval_ik(
    model: Model,
    state: Any,
    joint_q: Any,
    joint_qd: Any,
    mask: Any = None,
    indices: Any = None,
    body_flag_filter: int = BodyFlags.ALL,
) -> None:
    """Compute the coordinates and velocities of joints from poses and velocities of bodies (inverse kinematics).

    Args:
        model: The scene.
        state: Object with `body_q` and `body_qd`: a `State`, or the model itself.
        joint_q: Receives the coordinates of all joints [rad or m], Warp or NumPy array; those of joints that are not
            processed do not change.
        joint_qd: Receives the velocities of all degrees of freedom [rad/s or m/s], likewise.
        mask: See `eval_fk`.
        indices: See `eval_fk`.
        body_flag_filter: Process only joints whose child has one of these `BodyFlags`.

    Raises:
        OptionError: Both a mask and indices are given, or the length of an argument does not fit the scene, or it
            cannot be written to.
    """
    chosen = _chosen_joints(model, mask, indices, None)
    check_state(state)
    check_fillable("joint_q", joint_q, model.joint_coord_count)
    check_fillable("joint_qd", joint_qd, model.joint_dof_count)
    poses, motions = _bodies_of(model, state)
    q, qd = (np.array(on_host(array), dtype=np.float64) for array in (joint_q, joint_qd))
    motion, flags = BodyMotion(model.inertials, poses, motions), model.body_flags.numpy()
    for index, first_q, first_qd in zip(sorted(chosen), *_starts(model, sorted(chosen)), strict=True):
        joint = model.built_joints[index]
        if not flags[joint.child] & int(body_flag_filter):
            continue
        coordinates = coordinates_of_joint(joint, motion.pose(joint.parent), motion.pose(joint.child))
        q[first_q : first_q + len(coordinates)] = coordinates
        if joint.kind is JointKind.FREE:
            qd[first_qd : first_qd + 6] = motions[joint.child]
        elif joint.kind is not JointKind.DISTANCE:
            qd[first_qd : first_qd + joint.dof_count] = axes_of(joint, motion).rates
    _write(joint_q, q)
    _write(joint_qd, qd)


def _starts(model: Model, joints: Iterable[int]) -> tuple[list[int], list[int]]:
    chosen = list(joints)
    return [model.coordinate_starts[j] for j in chosen], [model.dof_starts[j] for j in chosen]


def _chosen_joints(model: Model, mask: Any, indices: Any, joint_mask: Any) -> set[int]:
    """Return the joints to process.

    Raises:
        OptionError: Both a mask and indices of articulations are given, or they do not fit the scene.
    """
    if mask is not None and indices is not None:
        raise OptionError("indices", indices, "None if a mask is given")
    chosen = set(range(model.joint_count))
    if mask is not None or indices is not None:
        count = model.articulation_count
        numbers = chosen_of("mask", mask, count) if indices is None else indices_of("indices", indices, count)
        starts, ends = model.articulation_start.numpy(), model.articulation_end.numpy()
        chosen = {joint for one in numbers.tolist() for joint in range(starts[one], ends[one])}
    if joint_mask is not None:
        chosen &= set(chosen_of("joint_mask", joint_mask, model.joint_count).tolist())
    return chosen


def _bodies_of(model: Model, state: Any) -> tuple[Array, Array]:
    """Return poses and velocities of all bodies, shapes (bodies, 7) and (bodies, 6)."""
    poses, motions = (np.array(array.numpy(), dtype=np.float64) for array in (state.body_q, state.body_qd))
    return poses[: model.body_count], motions[: model.body_count]


def _write(array: Any, values: Array) -> None:
    """Write values to an array, which may have an extra entry, as Warp arrays here have at least one."""
    if not len(values):
        return
    whole = array if isinstance(array, np.ndarray) else array.numpy()
    whole[: len(values)] = values
    if whole is not array:
        array.assign(whole)
