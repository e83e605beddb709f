# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading an MJCF document into a `Description`.

The world is a link that never moves, the root of one tree; a top-level body is connected to it by its joints, or fixed
to it if it has none. A geom that cannot touch anything is a visual, any other a collision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.mjcf.actuators import Actuation, read_actuators
from inertia_tools.description.mjcf.bodies import Body, BodyReader
from inertia_tools.description.mjcf.contact import let_slide, read_excludes
from inertia_tools.description.mjcf.equalities import Equalities, EqualityReader
from inertia_tools.description.mjcf.fixed_tendons import FixedTendon, fixed_tendons, tendon_transmissions
from inertia_tools.description.mjcf.joints import joined
from inertia_tools.description.mjcf.pairs import let_pairs_touch
from inertia_tools.description.mjcf.parts import Part, read_part
from inertia_tools.description.mjcf.stated import read_stated
from inertia_tools.description.mjcf.tendons import unused_tendons
from inertia_tools.description.mjcf.values import vector
from inertia_tools.description.mjcf_bodies import Geom, MjcfBodies
from inertia_tools.description.source import Document
from inertia_tools.description.tree import by_name
from inertia_tools.description.types import WORLD, AttachedFrame, Description, Format, Joint, Link
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array, Pose

OF_MEDIUM = {"wind": (0.0, 0.0, 0.0), "density": (0.0,), "viscosity": (0.0,)}
"""Attributes of the medium in which bodies move, with their defaults."""

SWITCHED_OFF = (
    "constraint",
    "equality",
    "frictionloss",
    "limit",
    "contact",
    "spring",
    "damper",
    "clampctrl",
    "filterparent",
    "actuation",
)
"""Flags that disable effects on bodies, or their bounds."""


def read_mjcf(root: Element, document: Document) -> Description:
    """Read a `<mujoco>` element.

    Raises:
        ParseError: The document, or one that it includes or attaches, cannot be read.
    """
    part = read_part(root, document)
    reader = BodyReader(part)
    reader.read()
    apart = read_excludes(reader.models)
    unpaired = let_pairs_touch(reader.models, reader.bodies, apart)
    kept = let_slide(body.geoms for body in reader.bodies)
    links = by_name("body", [_link(body) for body in reader.bodies])
    joints = [_joint(body) for body in reader.bodies if body.parent is not None]
    named = by_name("joint", [one for joint in joints for one in joint.row])
    tendons = fixed_tendons(reader.models, reader.copies)
    equalities = _read_equalities(reader, named, tendons)
    pulling = tendon_transmissions(tendons, reader.positions, equalities.mimics)
    actuation = read_actuators(reader.models, named, reader.copies, reader.positions, pulling)
    joints = [_driven(joint, actuation, equalities) for joint in joints]
    return Description(
        name=part.name,
        format=Format.MJCF,
        document=document,
        links=links,
        joints={joint.name: joint for joint in joints},
        roots=(WORLD,),
        loop_joints=tuple(equalities.loops),
        apart=apart,
        remarks=tuple(reader.remarks),
        mjcf=MjcfBodies(
            compiler=part.compiler,
            geoms={body.name: tuple(body.geoms) for body in reader.bodies},
            own_poses={body.name: body.own_pose for body in reader.bodies},
            sites={body.name: tuple(body.sites) for body in reader.bodies if body.sites},
            files=part.files,
            compilers={body.name: body.compiler for body in reader.bodies if body.compiler is not part.compiler},
            classes={body.name: body.class_name for body in reader.bodies if body.class_name},
            unused=(
                *_unused_options(part),
                *_unused_flexes(part),
                *_unused_condim(kept),
                *unpaired,
                *actuation.unused,
                *equalities.unused,
                *unused_tendons(reader.models),
                *reader.unused,
            ),
            motors=tuple(actuation.motors),
            flexes=tuple(reader.flexes),
            stated=read_stated(reader),
        ),
        frames=tuple(
            AttachedFrame(site.name, body.name, site.pose_body_site, site.place)
            for body in reader.bodies
            for site in body.sites
            if site.name
        ),
        gravity=_gravity(part),
    )


def _unused_options(part: Part) -> Iterator[str]:
    """Yield options that change the motion of bodies and are not supported."""
    for option in part.root.all("option"):
        for name, default in OF_MEDIUM.items():
            if (vector(option, name, default) != default).any():
                yield f"{option.place}: {name} {option.attributes[name]}"
        if option.attributes.get("actuatorgroupdisable", "").split():
            yield f"{option.place}: actuatorgroupdisable"
        for flag in option.all("flag"):
            for name in (name for name in SWITCHED_OFF if flag.attributes.get(name) == "disable"):
                yield f"{flag.place}: {name} is off"
            if flag.attributes.get("override") == "enable":
                yield f"{flag.place}: override of contacts"


def _gravity(part: Part) -> Array | None:
    """Return the gravity vector in the options, the last one [m/s^2]; None if none states it."""
    options = tuple(part.root.all("option"))
    flags = [flag.attributes.get("gravity") for option in options for flag in option.all("flag")]
    if [flag for flag in flags if flag][-1:] == ["disable"]:
        return np.zeros(3)
    stated = [vector(option, "gravity", (0.0, 0.0, 0.0)) for option in options if "gravity" in option.attributes]
    return stated[-1] if stated else None


def _unused_flexes(part: Part) -> Iterator[str]:
    """Yield flexible bodies whose points are bodies of the document."""
    for section in part.root.all("deformable"):
        for flex in section.all("flex"):
            yield f"flex {flex.attributes.get('name', '')!r} (write a <flexcomp> instead)"


def _unused_condim(kept: Geom | None) -> Iterator[str]:
    if kept is not None:
        yield f"{kept.place}: condim 1 of geoms that those of more dimensions touch as well (they keep their friction)"


def _read_equalities(reader: BodyReader, joints: Mapping[str, Joint], tendons: Mapping[str, FixedTendon]) -> Equalities:
    poses: dict[str, Pose] = {}
    for body in reader.bodies:
        poses[body.name] = (
            body.pose_parent_body if body.parent is None else poses[body.parent.name] @ body.pose_parent_body
        )
    sites = {site.name: (body.name, site) for body in reader.bodies for site in body.sites if site.name}
    return EqualityReader(poses, sites, joints, tendons).read(reader.models)


def _driven(joint: Joint, actuation: Actuation, equalities: Equalities) -> Joint:
    """Return a joint with its drive and coupling."""
    if not any(one.name in actuation.drives or one.name in equalities.mimics for one in joint.row):
        return joint
    first, *further = (
        replace(one, further=(), drive=actuation.drives.get(one.name), mimic=equalities.mimics.get(one.name))
        for one in joint.row
    )
    return replace(first, further=tuple(further))


def _link(body: Body) -> Link:
    return Link(
        name=body.name,
        place=body.place,
        declared=body.declared,
        collisions=tuple(geom.shape for geom in body.geoms if geom.touches and geom.shape is not None),
        visuals=tuple(geom.shape for geom in body.geoms if not geom.touches and geom.shape is not None),
        is_static=body.parent is None,
        gravity_scale=1.0 - body.gravcomp,
    )


def _joint(body: Body) -> Joint:
    assert body.parent is not None
    return joined(body.joints, body.parent.name, body.name, body.pose_parent_body, body.place)
