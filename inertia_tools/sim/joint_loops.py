# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which joints trees of bodies hang on, and which islands the others tie together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.built_joint import BuiltJoint, BuiltMimic
from inertia_tools.sim.joint_kind import JointKind
from inertia_tools.sim.scene_bodies import WORLD

ROWS_OF_A_JOINT = 6


@dataclass(frozen=True)
class LoopRow:
    """A row that no tree holds: one of a joint's, or a coupling (`mimic`) of two degrees of freedom."""

    joint: int
    index: int
    mimic: BuiltMimic | None = None


@dataclass(frozen=True)
class Island:
    """Bodies that move and hang together, parents first, and the rows that their trees do not hold."""

    bodies: tuple[int, ...]
    rows: tuple[LoopRow, ...]


def tree_joints(joints: Sequence[BuiltJoint], moves: np.ndarray) -> dict[int, int]:
    """Return the joint that each body that moves hangs on, by the index of the body."""
    return {
        joint.child: index
        for index, joint in enumerate(joints)
        if moves[joint.child] and not joint.closes_loop and joint.kind is not JointKind.FREE
    }


def islands_with_loops(
    joints: Sequence[BuiltJoint], mimics: Iterable[BuiltMimic], moves: np.ndarray, order: Sequence[int]
) -> list[Island]:
    """List the islands that have rows which no tree holds.

    Args:
        joints: All joints.
        mimics: All couplings.
        moves: Which bodies answer to forces, shape (bodies,).
        order: The bodies, parents before children.
    """
    trees = set(tree_joints(joints, moves).values())
    leader = list(range(len(moves)))

    def root(body: int) -> int:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    def join(bodies: Iterable[int]) -> None:
        moving = [body for body in bodies if body != WORLD and moves[body]]
        for body in moving[1:]:
            leader[root(body)] = root(moving[0])

    rows: list[tuple[int, LoopRow]] = []
    for index, joint in enumerate(joints):
        if joint.kind is JointKind.FREE:
            continue
        ends = [body for body in (joint.child, joint.parent) if body != WORLD and moves[body]]
        join(ends)
        if index not in trees and ends:
            rows.extend((ends[0], LoopRow(index, row)) for row in range(ROWS_OF_A_JOINT))
    for mimic in mimics:
        follower, other = joints[mimic.follower[0]], joints[mimic.leader[0]]
        ends = [b for b in (follower.child, follower.parent, other.child, other.parent) if b != WORLD and moves[b]]
        join(ends)
        if ends:
            rows.append((ends[0], LoopRow(mimic.follower[0], follower.dofs[mimic.follower[1]].row, mimic)))
    found: dict[int, list[LoopRow]] = {}
    for body, row in rows:
        found.setdefault(root(body), []).append(row)
    members: dict[int, list[int]] = {}
    for body in order:
        if moves[body]:
            members.setdefault(root(body), []).append(body)
    return [Island(tuple(members[one]), tuple(of_it)) for one, of_it in found.items()]
