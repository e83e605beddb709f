# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of MJCF bodies, joints and geoms, or of their classes, that a description does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.conversion.account import Account, Kind, more_like
from inertia_tools.description.types import Description, Place

OF_BODY = frozenset({"mocap"})
OF_JOINT = frozenset({"margin", "ref", "springyield", "solimplimit", "solreflimit", "solimpfriction", "solreffriction"})
OF_GEOM = frozenset({"adhesion", "fluidcoef", "fluidshape", "priority", "solimp", "solmix", "solref", "surfacevel"})
"""Attributes that affect motion and are not supported; of `ref`, that positions count from it."""

NOTHING = ("0", "false", "none")
"""Values that mean the default."""


def note_mjcf_losses(robot: Description, account: Account) -> None:
    """Note the lost attributes, one note per name."""
    if robot.mjcf is None:
        return
    lost: dict[str, list[tuple[str, Place]]] = {}
    for tag, known, name, place in _elements(robot):
        words = robot.mjcf.stated.words(place)
        for word in sorted(word for word in known & set(words) if words[word].strip() not in NOTHING):
            lost.setdefault(f"{word} of <{tag}>", []).append((name, place))
    for said, found in lost.items():
        name, place = found[0]
        account.note(Kind.DROPPED, name, f"{said}{more_like(len(found))} cannot be stored in the target format", place)


def _elements(robot: Description) -> Iterator[tuple[str, frozenset[str], str, Place]]:
    """Iterate over elements: their tag, their lost attributes, their owner, and their place."""
    assert robot.mjcf is not None
    for link in robot.links.values():
        yield "body", OF_BODY, link.name, link.place
    for joint in (one for first in robot.joints.values() for one in first.row):
        yield "joint", OF_JOINT, joint.name, joint.place
    for body, geoms in robot.mjcf.geoms.items():
        for geom in geoms:
            yield "geom", OF_GEOM, body if body in robot.links else robot.root, geom.place
