# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Colliders of a stage and their physics materials, as shapes of a scene."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from inertia_tools.description.geometry import Box, Sphere
from inertia_tools.description.link import Link, Shape
from inertia_tools.description.types import Description, Mesh
from inertia_tools.description.usd.attributes import authored, stated_or
from inertia_tools.description.usd_bodies import Collider, UsdBodies
from inertia_tools.errors import MeshError
from inertia_tools.geometry.hull import FEWEST_CORNERS
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.spatial import Pose
from inertia_tools.usd import PrimType, SchemaResolverManager

WITHOUT_PLACE = {
    PrimType.SHAPE: ("hydroelastic_enabled",),
    PrimType.MATERIAL: (),
    PrimType.BODY: ("rigid_body_linear_damping", "rigid_body_angular_damping"),
}
"""Keys whose authored values stay in what was collected, as this simulator has no place for them."""

APPROXIMATED = {
    "convexHull": "convex_hull",
    "convexDecomposition": "convex_decomposition",
    "sdf": "convex_decomposition",
}
"""What meshes collide as that ask for something in the words of UsdPhysics and PhysX; a signed distance field has no
place here, and its hollows are those of convex parts."""

GAINS = ("ke", "kd", "kf", "ka")
"""Gains of contacts as springs, in the units of a stage: kg/s^2, kg/s, kg/s and a length."""

DYNAMIC, STATIC, RESTITUTION = "physics:dynamicFriction", "physics:staticFriction", "physics:restitution"


class ShapeSchemas:
    """Reads the materials of shapes through resolvers.

    Attributes:
        unplaced: Stated attributes that this simulator does not use.
    """

    def __init__(self, chain: SchemaResolverManager, usd_bodies: UsdBodies, approximates: bool = True) -> None:
        """Look at a stage; meshes collide as their prims ask for, unless that is to be passed over."""
        self._chain, self._usd, self._approximates = chain, usd_bodies, approximates
        self._colliders = {c.path: c for body in usd_bodies.bodies.values() for c in body.colliders}
        self._colliders |= {c.path: c for c in usd_bodies.colliders}
        self.unplaced: dict[str, None] = {}
        self.unusable: list[str] = []

    def config(self, path: str, base: ShapeConfig) -> ShapeConfig:
        """Return the material of the shape of a prim; values that are not stated are unchanged."""
        collider = self._colliders.get(path)
        if collider is None:
            return base
        prim = self._usd.stage.GetPrimAtPath(path)
        self._look_at(prim, PrimType.SHAPE)
        margin, gap = self._distance(prim, "margin"), self._distance(prim, "gap")
        model = self._chain.authored(prim, PrimType.SHAPE, "mass_model")
        return replace(
            self._gains(collider, prim, self._material(collider, base)),
            mesh_approximation=self._approximation(collider, base),
            is_solid=base.is_solid if model is None else model != "shell",
            margin=base.margin if margin is None else margin,
            gap=base.gap if gap is None else gap,
        )

    def _distance(self, prim: Any, key: str) -> float | None:
        """Return a distance that a shape states [m], none below zero; schemas write "not set" as minus infinity."""
        stated = self._chain.authored(prim, PrimType.SHAPE, key)
        if stated is None:
            return None
        value = float(stated) * self._usd.units.metre
        if -math.inf < value < 0.0:
            self.unusable.append(f"{prim.GetPath()}: a {key} of {value:g} m is negative and is ignored")
        return max(value, 0.0)

    def most_corners(self, path: str) -> int | None:
        """Return how many corners the hull of a prim's mesh may have; None where nothing is stated that a hull can."""
        prim = self._usd.stage.GetPrimAtPath(path)
        stated = self._chain.authored(prim, PrimType.SHAPE, "max_hull_vertices") if prim else None
        return None if stated is None or stated < FEWEST_CORNERS else int(stated)

    def most_parts(self, path: str) -> int | None:
        """Return how many convex parts a prim's mesh may have; None where nothing is stated, or it is not divided."""
        collider = self._colliders.get(path)
        if collider is None or APPROXIMATED.get(collider.approximation) != "convex_decomposition":
            return None
        prim = self._usd.stage.GetPrimAtPath(path)
        stated = self._chain.authored(prim, PrimType.SHAPE, "convex_decomposition_max_hulls")
        return None if stated is None or stated < 1 else int(stated)

    def _gains(self, collider: Collider, prim: Any, base: ShapeConfig) -> ShapeConfig:
        """Return a material with the gains of the first resolver that finds some, on the bound one or the collider."""
        stage, units = self._usd.stage, self._usd.units
        sizes = (units.kilogram, units.kilogram, units.kilogram, units.metre)
        material = stage.GetPrimAtPath(collider.material) if collider.material else None
        found: dict[str, Any] = {}
        for key, size in zip(GAINS, sizes, strict=True):
            value = self._first_gain(key, material, prim)
            if value is not None and 0.0 <= float(value) < math.inf:
                found[key] = float(value) * size
        return replace(base, **found) if found else base

    def _first_gain(self, key: str, material: Any, prim: Any) -> Any | None:
        """Return what the first resolver that finds anything finds, on the material before the collider."""
        of_material = () if material is None else ((material, PrimType.MATERIAL),)
        for resolver in self._chain.resolvers:
            for where, kind in (*of_material, (prim, PrimType.SHAPE)):
                value = resolver.get_value(where, kind, key)
                if value is not None:
                    return value
        return None

    def _approximation(self, collider: Collider, base: ShapeConfig) -> str:
        """Return what a mesh collides as."""
        asked = collider.approximation if self._approximates else ""
        return APPROXIMATED.get(asked, base.mesh_approximation)

    def look_at_the_rest(self) -> None:
        """Collect solver attributes of bodies and of materials, bound to a shape or not."""
        stage = self._usd.stage
        for body in self._usd.bodies.values():
            self._look_at(stage.GetPrimAtPath(body.path), PrimType.BODY)
        for path in self._usd.materials:
            self._chain.collect_prim_attrs(stage.GetPrimAtPath(path))

    def _material(self, collider: Collider, base: ShapeConfig) -> ShapeConfig:
        """Return what the bound material states, friction the dynamic one before the static one.

        Torsional and rolling friction are lengths. More than all of a bounce is all of it.
        """
        if not collider.material:
            return base
        prim, metre = self._usd.stage.GetPrimAtPath(collider.material), self._usd.units.metre
        self._look_at(prim, PrimType.MATERIAL)
        bounce, static = authored(prim, RESTITUTION), authored(prim, STATIC)
        lengths = [self._chain.authored(prim, PrimType.MATERIAL, key) for key in ("mu_torsional", "mu_rolling")]
        torsional, rolling = (None if length is None else float(length) * metre for length in lengths)
        return replace(
            base,
            mu=float(stated_or(prim, DYNAMIC, base.mu if static is None else static)),
            restitution=base.restitution if bounce is None else min(float(bounce), 1.0),
            mu_torsional=base.mu_torsional if torsional is None else torsional,
            mu_rolling=base.mu_rolling if rolling is None else rolling,
        )

    def _look_at(self, prim: Any, kind: PrimType) -> None:
        """Collect what solvers state of a prim, and name what has no place."""
        self._chain.collect_prim_attrs(prim)
        for key in WITHOUT_PLACE[kind]:
            for resolver in self._chain.resolvers:
                row = resolver.attribute(kind, key)
                if row is not None and row.read(prim):
                    self.unplaced.setdefault(row.name)


def approximated(robot: Description, usd_bodies: UsdBodies) -> Description:
    """Set the collision geometry of meshes: bounding box or sphere if the prim requests it, else the hull."""
    wanted = {
        c.path: c.approximation
        for body in usd_bodies.bodies.values()
        for c in body.colliders
        if c.approximation in ("boundingCube", "boundingSphere")
    }
    return robot if not wanted else replace(robot, links={n: _bounded(k, wanted) for n, k in robot.links.items()})


def _bounded(link: Link, wanted: Mapping[str, str]) -> Link:
    shapes = tuple(_around(shape, wanted.get(shape.name, "")) for shape in link.collisions)
    return replace(link, collisions=shapes)


def _around(shape: Shape, approximation: str) -> Shape:
    """Return the box or ball around a mesh, about the middle of its extent."""
    if not approximation or not isinstance(shape.geometry, Mesh):
        return shape
    try:
        vertices = read_mesh(shape.geometry).vertices
    except MeshError:
        return shape
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle = 0.5 * (low + high)
    x, y, z = (high - low).tolist()
    reach = float(np.linalg.norm(vertices - middle, axis=1).max())
    geometry = Box((x, y, z)) if approximation == "boundingCube" else Sphere(reach)
    return replace(shape, geometry=geometry, pose_link_shape=shape.pose_link_shape @ Pose(middle))
