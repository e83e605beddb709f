# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links that a joint carries: those on a side of it that nothing else holds."""

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.sim.simulation import Entity


def all_joints(robot: Description) -> tuple[Joint, ...]:
    """Return the joints of a description with those that close loops."""
    return (*robot.joints.values(), *robot.loop_joints)


def carried_links(entity: Entity, name: str) -> frozenset[str] | None:
    """Return the links on that side of a joint which nothing else holds, preferably its child's; None in a loop."""
    robot = entity.robot
    held = {WORLD_NAME, *(robot.roots if entity.fixed_base else ())}
    cut = next(joint for joint in all_joints(robot) if joint.name == name)
    for own, other in ((cut.child, cut.parent), (cut.parent, cut.child)):
        side = _connected(robot, cut, own)
        if side.isdisjoint(held | {other}):
            return side
    return None


def _connected(robot: Description, cut: Joint, link: str) -> frozenset[str]:
    """Return a link and all links, or the world, that joints other than one connect to it."""
    neighbours: dict[str, list[str]] = {}
    for joint in all_joints(robot):
        if joint.name != cut.name and joint.type is not JointType.FLOATING:
            neighbours.setdefault(joint.parent, []).append(joint.child)
            neighbours.setdefault(joint.child, []).append(joint.parent)
    found, waiting = {link}, [link]
    while waiting:
        new = set(neighbours.get(waiting.pop(), ())) - found
        found |= new
        waiting.extend(new - {WORLD_NAME})
    return frozenset(found)
