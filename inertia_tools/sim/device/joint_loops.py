# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Spanning trees of joints, and the clusters of bodies that joints and couplings connect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint, BuiltMimic
from inertia_tools.sim.scene.joint_kind import JointKind

ROWS_OF_A_JOINT = 6


@dataclass(frozen=True)
class LoopRow:
    """A row that closes a loop: a row of a joint, or a coupling (`mimic`) of two degrees of freedom."""

    joint: int
    index: int
    mimic: BuiltMimic | None = None


@dataclass(frozen=True)
class Cluster:
    """Connected bodies, parents first, the joints on them, and the rows that close loops."""

    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    rows: tuple[LoopRow, ...]


def tree_joints(joints: Sequence[BuiltJoint], moves: np.ndarray) -> dict[int, int]:
    """Return the tree joint of each body that moves, by the index of the body."""
    return {
        joint.child: index
        for index, joint in enumerate(joints)
        if moves[joint.child] and not joint.closes_loop and joint.kind is not JointKind.FREE
    }


class _Ties:
    """Connected components of the bodies that move (union-find)."""

    def __init__(self, moves: np.ndarray) -> None:
        self.moves = moves
        self.leader = list(range(len(moves)))

    def root(self, body: int) -> int:
        while self.leader[body] != body:
            self.leader[body] = self.leader[self.leader[body]]
            body = self.leader[body]
        return body

    def moving(self, bodies: Iterable[int]) -> list[int]:
        return [body for body in bodies if body != WORLD and self.moves[body]]

    def join(self, bodies: Iterable[int]) -> None:
        moving = self.moving(bodies)
        for body in moving[1:]:
            self.leader[self.root(body)] = self.root(moving[0])


def clusters_of(
    joints: Sequence[BuiltJoint], mimics: Iterable[BuiltMimic], moves: np.ndarray, order: Sequence[int]
) -> list[Cluster]:
    """Return the clusters of connected bodies; the last one, without bodies, has the joints of static bodies, if any.

    Args:
        joints: All joints.
        mimics: All couplings.
        moves: Whether forces move each body, shape (bodies,).
        order: The bodies, parents before children.
    """
    trees, ties = set(tree_joints(joints, moves).values()), _Ties(moves)
    rows: list[tuple[int, LoopRow]] = []
    on_still: dict[int, int] = {}  # cluster of the joints whose child is the same static body
    for index, joint in enumerate(joints):
        if joint.kind is JointKind.FREE:
            continue
        ends = ties.moving((joint.child, joint.parent))
        ties.join(ends)
        if ends and not moves[joint.child]:
            ties.join((on_still.setdefault(joint.child, ends[0]), ends[0]))
        if index not in trees and ends:
            rows.extend((ends[0], LoopRow(index, row)) for row in range(ROWS_OF_A_JOINT))
    for mimic in mimics:
        follower, other = joints[mimic.follower[0]], joints[mimic.leader[0]]
        ends = ties.moving((follower.child, follower.parent, other.child, other.parent))
        ties.join(ends)
        if ends:
            rows.append((ends[0], LoopRow(mimic.follower[0], follower.dofs[mimic.follower[1]].row, mimic)))
    rows_of: dict[int, list[LoopRow]] = defaultdict(list)
    joints_of: dict[int, list[int]] = defaultdict(list)
    members: dict[int, list[int]] = defaultdict(list)
    idle: list[int] = []
    for body, row in rows:
        rows_of[ties.root(body)].append(row)
    for index, joint in enumerate(joints):
        ends = ties.moving((joint.child, joint.parent))
        (joints_of[ties.root(ends[0])] if ends else idle).append(index)
    for body in ties.moving(order):
        members[ties.root(body)].append(body)
    found = [Cluster(tuple(bodies), tuple(joints_of[one]), tuple(rows_of[one])) for one, bodies in members.items()]
    return [*found, Cluster((), tuple(idle), ())] if idle else found
