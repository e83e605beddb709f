# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties to fifty digits, or exactly, by other ways than the package's: what it is held against.

A body is what it holds of 1, of r and of r r^T about the origin. Walls are plainly the outer body less the inner one;
at fifty digits nothing is lost by that. Numbers given are taken as exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np

from inertia_tools.inertial import Inertial

MP = mpmath.mp.clone()
MP.dps = 50

NODES = 5
"""Degree of the Gauss rule over an ellipsoid's normals: 3 * 2^(this - 1) nodes an angle and octant."""

SETTLED = 1e-12
"""By how much doubling those nodes may change an integral; as doubling squares the error, 1e-20 or so is left."""

MANTISSA = 53
Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Moments:
    """Integrals over a body about the origin, of multiprecision numbers or fractions.

    Attributes:
        volume: Of 1.
        first: Of r, shape (3,).
        second: Of r r^T, shape (3, 3).
    """

    volume: Any
    first: np.ndarray
    second: np.ndarray

    @classmethod
    def symmetric(cls, volume: Any, *mean_squares: Any) -> Moments:
        """Describe a body by its volume and the mean of x^2, y^2 and z^2, all else being zero."""
        nothing = 0 * volume
        second = np.full((3, 3), nothing, dtype=object)
        for k in range(3):
            second[k, k] = volume * mean_squares[k]
        return cls(volume, np.full(3, nothing, dtype=object), second)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.volume + other.volume, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.volume - other.volume, self.first - other.first, self.second - other.second)

    def shifted(self, x: Any, y: Any, z: Any) -> Moments:
        """Move the body."""
        way = np.array([x, y, z], dtype=object)
        mixed = np.outer(self.first, way)
        second = self.second + mixed + mixed.T + self.volume * np.outer(way, way)
        return Moments(self.volume, self.first + self.volume * way, second)

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, shape (3,)."""
        return self.first / self.volume

    @property
    def tensor(self) -> np.ndarray:
        """Inertia tensor about the centre of mass, shape (3, 3)."""
        second = self.second - np.outer(self.com, self.first)
        trace = second[0, 0] + second[1, 1] + second[2, 2]
        return np.array([[trace * (i == j) - second[i, j] for j in range(3)] for i in range(3)], dtype=object)


@dataclass(frozen=True)
class Errors:
    """How far an inertial is off.

    Attributes:
        mass: Relative.
        com: Relative to a length.
        tensor: Relative to the largest moment.
    """

    mass: float
    com: float
    tensor: float

    @property
    def worst(self) -> float:
        """The largest of the three."""
        return max(self.mass, self.com, self.tensor)


def errors_of(inertial: Inertial, truth: Moments, length: float) -> Errors:
    """Compare an inertial with the truth; the distance of the centres is related to the length [m]."""
    number = Fraction if isinstance(truth.volume, Fraction) else MP.mpf
    mass = abs(float((number(inertial.mass) - truth.volume) / truth.volume))
    com = [float(number(float(ours)) - theirs) for ours, theirs in zip(inertial.com, truth.com, strict=True)]
    tensor = truth.tensor
    apart = np.array(
        [[float(number(float(inertial.inertia[i, j])) - tensor[i, j]) for j in range(3)] for i in range(3)]
    )
    return Errors(mass, float(np.linalg.norm(com)) / length, _norm(apart) / _norm(tensor.astype(np.float64)))


def _norm(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(matrix, 2))


# Solids


def ball(radius: Any) -> Moments:
    r = MP.mpf(radius)
    return Moments.symmetric(4 * MP.pi * r**3 / 3, *[r**2 / 5] * 3)


def box(size: Sequence[Any]) -> Moments:
    x, y, z = (MP.mpf(edge) for edge in size)
    return Moments.symmetric(x * y * z, x**2 / 12, y**2 / 12, z**2 / 12)


def cylinder(radius: Any, length: Any) -> Moments:
    r, h = MP.mpf(radius), MP.mpf(length)
    return Moments.symmetric(MP.pi * r**2 * h, r**2 / 4, r**2 / 4, h**2 / 12)


def capsule(radius: Any, length: Any) -> Moments:
    """Return a cylinder and two half balls."""
    r, h = MP.mpf(radius), MP.mpf(length)
    return cylinder(r, h) + _half_ball(r, 1).shifted(0, 0, h / 2) + _half_ball(r, -1).shifted(0, 0, -h / 2)


def cone(radius: Any, length: Any) -> Moments:
    """Return a cone that is half below the origin: its base is at -l/2."""
    r, h = MP.mpf(radius), MP.mpf(length)
    whole = Moments.symmetric(MP.pi * r**2 * h / 3, 3 * r**2 / 20, 3 * r**2 / 20, h**2 / 10)
    return _with_height(whole, h / 4).shifted(0, 0, -h / 2)


def ellipsoid(semi_axes: Sequence[Any]) -> Moments:
    a, b, c = (MP.mpf(axis) for axis in semi_axes)
    return Moments.symmetric(4 * MP.pi * a * b * c / 3, a**2 / 5, b**2 / 5, c**2 / 5)


def _half_ball(r: Any, side: int) -> Moments:
    return _with_height(Moments.symmetric(2 * MP.pi * r**3 / 3, *[r**2 / 5] * 3), side * 3 * r / 8)


def _with_height(body: Moments, height: Any) -> Moments:
    """Say how high the middle of a body lies whose second moments are about the origin all the same."""
    return Moments(body.volume, np.array([0 * height, 0 * height, body.volume * height], dtype=object), body.second)


# Walls


def ball_wall(radius: float, thickness: float) -> Moments:
    return ball(radius) - ball(MP.mpf(radius) - thickness)


def box_wall(size: Triple, thickness: float) -> Moments:
    return box(size) - box([MP.mpf(edge) - 2 * MP.mpf(thickness) for edge in size])


def cylinder_wall(radius: float, length: float, thickness: float) -> Moments:
    t = MP.mpf(thickness)
    return cylinder(radius, length) - cylinder(radius - t, length - 2 * t)


def capsule_wall(radius: float, length: float, thickness: float) -> Moments:
    return capsule(radius, length) - capsule(radius - MP.mpf(thickness), length)


def cone_wall(radius: float, length: float, thickness: float) -> Moments:
    """Take away the cone whose base is one thickness up, and whose tip is lower by that over the sine of the slope."""
    r, h, t = MP.mpf(radius), MP.mpf(length), MP.mpf(thickness)
    tip = h / 2 - t * MP.sqrt(r**2 + h**2) / r
    base = t - h / 2
    inner = cone(r * (tip - base) / h, tip - base).shifted(0, 0, (tip + base) / 2)
    return cone(r, h) - inner


def ellipsoid_wall(semi_axes: Triple, thickness: float) -> Moments:
    return ellipsoid(semi_axes) - ellipsoid([MP.mpf(axis) - thickness for axis in semi_axes])


# Surfaces


def sphere(radius: float) -> Moments:
    r = MP.mpf(radius)
    return Moments.symmetric(4 * MP.pi * r**2, *[r**2 / 3] * 3)


def box_faces(size: Triple) -> Moments:
    x, y, z = (MP.mpf(edge) for edge in size)
    faces = []
    for k in range(3):
        edges = [MP.mpf(1) if i == k else edge for i, edge in enumerate((x, y, z))]
        squares = [0 if i == k else edge**2 / 12 for i, edge in enumerate((x, y, z))]
        face = Moments.symmetric(edges[0] * edges[1] * edges[2], *squares)
        half = [(x, y, z)[i] / 2 if i == k else 0 for i in range(3)]
        faces += [face.shifted(*half), face.shifted(*[-step for step in half])]
    return _total(faces)


def cylinder_surface(radius: float, length: float) -> Moments:
    r, h = MP.mpf(radius), MP.mpf(length)
    return _tube(r, h) + _disc(r).shifted(0, 0, h / 2) + _disc(r).shifted(0, 0, -h / 2)


def capsule_surface(radius: float, length: float) -> Moments:
    r, h = MP.mpf(radius), MP.mpf(length)
    dome = Moments.symmetric(2 * MP.pi * r**2, *[r**2 / 3] * 3)
    up, down = (_with_height(dome, side * r / 2).shifted(0, 0, side * h / 2) for side in (1, -1))
    return _tube(r, h) + up + down


def cone_surface(radius: float, length: float) -> Moments:
    r, h = MP.mpf(radius), MP.mpf(length)
    slope = Moments.symmetric(MP.pi * r * MP.sqrt(r**2 + h**2), r**2 / 4, r**2 / 4, h**2 / 6)
    return (_with_height(slope, h / 3) + _disc(r)).shifted(0, 0, -h / 2)


def _disc(r: Any) -> Moments:
    return Moments.symmetric(MP.pi * r**2, r**2 / 4, r**2 / 4, 0)


def _tube(r: Any, h: Any) -> Moments:
    return Moments.symmetric(2 * MP.pi * r * h, r**2 / 2, r**2 / 2, h**2 / 12)


def _total(parts: Sequence[Moments]) -> Moments:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


# Ellipsoids of even thickness, by quadrature over the directions of the normal


class EllipsoidShells:
    """The surface of an ellipsoid and walls of even thickness under it, all from one quadrature.

    With D = diag(a^2, b^2, c^2), the point whose normal is the unit vector u is p = D u / h, h = sqrt(u^T D u), and the
    area there for each unit of solid angle is (abc)^2 / h^4. At a depth s it is that - T s + s^2, where T is the trace
    of (D - p p^T) / h, and the point is p - s u.
    """

    def __init__(self, semi_axes: Triple) -> None:
        """Integrate, with twice the nodes until that changes nothing any more.

        Raises:
            ValueError: It never stands still.
        """
        self._axes = [MP.mpf(axis) for axis in semi_axes]
        before = self._integrals(NODES - 1)
        for degree in range(NODES, NODES + 3):
            now = self._integrals(degree)
            if all(abs(a - b) <= SETTLED * abs(a) for a, b in zip(now.flat, before.flat, strict=True)):
                self._powers = now
                return
            before = now
        raise ValueError(f"the quadrature over an ellipsoid of {semi_axes} does not settle")

    def surface(self) -> Moments:
        """Return the area and its moments."""
        return self._body([row[0] for row in self._powers])

    def wall(self, thickness: float) -> Moments:
        """Return the wall down to a depth."""
        t = MP.mpf(thickness)
        return self._body([sum(c * t ** (k + 1) / (k + 1) for k, c in enumerate(row)) for row in self._powers])

    @staticmethod
    def _body(values: list[Any]) -> Moments:
        return Moments.symmetric(values[0], *[value / values[0] for value in values[1:]])

    def _integrals(self, degree: int) -> np.ndarray:
        """Return integrals of 1, x^2, y^2, z^2 over the surface at depth s as polynomials in s, shape (4, 5)."""
        rule = mpmath.calculus.quadrature.GaussLegendre(MP).calc_nodes(degree, MP.prec)
        count = len(rule) // 2  # the integrand is periodic in the angle, for which half of them do as well
        angles = [(k + MP.mpf("0.5")) * MP.pi / (2 * count) for k in range(count)]
        round_squares = [MP.cos(angle) ** 2 for angle in angles]
        total = np.full((4, 5), MP.mpf(0), dtype=object)
        for abscissa, weight in rule:
            z = (1 + abscissa) / 2
            share = weight / 2 * 8 * MP.pi / (2 * count)
            for part in round_squares:
                squares = [(1 - z * z) * part, (1 - z * z) * (1 - part), z * z]
                total += share * self._at(squares)
        return total

    def _at(self, u_squares: list[Any]) -> np.ndarray:
        d = [axis**2 for axis in self._axes]
        h_squared = sum(x * y for x, y in zip(d, u_squares, strict=True))
        h = MP.sqrt(h_squared)
        p_squares = [x * x * y / h_squared for x, y in zip(d, u_squares, strict=True)]
        trace = (sum(d) - sum(p_squares)) / h
        area = [d[0] * d[1] * d[2] / h_squared**2, -trace, MP.mpf(1)]
        rows = [[*area, MP.mpf(0), MP.mpf(0)]]
        for axis_squared, p, u in zip(d, p_squares, u_squares, strict=True):
            rows.append(_product(area, [p, -2 * axis_squared * u / h, u]))  # (p - s u)^2, and p u = a^2 u^2 / h
        return np.array(rows, dtype=object)


def _product(p: list[Any], q: list[Any]) -> list[Any]:
    """Multiply two polynomials."""
    result = [0 * p[0]] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] = result[i + j] + a * b
    return result


# Prisms: the first outline is the outer one, the others are holes in it

Loop = list[tuple[Any, Any]]


def prism(outlines: Sequence[Sequence[Sequence[float]]], height: float) -> Moments:
    return _extruded(_plate(_loops(outlines)), MP.mpf(height))


def prism_wall(outlines: Sequence[Sequence[Sequence[float]]], height: float, thickness: float) -> Moments:
    t, h = MP.mpf(thickness), MP.mpf(height)
    loops = _loops(outlines)
    inner = _extruded(_plate([_moved_left(loop, t) for loop in loops]), h - 2 * t)
    return _extruded(_plate(loops), h) - inner.shifted(0, 0, t)


def prism_surface(outlines: Sequence[Sequence[Sequence[float]]], height: float) -> Moments:
    loops, h = _loops(outlines), MP.mpf(height)
    strips = [_extruded(_segment(*ends), h) for loop in loops for ends in _edges(loop)]
    return _total([_plate(loops), _plate(loops).shifted(0, 0, h), *strips])


def _loops(outlines: Sequence[Sequence[Sequence[float]]]) -> list[Loop]:
    """Turn outlines so that the material is to the left: the outer one counter-clockwise, the holes the other way."""
    loops = []
    for number, outline in enumerate(outlines):
        loop = [(MP.mpf(x), MP.mpf(y)) for x, y in outline]
        area = sum(_under(p, q, 0, 0) for p, q in _edges(loop))
        loops.append(loop if (area > 0) == (number == 0) else loop[::-1])
    return loops


def _edges(loop: Loop) -> list[tuple[Any, Any]]:
    return list(zip(loop, loop[1:] + loop[:1], strict=True))


def _under(p: Any, q: Any, i: int, j: int) -> Any:
    """Integrate x^i y^j over the trapezium between an edge and the x axis, negative where the edge runs along +x."""
    x, y = [p[0], q[0] - p[0]], [p[1], q[1] - p[1]]
    polynomial = [MP.mpf(1)]
    for factor in [x] * i + [y] * (j + 1):
        polynomial = _product(polynomial, factor)
    return -x[1] / (j + 1) * sum(c / (k + 1) for k, c in enumerate(polynomial))


def _plate(loops: list[Loop]) -> Moments:
    def integral(i: int, j: int) -> Any:
        return sum(_under(p, q, i, j) for loop in loops for p, q in _edges(loop))

    xy = integral(1, 1)
    second = np.array([[integral(2, 0), xy, 0], [xy, integral(0, 2), 0], [0, 0, 0]], dtype=object) * MP.mpf(1)
    return Moments(integral(0, 0), np.array([integral(1, 0), integral(0, 1), MP.mpf(0)], dtype=object), second)


def _segment(p: Any, q: Any) -> Moments:
    """Integrate along a line in the plane."""
    a, b = (np.array([*end, MP.mpf(0)], dtype=object) for end in (p, q))
    length = MP.sqrt(sum((b - a) ** 2))
    mixed = np.outer(a, b)
    second = length / 3 * (np.outer(a, a) + np.outer(b, b) + (mixed + mixed.T) / 2)
    return Moments(length, length * (a + b) / 2, second)


def _extruded(flat: Moments, h: Any) -> Moments:
    """Draw what lies in the plane out along z."""
    first, second = flat.first * h, flat.second * h
    first[2] = flat.volume * h**2 / 2
    for k in range(2):
        second[k, 2] = second[2, k] = flat.first[k] * h**2 / 2
    second[2, 2] = flat.volume * h**3 / 3
    return Moments(flat.volume * h, first, second)


def _moved_left(loop: Loop, t: Any) -> Loop:
    """Move the line of every edge, and cut neighbours with each other (Cramer's rule)."""
    lines = []
    for p, q in _edges(loop):
        x, y = q[0] - p[0], q[1] - p[1]
        length = MP.sqrt(x * x + y * y)
        lines.append((-y / length, x / length, (x * p[1] - y * p[0]) / length + t))
    corners = []
    for (a, b, e), (c, d, f) in zip(lines[-1:] + lines[:-1], lines, strict=True):
        corners.append(((e * d - b * f) / (a * d - b * c), (a * f - e * c) / (a * d - b * c)))
    return corners


# Triangles, exactly


def solid_of(vertices: np.ndarray, triangles: np.ndarray) -> Moments:
    """Integrate what closed triangles bound in fractions, by the divergence theorem: x^n over a solid is a surface
    integral of x^(n+1) / (n + 1) along the normal's x."""
    whole, exponent = _as_integers(vertices)
    corners = whole[triangles]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = _cross(b - a, c - a)
    x = [corners[:, :, k] for k in range(3)]
    volume = _scaled(normals[:, 0], [x[0]], 3 * exponent)
    first = [_scaled(normals[:, k], [x[k]] * 2, 4 * exponent) / 2 for k in range(3)]
    second = np.empty((3, 3), dtype=object)
    for p, q in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        order = 3 if p == q else 2
        second[p, q] = second[q, p] = _scaled(normals[:, p], [x[p], x[p], x[q]], 5 * exponent) / order
    return Moments(volume, np.array(first, dtype=object), second)


def _as_integers(vertices: np.ndarray) -> tuple[np.ndarray, int]:
    """Return whole numbers and the power of two that they all count."""
    mantissas, exponents = np.frexp(vertices)
    whole = np.ldexp(mantissas, MANTISSA).astype(np.int64)
    exponents = np.where(whole == 0, 0, exponents - MANTISSA)
    lowest = int(exponents.min())
    pairs = zip(whole.ravel().tolist(), (exponents - lowest).ravel().tolist(), strict=True)
    return np.array([m << e for m, e in pairs], dtype=object).reshape(vertices.shape), lowest


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    rows = [a[:, i] * b[:, j] - a[:, j] * b[:, i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(rows, axis=1)


def _scaled(normal: np.ndarray, factors: list[np.ndarray], exponent: int) -> Fraction:
    """Integrate a product of linear functions, given at the corners, times a component of the normal.

    Over a triangle of twice the area 1, l1^a l2^b l3^c integrates to a! b! c! / (a + b + c + 2)!.
    """
    total = 0
    for corner in product(range(3), repeat=len(factors)):
        weight = math.prod(math.factorial(corner.count(k)) for k in range(3))
        term = normal
        for values, k in zip(factors, corner, strict=True):
            term = term * values[:, k]
        total += weight * int(term.sum())
    return Fraction(total, math.factorial(len(factors) + 2)) * Fraction(2) ** exponent
