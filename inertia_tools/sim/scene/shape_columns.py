# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a scene as lists of one quantity each, by the names that Newton uses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_shape import BuiltShape, Colour, as_colour, as_opacity
from inertia_tools.sim.scene.columns import ColumnOf
from inertia_tools.sim.scene.flags import ShapeFlags
from inertia_tools.sim.scene.shape_box import box_of_shape
from inertia_tools.sim.scene.shapes import SceneShapes
from inertia_tools.sim.scene.xform import as_pose, as_transform

PALETTE: tuple[Colour, ...] = (
    (0.27, 0.47, 0.67), (0.93, 0.40, 0.47), (0.13, 0.53, 0.20), (0.80, 0.73, 0.27), (0.40, 0.80, 0.93),
    (0.67, 0.20, 0.47), (0.73, 0.73, 0.73),
)  # fmt: skip
"""Default colours of shapes, in turn: Paul Tol's bright scheme, which colour-blind readers can distinguish."""


def shape_count(scene: SceneShapes) -> int:
    """Return the number of shapes of a scene."""
    return scene.shape_count


def _field(name: str) -> Any:
    """Return a column of a field of shapes that cannot be written to."""
    return lambda scene, shape: getattr(scene.shapes[shape], name)


def _change(scene: SceneShapes, shape: int, **values: Any) -> None:
    scene.shapes[shape] = replace(scene.shapes[shape], **values)


def _rebuild(scene: SceneShapes, shape: int, **values: Any) -> None:
    """Update the collision geometry of a shape."""
    scene.shapes[shape] = scene.shapes[shape].rebuilt(**values)


def _config(name: str, doc: str) -> ColumnOf:
    """Return a column of a field of the materials."""

    def write(scene: SceneShapes, shape: int, value: Any) -> None:
        config = replace(scene.shapes[shape].config, **{name: value})
        config.check()
        _change(scene, shape, config=config)

    return ColumnOf(shape_count, lambda scene, shape: getattr(scene.shapes[shape].config, name), write, doc)


def _corner(number: int, doc: str) -> ColumnOf:
    """Return a column of a corner of the boxes."""
    return ColumnOf(shape_count, lambda scene, shape: box_of_shape(scene.shapes[shape])[number], None, doc)


def _set_flags(scene: SceneShapes, shape: int, flags: int) -> None:
    config = replace(scene.shapes[shape].config)
    config.flags = ShapeFlags(int(flags))
    _rebuild(scene, shape, config=config)


def _flags(scene: SceneShapes, shape: int) -> int:
    return int(scene.shapes[shape].config.flags)


def _gap(scene: SceneShapes, shape: int) -> float:
    gap = scene.shapes[shape].config.gap
    return scene.rigid_gap if gap is None else gap


def _set_gap(scene: SceneShapes, shape: int, gap: float | None) -> None:
    _change(scene, shape, config=replace(scene.shapes[shape].config, gap=gap))


def _radius(scene: SceneShapes, shape: int) -> float:
    """Return the radius of the ball about a shape's origin that holds it [m]; endless for a plane."""
    one = scene.shapes[shape]
    convex = one.convex or one.rebuilt(config=replace(one.config, has_shape_collision=True)).convex
    return 0.0 if convex is None else float(convex.bounding_radius)


def colour_of(shape: BuiltShape, index: int) -> Colour:
    """Return the colour of a shape: its own, that of its mesh, or one of the palette in turn."""
    of_mesh = getattr(shape.source, "color", None)
    return shape.color or of_mesh or PALETTE[index % len(PALETTE)]


def name_of(shape: BuiltShape, index: int) -> str:
    """Return the name of a shape: its own, or its number."""
    return shape.path or shape.name or f"shape_{index}"


@dataclass
class ShapeColumns(SceneShapes):
    """Lists with one entry per shape; values written to them are stored in the scene."""

    shape_label = ColumnOf(
        shape_count,
        lambda scene, shape: name_of(scene.shapes[shape], shape),
        lambda scene, shape, label: _change(scene, shape, path=label),
        "Name of each shape.",
    )
    shape_body = ColumnOf(shape_count, _field("body"), None, "Index of the body of each shape; -1 is the world.")
    shape_type = ColumnOf(shape_count, _field("kind"), None, "Kind of each shape, a `GeoType`.")
    shape_source = ColumnOf(
        shape_count, _field("source"), None, "Mesh or height field of each shape; None for other kinds."
    )
    shape_transform = ColumnOf(
        shape_count,
        lambda scene, shape: as_transform(scene.shapes[shape].pose),
        lambda scene, shape, xform: _change(scene, shape, pose=as_pose(xform)),
        "Pose of each shape frame in the body frame, a Warp transform.",
    )
    shape_scale = ColumnOf(
        shape_count,
        _field("scale"),
        lambda scene, shape, scale: _rebuild(scene, shape, scale=tuple(np.asarray(scale, dtype=float).tolist())),
        "Sizes of each shape [m], or scale factors of its mesh, shape (3,).",
    )
    shape_flags = ColumnOf(
        shape_count, _flags, _set_flags, "Visibility and collision flags of each shape, `ShapeFlags`."
    )
    shape_color = ColumnOf(
        shape_count,
        lambda scene, shape: colour_of(scene.shapes[shape], shape),
        lambda scene, shape, color: _change(scene, shape, color=None if color is None else as_colour(color)),
        "Colour of each shape, red, green and blue from 0 to 1.",
    )
    shape_opacity = ColumnOf(
        shape_count,
        _field("opacity"),
        lambda scene, shape, opacity: _change(scene, shape, opacity=as_opacity(opacity)),
        "Opacity of each shape, from 0 (transparent) to 1.",
    )
    shape_world = ColumnOf(
        shape_count,
        _field("world"),
        lambda scene, shape, world: _change(scene, shape, world=int(world)),
        "World of each shape; -1: all worlds.",
    )
    shape_gap = ColumnOf(
        shape_count, _gap, _set_gap, "Distance within which contacts are generated, beyond the margin [m]."
    )
    shape_collision_radius = ColumnOf(
        shape_count, _radius, None, "Radius of the bounding sphere about the shape's origin [m]."
    )
    shape_collision_aabb_lower = _corner(0, "Lower corner of the bounding box in shape axes [m], shape (3,).")
    shape_collision_aabb_upper = _corner(1, "Upper corner of the bounding box in shape axes [m], shape (3,).")
    shape_is_solid = _config("is_solid", "Whether each shape is solid; otherwise it is a hollow shell.")
    shape_margin = _config("margin", "Contact margin, and wall thickness of hollow shapes [m].")
    shape_collision_group = _config("collision_group", "Collision group of each shape; see `ShapeConfig`.")
    shape_material_mu = _config("mu", "Coefficient of friction.")
    shape_material_mu_torsional = _config("mu_torsional", "Coefficient of torsional friction [m].")
    shape_material_mu_rolling = _config("mu_rolling", "Coefficient of rolling friction [m].")
    shape_material_restitution = _config("restitution", "Coefficient of restitution.")
    shape_material_ke = _config("ke", "Contact stiffness of other solvers [N/m].")
    shape_material_kd = _config("kd", "Contact damping of other solvers [N s/m].")
    shape_material_kf = _config("kf", "Friction gain of other solvers [N s/m].")
    shape_material_ka = _config("ka", "Adhesion distance of other solvers [m].")
    shape_material_kh = _config("kh", "Stiffness of Newton's hydroelastic contact [Pa/m].")
    shape_sdf_max_resolution = _config(
        "sdf_max_resolution", "Largest number of cells of Newton's signed distance field along an axis."
    )
    shape_sdf_target_voxel_size = _config(
        "sdf_target_voxel_size", "Target cell size of that signed distance field [m]."
    )

    @property
    def body_shapes(self) -> dict[int, list[int]]:
        """Indices of the shapes of each body; those of the world under -1."""
        found: dict[int, list[int]] = {body: [] for body in range(WORLD, self.body_count)}
        for index, shape in enumerate(self.shapes):
            found[shape.body].append(index)
        return found
