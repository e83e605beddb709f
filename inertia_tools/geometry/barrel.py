# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Volume integrals of barrels: bodies of revolution about z whose profile is an arc that bulges outwards."""

from __future__ import annotations

import math

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.primitives import check_thickness
from inertia_tools.inertial import Inertial

NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)
"""Gauss quadrature over the angle of the arc, in which all integrands are smooth: exact to double precision."""


def solid_barrel(radius: float, length: float, arc: float) -> Inertial:
    """Integrate a barrel along z, about its middle [m], at unit density.

    With the angle t of the arc, z = R sin t, and the distance from the axis rho = r + R (cos t - cos a), where
    sin a = l / (2 R): V = pi int rho^2 dz, Izz = pi/2 int rho^4 dz, Ixx = pi int (rho^4 / 4 + rho^2 z^2) dz.

    Args:
        radius: r, the radius of its ends.
        length: l, the total length.
        arc: R, the radius of the side's arc, at least half the length.

    Raises:
        OptionError: The radius of the arc is less than half the length.
    """
    if not arc >= 0.5 * length:
        raise OptionError("barrel_radius", arc, f"zero, or half the length, {0.5 * length:g} m, or more")
    end = math.asin(min(0.5 * length / arc, 1.0))
    angle = end * NODES
    rho = radius + 2.0 * arc * np.sin(0.5 * (end + angle)) * np.sin(0.5 * (end - angle))
    z, step = arc * np.sin(angle), end * WEIGHTS * arc * np.cos(angle)
    volume, fourth = math.pi * float(step @ rho**2), math.pi * float(step @ rho**4)
    across = 0.25 * fourth + math.pi * float(step @ (rho * z) ** 2)
    return Inertial(volume, np.zeros(3), np.diag([across, across, 0.5 * fourth]))


def hollow_barrel(radius: float, length: float, arc: float, thickness: float) -> Inertial:
    """Integrate a closed hollow barrel, with a wall of uniform thickness along the arc and at both ends [m].

    Raises:
        OptionError: The radius of the arc is less than half the length, or the thickness is not between zero and half
            the length, or exceeds the radius at the ends.
    """
    outer = solid_barrel(radius, length, arc)
    check_thickness(thickness, 0.5 * length, "half the length of the barrel")
    centre = radius - math.sqrt(arc**2 - 0.25 * length**2)  # of the arc, from the axis
    inner_arc, inner_half = arc - thickness, 0.5 * length - thickness
    inner_radius = centre + math.sqrt(max(inner_arc**2 - inner_half**2, 0.0))
    if not inner_radius > 0.0:
        raise OptionError("thickness", thickness, f"less, as the ends have a radius of {radius:g} m")
    inner = solid_barrel(inner_radius, 2.0 * inner_half, inner_arc)
    return Inertial(outer.mass - inner.mass, np.zeros(3), np.asarray(outer.inertia) - np.asarray(inner.inertia))
