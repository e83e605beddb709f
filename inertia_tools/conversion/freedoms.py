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

    Resistance of a planar joint applies to each of its degrees of freedom.

    Args:
        joint: The joint, without those that it carries.
        taken: Names in use; the new ones are added.
        account: Receives notes.
    """
    if joint.type is not JointType.PLANAR:
        return (joint,)
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


def _named(wish: str, taken: set[str]) -> str:
    name = free_name(wish, taken)
    taken.add(name)
    return name
