# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The collision geometry of a shape: primitives, convex hulls, planes and triangle surfaces."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.surface import Corners, edges_at_corners, height_triangles, normals_beyond, rectangle
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh, Triple
from inertia_tools.spatial import Array

COPLANAR = 1e-10
"""Facets of a hull are one face if the cosine of their normals is within this of one; CAD programs write no flatter
angles."""

PLANE_HALF = -1.0
"""Half edges of the bounding box of a plane, which is unbounded."""


@dataclass(frozen=True, eq=False)
class Polytope:
    """A convex hull whose coplanar facets are merged into faces.

    Attributes:
        vertices: Corners [m], shape (n, 3).
        planes: Unit normal and offset d of each face, n . x = d, shape (k, 4).
        faces: Vertices around each face, counter-clockwise seen from outside.
    """

    vertices: Array = field(default_factory=lambda: np.zeros((0, 3)))
    planes: Array = field(default_factory=lambda: np.zeros((0, 4)))
    faces: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True, eq=False)
class Surface:
    """A triangle surface with its solid side below.

    Attributes:
        triangles: Corners, counter-clockwise seen from outside [m], shape (n, 3, 3).
        beyond: Unit normal of the neighbour across each edge, from corner i to i + 1; zero at a free edge; shape
            (n, 3, 3).
        corners: Edges at each corner.
        open_below: The surface is terrain: a shape below it is pushed up, however deep.
    """

    triangles: Array = field(default_factory=lambda: np.zeros((0, 3, 3)))
    beyond: Array = field(default_factory=lambda: np.zeros((0, 3, 3)))
    corners: Corners = field(default_factory=Corners)
    open_below: bool = False

    @property
    def closed(self) -> bool:
        """Whether no edge is free and the triangles face outwards; an empty surface is open."""
        if not len(self.triangles):
            return False
        a, b, c = self.triangles[:, 0], self.triangles[:, 1], self.triangles[:, 2]
        return bool(self.corners.count.all()) and float(np.einsum("ij,ij->", a, np.cross(b, c))) > 0.0


@dataclass(frozen=True, eq=False)
class Collider:
    """A convex shape, plane or triangle surface, in the frame of its shape.

    Attributes:
        kind: Its geometry.
        size: Radius, or semi-axes, or half edges; half length second; shape (3,) [m].
        middle: Centre of its bounding box [m].
        half: Half edges of that box [m]; negative for a plane.
        polytope: The hull, for `HULL`.
        surface: The triangles, for `TRIANGLES`.
    """

    kind: ColliderKind
    size: Array
    middle: Array
    half: Array
    polytope: Polytope = field(default_factory=Polytope)
    surface: Surface = field(default_factory=Surface)


def colliders_of_shape(
    kind: GeoType, size: Triple, source: object, is_static: bool, approximation: str = "auto"
) -> tuple[Collider, ...]:
    """Return the colliders of a shape; a mesh collides as `approximation` says, one of `APPROXIMATIONS`.

    Raises:
        SimulationError: A mesh that collides as its hull, or a convex part of one, is flat.
    """
    x, y, _ = size
    match kind:
        case GeoType.PLANE if x > 0.0:
            return (_surface(rectangle(0.5 * x, 0.5 * y), open_below=False),)
        case GeoType.PLANE:
            return (Collider(ColliderKind.PLANE, np.zeros(3), np.zeros(3), np.full(3, PLANE_HALF)),)
        case GeoType.SPHERE:
            return (_centred(ColliderKind.SPHERE, size, (x, x, x)),)
        case GeoType.CAPSULE:
            return (_centred(ColliderKind.CAPSULE, size, (x, x, y + x)),)
        case GeoType.ELLIPSOID:
            return (_centred(ColliderKind.ELLIPSOID, size, size),)
        case GeoType.CYLINDER:
            return (_centred(ColliderKind.CYLINDER, size, (x, x, y)),)
        case GeoType.CONE:
            return (_centred(ColliderKind.CONE, size, (x, x, y)),)
        case GeoType.BOX:
            return (_centred(ColliderKind.BOX, size, size),)
    if isinstance(source, Heightfield):
        triangles = height_triangles(source) * np.asarray(size)
        return (_surface(triangles, open_below=True),)
    if not isinstance(source, Mesh):
        return ()
    if kind is GeoType.MESH and approximation == "convex_decomposition":
        return tuple(hull_collider(corners) for corners in source.convex_parts(size))
    if kind is GeoType.MESH and is_static and approximation == "auto":
        mesh = source.triangles(size)
        return (_surface(mesh.vertices[mesh.triangles], open_below=False),)
    return (hull_collider(source.hull_points(size)),)


def hull_collider(points: Array) -> Collider:
    """Return the convex hull of points [m], shape (n, 3).

    Raises:
        SimulationError: The points lie in one plane.
    """
    polytope = polytope_of(points)
    low, high = polytope.vertices.min(axis=0), polytope.vertices.max(axis=0)
    return Collider(ColliderKind.HULL, np.zeros(3), 0.5 * (low + high), 0.5 * (high - low), polytope)


def polytope_of(points: Array) -> Polytope:
    """Return the convex hull of points [m], shape (n, 3), its coplanar facets as one face.

    Raises:
        SimulationError: The points lie in one plane.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise SimulationError("the points of a hull must not lie in one plane") from error
    normals, count = hull.equations[:, :3], len(hull.simplices)
    facet = np.repeat(np.arange(count), 3)
    other = hull.neighbors.ravel()
    flat = np.einsum("ij,ij->i", normals[facet], normals[other]) > 1.0 - COPLANAR
    links = coo_array((np.ones(int(flat.sum())), (facet[flat], other[flat])), shape=(count, count))
    _, face_of = connected_components(links, directed=False)
    vertices = np.asarray(points, dtype=np.float64)[hull.vertices]
    normal = _sums(normals[np.argsort(face_of, kind="stable")], np.bincount(face_of))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    order = np.full(len(points), -1)
    order[hull.vertices] = np.arange(len(vertices))
    face, corner = np.divmod(np.unique(face_of[facet] * len(vertices) + order[hull.simplices.ravel()]), len(vertices))
    return Polytope(vertices, *_faces(vertices, normal, face, corner))


def _faces(
    vertices: Array, normal: Array, face: np.ndarray, corner: np.ndarray
) -> tuple[Array, tuple[np.ndarray, ...]]:
    """Return the planes of convex faces, and the corners of each, counter-clockwise seen from outside.

    Args:
        vertices: Places of the corners, shape (n, 3).
        normal: Normal of each face, shape (k, 3).
        face: Face of each of its corners, in order, shape (m,).
        corner: That corner, shape (m,).
    """
    count = np.bincount(face)
    start = np.cumsum(count) - count
    places = vertices[corner]
    offset = np.maximum.reduceat(np.einsum("ij,ij->i", places, normal[face]), start)
    spoke = places - (_sums(places, count) / count[:, None])[face]
    first = spoke[start] - np.einsum("ij,ij->i", spoke[start], normal)[:, None] * normal
    across = np.einsum("ij,ij->i", spoke, np.cross(normal, first)[face])
    angle = np.arctan2(across, np.einsum("ij,ij->i", spoke, first[face]))
    return np.column_stack([normal, offset]), tuple(np.split(corner[np.lexsort((angle, face))], start[1:]))


def _sums(rows: Array, count: np.ndarray) -> Array:
    """Return the sums of so many rows each, one after the other."""
    return np.add.reduceat(rows, np.cumsum(count) - count)


def _centred(kind: ColliderKind, size: Triple, half: Triple) -> Collider:
    return Collider(kind, np.array(size), np.zeros(3), np.array(half))


def _surface(triangles: Array, open_below: bool) -> Collider:
    low, high = triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)
    surface = Surface(triangles, normals_beyond(triangles), edges_at_corners(triangles), open_below)
    if open_below:
        low[2] -= float((high - low)[:2].max())  # shapes below terrain are found to the depth of its width
    return Collider(ColliderKind.TRIANGLES, np.zeros(3), 0.5 * (low + high), 0.5 * (high - low), surface=surface)
