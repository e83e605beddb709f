# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of several degrees of freedom as joints of one each in series, for formats that have no others."""

from __future__ import annotations

from dataclasses import replace

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.grounded import free_name
from inertia_tools.description.joint import Joint, JointLimit, JointType
from inertia_tools.spatial import rotation_between


def freedoms(joint: Joint, taken: set[str], account: Account) -> tuple[Joint, ...]:
    """Return the equivalent joints of one degree of freedom; for most joints, the joint itself.

    Resistance of a planar joint applies to each of its degrees of freedom; bounds and resistance of a universal joint
    apply about its first axis, the only one for which a description has them.

    Args:
        joint: The joint, without those that it carries.
        taken: Names in use; the new ones are added.
        account: Receives notes.
    """
    match joint.type:
        case JointType.UNIVERSAL:
            turn = JointType.REVOLUTE if _is_bounded(joint.limit) else JointType.CONTINUOUS
            second = Joint(
                name=_named(f"{joint.name}_2", taken),
                type=JointType.CONTINUOUS,
                parent=joint.parent,
                child=joint.child,
                pose_parent_child=joint.pose_parent_child,
                place=joint.place,
                axis=joint.axis if joint.axis2 is None else joint.axis2,
                pose_child_joint=joint.pose_child_joint,
            )
            return replace(joint, type=turn, axis2=None), second
        case JointType.PLANAR:
            if joint.limit != JointLimit():
                account.note(Kind.DROPPED, joint.name, "the limits of a planar joint are lost", joint.place)
            free = replace(joint, limit=JointLimit())
            *across, _ = rotation_between([0.0, 0.0, 1.0], joint.axis).T
            slide = replace(free, type=JointType.PRISMATIC, mimic=None)
            slides = [
                replace(slide, name=_named(f"{joint.name}_{word}", taken), axis=axis)
                for word, axis in zip("xy", across, strict=True)
            ]
            return *slides, replace(free, type=JointType.CONTINUOUS)
    return (joint,)


def _is_bounded(limit: JointLimit) -> bool:
    return limit.lower is not None or limit.upper is not None


def _named(wish: str, taken: set[str]) -> str:
    name = free_name(wish, taken)
    taken.add(name)
    return name
