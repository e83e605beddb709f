# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Several joints between the same two bodies: all act, so only motions that every joint permits remain free."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import directions_of
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.posing import TO_CALLER_OF_FINALIZE
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, Pose

ALIKE = 1e-4
"""Motions that differ by less [rad, or m per m of their distance] are one: files round the poses of their joints."""

HOLDING_NOTHING = (JointKind.FREE, JointKind.DISTANCE)
"""Joints that constrain no direction of motion."""

MOST_NAMED = 8


def warn_of_locked_pairs(builder: Scene, poses: Sequence[Pose]) -> None:
    """Warn of bodies that several joints lock to each other, though one of these leaves a motion.

    A hinge and a slide between the same two bodies are such a case: neither moves, where a joint of two axes may have
    been meant. Equality constraints and joints that are switched off are there to lock, and do not count.

    Args:
        builder: The scene.
        poses: Where the bodies start.
    """
    pairs: dict[tuple[int, int], list[BuiltJoint]] = {}
    for joint in builder.joints:
        if joint.enabled and not joint.is_equality and joint.kind not in HOLDING_NOTHING:
            low, high = sorted((joint.parent, joint.child))
            pairs.setdefault((low, high), []).append(joint)
    locked = [joints for joints in pairs.values() if len(joints) > 1 and _is_locked(joints, poses)]
    if not locked:
        return
    named = [" and ".join(repr(joint.name) for joint in joints) for joints in locked[:MOST_NAMED]]
    more = f"; and {len(locked) - MOST_NAMED} more" if len(locked) > MOST_NAMED else ""
    warnings.warn(
        f"joints between the same two bodies all act and leave no relative motion: {'; '.join(named)}{more}; "
        "for combined motions use one joint with several axes (add_joint_d6); to lock bodies use an equality "
        "constraint (add_equality_constraint_weld)",
        SceneWarning,
        stacklevel=TO_CALLER_OF_FINALIZE,
    )


def _is_locked(joints: Iterable[BuiltJoint], poses: Sequence[Pose]) -> bool:
    """Return whether the joints between two bodies leave no common free motion."""
    motions = [_motions(joint, poses) for joint in joints]
    if not any(len(each) for each in motions):
        return False
    held = np.concatenate([_complement(each) for each in motions])
    return bool(np.linalg.matrix_rank(held, tol=ALIKE) == held.shape[1])


def _motions(joint: BuiltJoint, poses: Sequence[Pose]) -> Array:
    """Return a basis of the free motions of a joint, shape (n, 6).

    Each is the velocity at the world's origin, then the angular velocity.
    """
    parent, child = Pose() if joint.parent == WORLD else poses[joint.parent], poses[joint.child]
    anchor = (child @ joint.pose_child).position
    slides = directions_of(joint, parent, child)
    spins = slides * joint.angular[:, None]
    return np.hstack([np.where(joint.angular[:, None], np.cross(anchor, spins), slides), spins])


def _complement(motions: Array) -> Array:
    """Return a basis of the orthogonal complement of motions, shape (6 - n, 6)."""
    _, sizes, directions = np.linalg.svd(motions.reshape(-1, 6), full_matrices=True)
    return np.asarray(directions[int((sizes > ALIKE).sum()) :])
