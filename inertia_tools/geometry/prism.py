# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a polyline prism: outlines in the xy plane, holes allowed, extruded along z from 0 to a height.

The integrals over an outline are sums over its edges (Green's theorem): with the cross product k of an edge's two ends,
the area is k/2, the first moment k/6 (p + q), and the second moments k/12 (p p^T + q q^T + (p q^T + q p^T)/2), summed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.errors import InertiaError
from inertia_tools.geometry.primitives import check_thickness
from inertia_tools.geometry.union import enclosed_area
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, ArrayLike

BESIDE = 1e-6
"""Distance from a corner of the inner point that tests which outlines enclose it, as a ratio of the shorter edge."""

SAME_AREA = 1e-6
"""Difference of areas, as a ratio of the size squared, that is rounding."""

PARALLEL = 1e-12
"""Sine of the angle under which two edges count as one straight line."""


def solid_prism(outlines: Sequence[ArrayLike], height: float) -> Inertial:
    """Integrate a prism at unit density.

    Args:
        outlines: Corners of each outline in order, in either direction [m], each of shape (n, 2). An outline inside
            another is a hole, one inside a hole is material again.
        height: Length along z, from z = 0 [m].

    Raises:
        InertiaError: An outline has fewer than three corners, a coordinate that is not finite, no area, or crossing
            edges; or the height is not positive.
    """
    return _extruded(_plate(_checked(outlines, height)), height)


def hollow_prism(outlines: Sequence[ArrayLike], height: float, thickness: float) -> Inertial:
    """Integrate a prism with a wall along every outline and at both ends [m]; arguments as for `solid_prism`.

    Raises:
        InertiaError: See `solid_prism`; or an edge of the inner outline would be reversed.
        OptionError: The thickness is not between zero and half the height.
    """
    check_thickness(thickness, 0.5 * height, "half the height of the prism")
    loops = _checked(outlines, height)
    moves = [_inward_moves(loop, thickness) for loop in loops]
    inner = [loop + move for loop, move in zip(loops, moves, strict=True)]
    _refuse_overlap(inner, f"a wall of {thickness:g} m is thicker than part of the prism")
    plate = _plate(loops)
    end = _extruded(plate, thickness)
    band = Inertial.sum(_between(loop, move) for loop, move in zip(loops, moves, strict=True))
    between = _extruded(band, height - 2.0 * thickness).shift([0.0, 0.0, thickness])
    return end + between + end.shift([0.0, 0.0, height - thickness])


def thin_prism(outlines: Sequence[ArrayLike], height: float) -> Inertial:
    """Integrate over the surface of a prism, its ends included; the mass is the area [m^2].

    Raises:
        InertiaError: See `solid_prism`.
    """
    loops = _checked(outlines, height)
    ends = _plate(loops)
    total = ends + ends.shift([0.0, 0.0, height])
    for loop in loops:
        for begin, end in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            total = total + _strip(begin, end, height)
    return total


def _checked(outlines: Sequence[ArrayLike], height: float) -> list[Array]:
    """Return the outlines as loops with the material to the left of every edge.

    Raises:
        InertiaError: See `solid_prism`.
    """
    if not (np.isfinite(height) and height > 0.0):
        raise InertiaError(f"a prism of height {height:g} is not a solid; give it a positive height")
    loops = [np.asarray(outline, dtype=np.float64).reshape(-1, 2) for outline in outlines]
    loops = [loop[:-1] if len(loop) > 1 and np.array_equal(loop[0], loop[-1]) else loop for loop in loops]
    if not loops:
        raise InertiaError("a prism needs at least one outline")
    for loop in loops:
        if len(loop) < 3 or not np.isfinite(loop).all():
            raise InertiaError("an outline of a prism needs at least three corners, all of them finite numbers")
    _refuse_crossings(loops, "the edges of the prism's outlines cross")
    turned = []
    for i, loop in enumerate(loops):
        area = _outline_moments(loop, loop[0])[0]
        if area == 0.0:
            raise InertiaError("an outline of a prism encloses no area")
        point = _inner_point(loop)
        is_hole = sum(_is_inside(point, other) for j, other in enumerate(loops) if j != i) % 2 == 1
        turned.append(loop if (area > 0.0) != is_hole else loop[::-1])
    _refuse_overlap(turned, "the outlines of the prism overlap")
    return turned


def _inner_point(loop: Array) -> Array:
    """Return a point just inside a loop: beside its highest corner, towards its two neighbours."""
    top = int(np.lexsort((loop[:, 0], loop[:, 1]))[-1])
    arms = loop[[top - 1, (top + 1) % len(loop)]] - loop[top]
    lengths = np.linalg.norm(arms, axis=1)
    return np.asarray(loop[top] + BESIDE * lengths.min() * (arms / lengths[:, None]).sum(axis=0))


def _refuse_overlap(loops: list[Array], message: str) -> None:
    """Check that the area of loops is the area that they enclose, each point an odd number of times.

    Raises:
        InertiaError: Loops cross or coincide.
    """
    _refuse_crossings(loops, message)
    area = sum(_outline_moments(loop, loop[0])[0] for loop in loops)
    size = float(np.ptp(np.concatenate(loops), axis=0).max())
    if not abs(area - enclosed_area(loops)) <= SAME_AREA * size**2 or not area > 0.0:
        raise InertiaError(message)


def _outline_moments(loop: Array, origin: Array) -> tuple[float, Array, Array]:
    """Return area, first moment and second moments of a loop, about an origin, signed."""
    p = loop - origin
    q = np.roll(p, -1, axis=0)
    cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
    mixed = (p * cross[:, None]).T @ q
    second = ((p * cross[:, None]).T @ p + (q * cross[:, None]).T @ q + 0.5 * (mixed + mixed.T)) / 12.0
    return 0.5 * float(cross.sum()), cross @ (p + q) / 6.0, second


def _plate(loops: list[Array]) -> Inertial:
    """Integrate over the area in the xy plane: mass is the area [m^2]."""
    origin = np.concatenate(loops).mean(axis=0)
    parts = [_outline_moments(loop, origin) for loop in loops]
    first, second = np.sum([part[1] for part in parts], axis=0), np.sum([part[2] for part in parts], axis=0)
    return _plate_of(sum(part[0] for part in parts), first, second, origin)


def _between(loop: Array, moves: Array) -> Inertial:
    """Integrate over the area between a loop and the loop after its corners move.

    The sum is over the quadrilaterals at the edges, each relative to its own corner, so that a narrow one keeps its
    digits.
    """
    parts = []
    for i in range(len(loop)):
        edge, move, next_move = loop[(i + 1) % len(loop)] - loop[i], moves[i], moves[(i + 1) % len(loop)]
        corners = np.array([np.zeros(2), edge, edge + next_move, move])
        parts.append(_plate_of(*_outline_moments(corners, np.zeros(2)), loop[i]))
    return Inertial.sum(parts)


def _plate_of(area: float, first: Array, second: Array, origin: Array) -> Inertial:
    centre = first / area
    second = second - area * np.outer(centre, centre)
    tensor = np.zeros((3, 3))
    tensor[:2, :2] = np.trace(second) * np.eye(2) - second
    tensor[2, 2] = np.trace(second)
    return Inertial(area, [*(origin + centre), 0.0], tensor)


def _extruded(plate: Inertial, height: float) -> Inertial:
    """Extrude a plate to a height, from z = 0."""
    along = plate.mass * height**3 / 12.0
    tensor = plate.inertia * height + np.diag([along, along, 0.0])
    return Inertial(plate.mass * height, [*plate.com[:2], 0.5 * height], tensor)


def _strip(begin: Array, end: Array, height: float) -> Inertial:
    """Integrate over the upright rectangle above one edge."""
    along = np.array([*(end - begin), 0.0])
    area = float(np.linalg.norm(along)) * height
    second = (np.outer(along, along) + np.diag([0.0, 0.0, height**2])) * area / 12.0
    middle = np.array([*(0.5 * (begin + end)), 0.5 * height])
    return Inertial(area, middle, np.trace(second) * np.eye(3) - second)


def _is_inside(point: Array, loop: Array) -> bool:
    """Return whether a point is inside a loop, by the crossings of a ray."""
    p, q = loop, np.roll(loop, -1, axis=0)
    spans = (p[:, 1] > point[1]) != (q[:, 1] > point[1])
    p, q = p[spans], q[spans]
    where = p[:, 0] + (point[1] - p[:, 1]) * (q[:, 0] - p[:, 0]) / (q[:, 1] - p[:, 1])
    return bool((where > point[0]).sum() % 2)


def _refuse_crossings(loops: list[Array], message: str) -> None:
    """Check that no two edges cross at inner points of both.

    Raises:
        InertiaError: Two edges cross.
    """
    p = np.concatenate(loops)
    q = np.concatenate([np.roll(loop, -1, axis=0) for loop in loops])
    for i in range(len(p)):
        edge = q[i] - p[i]
        sides = [_cross(edge, ends[i + 1 :] - p[i]) for ends in (p, q)]
        others = q[i + 1 :] - p[i + 1 :]
        own = [_cross(others, end - p[i + 1 :]) for end in (p[i], q[i])]
        if ((sides[0] * sides[1] < 0.0) & (own[0] * own[1] < 0.0)).any():
            raise InertiaError(message)


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _inward_moves(loop: Array, thickness: float) -> Array:
    """Return the displacements of the corners if every edge of a loop moves to its left by the thickness, shape (n, 2).

    Raises:
        InertiaError: An edge is reversed, because the wall is thicker than the prism there.
    """
    edges = np.roll(loop, -1, axis=0) - loop
    along = edges / np.linalg.norm(edges, axis=1)[:, None]
    inward = np.stack([-along[:, 1], along[:, 0]], axis=1)
    before, before_inward = np.roll(along, 1, axis=0), np.roll(inward, 1, axis=0)
    sine = _cross(before, along)
    straight = np.abs(sine) < PARALLEL
    cosine = (before * along).sum(axis=1)
    # The corner moves by the inward normal of the edge before, and along that edge by tan(half the turn).
    slide = np.where(straight, 0.0, (1.0 - cosine) / np.where(straight, 1.0, sine))
    moves = thickness * (before_inward - slide[:, None] * before)
    kept = ((edges + np.roll(moves, -1, axis=0) - moves) * edges).sum(axis=1) > 0.0
    if not kept.all():
        raise InertiaError(f"a wall of {thickness:g} m is thicker than part of the prism")
    return np.asarray(moves)
