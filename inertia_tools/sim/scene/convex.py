# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision shapes of the solver: feature points, and convex solids with a signed distance.

A pair of shapes is tested in both orders: the feature points of one, each with a radius, against the solid of the
other. This finds all contacts of corners, rims and spheres with faces. Contacts of two crossed edges are found only
through their corners.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.spatial import Array

ROUNDING = 2e-3
"""Radius of rounded corners and rims, relative to the smallest half width of the shape. A corner exactly above the edge
of another shape would be on neither side of it; a rounded one is inside. Against planes, corners and rims are sharp."""

RIM_POINTS = 8
"""Fixed points on each rim of a cylinder, enough to stand on, in addition to the deepest point of the rim."""

AXIS_POINTS = 5
"""Points along the axis of a capsule, and rims along a cylinder, so that they can rest on narrower shapes."""

CONE_POINTS = 32
"""Points on the base of a cone, which collides as their hull with the apex: the error is at most 0.5 % of the
radius."""

HULL_CORNERS = 1000
"""A hull with at most this many corners uses all of them as feature points; one with more uses the farthest in each of
as many directions. A corner that is left out sinks into floors. Of the meshes of real robots few hulls have more."""

ELLIPSOID_POINTS = 250
"""Directions in which an ellipsoid has points, beside its axes."""


class SolidKind(enum.IntEnum):
    """Kinds of solids; all but `SURFACE` have a distance function."""

    PLANE = 0
    SPHERE = 1
    BOX = 2
    CAPSULE = 3
    CYLINDER = 4
    HULL = 5
    SURFACE = 6
    """A heightfield, rectangle or flat mesh, which only the narrow phase handles."""


@dataclass(frozen=True, eq=False)
class Convex:
    """One convex collision shape in its own frame.

    Attributes:
        kind: Which solid it is.
        size: Its sizes [m]: radius; half edges; radius and half length, then the radius of its rims; of a flat mesh the
            radius of the ball that holds it; shape (3,).
        features: Points that may touch another solid [m], shape (n, 3).
        radii: Radius of the ball about each feature [m], shape (n,).
        sharp: The same points before rounding of corners and rims, used against planes [m], shape (n, 3).
        rounding: Radius to which they were rounded [m].
        rims: Whether a feature is the centre of a circle about a cylinder's axis, whose deepest point counts; shape
            (n,), bool.
        edges: Of a feature in the middle of an edge, the numbers of those at its ends; (-1, -1) for others; None for
            none; shape (n, 2).
        faces: Planes of a hull, unit normal and offset with n . x = d, shape (k, 4); empty for the others.
    """

    kind: SolidKind
    size: Array
    features: Array
    radii: Array
    sharp: Array
    rounding: float
    rims: np.ndarray
    faces: Array
    edges: np.ndarray | None = None

    @property
    def bounding_radius(self) -> float:
        """Radius of the bounding sphere about the shape's origin [m]; a plane has none."""
        if self.kind is SolidKind.SURFACE and self.size[0] > 0.0:
            return float(self.size[0])
        if self.kind in (SolidKind.PLANE, SolidKind.SURFACE):
            return float("inf")
        if not len(self.sharp):
            return 0.0
        reach = np.linalg.norm(self.sharp, axis=1) + self.radii - self.rounding
        if self.kind is SolidKind.CYLINDER:
            return float(np.hypot(self.size[0], self.size[1]))
        return float(reach.max())

    @property
    def half_thickness(self) -> float:
        """Radius of about the largest sphere inside the shape [m]; infinite for planes and terrain."""
        match self.kind:
            case SolidKind.SPHERE | SolidKind.CAPSULE:
                return float(self.size[0])
            case SolidKind.BOX:
                return float(self.size.min())
            case SolidKind.CYLINDER:
                return float(self.size[:2].min())
            case SolidKind.HULL:
                return float(np.min(self.faces[:, 3] - self.faces[:, :3] @ self.features.mean(axis=0)))
        return float("inf")


NOTHING = Convex(
    SolidKind.SPHERE,
    np.zeros(3),
    np.zeros((0, 3)),
    np.zeros(0),
    np.zeros((0, 3)),
    0.0,
    np.zeros(0, dtype=bool),
    np.zeros((0, 4)),
)
"""Placeholder of a shape without collision, so that all shapes of a scene have an entry in arrays."""


def _make(kind: SolidKind, size: list[float], features: Array, radius: float = 0.0) -> Convex:
    count = len(features)
    no_faces = np.zeros((0, 4))
    return Convex(
        kind, np.array(size), features, np.full(count, radius), features, 0.0, np.zeros(count, bool), no_faces
    )


def _make_rounded(kind: SolidKind, size: list[float], sharp: Array, features: Array, rounding: float) -> Convex:
    made = _make(kind, size, features, rounding)
    return replace(made, sharp=sharp, rounding=rounding)


def convex_plane() -> Convex:
    """Return the half space below z = 0 of the shape's frame."""
    return _make(SolidKind.PLANE, [0.0, 0.0, 0.0], np.zeros((0, 3)))


def convex_sphere(radius: float) -> Convex:
    """Return a sphere [m]."""
    return _make(SolidKind.SPHERE, [radius, 0.0, 0.0], np.zeros((1, 3)), radius)


def convex_box(hx: float, hy: float, hz: float) -> Convex:
    """Return a box of these half edges [m]."""
    steps = np.array(np.meshgrid([-1, 0, 1], [-1, 0, 1], [-1, 0, 1])).reshape(3, -1).T
    steps = steps[np.abs(steps).sum(axis=1) >= 2]
    corners_and_edges = steps[np.argsort(-np.abs(steps).sum(axis=1), kind="stable")]  # corners first
    half = np.array([hx, hy, hz])
    rounding = ROUNDING * min(hx, hy, hz)
    sharp, features = corners_and_edges * half, corners_and_edges * (half - rounding)
    return replace(
        _make_rounded(SolidKind.BOX, [hx, hy, hz], sharp, features, rounding), edges=_ends(corners_and_edges)
    )


def _ends(steps: np.ndarray) -> np.ndarray:
    """Return the corners at the ends of a box's edges; `steps` holds -1, 0 and 1."""
    number = {tuple(row): index for index, row in enumerate(steps.tolist())}
    ends = np.full((len(steps), 2), -1)
    for index, row in enumerate(steps.tolist()):
        if 0 in row:
            axis = row.index(0)
            ends[index] = [number[(*row[:axis], side, *row[axis + 1 :])] for side in (-1, 1)]
    return ends


def convex_capsule(radius: float, half_height: float) -> Convex:
    """Return a capsule along z; `half_height` excludes the caps [m]."""
    axis = np.zeros((AXIS_POINTS, 3))
    axis[:, 2] = np.linspace(-half_height, half_height, AXIS_POINTS)
    return _make(SolidKind.CAPSULE, [radius, half_height, 0.0], axis if half_height > 0.0 else axis[:1], radius)


def convex_cylinder(radius: float, half_height: float) -> Convex:
    """Return a cylinder along z [m]."""
    rounding = ROUNDING * min(radius, half_height)
    angles = np.arange(RIM_POINTS) * (2.0 * np.pi / RIM_POINTS)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(RIM_POINTS)], axis=1)

    def points(ring: Array, up: Array) -> Array:
        return np.concatenate([ring - up, ring + up, np.linspace(-up, up, AXIS_POINTS)])

    sharp = points(radius * circle, np.array([0.0, 0.0, half_height]))
    features = points((radius - rounding) * circle, np.array([0.0, 0.0, half_height - rounding]))
    size = [radius, half_height, radius - rounding]
    made = _make_rounded(SolidKind.CYLINDER, size, sharp, features, rounding)
    return replace(made, rims=np.arange(len(sharp)) >= len(sharp) - AXIS_POINTS)


def convex_hull(points: Array) -> Convex:
    """Return the convex hull of points [m], shape (n, 3).

    Raises:
        SimulationError: The points lie in one plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise SimulationError("a convex hull needs points that are not coplanar") from error
    corners = np.asarray(points, dtype=np.float64)[hull.vertices]
    planes = np.unique(np.round(hull.equations, 9), axis=0)
    faces = np.concatenate([planes[:, :3], -planes[:, 3:]], axis=1)
    kept = corners if len(corners) <= HULL_CORNERS else _farthest(corners)
    rounding = ROUNDING * float(np.min(faces[:, 3] - faces[:, :3] @ corners.mean(axis=0)))
    features = np.array([_inset(corner, faces, rounding) for corner in kept])
    return replace(_make_rounded(SolidKind.HULL, [0.0, 0.0, 0.0], kept, features, rounding), faces=faces)


def convex_mesh(points: Array, has_triangles: bool) -> Convex:
    """Return the hull of the corners of a mesh [m], shape (n, 3).

    Args:
        points: The corners.
        has_triangles: Whether a static mesh collides as its triangles; such a mesh may be flat, without a hull.

    Raises:
        SimulationError: The corners lie in one plane, and a hull is needed.
    """
    try:
        return convex_hull(points)
    except SimulationError:
        if not has_triangles:
            raise
    reach = float(np.linalg.norm(points, axis=1).max())
    return _make(SolidKind.SURFACE, [reach, 0.0, 0.0], np.zeros((0, 3)))


def convex_cone(radius: float, half_height: float) -> Convex:
    """Return a cone along z, its apex up, as the hull of a polygon and the apex [m]."""
    angles = np.arange(CONE_POINTS) * (2.0 * np.pi / CONE_POINTS)
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(CONE_POINTS, -half_height)], axis=1)
    return convex_hull(np.concatenate([ring, [[0.0, 0.0, half_height]]]))


def convex_ellipsoid(semi_axes: tuple[float, float, float]) -> Convex:
    """Return an ellipsoid as the hull of points on it [m]; the error is at most 1.5 % of a semi-axis."""
    return convex_hull(_directions(ELLIPSOID_POINTS) * np.asarray(semi_axes))


def convex_of_shape(
    kind: GeoType, size: tuple[float, float, float], source: object, approximation: str = "auto"
) -> Convex | None:
    """Return the collision shape of a scene's shape, a mesh as its hull; a heightfield has no features.

    Raises:
        SimulationError: A mesh that collides as its hull or convex parts of it is flat.
    """
    x, y, _ = size
    match kind:
        case GeoType.PLANE if x > 0.0:
            return _make(SolidKind.SURFACE, [0.0, 0.0, 0.0], np.zeros((0, 3)))
        case GeoType.PLANE:
            return convex_plane()
        case GeoType.SPHERE:
            return convex_sphere(x)
        case GeoType.BOX:
            return convex_box(*size)
        case GeoType.CAPSULE:
            return convex_capsule(x, y)
        case GeoType.CYLINDER:
            return convex_cylinder(x, y)
        case GeoType.CONE:
            return convex_cone(x, y)
        case GeoType.ELLIPSOID:
            return convex_ellipsoid(size)
    if kind is GeoType.HFIELD:
        return _make(SolidKind.SURFACE, [0.0, 0.0, 0.0], np.zeros((0, 3)))
    if not isinstance(source, Mesh):
        return None
    return convex_mesh(source.hull_points(size), kind is GeoType.MESH and approximation == "auto")


def _inset(corner: Array, faces: Array, radius: float) -> Array:
    """Return the corner of a hull moved inwards until it is a radius behind the faces that meet there [m]."""
    meet = np.abs(faces[:, :3] @ corner - faces[:, 3]) < radius
    shift = np.linalg.lstsq(faces[meet, :3], np.full(int(meet.sum()), -radius), rcond=None)[0]
    return np.asarray(corner + shift)


def _farthest(corners: Array) -> Array:
    """Return the corners that are farthest in at least one of many directions."""
    kept: Array = corners[np.unique((corners @ _directions(HULL_CORNERS).T).argmax(axis=0))]
    return kept


def _directions(count: int) -> Array:
    """Return unit vectors spread evenly over the sphere (Fibonacci lattice), and the axes both ways."""
    index = np.arange(count) + 0.5
    height = 1.0 - 2.0 * index / count
    angle = index * np.pi * (3.0 - np.sqrt(5.0))
    across = np.sqrt(1.0 - height**2)
    spread = np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1)
    return np.concatenate([spread, np.eye(3), -np.eye(3)])
