# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A triangle mesh as a shape of a scene, with cached mass properties for each scale and wall."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.geometry.hull import FEWEST_CORNERS, farthest_corners, hull_triangles
from inertia_tools.geometry.mesh.integral import MeshIntegral, MeshOptions
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.mesh.wall import hollow_mesh
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.convex_parts import CONCAVITY, FINEST, convex_parts
from inertia_tools.sim.scene.given import as_numbers
from inertia_tools.sim.scene.notices import InertiaWarning
from inertia_tools.spatial import Array, ArrayLike, are_usable

Triple = tuple[float, float, float]

UNSCALED: Triple = (1.0, 1.0, 1.0)

FULL_RANK = 3
"""Rank of the corners of a solid; flat sheets without volume have a lower one."""

DEFAULT_WALL = 0.001
"""Thickness of a hollow mesh's wall where a shape states none [m]: that of thin sheet, and Newton's."""

FORM = ("vertices", "indices", "is_solid", "parts")
"""Attributes of a mesh that determine its mass and collision geometry."""

WITHOUT_WARP = MeshOptions(may_load_warp=False)
"""Building a scene does not load Warp, so a mesh with holes is capped or takes its hull, and is never put in voxels."""


@dataclass(eq=False)
class Mesh:
    """Triangles whose mass properties are computed once for each scale and wall.

    Attributes:
        vertices: Vertex positions [m], shape (n, 3).
        indices: Three vertex indices a triangle, counter-clockwise seen from outside, shape (3 m,); given so, or as
            (m, 3).
        is_solid: `mass`, `com` and `inertia` are those of the filled mesh; otherwise of a wall of `DEFAULT_WALL`. What
            a shape of a scene weighs is decided by its `ShapeConfig`.
        compute_inertia: Compute these three; otherwise they are zero.
        color: Red, green and blue from 0 to 1; None for one of the palette.
        opacity: Opacity from 0 (transparent) to 1; None for 1.
        roughness, metallic: Surface appearance, from 0 to 1; stored for viewers.
        texture: Texture file or image; stored for viewers.
        texture_transform: Two rows that turn its texture coordinates (u, v, 1) into those of the picture, shape (2, 3).
        normals: Unit normal of each vertex, shape (n, 3); None for those of its faces.
        uvs: Texture coordinates of each vertex, shape (n, 2); None for none.
        undivided: The mesh that it weighs as, where points of that were divided at edges and seams; None for itself.
        maxhullvert: Most corners of the hull, or of each convex part, that it collides as, four or more; None for all.
        maxhulls: Most convex parts that coacd divides it into, but one for each piece that hangs together; None for as
            many as its hollows ask for.
        concavity: What these may keep of its hollows, over its size, 0.01 to 1.
        parts: Corners of the convex parts that it collides as where its material asks for them [m], shape (k, 3) each;
            found by coacd where none are given.
    """

    vertices: Array
    indices: npt.NDArray[np.int64]
    is_solid: bool = True
    compute_inertia: bool = True
    parts: tuple[ArrayLike, ...] = ()
    color: Any = None
    opacity: float | None = None
    roughness: float | None = None
    metallic: float | None = None
    texture: Any = None
    texture_transform: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    normals: Any = None
    uvs: Any = None
    undivided: Mesh | None = None
    maxhullvert: int | None = None
    maxhulls: int | None = None
    concavity: float = CONCAVITY
    _hulls: dict[int | None, Mesh] = field(default_factory=dict, init=False, repr=False)
    _integrals: dict[tuple[Triple, float | None], MeshIntegral] = field(default_factory=dict, init=False, repr=False)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set what is seen of it; its form stays, as what was computed of it is kept.

        Raises:
            OptionError: It is the form, a hull cannot have so few corners, there are to be no parts, or these cannot
                be so near to the mesh.
        """
        if name == "concavity" and not FINEST <= value <= 1.0:
            raise OptionError(name, value, f"{FINEST:g} to 1")
        if name == "maxhulls" and value is not None and value < 1:
            raise OptionError(name, value, "None, or 1 or more")
        if name == "maxhullvert" and value is not None and value < FEWEST_CORNERS:
            raise OptionError(name, value, f"None, or {FEWEST_CORNERS} or more")
        if name in FORM and name in self.__dict__:
            raise OptionError(name, "another one", "left unchanged; make another Mesh")
        super().__setattr__(name, value)

    def __post_init__(self) -> None:
        """Copy the arrays, and make them unchangeable so that what was computed stays true.

        Raises:
            OptionError: The vertices are not finite triples, or an index is none of a vertex.
        """
        vertices = np.array(as_numbers("vertices", self.vertices, "finite numbers, shape (n, 3)"))
        if vertices.ndim != 2 or vertices.shape[1] != 3 or not are_usable(vertices):
            raise OptionError("vertices", vertices.shape, "finite numbers, shape (n, 3)")
        said = f"three for each triangle, from 0 to {len(vertices) - 1}"
        numbers = as_numbers("indices", self.indices, said).ravel()
        are_whole = (numbers >= 0.0) & (numbers < len(vertices)) & (numbers == np.floor(numbers))
        if numbers.size == 0 or numbers.size % 3 or not are_whole.all():
            raise OptionError("indices", numbers.shape, said)
        indices = numbers.astype(np.int64)
        for name, values in (("vertices", vertices), ("indices", indices)):
            values.setflags(write=False)
            self.__dict__[name] = values
        for name, width in (("normals", 3), ("uvs", 2)):
            given = getattr(self, name)
            seen = None if given is None else np.array(given, dtype=np.float64)
            if seen is not None and seen.shape != (len(vertices), width):
                raise OptionError(
                    name, seen.shape, f"{width} numbers for each vertex, shape ({len(vertices)}, {width})"
                )
            self.__dict__[name] = seen

    @classmethod
    def create_box(cls, hx: float, hy: float | None = None, hz: float | None = None, **options: Any) -> Mesh:
        """Return a box of these half edges [m]; a cube where one is given. Options as for `mesh_forms.solid_form`."""
        half = (hx, hx if hy is None else hy, hx if hz is None else hz)
        return cls._of_form("box", half, options)

    @classmethod
    def create_sphere(cls, radius: float = 1.0, **options: Any) -> Mesh:
        """Return a ball [m]; options as for `mesh_forms.solid_form`."""
        return cls._of_form("ellipsoid", (radius, radius, radius), options)

    @classmethod
    def create_ellipsoid(cls, rx: float = 1.0, ry: float = 1.0, rz: float = 1.0, **options: Any) -> Mesh:
        """Return an ellipsoid of these semi-axes [m]; options as for `mesh_forms.solid_form`."""
        return cls._of_form("ellipsoid", (rx, ry, rz), options)

    @classmethod
    def create_capsule(cls, radius: float, half_height: float, **options: Any) -> Mesh:
        """Return a capsule along an up axis, y by default [m]; options as for `mesh_forms.solid_form`."""
        return cls._of_form("capsule", (radius, half_height), options)

    @classmethod
    def create_cylinder(cls, radius: float, half_height: float, **options: Any) -> Mesh:
        """Return a cylinder along an up axis, y by default [m]; options as for `mesh_forms.solid_form`."""
        return cls._of_form("cylinder", (radius, half_height), options)

    @classmethod
    def create_cone(cls, radius: float, half_height: float, **options: Any) -> Mesh:
        """Return a cone along an up axis, y by default [m]; options as for `mesh_forms.solid_form`."""
        return cls._of_form("cone", (radius, half_height), options)

    @classmethod
    def create_plane(cls, width: float, length: float, **options: Any) -> Mesh:
        """Return a rectangle about the origin that faces z [m]."""
        return cls._of_form("plane", (width, length), options)

    @classmethod
    def create_from_file(cls, filename: str, **options: Any) -> Mesh:
        """Read a mesh file: STL, OBJ, COLLADA, glTF, PLY.

        Raises:
            MeshError: It cannot be read.
        """
        from inertia_tools.description.types import Mesh as MeshFile
        from inertia_tools.geometry.mesh.file import read_mesh

        path = Path(filename).absolute()
        triangles = read_mesh(MeshFile(str(filename), str(path), (1.0, 1.0, 1.0)))
        return cls(triangles.vertices, triangles.triangles, **options)

    @classmethod
    def _of_form(cls, form: str, sizes: tuple[float, ...], options: dict[str, Any]) -> Mesh:
        from inertia_tools.sim.scene.mesh_forms import solid_form

        compute = bool(options.pop("compute_inertia", True))
        vertices, triangles = solid_form(form, sizes, **options)
        return cls(vertices, triangles, compute_inertia=compute)

    @property
    def has_inertia(self) -> bool:
        """Whether `mass`, `com` and `inertia` are computed."""
        return self.compute_inertia

    @property
    def mass(self) -> float:
        """Mass at unit density: the volume [m^3]."""
        return self._own.mass

    @property
    def com(self) -> Array:
        """Centre of mass in the mesh's frame [m], shape (3,)."""
        return self._own.com

    @property
    def inertia(self) -> Array:
        """Tensor about the centre of mass at unit density [m^5], shape (3, 3)."""
        return self._own.inertia

    @property
    def _own(self) -> Inertial:
        wall = None if self.is_solid else DEFAULT_WALL
        is_flat = bool(np.linalg.matrix_rank(self.vertices - self.vertices[0]) < FULL_RANK)
        if not self.compute_inertia or (wall is None and is_flat):
            return Inertial.zero()
        return self.unit_inertial(UNSCALED, wall)

    @property
    def texture_hash(self) -> int:
        """A number that is the same for the same texture, for viewers; 0 for none."""
        picture = self.texture
        return 0 if picture is None else hash(picture if isinstance(picture, str) else np.asarray(picture).tobytes())

    @property
    def hull(self) -> Mesh:
        """The convex hull of the triangles, with no more corners than `maxhullvert`.

        Raises:
            SimulationError: They lie in one plane.
        """
        if self.maxhullvert not in self._hulls:
            self._hulls[self.maxhullvert] = hull_of(self.hull_points())
        return self._hulls[self.maxhullvert]

    def hull_points(self, scale: Triple = UNSCALED) -> Array:
        """Return points whose hull it collides as, each axis scaled [m], shape (n, 3)."""
        if self.maxhullvert is None:
            return self.triangles(scale).used_vertices
        return self._limited(self.triangles().used_vertices) * scale

    def convex_parts(self, scale: Triple = UNSCALED) -> tuple[Array, ...]:
        """Return the corners of the convex parts that it collides as, each axis scaled [m], shape (k, 3) each."""
        found = self.parts or convex_parts(self.vertices, self.indices.reshape(-1, 3), self.maxhulls, self.concavity)
        return tuple(self._limited(np.asarray(corners, dtype=np.float64)) * scale for corners in found)

    def _limited(self, points: Array) -> Array:
        """Return those of points that are corners of a hull of `maxhullvert`."""
        if self.maxhullvert is None or len(points) <= self.maxhullvert:
            return points
        kept = farthest_corners(points, self.maxhullvert)
        return points if kept is None else points[kept]

    def triangles(self, scale: Triple = UNSCALED) -> TriangleMesh:
        """Return the triangles with each axis scaled, outside staying outside."""
        return TriangleMesh(self.vertices, self.indices.reshape(-1, 3)).scaled(scale)

    def unit_inertial(self, scale: Triple = UNSCALED, wall: float | None = None) -> Inertial:
        """Return the mass properties at unit density, in the frame of the scaled mesh.

        Args:
            scale: Factor along each axis; a negative one mirrors.
            wall: Thickness of the wall, measured inwards from the scaled surface [m]; None fills the mesh.

        Raises:
            SimulationError: The mesh encloses no volume.
            InertiaError: A wall is requested of a mesh that has holes, or that is locally thinner than the wall.
        """
        if self.undivided is not None:
            return self.undivided.unit_inertial(scale, wall)
        key = (scale, wall)
        if key not in self._integrals:
            mesh = self.triangles(scale)
            self._integrals[key] = integrate_mesh(mesh, WITHOUT_WARP) if wall is None else hollow_mesh(mesh, wall)
            if self._integrals[key].unit is not None:
                _warn_of_faults(self._integrals[key])
        unit = self._integrals[key].unit
        if unit is None:
            raise SimulationError("the mesh encloses no volume, so it has no mass; close it, or set density to 0")
        return unit


def hull_of(points: ArrayLike) -> Mesh:
    """Return the convex hull of points [m], shape (n, 3).

    Raises:
        OptionError: The values are not points.
        SimulationError: They lie in one plane.
    """
    cloud = as_numbers("mesh", points, "a Mesh, or points, shape (n, 3)")
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise OptionError("mesh", points, "a Mesh, or points, shape (n, 3)")
    triangles = hull_triangles(cloud) if are_usable(cloud) else None
    if triangles is None:
        raise SimulationError("a convex hull needs points that are not coplanar")
    kept, indices = np.unique(triangles, return_inverse=True)
    return Mesh(cloud[kept], indices)


def _warn_of_faults(integral: MeshIntegral) -> None:
    if integral.faults:
        faults = ", ".join(fault.value for fault in integral.faults)
        reason = f": {integral.reason}" if integral.reason else ""
        error = f"likely error of the volume {integral.error_estimate:.1g}"
        warnings.warn(f"a mesh has faults ({faults}){reason}; {error}", InertiaWarning, stacklevel=2)
