# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the MJCF importer: bodies and geoms to read, collisions, and the connection of the base."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inertia_tools.description.mjcf.joints import held_name, joined
from inertia_tools.description.mjcf.parts import UNNAMED
from inertia_tools.description.mjcf_bodies import Geom, MjcfBodies, Site
from inertia_tools.description.types import (
    WORLD,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Format,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    Shape,
    Sphere,
)
from inertia_tools.errors import MeshError, OptionError
from inertia_tools.geometry.mesh.fit import fitted
from inertia_tools.sim.importing.options import as_patterns
from inertia_tools.sim.importing.whole_scene import Names
from inertia_tools.sim.scene.axis import up_rotation
from inertia_tools.sim.scene.given import as_number
from inertia_tools.spatial import Pose

ONLY_SEEN = frozenset({"verbose"})
"""Options of Newton's importer that affect drawing or messages only; they have no effect here."""

REFUSED: Mapping[str, tuple[Any, str]] = {
    "convert_3d_hinge_to_ball_joints": (False, "hinges stay hinges"),
}
"""Options of Newton's importer that have no meaning here: their defaults, and what to do instead."""


LAST_DRAWN_GROUP = 2
"""Highest group of geoms that MuJoCo draws by default."""


@dataclass(frozen=True)
class MjcfChoice:
    """Selection of the parts of an MJCF document.

    Attributes:
        ignore_names: Regular expressions; bodies, joints and geoms with names that begin with a match are omitted.
        ignore_classes: The same for their classes.
        visual_classes: Regular expressions for classes of visual geoms.
        collider_classes: The same for colliding geoms.
        no_class_as_colliders: Whether other geoms that can collide are colliders; otherwise they are visuals.
        parse_meshes: Whether mesh geoms are read.
        floating: Whether children of the world are free (True), fixed (False), or as the document states (None).
        ignore_inertial_definitions: Whether `<inertial>` is ignored.
        armature_scale: Factor on the armature of joints.
        skip_equality_constraints: Whether equality constraints are ignored.
        legacy_margin_gap: Whether a geom rests at its margin less its gap, as in MuJoCo before 3.9; else at its margin.
        with_drives: Whether actuators become joint drives.
    """

    ignore_names: Sequence[str | re.Pattern[str]] = ()
    ignore_classes: Sequence[str | re.Pattern[str]] = ()
    visual_classes: Sequence[str | re.Pattern[str]] = ("visual",)
    collider_classes: Sequence[str | re.Pattern[str]] = ("collision",)
    no_class_as_colliders: bool = True
    parse_meshes: bool = True
    floating: bool | None = None
    ignore_inertial_definitions: bool = False
    armature_scale: float = 1.0
    skip_equality_constraints: bool = False
    legacy_margin_gap: bool = False
    with_drives: bool = True


def up_turn(axis: Any) -> Pose:
    """Return the rotation that brings the up axis of a document to z.

    Raises:
        OptionError: The value is not an axis.
    """
    return Pose(rotation=up_rotation(axis))


def mjcf_names(robot: Description) -> Names:
    """Return names as paths: of the model, of all enclosing bodies, and of the element itself."""
    model = "" if robot.name == UNNAMED else robot.name
    root = "/".join(part for part in (model, "worldbody") if part)
    paths: dict[str, str] = {WORLD: root}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        if name != WORLD:
            paths[name] = f"{paths[WORLD if joint is None else joint.parent]}/{name}"

    def shape(link: str, name: str, number: int) -> str:
        return f"{paths[link]}/{name or f'geom_{number}'}"

    def of_joint(name: str, link: str) -> str:
        return f"{paths[link]}/{f'{link}_joint' if name == held_name(link) else name}"

    return Names(model, paths.__getitem__, of_joint, shape)


def site_shapes(robot: Description, scale: float) -> dict[str, list[Shape]]:
    """Return the sites of a document as shapes, by the name of the body."""
    assert robot.mjcf is not None
    return {
        body: [_site_shape(site, scale) for site in sites]
        for body, sites in robot.mjcf.sites.items()
        if body in robot.links
    }


SIZED: Mapping[str, Callable[[float, float, float], Geometry]] = {
    "sphere": lambda a, _b, _c: Sphere(a),
    "capsule": lambda a, b, _c: Capsule(a, 2.0 * b),
    "cylinder": lambda a, b, _c: Cylinder(a, 2.0 * b),
    "ellipsoid": lambda a, b, c: Ellipsoid((a, b, c)),
    "box": lambda a, b, c: Box((2.0 * a, 2.0 * b, 2.0 * c)),
}
"""Primitives by their MJCF names and size parameters: radius, half lengths or half edges [m]."""


def site_sizes(robot: Description, scale: float) -> dict[str, list[tuple[float, float, float]]]:
    """Return the sizes of those sites as in MuJoCo: three numbers, even if the shape needs fewer."""
    assert robot.mjcf is not None
    return {
        body: [(site.size[0] * scale, site.size[1] * scale, site.size[2] * scale) for site in sites]
        for body, sites in robot.mjcf.sites.items()
        if body in robot.links
    }


def _site_shape(site: Site, scale: float) -> Shape:
    geometry = SIZED[site.type](*(size * scale for size in site.size))
    pose = Pose(scale * site.pose_body_site.position, site.pose_body_site.rotation)
    return Shape(geometry, pose, site.name, site.place, colour=site.colour)


def chosen(robot: Description, choice: MjcfChoice) -> Description:
    """Return the selected parts of a document.

    Raises:
        OptionError: It is not MJCF, a regular expression is invalid, or the armature factor is negative or not finite.
    """
    if robot.format is not Format.MJCF or robot.mjcf is None:
        raise OptionError("source", robot.document.name, "MJCF; use add_urdf, add_sdf or add_description")
    if not 0.0 <= as_number(choice.armature_scale) < math.inf:
        raise OptionError("armature_scale", choice.armature_scale, "a finite number, zero or more")
    choice = replace(
        choice,
        ignore_names=as_patterns("ignore_names", choice.ignore_names),
        ignore_classes=as_patterns("ignore_classes", choice.ignore_classes),
        visual_classes=as_patterns("visual_classes", choice.visual_classes),
        collider_classes=as_patterns("collider_classes", choice.collider_classes),
    )
    is_name, is_class = _matcher(choice.ignore_names), _matcher(choice.ignore_classes)
    kept = _kept_bodies(robot, is_name, is_class)
    geoms = {name: _kept_geoms(robot.mjcf.geoms[name], choice, is_name, is_class) for name in kept}
    fits_boxes = robot.mjcf.compiler.fitaabb
    links = {name: _link(robot.links[name], geoms[name], fits_boxes, choice) for name in kept}
    joints = [_joint(joint, is_name, choice) for joint in robot.joints.values() if joint.child in links]
    loops = () if choice.skip_equality_constraints else robot.loop_joints
    return replace(
        robot,
        links=links,
        joints={joint.name: joint for joint in joints},
        loop_joints=tuple(loop for loop in loops if {loop.parent, loop.child} <= links.keys()),
        mjcf=_rules(robot.mjcf, geoms, choice),
    )


def _matcher(patterns: Iterable[str | re.Pattern[str]]) -> Callable[[str], bool]:
    return lambda word: any(re.match(pattern, word) for pattern in patterns)


def _kept_bodies(robot: Description, is_name: Callable[[str], bool], is_class: Callable[[str], bool]) -> list[str]:
    """Return the bodies that are not ignored, and not inside an ignored one, in document order."""
    assert robot.mjcf is not None
    out: set[str] = set()
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        stands_in_one = joint is not None and joint.parent in out
        if stands_in_one or (name != WORLD and (is_name(name) or is_class(robot.mjcf.classes.get(name, "")))):
            out.add(name)
    return [name for name in robot.links if name not in out]


def _kept_geoms(
    geoms: Iterable[Geom], choice: MjcfChoice, is_name: Callable[[str], bool], is_class: Callable[[str], bool]
) -> tuple[Geom, ...]:
    return tuple(
        geom
        for geom in geoms
        if not (is_name(geom.name) or (geom.class_name and is_class(geom.class_name)))
        and (choice.parse_meshes or geom.shape is None or not isinstance(geom.shape.geometry, Mesh))
    )


def _link(link: Link, geoms: Sequence[Geom], fits_boxes: bool, choice: MjcfChoice) -> Link:
    """Sort the geoms of a body into colliders and visuals."""
    taken = [_as_shape(geom, fits_boxes, choice) for geom in geoms]
    shapes = [(shape, _touches(geom, choice)) for geom, shape in zip(geoms, taken, strict=True) if shape is not None]
    return replace(
        link,
        declared=None if choice.ignore_inertial_definitions else link.declared,
        collisions=tuple(shape for shape, touches in shapes if touches),
        visuals=tuple(shape for shape, touches in shapes if not touches),
    )


def drawn_planes(robot: Description, choice: MjcfChoice) -> frozenset[tuple[str, int]]:
    """Return the colliding planes in groups that MuJoCo draws, which stay visible when colliders are hidden.

    Args:
        robot: The result of `chosen`.
        choice: The selection.

    Returns:
        Name of the link, and number among its colliders.
    """
    assert robot.mjcf is not None
    found = set()
    for name, geoms in robot.mjcf.geoms.items():
        touching = [geom for geom in geoms if geom.shape is not None and _touches(geom, choice)]
        planes = (n for n, geom in enumerate(touching) if geom.type == "plane" and 0 <= geom.group <= LAST_DRAWN_GROUP)
        found |= {(name, number) for number in planes}
    return frozenset(found)


def _as_shape(geom: Geom, fits_boxes: bool, choice: MjcfChoice) -> Shape | None:
    """Return a geom as a shape; a primitive that names a mesh is fitted to its bounding box or inertia."""
    shape = geom.shape
    if shape is None:
        return None
    surface = shape.surface
    if choice.legacy_margin_gap and surface is not None and surface.margin is not None:
        shape = replace(shape, surface=replace(surface, margin=surface.margin - (surface.gap or 0.0)))
    if geom.mesh is None or geom.type not in SIZED:
        return shape
    try:
        (a, b, c), pose = fitted(geom, fits_boxes)
    except MeshError:
        return shape
    return replace(shape, geometry=SIZED[geom.type](a, b, c), pose_link_shape=pose)


def _touches(geom: Geom, choice: MjcfChoice) -> bool:
    """Return whether a geom is a collider: by its class where that is one of those named, else by its masks."""
    if geom.class_name:
        if any(re.match(pattern, geom.class_name) for pattern in choice.collider_classes):
            return True
        if any(re.match(pattern, geom.class_name) for pattern in choice.visual_classes):
            return False
    return geom.touches and choice.no_class_as_colliders


def _joint(joint: Joint, is_name: Callable[[str], bool], choice: MjcfChoice) -> Joint:
    """Return the joints of a body after names are ignored and the base is connected as requested."""
    if joint.parent == WORLD and choice.floating is not None:
        kind = JointType.FLOATING if choice.floating else JointType.FIXED
        return Joint(joint.name, kind, joint.parent, joint.child, joint.pose_parent_child, joint.place)
    is_as_asked = choice.armature_scale == 1.0 and choice.with_drives and not choice.skip_equality_constraints
    if is_as_asked and not any(is_name(one.name) for one in joint.row):
        return joint
    alone = [
        replace(
            one,
            further=(),
            armature=one.armature * choice.armature_scale,
            mimic=None if choice.skip_equality_constraints else one.mimic,
            drive=one.drive if choice.with_drives else None,
        )
        for one in joint.row
        if one.type is not JointType.FIXED and not is_name(one.name)
    ]
    return joined(alone, joint.parent, joint.child, joint.pose_parent_child, joint.place)


def _rules(rules: MjcfBodies, geoms: Mapping[str, tuple[Geom, ...]], choice: MjcfChoice) -> MjcfBodies:
    if not choice.ignore_inertial_definitions:
        return replace(rules, geoms=geoms)
    compilers = {name: replace(one, inertiafromgeom="true") for name, one in rules.compilers.items()}
    return replace(rules, geoms=geoms, compiler=replace(rules.compiler, inertiafromgeom="true"), compilers=compilers)
