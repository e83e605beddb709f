# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<flexcomp>` of MJCF: its points, of which each free one is a body, and their connections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inertia_tools.description.content import content_of
from inertia_tools.description.gmsh import read_gmsh
from inertia_tools.description.mjcf import flex_shapes
from inertia_tools.description.mjcf.assets import resolve_asset
from inertia_tools.description.mjcf.parts import Part
from inertia_tools.description.mjcf.values import choice, number, truth, up_to, vector, whole
from inertia_tools.description.resources import unreadable
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array

TYPES = ("grid", "box", "cylinder", "ellipsoid", "square", "disc", "circle", "mesh", "gmsh", "direct")
HOLLOW = ("box", "cylinder", "ellipsoid")
DIMENSIONS = {"circle": (1,), "disc": (2,), "square": (2,)} | dict.fromkeys(HOLLOW, (2, 3))
"""Possible dimensions of a type; other types may have all."""

LEAST_CIRCLE = 4
"""Points of a circle, of which the last is the first."""

FREEDOMS = {"full": 3, "2d": 2}
"""Number of slides of a point, by its `dof`; points with other values move together."""

COUNT, SPACING = (10.0, 10.0, 10.0), (0.02, 0.02, 0.02)
MASS, INERTIA_BOX = 1.0, 0.005
MOST_POINTS = 100_000
"""Maximum number of points of a grid; a larger number is a typing error, or an attack."""


@dataclass(frozen=True, eq=False)
class FlexPoints:
    """The points of a `<flexcomp>`.

    Attributes:
        points: All its points, seen from the flexible body [m], shape (n, 3).
        held: Which of them are fixed to the enclosing body, shape (n,).
        elements: Points of each element, shape (m, dim + 1).
        dim: 1 for lines, 2 for sheets, 3 for solids.
        mass: Mass of each point [kg].
        moment: Each principal moment of a point [kg m^2].
        slides: Number of axes of the enclosing body along which a point slides.
    """

    points: Array
    held: npt.NDArray[np.bool_]
    elements: np.ndarray
    dim: int
    mass: float
    moment: float
    slides: int

    @property
    def is_rigid(self) -> bool:
        """Whether no point moves."""
        return bool(self.held.all())

    @property
    def positions(self) -> dict[int, Array]:
        """Positions of the free points [m], by index."""
        return {index: self.points[index] for index in np.flatnonzero(~self.held).tolist()}


def flex_points(element: Element, part: Part) -> FlexPoints | None:
    """Return the points of a `<flexcomp>`; None if they are those of a mesh, or move together.

    Raises:
        ParseError: A number or a file cannot be read, or there are too many points.
    """
    freedom = element.attributes.get("dof", "full")
    kind, dim = choice(element, "type", TYPES, "grid"), whole(element, "dim", 2)
    if truth(element, "rigid", False):
        nothing = np.zeros(0, dtype=int)
        return FlexPoints(np.zeros((0, 3)), nothing.astype(bool), nothing.reshape(0, 2), dim, 0.0, 0.0, 0)
    if kind == "mesh" or freedom not in FREEDOMS:
        return None
    if dim not in DIMENSIONS.get(kind, (1, 2, 3)):
        allowed = " or ".join(map(str, DIMENSIONS.get(kind, (1, 2, 3))))
        raise element.error(f'dim of <flexcomp> of type {kind} is {dim}; write dim="{allowed}"')
    points, elements, places = _gmsh(element, part) if kind == "gmsh" else _shape(element, kind, dim)
    dim = elements.shape[1] - 1
    held = _pinned(element, len(points), places, dim)
    if kind in ("direct", "gmsh"):
        points, elements, held = _used(points, elements, held)
    mass = number(element, "mass", MASS) / len(points)
    side = number(element, "inertiabox", INERTIA_BOX)
    if not (0.0 < mass < np.inf and 0.0 < side < np.inf):
        raise element.error("mass and inertiabox of <flexcomp> must be positive; correct the value")
    return FlexPoints(points, held, elements, dim, mass, mass * 2.0 * side**2 / 3.0, FREEDOMS[freedom])


def _shape(element: Element, kind: str, dim: int) -> tuple[Array, np.ndarray, Array | None]:
    """Return points, elements, and the grid indices of each point, if there is a grid."""
    if kind == "direct":
        return *_direct(element, dim), None
    counts, spacing = _counts(element, 3 if kind in HOLLOW else dim), vector(element, "spacing", SPACING)
    axes = 3 if kind in HOLLOW else dim
    if min(counts[:axes]) < (LEAST_CIRCLE if kind == "circle" else 2):
        raise element.error(f"count of <flexcomp> of type {kind} makes no element; write larger numbers")
    if not (spacing[:axes] > 0.0).all():
        raise element.error("spacing of <flexcomp> must be positive; write three positive numbers")
    if kind in HOLLOW:
        return *flex_shapes.hollow(kind, counts, spacing, dim), None
    if kind == "disc":
        return *flex_shapes.disc(counts, spacing), None
    if kind == "circle":
        return *flex_shapes.circle(counts[0], float(spacing[0])), None
    points, places = flex_shapes.grid_points(counts, spacing)
    return points, flex_shapes.grid_elements(counts, dim), places


def _counts(element: Element, dim: int) -> tuple[int, int, int]:
    """Return the number of points along each axis; one along axes beyond the dimension."""
    counts = vector(element, "count", COUNT)
    counts[dim:] = 1
    if not (counts >= 1).all() or float(np.prod(counts)) > MOST_POINTS or (counts % 1).any():
        said = " ".join(f"{value:g}" for value in counts)
        raise element.error(f"count of <flexcomp> is {said}; write integers, for at most {MOST_POINTS} points")
    x, y, z = counts.astype(int).tolist()
    return x, y, z


def _direct(element: Element, dim: int) -> tuple[Array, np.ndarray]:
    """Return the points and elements that a `<flexcomp>` states."""
    for name, width in (("point", 3), ("element", dim + 1)):
        stated = up_to(element, name, MOST_POINTS * (dim + 1) * 3)
        if not stated or len(stated) % width or not np.isfinite(stated).all():
            raise element.error(f"{name} of <flexcomp> has {len(stated)} numbers; write {width} for each")
    points = np.reshape(up_to(element, "point", MOST_POINTS * 3), (-1, 3)) * vector(element, "scale", (1.0, 1.0, 1.0))
    elements = np.reshape(up_to(element, "element", MOST_POINTS * (dim + 1) * 3), (-1, dim + 1))
    wrong = (elements < 0) | (elements >= len(points)) | (elements % 1 != 0)
    if wrong.any():
        raise element.error(f"element of <flexcomp> names point {elements[wrong][0]:g}; there are {len(points)}")
    whole_numbers = elements.astype(int)
    ordered = np.sort(whole_numbers, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise element.error("an element of <flexcomp> names a point twice; name different ones")
    return points, whole_numbers


def _gmsh(element: Element, part: Part) -> tuple[Array, np.ndarray, None]:
    """Return the points and elements of a Gmsh file."""
    file = element.attribute("file").strip()
    path = resolve_asset(file, element, part.compiler, part.document)
    if path is None:
        raise element.error(f"the file of <flexcomp> was not found: {unreadable(file, part.document)}")
    try:
        mesh = read_gmsh(content_of(path))
    except (OSError, ValueError) as error:
        raise element.error(f"{file!r} cannot be read: {error}") from error
    if len(mesh.points) > MOST_POINTS or not np.isfinite(mesh.points).all():
        raise element.error(f"{file!r} has {len(mesh.points)} points; the limit is {MOST_POINTS} finite points")
    return mesh.points * vector(element, "scale", (1.0, 1.0, 1.0)), mesh.elements, None


def _used(
    points: Array, elements: np.ndarray, held: npt.NDArray[np.bool_]
) -> tuple[Array, np.ndarray, npt.NDArray[np.bool_]]:
    """Remove the points that are in no element, as MuJoCo does."""
    used, renumbered = np.unique(elements, return_inverse=True)
    return points[used], renumbered.reshape(elements.shape), held[used]


def _pinned(element: Element, count: int, places: Array | None, dim: int) -> npt.NDArray[np.bool_]:
    """Return which points are fixed to the enclosing body, shape (n,)."""
    held = np.zeros(count, dtype=bool)
    for pin in element.all("pin"):
        for index in _grouped(pin, "id", 1, count):
            held[_index(pin, index[0], count)] = True
        for first, last in _grouped(pin, "range", 2, count):
            held[_index(pin, first, count) : _index(pin, last, count) + 1] = True
        if places is None:
            if {"grid", "gridrange"} & set(pin.attributes):
                raise pin.error("grid and gridrange of <pin> are for a <flexcomp> that is a grid; write id or range")
            continue
        for place in _grouped(pin, "grid", dim, count):
            held |= (places[:, :dim] == place).all(axis=1)
        for bounds in _grouped(pin, "gridrange", 2 * dim, count):
            inside = places[:, :dim]
            held |= ((inside >= bounds[:dim]) & (inside <= bounds[dim:])).all(axis=1)
    return held


def _index(pin: Element, value: float, count: int) -> int:
    if not 0 <= value < count or value % 1:
        raise pin.error(f"<pin> names point {value:g}; there are {count}, counted from 0")
    return int(value)


def _grouped(pin: Element, name: str, size: int, count: int) -> Array:
    """Return numbers in groups, shape (n, size), no more groups than there are points."""
    values = up_to(pin, name, size * count)
    if len(values) % size:
        raise pin.error(f"{name} of <pin> has {len(values)} numbers, which is not a multiple of {size}")
    return np.array(values).reshape(-1, size)
