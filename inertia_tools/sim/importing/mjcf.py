# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What an importer of MJCF is asked for: which bodies and geoms count, what touches, and how the base is held."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inertia_tools.description.mjcf.joints import joined
from inertia_tools.description.mjcf_bodies import Geom, MjcfBodies
from inertia_tools.description.types import WORLD, Description, Format, Joint, JointType, Link, Mesh
from inertia_tools.errors import OptionError
from inertia_tools.spatial import Pose

UP = {
    "X": np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "Z": np.eye(3),
}
"""The turn that brings each axis to z."""

ONLY_SEEN = frozenset({"hide_visuals", "parse_visuals", "parse_sites", "force_show_colliders", "verbose"})
"""Options of Newton's importer about what is drawn or said; nothing depends on them here."""

REFUSED: Mapping[str, tuple[Any, str]] = {
    "base_joint": (None, "add the joint to the base by add_joint, after an import with floating=True"),
    "parent_body": (-1, "a robot stands in the world here; join its base to the other body by add_joint"),
    "override_root_xform": (False, "xform is the pose of the document's frame"),
    "parse_mujoco_options": (True, "options of MuJoCo's solver are never read"),
    "collapse_massless_fixed_root": (False, "frames without mass are always merged"),
    "convert_mjc_equality_constraints": (True, "equalities become joints; leave them out by skip_equality_constraints"),
    "convert_3d_hinge_to_ball_joints": (False, "hinges stay hinges"),
    "mesh_maxhullvert": (None, "hulls keep all their corners"),
    "ctrl_direct": (False, "actuators drive joint targets"),
    "path_resolver": (None, "files are found as MuJoCo finds them; load the text with base_dir"),
    "legacy_margin_gap": (False, "margins and gaps of geoms are not read"),
}
"""Options of Newton's importer that have no meaning here: their defaults, and what to do instead."""


@dataclass(frozen=True)
class MjcfChoice:
    """What of an MJCF document is taken, and as what.

    Attributes:
        ignore_names: Expressions that names of bodies, joints and geoms which are left out begin with.
        ignore_classes: The same for their classes.
        visual_classes: Expressions for classes of geoms that are only seen.
        collider_classes: The same for geoms that touch.
        no_class_as_colliders: A geom of no such class that can touch others does; otherwise it is only seen.
        parse_meshes: Geoms that are meshes count.
        floating: What stands in the world is free if True, fixed if False, and as the document says if None.
        ignore_inertial_definitions: Take nothing from `<inertial>`.
        armature_scale: Factor on the armature of joints.
        skip_equality_constraints: No bodies are held together besides their tree, and no joints follow others.
    """

    ignore_names: Sequence[str] = ()
    ignore_classes: Sequence[str] = ()
    visual_classes: Sequence[str] = ("visual",)
    collider_classes: Sequence[str] = ("collision",)
    no_class_as_colliders: bool = True
    parse_meshes: bool = True
    floating: bool | None = None
    ignore_inertial_definitions: bool = False
    armature_scale: float = 1.0
    skip_equality_constraints: bool = False


def up_turn(axis: str | int) -> Pose:
    """Return the turn that brings the up axis of a document to z.

    Raises:
        OptionError: It is no axis.
    """
    word = "XYZ"[axis] if isinstance(axis, int) and 0 <= axis < 3 else str(axis).upper().removeprefix("AXIS.")
    if word not in UP:
        raise OptionError("up_axis", axis, "X, Y or Z")
    return Pose(rotation=UP[word])


def chosen(robot: Description, choice: MjcfChoice) -> Description:
    """Return what of a document is asked for.

    Raises:
        OptionError: It is no MJCF, or an expression is none.
    """
    if robot.format is not Format.MJCF or robot.mjcf is None:
        raise OptionError("source", robot.document.name, "MJCF; use add_urdf, add_sdf or add_description")
    is_name, is_class = _matcher("ignore_names", choice.ignore_names), _matcher("ignore_classes", choice.ignore_classes)
    kept = _kept_bodies(robot, is_name, is_class)
    geoms = {name: _kept_geoms(robot.mjcf.geoms[name], choice, is_name, is_class) for name in kept}
    links = {name: _link(robot.links[name], geoms[name], choice) for name in kept}
    joints = [_joint(joint, is_name, choice) for joint in robot.joints.values() if joint.child in links]
    loops = () if choice.skip_equality_constraints else robot.loop_joints
    return replace(
        robot,
        links=links,
        joints={joint.name: joint for joint in joints},
        loop_joints=tuple(loop for loop in loops if {loop.parent, loop.child} <= links.keys()),
        mjcf=_rules(robot.mjcf, geoms, choice),
    )


def _matcher(option: str, patterns: Iterable[str]) -> Callable[[str], bool]:
    try:
        compiled = [re.compile(pattern) for pattern in patterns]
    except re.error as error:
        raise OptionError(option, error.pattern, f"regular expressions ({error})") from error
    return lambda word: any(pattern.match(word) for pattern in compiled)


def _kept_bodies(robot: Description, is_name: Callable[[str], bool], is_class: Callable[[str], bool]) -> list[str]:
    """List the bodies that are not left out, nor stand in one that is, in document order."""
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


def _link(link: Link, geoms: Iterable[Geom], choice: MjcfChoice) -> Link:
    """Sort the geoms of a body into what touches and what is seen."""
    touching = [_touches(geom, choice) for geom in geoms]
    shapes = [(geom.shape, touches) for geom, touches in zip(geoms, touching, strict=True) if geom.shape is not None]
    return replace(
        link,
        declared=None if choice.ignore_inertial_definitions else link.declared,
        collisions=tuple(shape for shape, touches in shapes if touches),
        visuals=tuple(shape for shape, touches in shapes if not touches),
    )


def _touches(geom: Geom, choice: MjcfChoice) -> bool:
    """Tell whether a geom is a collider: by its class where that is one of those named, else by its masks."""
    if geom.class_name:
        if any(re.match(pattern, geom.class_name) for pattern in choice.collider_classes):
            return True
        if any(re.match(pattern, geom.class_name) for pattern in choice.visual_classes):
            return False
    return geom.touches and choice.no_class_as_colliders


def _joint(joint: Joint, is_name: Callable[[str], bool], choice: MjcfChoice) -> Joint:
    """Return what moves a body once names are left out and the base is held as asked."""
    if joint.parent == WORLD and choice.floating is not None:
        kind = JointType.FLOATING if choice.floating else JointType.FIXED
        return Joint(joint.name, kind, joint.parent, joint.child, joint.pose_parent_child, joint.place)
    is_as_asked = choice.armature_scale == 1.0 and not choice.skip_equality_constraints
    if is_as_asked and not any(is_name(one.name) for one in joint.row):
        return joint
    alone = [
        replace(
            one,
            further=(),
            armature=one.armature * choice.armature_scale,
            mimic=None if choice.skip_equality_constraints else one.mimic,
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
