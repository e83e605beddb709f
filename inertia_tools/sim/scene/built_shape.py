# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A shape of a scene: its mass properties, its collision geometry, and its appearance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.convex import Convex, SolidKind, convex_of_shape
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.given import as_number, as_numbers
from inertia_tools.sim.scene.mesh_shape import UNSCALED, Triple
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.scene.shape_inertia import Source, checked_sizes, compute_inertia_shape
from inertia_tools.spatial import ArrayLike, Pose

Colour = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1, as a screen shows them."""


COLOURS = "red, green and blue, each from 0 to 1"

FLAT_REMEDY = (
    "give it thickness, use its bounding box (ModelBuilder.approximate_meshes('bounding_box')), or disable "
    "its collision (ShapeConfig.has_shape_collision)"
)
"""Advice on a flat mesh that cannot collide."""


class ShapeLook(TypedDict, total=False):
    """Options of any shape besides its size and material.

    Attributes:
        as_site: Whether it is a marker without mass and collision.
        color: Its colour; by default one of a palette, by its index.
        opacity: Opacity from 0 (transparent) to 1.
    """

    as_site: bool
    color: Any
    opacity: float | None


@dataclass(frozen=True, eq=False)
class BuiltShape:
    """A shape on a body, or on the world.

    Attributes:
        body: Index of the body; -1 is the world.
        kind: Geometry type.
        scale: Its sizes, as `compute_inertia_shape` takes them.
        source: Its mesh or height field; None for other kinds.
        pose: Pose of its frame in the body frame.
        config: Its material.
        convex: Collision geometry; None without collision.
        label: Name in contacts: that of its body or link.
        name: Its own name, from the file or as given; may be empty.
        path: Its name with those of the robot and the link before it; may be empty.
        color: Its colour; None for one of the palette.
        opacity: Opacity from 0 (transparent) to 1.
        world: World index; -1: all worlds.
    """

    body: int
    kind: GeoType
    scale: Triple
    source: Source
    pose: Pose
    config: ShapeConfig
    convex: Convex | None
    label: str
    name: str = ""
    path: str = ""
    color: Colour | None = None
    opacity: float = 1.0
    world: int = -1

    def rebuilt(self, **values: Any) -> BuiltShape:
        """Return the shape with other values, and its collision geometry; raises as `build_shape` does."""
        shape = replace(self, **values)
        sizes = checked_sizes(shape.kind, shape.scale, shape.source)
        if shape.kind is GeoType.CYLINDER and sizes[2]:
            if not shape.config.is_site:
                wanted = "zero: a barrel collides as Mesh.create_cylinder(barrel_radius=...)"
                raise OptionError("barrel_radius", sizes[2], wanted)
            sizes = (sizes[0], sizes[1], 0.0)
        if not shape.config.has_shape_collision:
            return replace(shape, scale=sizes, convex=None)
        try:
            convex = convex_of_shape(shape.kind, sizes, shape.source, shape.config.mesh_approximation)
        except SimulationError as error:
            raise SimulationError(f"the mesh {shape.known_as} is flat, so it has no hull; {FLAT_REMEDY}") from error
        return replace(shape, scale=sizes, convex=convex)

    @property
    def known_as(self) -> str:
        """Name and owner of the shape, for messages."""
        own = self.path or self.name
        return f"{own!r} of {self.label!r}" if own and own != self.label else f"of {self.label!r}"

    def is_without_hull(self, stays: bool) -> bool:
        """Whether it is a flat mesh that would collide as its hull, unlike static meshes with triangles."""
        is_flat = self.kind is GeoType.MESH and self.convex is not None and self.convex.kind is SolidKind.SURFACE
        return is_flat and not (stays and self.config.mesh_approximation == "auto")


def build_shape(
    body: int, kind: GeoType, scale: ArrayLike, source: Source, pose: Pose, config: ShapeConfig, label: str
) -> BuiltShape:
    """Return a shape with checked sizes and its collision geometry.

    Raises:
        OptionError: A size is not positive.
        SimulationError: A mesh that collides as a hull or convex parts is flat.
    """
    return BuiltShape(body, kind, UNSCALED, source, pose, config, None, label).rebuilt(scale=scale)


def as_colour(color: ArrayLike) -> Colour:
    """Return three numbers from 0 to 1.

    Raises:
        OptionError: They are not.
    """
    numbers = np.ravel(as_numbers("color", color, COLOURS))
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise OptionError("color", color, COLOURS)
    red, green, blue = numbers.tolist()
    return (red, green, blue)


def as_opacity(opacity: float | None) -> float:
    """Return an opacity from 0 to 1; none is 1.

    Raises:
        OptionError: It is not from 0 to 1.
    """
    if opacity is None:
        return 1.0
    number = as_number(opacity)
    if not 0.0 <= number <= 1.0:
        raise OptionError("opacity", opacity, "0 to 1")
    return number


def inertial_of(shape: BuiltShape) -> Inertial:
    """Return the mass properties of a shape in the frame of its body."""
    config = shape.config
    try:
        part = compute_inertia_shape(
            shape.kind, shape.scale, shape.source, config.density, config.is_solid, config.margin
        )
    except OptionError as error:
        if error.option == "thickness":
            error.add_note("the thickness of the wall of a hollow shape is ShapeConfig.margin")
        raise
    return Inertial(*part).transform(shape.pose)
