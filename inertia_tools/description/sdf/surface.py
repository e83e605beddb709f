# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact properties of a collision in SDFormat."""

from __future__ import annotations

import math

from inertia_tools.description.link import Surface
from inertia_tools.description.sdf.values import optional_number
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError

TORQUE_OF_PATCH = 3.0 * math.pi / 16.0
"""Torsional friction of a round patch, over force, radius and coefficient (Hertz's pressure; Gazebo's formula)."""


def read_surface(collision: Element) -> Surface | None:
    """Read friction and restitution of a collision; invalid numbers count as missing.

    Friction is that of `<ode>`, along its first direction, else of `<bullet>`. Torsional friction needs the radius of
    the patch. The velocity threshold of a bounce is the solver's.
    """
    surface = collision.only("surface")
    if surface is None:
        return None
    sliding = _number(surface, "friction", "ode", "mu")
    if sliding is None:
        sliding = _number(surface, "friction", "bullet", "friction")
    read = Surface(sliding, _torsional(surface), None, _number(surface, "bounce", "restitution_coefficient"))
    return None if read == Surface() else read


def _torsional(surface: Element) -> float | None:
    """Return the length of torsional friction [m]; None if the radius of the patch is not stated."""
    radius = _number(surface, "friction", "torsional", "patch_radius")
    if radius is None:
        return None
    coefficient = _number(surface, "friction", "torsional", "coefficient")
    return TORQUE_OF_PATCH * radius * (1.0 if coefficient is None else coefficient)


def _number(element: Element, *path: str) -> float | None:
    """Return the number of a descendant; None if it is absent, empty, or not a number."""
    found: Element | None = element
    try:
        for tag in path[:-1]:
            found = None if found is None else found.only(tag)
        return None if found is None else optional_number(found, path[-1])
    except ParseError:
        return None
