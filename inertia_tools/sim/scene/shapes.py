# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a scene: their mass, and their collision geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from inertia_tools.errors import OptionError, OptionTypeError, SimulationError
from inertia_tools.sim.scene.axis import Axis
from inertia_tools.sim.scene.bodies import WORLD, WORLD_NAME, SceneBodies
from inertia_tools.sim.scene.built_shape import BuiltShape, ShapeLook, as_colour, as_opacity, build_shape, inertial_of
from inertia_tools.sim.scene.convex_parts import MeshApproximationConfig
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.given import as_finite, as_index, as_numbers
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import UNSCALED, Mesh, hull_of
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.scene.shape_inertia import Source, known_type
from inertia_tools.sim.scene.soft_arguments import as_nonnegative
from inertia_tools.sim.scene.xform import Xform, as_pose
from inertia_tools.spatial import ArrayLike, Pose, rotation_between

Config = ShapeConfig
"""The same class under a name that the class attribute of `ModelBuilder` does not hide."""

Values = Mapping[str, Any]
"""Values of custom attributes by key."""


PLANE = "four numbers a, b, c, d with nonzero (a, b, c)"


@dataclass
class SceneShapes(SceneBodies):
    """Shapes, named by their index; sizes are in metres, and bodies of revolution have their axis along z.

    Every `add_shape_*` takes the body (-1 is the world), the pose of the shape seen from it, the sizes, the material
    (`default_shape_cfg` by default), its name in contacts (by default its body's name) and values
    of custom attributes of frequency shape by key, and returns the shape's index. It raises `OptionError` for an
    invalid size or material value, and `SimulationError` for a body that does not exist.

    Attributes:
        shapes: The added shapes.
        default_shape_cfg: Default material of added shapes.
        default_mesh_approximation_cfg: Settings for convex parts of meshes in `add_usd` and `approximate_meshes`.
        shape_collision_filter_pairs: Pairs of shapes, the lower index first, that never collide.
        rigid_gap: Default `gap` of shapes [m].
        up_axis: Axis of the world that points up.
    """

    shapes: list[BuiltShape] = field(default_factory=list)
    default_shape_cfg: ShapeConfig = field(default_factory=ShapeConfig)
    default_mesh_approximation_cfg: MeshApproximationConfig = field(default_factory=MeshApproximationConfig)
    shape_collision_filter_pairs: set[tuple[int, int]] = field(default_factory=set)
    rigid_gap: float = 0.0
    up_axis: Axis = Axis.Z

    @property
    def default_site_cfg(self) -> ShapeConfig:
        """Material of sites: no mass, no contacts, not drawn."""
        material = ShapeConfig(is_visible=False)
        material.mark_as_site()
        return material

    @property
    def default_shape_density(self) -> float:
        """Density of shapes that are added without a material [kg/m^3]."""
        return self.default_shape_cfg.density

    @default_shape_density.setter
    def default_shape_density(self, density: float) -> None:
        self.default_shape_cfg.density = density

    @property
    def shape_count(self) -> int:
        """Number of shapes."""
        return len(self.shapes)

    def add_shape_collision_filter_pair(self, shape_a: int, shape_b: int) -> None:
        """Exclude collisions of two shapes; a shape never collides with itself.

        Raises:
            OptionError: An index is not a whole number.
            SimulationError: There is no such shape.
        """
        pair = as_index("shape_a", shape_a, "a shape"), as_index("shape_b", shape_b, "a shape")
        for shape in pair:
            if not 0 <= shape < self.shape_count:
                raise SimulationError(f"there is no shape {shape}; the scene has {self.shape_count}")
        if pair[0] != pair[1]:
            self.shape_collision_filter_pairs.add((min(pair), max(pair)))

    def add_shape_sphere(
        self,
        body: int,
        xform: Xform | None = None,
        radius: float = 1.0,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a ball."""
        return self.add_shape(body, GeoType.SPHERE, (radius,), None, xform, cfg, label, custom_attributes, **look)

    def add_shape_box(
        self,
        body: int,
        xform: Xform | None = None,
        hx: float = 0.5,
        hy: float = 0.5,
        hz: float = 0.5,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a box of these half edges."""
        return self.add_shape(body, GeoType.BOX, (hx, hy, hz), None, xform, cfg, label, custom_attributes, **look)

    def add_shape_capsule(
        self,
        body: int,
        xform: Xform | None = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a capsule; `half_height` is that of the cylinder between its caps."""
        return self.add_shape(
            body, GeoType.CAPSULE, (radius, half_height), None, xform, cfg, label, custom_attributes, **look
        )

    def add_shape_cylinder(
        self,
        body: int,
        xform: Xform | None = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a cylinder."""
        return self.add_shape(
            body, GeoType.CYLINDER, (radius, half_height), None, xform, cfg, label, custom_attributes, **look
        )

    def add_shape_cone(
        self,
        body: int,
        xform: Xform | None = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a cone, its base below and its tip above; its centre of mass is `half_height / 2` below the middle."""
        return self.add_shape(
            body, GeoType.CONE, (radius, half_height), None, xform, cfg, label, custom_attributes, **look
        )

    def add_shape_ellipsoid(
        self,
        body: int,
        xform: Xform | None = None,
        a: float = 1.0,
        b: float = 0.75,
        c: float = 0.5,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        *,
        rx: float | None = None,
        ry: float | None = None,
        rz: float | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add an ellipsoid of these semi-axes, which may also be given as `rx`, `ry` and `rz`."""
        a, b, c = (one if other is None else other for one, other in ((a, rx), (b, ry), (c, rz)))
        return self.add_shape(body, GeoType.ELLIPSOID, (a, b, c), None, xform, cfg, label, custom_attributes, **look)

    def add_shape_mesh(
        self,
        body: int,
        xform: Xform | None = None,
        mesh: Mesh | None = None,
        scale: ArrayLike | None = None,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a mesh, scaled along its axes; its mass is exact.

        It collides as its triangles where it stays in place, and as its convex hull where it moves. A flat one, as a
        quad of two triangles, has no hull: `finalize` refuses it on a body that moves.
        """
        return self.add_shape(
            body, GeoType.MESH, UNSCALED if scale is None else scale, mesh, xform, cfg, label, custom_attributes, **look
        )

    def add_shape_convex_hull(
        self,
        body: int,
        xform: Xform | None = None,
        mesh: Mesh | ArrayLike | None = None,
        scale: ArrayLike | None = None,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add the convex hull of a mesh, or of points, shape (n, 3); its mass is the hull's.

        Raises:
            SimulationError: The points lie in one plane.
        """
        source = mesh if isinstance(mesh, Mesh) or mesh is None else hull_of(mesh)
        return self.add_shape(
            body,
            GeoType.CONVEX_MESH,
            UNSCALED if scale is None else scale,
            source,
            xform,
            cfg,
            label,
            custom_attributes,
            **look,
        )

    def add_shape_plane(
        self,
        plane: ArrayLike = (0.0, 0.0, 1.0, 0.0),
        xform: Xform | None = None,
        width: float = 0.0,
        length: float = 0.0,
        body: int = WORLD,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add a half space below a plane, or a one-sided rectangle of it; without mass.

        Args:
            plane: Numbers a, b, c, d of the plane a x + b y + c z + d = 0, with (a, b, c) pointing out of the matter.
            xform: Pose whose z = 0 is the plane; it takes the place of `plane`.
            width: Whole extent along x of the plane's own frame [m]; 0 for none, with the length.
            length: Whole extent along y of it [m]; likewise.
            body: Index of its body; -1 is the world.
            cfg: Material.
            label: Its name in contacts.
            custom_attributes: Values of attributes of frequency shape, by key.

        Raises:
            OptionError: The normal is zero, or only one extent is given.
        """
        for name, value in (("width", width), ("length", length)):
            as_nonnegative(name, value, "metres")
        if (width > 0.0) != (length > 0.0):
            raise OptionError("length", length, f"0 or more than 0 as the width, {width}")
        pose = _pose_of_plane(plane) if xform is None else as_pose(xform)
        size = (float(width), float(length), 0.0)
        return self.add_shape(body, GeoType.PLANE, size, None, pose, cfg, label, custom_attributes, **look)

    def add_ground_plane(
        self,
        height: float = 0.0,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add the plane at a height of the world [m], level by the scene's up axis.

        Raises:
            OptionError: The height is not finite; or as `add_shape` raises it.
        """
        up = Axis.from_any(self.up_axis).to_vector()
        plane = (*up, -as_finite("height", height))
        index = self.add_shape_plane(plane, cfg=cfg, label=label, custom_attributes=custom_attributes, **look)
        self.shapes[index] = replace(self.shapes[index], name=label or "ground_plane")
        return index

    def add_shape_heightfield(
        self,
        xform: Xform | None = None,
        heightfield: Heightfield | None = None,
        scale: ArrayLike | None = None,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        **look: Unpack[ShapeLook],
    ) -> int:
        """Add terrain to the world; it has no mass, and it is solid below its surface.

        Raises:
            OptionError: The height field is missing.
        """
        return self.add_shape(
            WORLD,
            GeoType.HFIELD,
            UNSCALED if scale is None else scale,
            heightfield,
            xform,
            cfg,
            label,
            custom_attributes,
            **look,
        )

    def add_site(
        self,
        body: int,
        xform: Xform | None = None,
        type: int = GeoType.SPHERE,
        scale: ArrayLike = (0.01, 0.01, 0.01),
        label: str | None = None,
        visible: bool = False,
        custom_attributes: Values | None = None,
    ) -> int:
        """Add a marker to a body, without mass and collision."""
        material = replace(self.default_site_cfg, is_visible=visible)
        return self.add_shape(body, type, scale, None, xform, material, label, custom_attributes)

    def add_shape(
        self,
        body: int,
        type: int,
        scale: ArrayLike | None = None,
        src: Source = None,
        xform: Xform | None = None,
        cfg: Config | None = None,
        label: str | None = None,
        custom_attributes: Values | None = None,
        *,
        as_site: bool = False,
        color: ArrayLike | None = None,
        opacity: float | None = None,
    ) -> int:
        """Add a shape of any kind.

        Args:
            body: Index of its body; -1 is the world.
            type: A `GeoType`.
            scale: Sizes in the order of `compute_inertia_shape` [m]; of meshes, the factor along each axis; of planes,
                width and length, both 0 or inf for one without end.
            src: Mesh or heights, if it has any.
            xform: Pose of its frame in the body frame.
            cfg: Its material; `default_shape_cfg` by default.
            label: Its name.
            custom_attributes: Values of attributes of frequency shape, by key.
            as_site: Whether it is a marker without mass and collision.
            color: Its colour, red, green and blue from 0 to 1.
            opacity: Opacity from 0 (transparent) to 1.

        Raises:
            OptionError: A value is out of range, or the material or the body is of another type.
            SimulationError: There is no such body.
        """
        if cfg is not None and not isinstance(cfg, ShapeConfig):
            raise OptionTypeError("cfg", cfg, "a ShapeConfig, such as ModelBuilder.ShapeConfig(mu=1.0)")
        material = replace(cfg or self.default_shape_cfg)
        if as_site:
            material.mark_as_site()
        config = material.settled()
        body = self._index_of_place(body)
        named = label or (WORLD_NAME if body == WORLD else self.body_name[body])
        sizes = UNSCALED if scale is None else scale
        shape = build_shape(body, known_type(type), sizes, src, as_pose(xform), config, named)
        tint = None if color is None else as_colour(color)
        look = replace(shape, name=label or "", color=tint, opacity=as_opacity(opacity), world=self.world_of_body(body))
        index = self.shape_count
        part = None if body == WORLD or self.body_locked[body] else inertial_of(shape)
        self.set_custom_values(index, custom_attributes, AttributeFrequency.SHAPE)
        if part is not None and part.mass > 0.0:
            self.join_to_body(body, part)
        self.shapes.append(look)
        return index


def _pose_of_plane(plane: ArrayLike) -> Pose:
    numbers = np.ravel(as_numbers("plane", plane, PLANE))
    length = float(np.linalg.norm(numbers[:3])) if numbers.shape == (4,) and np.isfinite(numbers).all() else 0.0
    if not length > 0.0:
        raise OptionError("plane", plane, PLANE)
    normal = numbers[:3] / length
    return Pose(-numbers[3] / length * normal, rotation_between([0.0, 0.0, 1.0], normal))
