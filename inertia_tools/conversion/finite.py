# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that a document may state and no simulator accepts: infinite, undefined or too large ones.

Formats differ in the numbers they accept, so that such a number could make a document that its own readers refuse. A
bound at infinity means none; a shape with such a size or pose is dropped; a joint with such a pose is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.joint import Joint, JointDrive, JointLimit
from inertia_tools.description.link import Link, Shape
from inertia_tools.description.types import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Description,
    Ellipsoid,
    Format,
    Geometry,
    Mesh,
    Place,
    Prism,
    Sphere,
)
from inertia_tools.errors import ConversionError

LARGEST = 1e10
"""MuJoCo refuses numbers of this size and more; no length [m], angle [rad] or effort [N m] comes near them."""

MEASURES = ("damping", "friction", "armature", "stiffness", "rest")
"""Numeric properties of a joint besides its pose and bounds."""


def with_usable_numbers(robot: Description, target: Format, account: Account) -> Description:
    """Drop properties that no reader of the target accepts, with notes.

    The surfaces of a URDF go to SDFormat as Gazebo's own elements, so that nothing is dropped there.

    Raises:
        ConversionError: The robot would change without it.
    """
    of_surfaces = Account() if robot.format.traits.is_urdf and target is Format.SDF else account
    gravity = robot.gravity
    if gravity is not None and not _is_usable(gravity.tolist()):
        message = "its gravity is not a usable number; it was omitted"
        account.note(Kind.DROPPED, robot.name, message, Place(robot.document.name))
        gravity = None
    return replace(
        robot,
        gravity=gravity,
        links={name: _usable_link(link, account, of_surfaces) for name, link in robot.links.items()},
        joints={name: _usable_joint(joint, account) for name, joint in robot.joints.items()},
        loop_joints=tuple(_usable_joint(joint, account) for joint in robot.loop_joints),
    )


def _usable_link(link: Link, account: Account, of_surfaces: Account) -> Link:
    faulty = [shape for shape in link.shapes if not _is_usable(_numbers_of(shape))]
    for shape in faulty:
        message = (
            f"{shape.name or 'a shape'} has an unusable size or position (too large or not finite); it was omitted"
        )
        account.note(Kind.DROPPED, link.name, message, shape.place)
    if not _is_usable([link.gravity_scale]):
        message = "its gravity scale is not a usable number; full gravity is used"
        account.note(Kind.DROPPED, link.name, message, link.place)
    return replace(
        link,
        gravity_scale=link.gravity_scale if _is_usable([link.gravity_scale]) else 1.0,
        collisions=tuple(_with_usable_surface(one, link, of_surfaces) for one in link.collisions if one not in faulty),
        visuals=tuple(shape for shape in link.visuals if shape not in faulty),
    )


def _with_usable_surface(shape: Shape, link: Link, account: Account) -> Shape:
    """Return a shape whose surface has no negative, infinite or too large value."""
    stated = {} if shape.surface is None else {name: value for name, value in vars(shape.surface).items() if value}
    unusable = {name: value for name, value in stated.items() if not 0.0 <= value < LARGEST}
    if shape.surface is None or not unusable:
        return shape
    said = " and ".join(f"{name} {value:g}" for name, value in unusable.items())
    message = f"{said} of {shape.name or 'a shape'} is not a usable value; it was omitted"
    account.note(Kind.DROPPED, link.name, message, shape.place)
    return replace(shape, surface=replace(shape.surface, **dict.fromkeys(unusable)))


def _numbers_of(shape: Shape) -> Iterable[float]:
    """Iterate over the numbers of a shape's pose and size."""
    pose = shape.pose_link_shape
    return chain(pose.position.tolist(), pose.rotation.ravel().tolist(), _sizes_of(shape.geometry))


def _sizes_of(geometry: Geometry) -> Iterable[float]:
    match geometry:
        case Mesh():
            return (*geometry.scale, *(geometry.reference or ()))
        case Box(size) | Ellipsoid(size):
            return size
        case Sphere(radius):
            return (radius,)
        case Cylinder(radius, length) | Capsule(radius, length) | Cone(radius, length):
            return radius, length
        case Prism(outlines, height):
            return chain((height,), chain.from_iterable(chain.from_iterable(outlines)))
        case _:
            return ()


def _usable_joint(joint: Joint, account: Account) -> Joint:
    """Return a joint without infinite bounds, and without invalid properties.

    Raises:
        ConversionError: Its pose, or its coupling to another joint, is not finite.
    """
    places = (joint.pose_parent_child, joint.pose_child_joint)
    settings = _following(joint)
    numbers = [*(part for pose in places for part in (pose.position, pose.rotation)), joint.axis, np.array(settings)]
    if not all(_is_usable(one.ravel().tolist()) for one in numbers):
        reason = f"joint {joint.name!r} has an unusable position, axis or ratio (too large or not finite); correct it"
        raise ConversionError(reason, joint.place.file, joint.place.line)
    for name in MEASURES:
        if not _is_usable([getattr(joint, name)]):
            message = f"its {name} is too large or not finite; it was omitted"
            account.note(Kind.DROPPED, joint.name, message, joint.place)
    return replace(
        joint,
        limit=_usable_limit(joint),
        drive=_usable_drive(joint, account),
        further=tuple(_usable_joint(one, account) for one in joint.further),
        damping=_usable(joint.damping),
        friction=_usable(joint.friction),
        armature=_usable(joint.armature),
        stiffness=_usable(joint.stiffness),
        rest=_usable(joint.rest),
    )


def _usable(value: float) -> float:
    return value if _is_usable([value]) else 0.0


def _following(joint: Joint) -> tuple[float, ...]:
    return () if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)


def _usable_limit(joint: Joint) -> JointLimit:
    """Return the finite bounds.

    Raises:
        ConversionError: One is not a number, or no position is within them.
    """
    limit = joint.limit
    stated = (limit.lower, limit.upper, limit.effort, limit.velocity)
    unbounded = (-math.inf, math.inf, math.inf, math.inf)
    kept: list[float | None] = []
    for value, none in zip(stated, unbounded, strict=True):
        if value is None or _is_usable([value]):
            kept.append(value)
        elif value * none > 0.0:
            kept.append(None)
        else:
            reason = f"joint {joint.name!r} has the limit {value:g}, which allows no position; correct it"
            raise ConversionError(reason, joint.place.file, joint.place.line)
    return JointLimit(*kept)


def _usable_drive(joint: Joint, account: Account) -> JointDrive | None:
    drive = joint.drive
    if drive is None:
        return None
    if drive.effort is not None and not _is_usable([drive.effort]):
        drive = replace(drive, effort=None)
    if _is_usable([drive.stiffness, drive.damping, drive.position, drive.velocity]):
        return drive
    account.note(
        Kind.DROPPED, joint.name, "its drive has values that are too large or not finite; it was omitted", joint.place
    )
    return None


def _is_usable(numbers: Iterable[float]) -> bool:
    return all(abs(number) < LARGEST for number in numbers)
