# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the bodies of a stage move at the start: by what they state themselves, and by the rates of their joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import authored, numbers
from inertia_tools.description.usd_bodies import Units, UsdBodies
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import BodyMotion, rows_of
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, Pose

LINEAR, ANGULAR = "physics:velocity", "physics:angularVelocity"

Freedom = tuple[int, int]
"""A joint of a scene, and the number of one of its degrees of freedom."""


def set_in_motion(
    builder: Scene, usd_bodies: UsdBodies, rates: Mapping[str, float], articulation: Articulation
) -> None:
    """Give bodies the velocities that they and their joints state, and those that hang on them, too.

    A prim states the velocity of its own centre of mass; where others were merged with it, theirs together moves with
    its spin about that.

    Args:
        builder: The scene.
        usd_bodies: The stage.
        rates: Joint velocities by name [rad/s or m/s].
        articulation: The stage in the scene.
    """
    for name, place in articulation.links.items():
        if place.body == WORLD or builder.body_name[place.body] != name or name not in usd_bodies.bodies:
            continue
        prim = usd_bodies.stage.GetPrimAtPath(usd_bodies.bodies[name].path)
        pose = builder.body_pose[place.body]
        own = stated_velocity(prim, pose, usd_bodies.units)
        if own is not None:
            away = pose.rotation @ (builder.body_com[place.body] - _own_com(articulation, name))
            builder.body_qd[place.body] = np.concatenate([own[:3] + np.cross(own[3:], away), own[3:]])
    of_dofs = {articulation.joint_dofs[name]: rate for name, rate in rates.items() if name in articulation.joint_dofs}
    if of_dofs:
        inertials = tuple(builder.inertial(body) for body in range(builder.body_count))
        motion = BodyMotion(inertials, rows_of(builder.body_pose), np.array(builder.body_qd))
        follow_joints(motion, builder.joints, of_dofs)
        builder.body_qd[:] = list(motion.qd)


def _own_com(articulation: Articulation, name: str) -> Array:
    """Return the centre of mass of a link before others were merged with it, in its axes [m], shape (3,)."""
    inertial = articulation.robot.links[name].inertial
    return np.zeros(3) if inertial is None else inertial.com


def stated_velocity(prim: Any, pose: Pose, units: Units) -> Array | None:
    """Return the velocity that a rigid body states; None where it states none, or rest.

    Args:
        prim: The prim, whose axes the numbers are in; angles are in degrees.
        pose: Its pose in the world.
        units: Units of the stage.

    Returns:
        Velocity of its centre of mass [m/s] and angular velocity [rad/s], world axes, shape (6,).
    """
    stated = numbers(authored(prim, LINEAR)), numbers(authored(prim, ANGULAR))
    if all(one is None for one in stated):
        return None
    linear, angular = (np.zeros(3) if one is None or not np.isfinite(one).all() else one for one in stated)
    if not (linear.any() or angular.any()):
        return None
    return np.concatenate([pose.rotation @ linear * units.metre, pose.rotation @ np.radians(angular)])


def follow_joints(motion: BodyMotion, joints: Sequence[BuiltJoint], rates: Mapping[Freedom, float]) -> None:
    """Propagate joint velocities to child bodies; joints without a velocity are at rest.

    Args:
        motion: The bodies; their velocities are changed.
        joints: Joints, parents before children.
        rates: Velocities of degrees of freedom [rad/s or m/s].
    """
    moved: set[int] = set()
    for index, joint in enumerate(joints):
        own = [rates.get((index, number), 0.0) for number in range(len(joint.dofs))]
        held = joint.kind not in (JointKind.FREE, JointKind.DISTANCE) and not joint.closes_loop
        if not held or not (any(own) or joint.parent in moved):
            continue
        moved.add(joint.child)
        motion.qd[joint.child] = motion.moved_by(joint, own)
