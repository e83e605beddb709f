# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity, surfaces and joint properties of a description that a target has no place for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inertia_tools.conversion.account import Account, Kind, more_like
from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.types import Description, Format, Link, Place, Shape

HELD = {
    Format.URDF: frozenset[str](),
    Format.SDF: frozenset({"weightless", "self_collides", "friction", "torsional", "restitution"}),
    Format.MJCF: frozenset(
        {"gravity", "weightless", "gravity_scale", "self_collides", "masks", "friction", "torsional", "rolling"}
        | {"margin", "gap", "ball", "apart", "loop touches"}
    ),
    Format.USD: frozenset(
        {"gravity", "weightless", "self_collides", "friction", "torsional", "rolling", "restitution", "apart"}
        | {"touches", "loop touches"}
    ),
}
"""Properties that each target can hold, among those noted here."""

SURFACE = {
    "friction": "friction {:g}",
    "torsional": "torsional friction {:g} m",
    "rolling": "rolling friction {:g} m",
    "restitution": "restitution {:g}",
    "margin": "margin {:g} m",
    "gap": "gap {:g} m",
}
"""The properties of a surface in words, by the name in `Surface`."""

RESISTING = ("damping", "friction", "armature", "stiffness")
EARTH = np.array([0.0, 0.0, -9.81])
USUAL = 0.02
"""Difference from the gravity of worlds that state none, which is 9.8, 9.80665 or 9.81 in the formats [m/s^2]."""


@dataclass(frozen=True)
class _Held:
    """A property of a description.

    Attributes:
        kind: Its kind, one of `HELD`.
        said: The property in words.
        name: Its link or joint.
        place: Its location.
    """

    kind: str
    said: str
    name: str
    place: Place


def note_unheld(robot: Description, target: Format, account: Account) -> None:
    """Note the properties of a grounded description that the target does not hold, one note per kind."""
    lost: dict[str, list[_Held]] = {}
    for one in _held(robot):
        if one.kind not in HELD[target]:
            lost.setdefault(one.kind, []).append(one)
    for found in lost.values():
        first = found[0]
        message = f"{first.said}{more_like(len(found))}: the target format cannot store this"
        account.note(Kind.DROPPED, first.name, message, first.place)


def _held(robot: Description) -> Iterator[_Held]:
    whole = Place(robot.document.name)
    if robot.gravity is not None and np.linalg.norm(robot.gravity - EARTH) > USUAL:
        x, y, z = robot.gravity + 0.0  # no minus before a zero
        yield _Held("gravity", f"gravity of {x:g} {y:g} {z:g} m/s^2", robot.name, whole)
    for link in robot.links.values():
        yield from _of_link(link)
        for number, shape in enumerate(link.collisions):
            yield from _of_shape(shape, shape.name or f"collision {number}", link)
    for joint in (one for first in robot.joints.values() for one in first.row):
        yield from _of_joint(joint)
    for joint in robot.loop_joints:
        yield from _of_ends(joint, "loop touches")
    for pair in sorted(sorted(pair) for pair in robot.apart):
        if len(pair) > 1 and all(name in robot.links for name in pair):
            yield _Held("apart", f"that it never touches {pair[1]!r}", pair[0], robot.links[pair[0]].place)


def _of_link(link: Link) -> Iterator[_Held]:
    if link.gravity_scale == 0.0:
        yield _Held("weightless", "that gravity does not act on it", link.name, link.place)
    elif link.gravity_scale != 1.0:
        said = f"that {link.gravity_scale:g} of gravity acts on it"
        yield _Held("gravity_scale", said, link.name, link.place)
    if link.self_collides:
        yield _Held("self_collides", "that it touches links of its own model", link.name, link.place)


def _of_shape(shape: Shape, name: str, link: Link) -> Iterator[_Held]:
    """Iterate over the contact properties of a shape."""
    for kind, words in SURFACE.items():
        value = None if shape.surface is None else getattr(shape.surface, kind)
        if value is not None:
            yield _Held(kind, f"{words.format(value)} of {name}", link.name, shape.place)
    if shape.masks != Shape.masks:
        first, second = shape.masks
        yield _Held("masks", f"masks {first} and {second} of {name}", link.name, shape.place)


def _of_joint(joint: Joint) -> Iterator[_Held]:
    for word in joint.unused:
        yield _Held(f"joint {word}", word, joint.name, joint.place)
    yield from _of_ends(joint, "touches")
    if joint.type is not JointType.BALL:
        return
    stated = [f"{name} {value:g}" for name in RESISTING if (value := getattr(joint, name))]
    stated += [] if joint.limit.upper is None else [f"a limit of {joint.limit.upper:g} rad"]
    if stated:
        yield _Held("ball", f"{', '.join(stated)} of a ball joint", joint.name, joint.place)


def _of_ends(joint: Joint, kind: str) -> Iterator[_Held]:
    if joint.touches:
        yield _Held(kind, f"that {joint.parent!r} touches {joint.child!r}", joint.name, joint.place)
