# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses in MJCF: a position, and an orientation in one of five forms."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.mjcf.values import vector
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array, Pose, are_usable, rotation_from_quaternion, rotations_from_quaternions

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""The forms; an element has at most one of them."""

SMALLEST_LENGTH = 1e-7
"""Directions shorter than this count as zero."""

SMALLEST_SINE = 1e-14
"""A direction closer to z than this counts as z, or as its opposite."""

ORIGIN = (0.0, 0.0, 0.0)


def read_pose(element: Element, compiler: Compiler) -> Pose:
    """Read `pos` and the orientation of an element.

    Raises:
        ParseError: A number cannot be read, a direction has no length, or there are two forms.
    """
    return Pose(vector(element, "pos", ORIGIN), read_rotation(element, compiler))


def read_rotation(element: Element, compiler: Compiler) -> Array:
    """Read the orientation of an element, the identity where it has none.

    Raises:
        ParseError: A number cannot be read, a direction has no length, or there are two forms.
    """
    forms = [name for name in ORIENTATIONS if name in element.attributes]
    if len(forms) > 1:
        raise element.error(f"<{element.tag}> states {' and '.join(forms)}; keep one form of orientation")
    if not forms:
        return np.eye(3)
    match forms[0]:
        case "quat":
            return _from_quat(element)
        case "axisangle":
            x, y, z, angle = vector(element, "axisangle", (0.0, 0.0, 0.0, 0.0))
            return turn(_direction(element, "axisangle", [x, y, z]), _radians(angle, compiler))
        case "euler":
            return from_euler(vector(element, "euler", ORIGIN), compiler)
        case "xyaxes":
            return _from_axes(element)
    return from_z_axis(_direction(element, "zaxis", vector(element, "zaxis", ORIGIN)))


def from_euler(angles: Array, compiler: Compiler) -> Array:
    """Combine three rotations; a small letter rotates about the moved axis, a capital about the fixed one."""
    return np.asarray(from_eulers(np.reshape(angles, (1, 3)), compiler)[0])


def from_eulers(angles: Array, compiler: Compiler) -> Array:
    """Return the rotations for many triples of angles, shape (n, 3), as `from_euler`; shape (n, 3, 3)."""
    halves = 0.5 * (np.deg2rad(angles) if compiler.in_degrees else angles)
    rotations = np.tile(np.eye(3), (len(angles), 1, 1))
    for letter, half in zip(compiler.eulerseq, halves.T, strict=True):
        quaternions = np.zeros((len(angles), 4))
        quaternions[:, "xyz".index(letter.lower())], quaternions[:, 3] = np.sin(half), np.cos(half)
        turns = rotations_from_quaternions(quaternions)
        rotations = rotations @ turns if letter.islower() else turns @ rotations
    return rotations


def from_z_axis(direction: Array) -> Array:
    """Return the smallest rotation of z into a direction; half a turn is about x."""
    unit = direction / np.linalg.norm(direction)
    across = np.array([-unit[1], unit[0], 0.0])
    sine = float(np.linalg.norm(across))
    if sine < SMALLEST_SINE:
        return np.eye(3) if unit[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return turn(across / sine, float(np.arctan2(sine, unit[2])))


def turn(axis: Array, angle: float) -> Array:
    """Return the rotation about a unit axis by an angle [rad]."""
    half = 0.5 * angle
    return rotation_from_quaternion(np.append(np.sin(half) * axis, np.cos(half))) if angle else np.eye(3)


def _from_quat(element: Element) -> Array:
    w, x, y, z = numbers = vector(element, "quat", (1.0, 0.0, 0.0, 0.0))
    if not np.linalg.norm(numbers) > 0.0:
        raise element.error(f"quat={element.attributes['quat']!r} of <{element.tag}> is zero; write a nonzero one")
    return rotation_from_quaternion([x, y, z, w])


def _from_axes(element: Element) -> Array:
    numbers = vector(element, "xyaxes", (0.0,) * 6)
    x = _direction(element, "xyaxes", numbers[:3])
    y = _direction(element, "xyaxes", numbers[3:] - x * (x @ numbers[3:]))
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _direction(element: Element, name: str, values: Array | list[float]) -> Array:
    """Return the unit vector.

    Raises:
        ParseError: The vector has no length.
    """
    array = np.asarray(values, dtype=np.float64)
    length = float(np.linalg.norm(array)) if are_usable(array) else 0.0
    if not length > SMALLEST_LENGTH:
        raise element.error(f"{name}={element.attributes[name]!r} of <{element.tag}> is zero; write a nonzero one")
    return array / length


def _radians(angle: float, compiler: Compiler) -> float:
    return float(np.deg2rad(angle)) if compiler.in_degrees else float(angle)
