# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of descriptions, each about its own origin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inertia_tools.spatial import Array


@dataclass(frozen=True)
class Box:
    """A box about its own origin; `size` is its full edge lengths [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Sphere:
    """A sphere about its own origin; `radius` in [m]."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z, about its own origin; `radius` and full `length` in [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A capsule along z, about its own origin; `length` is that of the cylinder between the caps [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """A cone along z, its base at -length/2 and its tip at +length/2; `radius` of the base and `length` in [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about its own origin; `semi_axes` along x, y, z [m]."""

    semi_axes: tuple[float, float, float]


@dataclass(frozen=True)
class Prism:
    """Outlines in the xy plane extruded along z from 0 to the height [m], as SDFormat's polylines.

    An outline inside another is a hole.
    """

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float


@dataclass(frozen=True)
class Plane:
    """An infinite plane with this normal; it has no mass."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class HeightGrid:
    """Heights on a regular grid about the shape's origin.

    Attributes:
        heights: Heights [m], shape (rows, columns); rows run along y, columns along x.
        half_x: Half extent along x [m].
        half_y: Half extent along y [m].
        top: Upper end of the range that the file gives for heights [m], which the heights of a level field do not
            reach; None without such a range.
    """

    heights: Array
    half_x: float
    half_y: float
    top: float | None = None


@dataclass(frozen=True)
class Heightmap:
    """Heights over a rectangle, from an image or another source; it has no mass.

    Attributes:
        uri: The file or name in the description.
        grid: The heights, if they were read.
        position: Centre of the grid, seen from the shape [m].
    """

    uri: str = ""
    grid: HeightGrid | None = None
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class InlineMesh:
    """A triangle mesh in the description itself.

    Attributes:
        vertices: Vertex positions [m], shape (n, 3).
        triangles: Three vertex indices each, shape (m, 3); None for the faces of the convex hull.
    """

    vertices: Array
    triangles: npt.NDArray[np.int64] | None = None

    @cached_property
    def digest(self) -> str:
        """Hash of the content."""
        content = hashlib.blake2b(np.ascontiguousarray(self.vertices).tobytes(), digest_size=16)
        if self.triangles is not None:
            content.update(np.ascontiguousarray(self.triangles).tobytes())
        return content.hexdigest()


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh in a file, or in the description itself.

    Attributes:
        uri: The mesh as the description names it.
        path: The file it resolves to; None when there is none.
        scale: Factor along each axis of the mesh's own frame; a negative one mirrors.
        submesh: Name of the only part of the file that counts; None for all.
        center: Move that part so that the centre of its bounding box is the origin, before scaling.
        reference: Position [m] and quaternion (x, y, z, w), in the file's frame, of the frame to use instead, before
            scaling; None keeps the file's.
        inline: The mesh itself, if the description contains it.
        points_have_hull: An OBJ or MSH file without faces represents the hull of its points, as in MuJoCo.
        absence: Why there is no path: where the file was searched, and the remedy.
        hull_limit: Maximum number of hull vertices, four or more; None for no limit.
        parts_limit: Maximum number of parts of a convex decomposition; None for no limit.
    """

    uri: str
    path: str | None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    submesh: str | None = None
    center: bool = False
    reference: tuple[float, ...] | None = None
    inline: InlineMesh | None = None
    points_have_hull: bool = False
    absence: str = field(default="", compare=False)
    hull_limit: int | None = None
    parts_limit: int | None = None

    @property
    def is_missing(self) -> bool:
        """There is neither a file nor a mesh in the description itself."""
        return self.path is None and self.inline is None


Primitive = Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Prism
"""Geometry with a closed form."""


@dataclass(frozen=True)
class OtherGeometry:
    """A shape that is not integrated here: SDFormat's `empty` and `image`, or one of a later version."""

    kind: str


Massless = Plane | Heightmap | OtherGeometry
"""Geometry that bounds the world, or that is unknown; it has no mass."""

Geometry = Primitive | Massless | Mesh
