# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The degrees of freedom of joint trees: their names, their order, and the tree structure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.importing.articulation import LinkPlace
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import JointKind

LOOSE = frozenset({JointKind.FREE, JointKind.DISTANCE})
"""Types of joints that constrain none of the six degrees of freedom, which a tree ignores."""

FREE_AXES = ("x", "y", "z", "rx", "ry", "rz")
"""Names of the degrees of freedom of a free body, after its own: velocity of its origin, angular velocity."""


@dataclass(frozen=True, eq=False)
class Tree:
    """The degrees of freedom of a scene.

    Attributes:
        names: Their names: the joint's own, if it has one degree of freedom or several joints share a body; else that
            with a number from 0. Those of a free body are the link at its root and one of `FREE_AXES`.
        order: Bodies, parents before children.
        joints: Joint of each body to its parent; none for roots.
        first: First degree of freedom of each body's joint, or of a free root.
        counts: Their number for each body.
        origins: Link at the root of each free tree, relative to its body.
        model_dofs: Number of each in the model; -1 for those of a free body, shape (dofs,).
    """

    names: tuple[str, ...]
    order: tuple[int, ...]
    joints: Mapping[int, BuiltJoint]
    first: Mapping[int, int]
    counts: Mapping[int, int]
    origins: Mapping[int, LinkPlace]
    model_dofs: np.ndarray

    def chain(self, body: int) -> list[int]:
        """Return a body and its ancestors, from the root on; nothing for the world."""
        found = []
        while body != WORLD:
            found.append(body)
            body = self.joints[body].parent if body in self.joints else WORLD
        return found[::-1]


def tree_of(
    joints: Sequence[BuiltJoint], moves: np.ndarray, links: Mapping[str, LinkPlace], named: Mapping[str, int]
) -> Tree:
    """Return the degrees of freedom of a scene.

    Args:
        joints: All joints, parents before children.
        moves: Whether each body is dynamic, shape (bodies,).
        links: Body and place of every link.
        named: Index in the model of each degree of freedom with its own name.
    """
    own = {dof: name for name, dof in named.items()}
    carriers = {joint.child: joint for joint in joints if _carries(joint)}
    starts = np.concatenate([[0], np.cumsum([joint.dof_count for joint in joints])]).astype(int)
    start_of = {id(joint): int(start) for joint, start in zip(joints, starts, strict=False)}
    order = _outwards(len(moves), carriers)
    names: list[str] = []
    model_dofs: list[int] = []
    first, counts, origins = {}, {}, {}
    for body in order:
        first[body] = len(names)
        joint = carriers.get(body)
        if joint is not None:
            count = len(joint.dofs)
            start = start_of[id(joint)]
            numbered = [joint.name] if count == 1 else [f"{joint.name}.{k}" for k in range(count)]
            names += [own.get(start + k, name) for k, name in enumerate(numbered)]
            model_dofs += [start + k for k in range(count)]
        elif moves[body]:
            link, origins[body] = next((name, place) for name, place in links.items() if place.body == body)
            names += [f"{link}.{axis}" for axis in FREE_AXES]
            model_dofs += [-1] * len(FREE_AXES)
        counts[body] = len(names) - first[body]
    return Tree(tuple(names), order, carriers, first, counts, origins, np.array(model_dofs, dtype=int))


def _carries(joint: BuiltJoint) -> bool:
    return joint.enabled and not joint.closes_loop and joint.kind not in LOOSE


def _outwards(count: int, carriers: Mapping[int, BuiltJoint]) -> tuple[int, ...]:
    """Return all bodies, tree by tree, parents first."""
    carried: dict[int, list[int]] = {}
    for joint in carriers.values():
        carried.setdefault(joint.parent, []).append(joint.child)

    def tree(body: int) -> Iterable[int]:
        waiting = [body]
        while waiting:
            top = waiting.pop()
            yield top
            waiting += reversed(carried.get(top, []))

    roots = [body for body in range(count) if body not in carriers or carriers[body].parent == WORLD]
    return tuple(body for root in roots for body in tree(root))
