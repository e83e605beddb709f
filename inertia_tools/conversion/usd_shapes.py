# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collisions and visuals as prims of USD."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.usd_materials import UsdMaterialWriter
from inertia_tools.conversion.usd_prims import keep_name, put
from inertia_tools.description.colour import color_srgb_to_linear
from inertia_tools.description.link import Link, Shape
from inertia_tools.description.types import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Prism, Sphere
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.tessellation import shape_surface
from inertia_tools.inertia.shape import shape_fault
from inertia_tools.spatial import Array, Pose, rotation_between

AXES = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}


class UsdShapeWriter:
    """Writes the shapes of links."""

    def __init__(self, stage: Any, materials: str, account: Account) -> None:
        self._lib, self._stage, self._account = pxr(), stage, account
        self._materials = UsdMaterialWriter(stage, materials)

    def write(self, path: str, link: Link) -> None:
        """Write all shapes of a link under its prim, by their names where they have some."""
        taken: set[str] = set()
        for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
            for index, shape in enumerate(shapes):
                name = _own_name(shape) or f"{kind}_{index}"
                identifier = free_name(str(self._lib.Tf.MakeValidIdentifier(name)), taken)
                made = self._write(f"{path}/{identifier}", shape, link)
                if made is None:
                    continue
                taken.add(identifier)
                keep_name(made.GetPrim(), name)
                self._place(made, shape)
                if kind == "collision":
                    self._lib.UsdPhysics.CollisionAPI.Apply(made.GetPrim())
                    self._materials.bind(made.GetPrim(), shape.surface)

    def _write(self, path: str, shape: Shape, link: Link) -> Any | None:
        """Define the prim of a shape; None if USD has no such shape."""
        if (fault := shape_fault(shape)) is not None:
            self._account.note(Kind.DROPPED, link.name, fault.message, shape.place)
            return None
        geom = self._lib.UsdGeom
        match shape.geometry:
            case Box():
                made = geom.Cube.Define(self._stage, path)
                made.CreateSizeAttr(1.0)
            case Sphere(radius):
                made = geom.Sphere.Define(self._stage, path)
                made.CreateRadiusAttr(radius)
            case Ellipsoid():
                made = geom.Sphere.Define(self._stage, path)
                made.CreateRadiusAttr(1.0)
            case Cylinder(radius, length) | Capsule(radius, length) | Cone(radius, length):
                made = getattr(geom, type(shape.geometry).__name__).Define(self._stage, path)
                made.CreateRadiusAttr(radius)
                made.CreateHeightAttr(length)
                made.CreateAxisAttr("Z")
            case Plane(normal):
                made = geom.Plane.Define(self._stage, path)
                made.CreateAxisAttr(AXES.get(normal, "Z"))
            case Mesh() as mesh:
                return self._mesh_of_file(path, mesh, shape, link)
            case Prism():
                return self._prism(path, shape, link)
            case other:
                message = f"a shape of the kind {type(other).__name__.lower()} cannot be stored in USD"
                self._account.note(Kind.DROPPED, link.name, message, shape.place)
                return None
        return made

    def _mesh_of_file(self, path: str, mesh: Mesh, shape: Shape, link: Link) -> Any | None:
        """Copy a mesh into the stage."""
        try:
            read = read_mesh(mesh)
        except MeshError as error:
            self._account.note(Kind.DROPPED, link.name, f"a mesh is omitted: {error}", shape.place)
            return None
        return self._mesh(path, read.vertices, read.triangles)

    def _prism(self, path: str, shape: Shape, link: Link) -> Any | None:
        """Write a prism as the mesh of its surface."""
        surface = shape_surface(Shape(shape.geometry, Pose(), shape.name, shape.place))
        if surface is None:
            self._account.note(Kind.DROPPED, link.name, "a prism without a surface is omitted", shape.place)
            return None
        self._account.note(Kind.CHANGED, link.name, "a prism is written as a mesh", shape.place)
        return self._mesh(path, surface.vertices, surface.triangles)

    def _mesh(self, path: str, vertices: Array, triangles: np.ndarray) -> Any:
        lib = self._lib
        made = lib.UsdGeom.Mesh.Define(self._stage, path)
        made.CreatePointsAttr(lib.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(vertices, dtype=np.float32)))
        made.CreateFaceVertexCountsAttr(lib.Vt.IntArray(len(triangles), 3))
        corners = np.ascontiguousarray(np.ravel(triangles), dtype=np.int32)
        made.CreateFaceVertexIndicesAttr(lib.Vt.IntArray.FromNumpy(corners))
        made.CreateSubdivisionSchemeAttr(lib.UsdGeom.Tokens.none)
        return made

    def _place(self, made: Any, shape: Shape) -> None:
        """Give a prim its pose, its sizes if they are scales, and its colour."""
        pose = shape.pose_link_shape
        if isinstance(shape.geometry, Plane) and shape.geometry.normal not in AXES:
            pose = pose @ Pose(rotation=rotation_between([0.0, 0.0, 1.0], shape.geometry.normal))
        put(made, pose)
        scale = {Box: "size", Ellipsoid: "semi_axes"}.get(type(shape.geometry))
        if scale is not None:
            sizes = self._lib.Gf.Vec3d(*getattr(shape.geometry, scale))
            made.AddScaleOp(self._lib.UsdGeom.XformOp.PrecisionDouble).Set(sizes)
        if shape.colour is not None:
            linear = color_srgb_to_linear(shape.colour)
            made.CreateDisplayColorAttr([self._lib.Gf.Vec3f(*linear)])
            made.CreateDisplayOpacityAttr([shape.colour[3]])


def _own_name(shape: Shape) -> str:
    """Return the name of a shape; one that was read from a stage is named by its path there."""
    return shape.name.rpartition("/")[2] if shape.name.startswith("/") else shape.name
