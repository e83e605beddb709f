# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<flexcomp>` of MJCF as far as bodies go: each free point of a grid is one; a rigid one has none of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inertia_tools.description.mjcf.values import choice, number, truth, up_to, vector, whole
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array

TYPES = ("grid", "box", "cylinder", "ellipsoid", "square", "disc", "circle", "mesh", "gmsh", "direct")
FREEDOMS = {"full": 3, "2d": 2}
"""Slides of a point, by the word for its freedom; points of the other words move together."""

COUNT, SPACING = (10.0, 10.0, 10.0), (0.02, 0.02, 0.02)
MASS, INERTIA_BOX = 1.0, 0.005
MOST_POINTS = 100_000
"""Points that one grid may have; more is a slip of the keyboard, or an attack."""


@dataclass(frozen=True, eq=False)
class FlexPoints:
    """The points of a flexible body that move on their own.

    Attributes:
        positions: Where they are, seen from the flexible body [m], by number.
        mass: Mass of each [kg].
        moment: Each of its principal moments [kg m^2].
        slides: Along how many of the axes of what it stands in it slides.
    """

    positions: dict[int, Array]
    mass: float
    moment: float
    slides: int


def flex_points(element: Element) -> FlexPoints | None:
    """Return the points of a `<flexcomp>`; None where they come from elsewhere than a grid, or move together.

    Raises:
        ParseError: A number cannot be read, or there are too many points.
    """
    if truth(element, "rigid", False):
        return FlexPoints({}, 0.0, 0.0, 0)
    freedom = element.attributes.get("dof", "full")
    if choice(element, "type", TYPES, "grid") != "grid" or freedom not in FREEDOMS:
        return None
    counts, spacing = _counts(element), vector(element, "spacing", SPACING)
    places = np.indices(counts).reshape(3, -1).T.astype(np.float64)
    points = (places - 0.5 * (np.array(counts) - 1.0)) * spacing
    mass = number(element, "mass", MASS) / len(points)
    side = number(element, "inertiabox", INERTIA_BOX)
    if not (0.0 < mass < np.inf and 0.0 < side < np.inf):
        raise element.error("mass and inertiabox of <flexcomp> are positive; write positive numbers")
    held = _pinned(element, places, whole(element, "dim", 2))
    free = {index: points[index] for index in np.flatnonzero(~held).tolist()}
    return FlexPoints(free, mass, mass * 2.0 * side**2 / 3.0, FREEDOMS[freedom])


def _counts(element: Element) -> tuple[int, int, int]:
    """Return the points of a grid along each axis; one along those that its dimension does not have."""
    counts = vector(element, "count", COUNT)
    counts[whole(element, "dim", 2) :] = 1
    if not (counts >= 1).all() or float(np.prod(counts)) > MOST_POINTS or (counts % 1).any():
        said = " ".join(f"{value:g}" for value in counts)
        raise element.error(f"count of <flexcomp> is {said}; write whole numbers, for {MOST_POINTS} points at most")
    x, y, z = counts.astype(int).tolist()
    return x, y, z


def _pinned(element: Element, places: Array, dim: int) -> npt.NDArray[np.bool_]:
    """Tell which points are held by what they stand in, shape (n,)."""
    held = np.zeros(len(places), dtype=bool)
    for pin in element.all("pin"):
        for index in _grouped(pin, "id", 1, len(held)):
            held[_index(pin, index[0], len(held))] = True
        for first, last in _grouped(pin, "range", 2, len(held)):
            held[_index(pin, first, len(held)) : _index(pin, last, len(held)) + 1] = True
        for place in _grouped(pin, "grid", dim, len(held)):
            held |= (places[:, :dim] == place).all(axis=1)
        for bounds in _grouped(pin, "gridrange", 2 * dim, len(held)):
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
        raise pin.error(f"{name} of <pin> has {len(values)} numbers, which is no multiple of {size}")
    return np.array(values).reshape(-1, size)
