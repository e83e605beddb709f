# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of simple solids at unit density, in closed form.

At unit density the mass is the volume [m^3] and the tensor has the unit [m^5]. The formulas are the integrals of x_i
x_j over each solid, as in any table of moments of inertia. Each solid exists filled (`solid_*`), with a wall of a
thickness measured inwards from its surface (`hollow_*`), and as that surface itself (`thin_*`), whose mass is the area
[m^2]. Bodies of revolution have their axis along z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.polynomial import SymmetricSolid, solid, thin_wall, wall
from inertia_tools.inertial import Inertial

PI = math.pi

BALL = SymmetricSolid(
    volume=((4 / 3 * PI, (3,)),),
    squares=(((4 / 15 * PI, (5,)),),) * 3,
)
"""Sizes: radius."""

BLOCK = SymmetricSolid(
    volume=((1.0, (1, 1, 1)),),
    squares=(((1 / 12, (3, 1, 1)),), ((1 / 12, (1, 3, 1)),), ((1 / 12, (1, 1, 3)),)),
)
"""Sizes: full edges along x, y, z."""

CYLINDER = SymmetricSolid(
    volume=((PI, (2, 1)),),
    squares=(((PI / 4, (4, 1)),), ((PI / 4, (4, 1)),), ((PI / 12, (2, 3)),)),
)
"""Sizes: radius, length."""

_CAPSULE_ACROSS = ((PI / 4, (4, 1)), (4 / 15 * PI, (5, 0)))
CAPSULE = SymmetricSolid(
    volume=((PI, (2, 1)), (4 / 3 * PI, (3, 0))),
    squares=(
        _CAPSULE_ACROSS,
        _CAPSULE_ACROSS,
        ((PI / 12, (2, 3)), (4 / 15 * PI, (5, 0)), (PI / 2, (4, 1)), (PI / 3, (3, 2))),
    ),
)
"""Sizes: radius, length of the cylinder between the caps, whose middles lie 3/8 of the radius beyond its ends."""

ELLIPSOID = SymmetricSolid(
    volume=((4 / 3 * PI, (1, 1, 1)),),
    squares=(((4 / 15 * PI, (3, 1, 1)),), ((4 / 15 * PI, (1, 3, 1)),), ((4 / 15 * PI, (1, 1, 3)),)),
)
"""Sizes: semi-axes along x, y, z."""

Triple = tuple[float, float, float]


def solid_sphere(radius: float) -> Inertial:
    """Integrate a ball of the given radius [m]: V = 4/3 pi r^3, I = 2/5 V r^2."""
    return solid(BALL, (radius,))


def hollow_sphere(radius: float, thickness: float) -> Inertial:
    """Integrate a spherical wall [m].

    Raises:
        OptionError: The thickness is not between zero and the radius.
    """
    check_thickness(thickness, radius, "the radius of the sphere")
    return wall(BALL, (radius,), (thickness,))


def thin_sphere(radius: float) -> Inertial:
    """Integrate over the surface of a sphere [m]: A = 4 pi r^2, I = 2/3 A r^2."""
    return thin_wall(BALL, (radius,), (1.0,))


def solid_box(size: Triple) -> Inertial:
    """Integrate a box of the given full edge lengths [m]: Ixx = V/12 (y^2 + z^2)."""
    return solid(BLOCK, size)


def hollow_box(size: Triple, thickness: float) -> Inertial:
    """Integrate a box with a wall on all six sides [m].

    Raises:
        OptionError: The thickness is not between zero and half the smallest edge.
    """
    check_thickness(thickness, 0.5 * min(size), "half the smallest edge of the box")
    return wall(BLOCK, size, (2.0 * thickness,) * 3)


def thin_box(size: Triple) -> Inertial:
    """Integrate over the six faces of a box [m]."""
    return thin_wall(BLOCK, size, (2.0, 2.0, 2.0))


def solid_cylinder(radius: float, length: float) -> Inertial:
    """Integrate a cylinder along z [m]: Ixx = V/12 (3 r^2 + l^2), Izz = V/2 r^2."""
    return solid(CYLINDER, (radius, length))


def hollow_cylinder(radius: float, length: float, thickness: float) -> Inertial:
    """Integrate a closed can: a wall round the cylinder and at both ends [m].

    Raises:
        OptionError: The thickness is not between zero and the radius and half the length.
    """
    check_thickness(thickness, min(radius, 0.5 * length), "the radius and half the length of the cylinder")
    return wall(CYLINDER, (radius, length), (thickness, 2.0 * thickness))


def thin_cylinder(radius: float, length: float) -> Inertial:
    """Integrate over the surface of a cylinder, its two ends included [m]."""
    return thin_wall(CYLINDER, (radius, length), (1.0, 2.0))


def solid_capsule(radius: float, length: float) -> Inertial:
    """Integrate a capsule along z [m], `length` being that of the cylinder between the caps; length 0 is a ball.

    The two caps together make a ball of volume S whose halves have their centres 3/8 r beyond the cylinder's ends, so
    that Ixx = V_c (r^2/4 + l^2/12) + S (2/5 r^2 + 3/8 r l + l^2/4) and Izz = (V_c/2 + 2/5 S) r^2.
    """
    return solid(CAPSULE, (radius, length))


def hollow_capsule(radius: float, length: float, thickness: float) -> Inertial:
    """Integrate a capsule with a wall of the same thickness everywhere [m]; the hollow has the same `length`.

    Raises:
        OptionError: The thickness is not between zero and the radius.
    """
    check_thickness(thickness, radius, "the radius of the capsule")
    return wall(CAPSULE, (radius, length), (thickness, 0.0))


def thin_capsule(radius: float, length: float) -> Inertial:
    """Integrate over the surface of a capsule [m]."""
    return thin_wall(CAPSULE, (radius, length), (1.0, 0.0))


def solid_ellipsoid(semi_axes: Triple) -> Inertial:
    """Integrate an ellipsoid [m]: V = 4/3 pi a b c, Ixx = V/5 (b^2 + c^2)."""
    return solid(ELLIPSOID, semi_axes)


def hollow_ellipsoid(semi_axes: Triple, thickness: float) -> Inertial:
    """Integrate an ellipsoid less the one with all semi-axes shorter by the thickness [m].

    The wall is as thick as stated on the axes and thinner between them; `ellipsoid.uniform_wall_ellipsoid` has the
    same thickness everywhere.

    Raises:
        OptionError: The thickness is not between zero and the smallest semi-axis.
    """
    check_thickness(thickness, min(semi_axes), "the smallest semi-axis of the ellipsoid")
    return wall(ELLIPSOID, semi_axes, (thickness,) * 3)


def solid_cone(radius: float, length: float) -> Inertial:
    """Integrate a cone [m], its base at -l/2 and its tip at +l/2.

    V = pi/3 r^2 l, the centre of mass a quarter of the length above the base, Ixx = V 3/80 (4 r^2 + l^2) and
    Izz = V 3/10 r^2 about it.
    """
    volume = PI / 3.0 * radius**2 * length
    across = 3.0 / 80.0 * volume * (4.0 * radius**2 + length**2)
    return Inertial(volume, [0.0, 0.0, -0.25 * length], np.diag([across, across, 0.3 * volume * radius**2]))


def hollow_cone(radius: float, length: float, thickness: float) -> Inertial:
    """Integrate a cone with a wall of the same thickness at its base and its slope [m].

    The hollow is the similar cone about the centre of the inscribed ball, whose radius is r l / (r + sqrt(r^2 + l^2)).

    Raises:
        OptionError: The thickness is not between zero and that radius.
    """
    ball = _inscribed_ball(radius, length)
    check_thickness(thickness, ball, "the radius of the ball inscribed in the cone")
    ratio = 1.0 - thickness / ball
    missing = [thickness / ball * sum(ratio**k for k in range(n)) for n in range(6)]  # 1 - ratio^n
    return _about_ball(_cone_about_ball(radius, length), missing[3], missing[4], missing[5], ball - 0.5 * length)


def thin_cone(radius: float, length: float) -> Inertial:
    """Integrate over the surface of a cone, its base included [m]."""
    ball = _inscribed_ball(radius, length)
    return _about_ball(_cone_about_ball(radius, length), 3.0 / ball, 4.0 / ball, 5.0 / ball, ball - 0.5 * length)


def check_thickness(thickness: float, limit: float, what: str) -> None:
    """Check the thickness of a wall [m].

    Raises:
        OptionError: It is not a number, not positive, or not below the limit; the message names the limit.
    """
    if not (math.isfinite(thickness) and 0.0 < thickness < limit):
        raise OptionError("thickness", thickness, f"finite, more than 0 and less than {limit:g} m, {what}")


@dataclass(frozen=True)
class _ConeMoments:
    """Integrals over a cone about the centre of its inscribed ball: 1, z, x^2 and z^2."""

    volume: float
    first: float
    across: float
    along: float


def _inscribed_ball(radius: float, length: float) -> float:
    return radius * length / (radius + math.hypot(radius, length))


def _cone_about_ball(radius: float, length: float) -> _ConeMoments:
    volume, height = PI / 3.0 * radius**2 * length, _inscribed_ball(radius, length)
    first = volume * (0.25 * length - height)
    along = volume * (0.1 * length**2 - 0.5 * height * length + height**2)
    return _ConeMoments(volume, first, 0.15 * volume * radius**2, along)


def _about_ball(cone: _ConeMoments, zeroth: float, first: float, second: float, origin: float) -> Inertial:
    """Combine the moments of a cone, each power of length with its own factor, about the centre of mass."""
    mass = cone.volume * zeroth
    offset = cone.first * first / mass
    across, along = cone.across * second, cone.along * second - mass * offset**2
    return Inertial(mass, [0.0, 0.0, origin + offset], np.diag([across + along, across + along, 2.0 * across]))
