# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""From joints between bodies to trees rooted in the world: which joint carries which body, and which close loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inertia_tools.description.usd.body_index import WORLD_PATH
from inertia_tools.description.usd.joints import StageJoint


@dataclass(frozen=True, eq=False)
class Branch:
    """A joint with its direction: it carries `child`, which is its first body if it is reversed."""

    joint: StageJoint
    parent: str
    child: str
    is_reversed: bool


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees of bodies.

    Attributes:
        branches: The joint that carries each body, by the body's path; bodies that nothing carries have no entry.
        loops: Joints that would give a body a second parent.
    """

    branches: Mapping[str, Branch]
    loops: tuple[StageJoint, ...]


def grow(bodies: Sequence[str], joints: Iterable[StageJoint], roots: Iterable[str]) -> Forest:
    """Choose for each body the joint that carries it.

    Trees grow from the world first, then from the roots of articulations, then from bodies that are no joint's second
    body, then from the rest in document order. Joints that are excluded from articulations close loops.

    Args:
        bodies: Paths of the bodies.
        joints: Joints between them, or to the world.
        roots: Paths of bodies that are preferred as roots.
    """
    joints = list(joints)
    at: dict[str, list[StageJoint]] = {}
    for joint in joints:
        if not joint.excluded:
            at.setdefault(joint.body0, []).append(joint)
            at.setdefault(joint.body1, []).append(joint)
    seconds = {joint.body1 for joint in joints if not joint.excluded}
    wanted = [WORLD_PATH, *roots, *(path for path in bodies if path not in seconds), *bodies]
    branches: dict[str, Branch] = {}
    reached: set[str] = set()
    for start in wanted:
        if start in reached:
            continue
        reached.add(start)
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            for joint in at.get(here, ()):
                there = joint.body1 if joint.body0 == here else joint.body0
                if there not in reached:
                    reached.add(there)
                    branches[there] = Branch(joint, here, there, joint.body0 != here)
                    waiting.append(there)
    used = {id(branch.joint) for branch in branches.values()}
    loops = tuple(joint for joint in joints if id(joint) not in used and joint.body0 != joint.body1)
    return Forest(branches, loops)


def with_disabled(forest: Forest, disabled: Iterable[StageJoint]) -> Forest:
    """Attach bodies that nothing carries to disabled joints; the other disabled joints close loops.

    Args:
        forest: The trees of the enabled joints.
        disabled: The disabled joints.
    """
    branches, loops = dict(forest.branches), list(forest.loops)
    for joint in disabled:
        ways = ((joint.body0, joint.body1, False), (joint.body1, joint.body0, True))
        free = (way for way in ways if way[1] != WORLD_PATH and way[1] not in branches)
        way = next((way for way in free if not _stands_on(branches, way[0], way[1])), None)
        if way is None or joint.excluded:
            loops.append(joint)
        else:
            branches[way[1]] = Branch(joint, *way)
    return Forest(branches, tuple(loops))


def _stands_on(branches: Mapping[str, Branch], body: str, other: str) -> bool:
    """Return whether a body is another one, or is carried by it."""
    while body != other and body in branches:
        body = branches[body].parent
    return body == other
