# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of a description that importer options request before it is added to a scene."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from inertia_tools.description import load, load_text
from inertia_tools.description.flex_body import FlexBody
from inertia_tools.description.geometry import Heightmap
from inertia_tools.description.link import Surface
from inertia_tools.description.mjcf_bodies import Compiler, Geom, MjcfBodies
from inertia_tools.description.source import PathResolver
from inertia_tools.description.types import (
    DeclaredInertial,
    Description,
    Geometry,
    Joint,
    JointMimic,
    JointType,
    Link,
    Massless,
    Mesh,
    Shape,
)
from inertia_tools.errors import OptionError, OptionTypeError, UnknownOptionError
from inertia_tools.sim.scene.given import as_list, as_number
from inertia_tools.sim.scene.shape_inertia import LARGEST_SIZE
from inertia_tools.spatial import Pose

PathLike = str | os.PathLike[str]

SOURCE = "a file's path, or its text"


def refuse_foreign(
    importer: str, options: Mapping[str, Any], only_seen: Collection[str], refused: Mapping[str, tuple[Any, str]]
) -> None:
    """Raise an error for options of Newton's importer that would change a result and are unsupported.

    Args:
        importer: Name of this package's importer, for messages.
        options: The given options.
        only_seen: Names of options that change only drawing or printing.
        refused: Default of each unsupported option, and the reason, by name.

    Raises:
        OptionError: An unsupported option is not at its default.
        UnknownOptionError: An option is unknown.
    """
    for name, value in options.items():
        if name in only_seen:
            continue
        if name not in refused:
            raise UnknownOptionError(importer, name, [*sorted(only_seen), *refused])
        default, reason = refused[name]
        if value != default:
            raise OptionError(name, value, f"{default!r}: {reason}")


def as_patterns(option: str, patterns: str | Iterable[str | re.Pattern[str]]) -> tuple[re.Pattern[str], ...]:
    """Return regular expressions from a list or a single one.

    Args:
        option: Name of the argument.
        patterns: The given value.

    Raises:
        OptionError: The value is of another type, or an expression is invalid.
    """
    listed = [patterns] if isinstance(patterns, str) else as_list(option, patterns, "regular expressions")
    if not all(isinstance(pattern, str | re.Pattern) for pattern in listed):
        raise OptionTypeError(option, patterns, "a list of regular expressions")
    try:
        return tuple(re.compile(pattern) for pattern in listed)
    except re.error as error:
        raise OptionError(option, error.pattern, f"regular expressions ({error})") from error


def read_source(
    source: str | bytes | os.PathLike[str] | Description,
    package_path: Iterable[PathLike],
    path_resolver: PathResolver | None = None,
) -> Description:
    """Read a robot from a file, or from its text, which begins with an angle bracket.

    Raises:
        OptionTypeError: The value is neither.
        ParseError: It cannot be read.
    """
    if isinstance(source, Description):
        return source
    if not isinstance(source, str | bytes | os.PathLike):
        raise OptionTypeError("source", source, SOURCE)
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")):
        return load_text(source, package_path=package_path, path_resolver=path_resolver)
    return load(source, package_path=package_path, path_resolver=path_resolver)


def scaled(robot: Description, factor: float) -> Description:
    """Scale all lengths of a robot; stated masses are unchanged.

    A tensor is the integral of squared distances over the mass, so at the same mass it grows by the factor squared.
    A mass that is not stated is computed later from the scaled shapes, and grows by the factor cubed.

    Raises:
        OptionError: The factor is not positive, or so large that moments are not finite.
    """
    if as_number(factor) == 0.0:
        raise OptionError("scale", factor, "nonzero")
    if not 0.0 < as_number(factor) <= LARGEST_SIZE:
        raise OptionError("scale", factor, f"a positive number, at most {LARGEST_SIZE:.0e}")
    if factor == 1.0:
        return robot
    links = {name: _scaled_link(link, factor) for name, link in robot.links.items()}
    slides = {one.name for joint in robot.joints.values() for one in joint.row if one.type is JointType.PRISMATIC}
    joints = {name: _scaled_joint(joint, factor, slides) for name, joint in robot.joints.items()}
    loops = tuple(_scaled_joint(joint, factor) for joint in robot.loop_joints)
    rules = None if robot.mjcf is None else _scaled_rules(robot.mjcf, factor)
    return replace(robot, links=links, joints=joints, loop_joints=loops, mjcf=rules)


def visuals_as_colliders(robot: Description) -> Description:
    """Replace the collisions of each link with visuals by its visuals."""
    links = {
        name: replace(link, collisions=link.visuals) if link.visuals else link for name, link in robot.links.items()
    }
    return replace(robot, links=links)


def _scaled_link(link: Link, factor: float) -> Link:
    def scale(shape: Shape) -> Shape:
        geometry, pose = _scaled_geometry(shape.geometry, factor), _scaled_pose(shape.pose_link_shape, factor)
        return replace(shape, geometry=geometry, pose_link_shape=pose, surface=_scaled_surface(shape.surface, factor))

    return replace(
        link,
        declared=None if link.declared is None else _scaled_inertial(link.declared, factor),
        collisions=_each(scale, link.collisions),
        visuals=_each(scale, link.visuals),
    )


def _scaled_surface(surface: Surface | None, factor: float) -> Surface | None:
    """Scale the lengths of a surface: margin, gap, and those of torsional and rolling friction."""
    if surface is None:
        return None
    lengths = {name: _times(getattr(surface, name), factor) for name in ("torsional", "rolling", "margin", "gap")}
    return replace(surface, **lengths)


def _each(change: Callable[[Shape], Shape], shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    return tuple(change(shape) for shape in shapes)


def _scaled_flex(flex: FlexBody, factor: float) -> FlexBody:
    material = replace(flex.elasticity, thickness=flex.elasticity.thickness * factor)
    return replace(flex, points=flex.points * factor, radius=flex.radius * factor, elasticity=material)


def _scaled_rules(rules: MjcfBodies, factor: float) -> MjcfBodies:
    """Scale the rules of mass properties; the least moment scales as stated tensors do."""

    def bound(compiler: Compiler) -> Compiler:
        return replace(compiler, boundinertia=compiler.boundinertia * factor**2)

    return replace(
        rules,
        compiler=bound(rules.compiler),
        compilers={name: bound(one) for name, one in rules.compilers.items()},
        geoms={name: tuple(_scaled_geom(geom, factor) for geom in geoms) for name, geoms in rules.geoms.items()},
        flexes=tuple(_scaled_flex(flex, factor) for flex in rules.flexes),
        own_poses={name: _scaled_pose(pose, factor) for name, pose in rules.own_poses.items()},
    )


def _scaled_geom(geom: Geom, factor: float) -> Geom:
    mesh = geom.mesh
    if mesh is not None:
        mesh = replace(mesh, geometry=_scaled_geometry(mesh.geometry, factor))  # type: ignore[arg-type]
    size = _longer(geom.size, factor)
    return replace(geom, size=size, pose_body_geom=_scaled_pose(geom.pose_body_geom, factor), mesh=mesh)


def _scaled_inertial(declared: DeclaredInertial, factor: float) -> DeclaredInertial:
    tensor = None if declared.inertia is None else declared.inertia * factor**2
    return replace(declared, pose_link_inertial=_scaled_pose(declared.pose_link_inertial, factor), inertia=tensor)


def _scaled_joint(joint: Joint, factor: float, slides: Collection[str] = ()) -> Joint:
    moved = replace(
        joint,
        mimic=None if joint.mimic is None else _scaled_mimic(joint.mimic, joint.name, factor, slides),
        pose_parent_child=_scaled_pose(joint.pose_parent_child, factor),
        pose_child_joint=_scaled_pose(joint.pose_child_joint, factor),
        further=tuple(_scaled_joint(one, factor, slides) for one in joint.further),
    )
    if joint.type is not JointType.PRISMATIC:
        return moved
    limit, drive = joint.limit, joint.drive
    ways = {name: _times(getattr(limit, name), factor) for name in ("lower", "upper", "velocity")}
    return replace(
        moved,
        limit=replace(limit, **ways),
        rest=joint.rest * factor,
        drive=None
        if drive is None
        else replace(drive, position=drive.position * factor, velocity=drive.velocity * factor),
    )


def _scaled_mimic(mimic: JointMimic, follower: str, factor: float, slides: Collection[str]) -> JointMimic:
    """Scale a coupling as the positions of its two joints are, which are lengths of slides alone."""
    own, leading = (factor if name in slides else 1.0 for name in (follower, mimic.joint))
    return replace(mimic, multiplier=mimic.multiplier * own / leading, offset=mimic.offset * own)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _scaled_pose(pose: Pose, factor: float) -> Pose:
    return Pose(np.asarray(pose.position) * factor, pose.rotation)


def _scaled_geometry(geometry: Geometry, factor: float) -> Geometry:
    """Scale a geometry: all numbers of a primitive are lengths, a mesh has a factor for each axis."""
    if isinstance(geometry, Heightmap) and geometry.grid is not None:
        grid = geometry.grid
        longer_grid = replace(
            grid,
            heights=grid.heights * factor,
            half_x=grid.half_x * factor,
            half_y=grid.half_y * factor,
            top=None if grid.top is None else grid.top * factor,
        )
        x, y, z = geometry.position
        return replace(geometry, grid=longer_grid, position=(x * factor, y * factor, z * factor))
    if isinstance(geometry, Massless):
        return geometry
    if isinstance(geometry, Mesh):
        x, y, z = geometry.scale
        return replace(geometry, scale=(x * factor, y * factor, z * factor))
    longer = {field.name: _longer(getattr(geometry, field.name), factor) for field in fields(geometry)}
    return replace(geometry, **longer)


def _longer(lengths: Any, factor: float) -> Any:
    """Scale a length, or a nested tuple of lengths."""
    if isinstance(lengths, tuple):
        return tuple(_longer(length, factor) for length in lengths)
    return factor * lengths
