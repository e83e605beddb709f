# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of simple solids at unit density, in closed form, about their own centres.

At unit density the mass is the volume [m^3] and the tensor has the unit [m^5]. The formulas are the integrals of
x_i x_j over each solid; any table of moments of inertia lists them.
"""

from __future__ import annotations

import math

import numpy as np

from inertia_tools.inertial import Inertial


def solid_sphere(radius: float) -> Inertial:
    """Integrate a ball of the given radius [m]: V = 4/3 pi r^3, I = 2/5 V r^2."""
    volume = 4.0 / 3.0 * math.pi * radius**3
    return _diagonal(volume, [0.4 * volume * radius**2] * 3)


def solid_box(size: tuple[float, float, float]) -> Inertial:
    """Integrate a box of the given full edge lengths [m]: Ixx = V/12 (y^2 + z^2)."""
    x, y, z = size
    volume = x * y * z
    return _diagonal(
        volume, [volume / 12.0 * (y * y + z * z), volume / 12.0 * (x * x + z * z), volume / 12.0 * (x * x + y * y)]
    )


def solid_cylinder(radius: float, length: float) -> Inertial:
    """Integrate a cylinder along z [m]: Ixx = V/12 (3 r^2 + l^2), Izz = V/2 r^2."""
    volume = math.pi * radius**2 * length
    across = volume / 12.0 * (3.0 * radius**2 + length**2)
    return _diagonal(volume, [across, across, 0.5 * volume * radius**2])


def solid_capsule(radius: float, length: float) -> Inertial:
    """Integrate a capsule along z [m], `length` being that of the cylinder between the caps; length 0 is a ball.

    The two caps together make a ball of volume S whose halves have their centres 3/8 r beyond the cylinder's ends, so
    that Ixx = V_c (r^2/4 + l^2/12) + S (2/5 r^2 + 3/8 r l + l^2/4) and Izz = (V_c/2 + 2/5 S) r^2.
    """
    cylinder = math.pi * radius**2 * length
    ball = 4.0 / 3.0 * math.pi * radius**3
    across = cylinder * (radius**2 / 4.0 + length**2 / 12.0)
    across += ball * (0.4 * radius**2 + 0.375 * radius * length + length**2 / 4.0)
    return _diagonal(cylinder + ball, [across, across, (0.5 * cylinder + 0.4 * ball) * radius**2])


def _diagonal(volume: float, moments: list[float]) -> Inertial:
    return Inertial(volume, np.zeros(3), np.diag(moments))
