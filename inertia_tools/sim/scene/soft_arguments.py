# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of soft bodies as arrays: numbers for each element, indices of particles, and poses of whole bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.given import as_finite_vector, as_number, as_numbers, as_rotation
from inertia_tools.spatial import Array, ArrayLike

Indices = np.ndarray
"""Whole numbers, int32."""

IDENTITY = (0.0, 0.0, 0.0, 1.0)
"""The quaternion x, y, z, w that does not rotate."""

ORIGIN = (0.0, 0.0, 0.0)


def as_nonnegative(name: str, value: Any, unit: str = "") -> float:
    """Return a finite number, zero or more.

    Raises:
        OptionError: The value is invalid; the message has this name.
    """
    number = as_number(value)
    if not (math.isfinite(number) and number >= 0.0):
        raise OptionError(name, value, f"a finite number{unit and ' of ' + unit}, zero or more")
    return number


def as_positive(name: str, value: Any, unit: str = "") -> float:
    """Return a finite number above zero.

    Raises:
        OptionError: The value is invalid; the message has this name.
    """
    number = as_number(value)
    if not (math.isfinite(number) and number > 0.0):
        raise OptionError(name, value, f"a finite number{unit and ' of ' + unit} above zero")
    return number


def as_points(name: str, points: Any, count: int | None = None) -> Array:
    """Return points or vectors, shape (n, 3).

    Args:
        name: Name in error messages.
        points: Triples of numbers, or an array.
        count: Required number.

    Raises:
        OptionError: They are not triples of finite numbers, or not as many.
    """
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(name, points, "triples of finite numbers") from error
    if array.size == 0:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
        raise OptionError(name, points, "triples of finite numbers")
    if count is not None and len(array) != count:
        raise OptionError(name, f"of length {len(array)}", f"of length {count}, one for each")
    return array


def as_each(name: str, values: Any, count: int, default: float | None = None, least: float = 0.0) -> Array:
    """Return a number for each of several elements, shape (count,); a single number counts for all.

    Args:
        name: Name in error messages.
        values: A number, or one for each; None for the default.
        count: How many there are.
        default: The number where none is given.
        least: The least that a number may be.

    Raises:
        OptionError: They are not finite, too small, or not as many.
    """
    meant = f"finite numbers, {'zero' if least == 0.0 else least} or more" if math.isfinite(least) else "finite numbers"
    try:
        array = np.asarray(default if values is None else values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(name, values, meant) from error
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise OptionError(name, f"of length {array.size}", f"one number, or {count} of them, one for each")
    if not np.isfinite(array).all() or (array < least).any():
        raise OptionError(name, values, meant)
    return array


def as_indices(name: str, values: Any, width: int, particle_count: int, boundary: bool = False) -> Indices:
    """Return indices of particles, shape (n, width).

    Args:
        name: Name in error messages.
        values: A flat list, or rows of them.
        width: How many particles an element has.
        particle_count: How many particles there are.
        boundary: An index may be -1, which stands for no particle.

    Raises:
        OptionError: They are not whole numbers, not a multiple of the width, or name no particle; or an element names
            a particle twice.
    """
    try:
        array = np.asarray(values)
        with np.errstate(invalid="ignore"):  # what is not a number is found to differ
            whole = array.astype(np.int64)
    except (TypeError, ValueError) as error:
        raise OptionError(name, values, f"indices of particles, {width} for each element") from error
    if (array.size and not np.array_equal(whole, array)) or array.size % width:
        raise OptionError(name, values, f"indices of particles, {width} for each element")
    rows = whole.reshape(-1, width)
    wrong = (rows < (-1 if boundary else 0)) | (rows >= particle_count)
    if wrong.any():
        raise OptionError(name, int(rows[wrong][0]), f"an index below {particle_count}, the number of points")
    in_order = np.sort(rows, axis=1)
    twice = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
    if twice.any():
        element = int(np.nonzero(twice.any(axis=1))[0][0])
        raise OptionError(name, rows[element].tolist(), f"{width} different particles (element {element})")
    return rows.astype(np.int32)


def as_columns(names: tuple[str, ...], lists: tuple[Any, ...], particle_count: int, boundary: bool = False) -> Indices:
    """Return elements whose particles are given as one list a corner, shape (n, corners); see `as_indices`.

    Raises:
        OptionError: The lists are not flat or differ in length, or an entry names no particle.
    """
    columns = []
    for name, given in zip(names, lists, strict=True):
        try:
            column = np.atleast_1d(np.asarray(given))
        except ValueError as error:  # lists of different lengths in a list
            raise OptionError(name, given, "an index of a particle for each element") from error
        columns.append(column)
        if column.ndim != 1:
            raise OptionError(name, given, "an index of a particle for each element")
        if column.shape != columns[0].shape:
            raise OptionError(name, f"of length {column.size}", f"of length {columns[0].size}, as {names[0]} is")
    return as_indices(", ".join(names), np.stack(columns, axis=-1), len(names), particle_count, boundary)


def placed_points(points: Array, pos: ArrayLike, rot: ArrayLike) -> Array:
    """Return points of a body in the world, shape (n, 3)."""
    placed: Array = as_finite_vector("pos", pos) + points @ as_rotation("rot", rot).T
    return placed


def pinned_sides(x: np.ndarray, y: np.ndarray, left: bool, right: bool, bottom: bool, top: bool) -> np.ndarray:
    """Return which particles of a grid are on sides that are pinned, by their numbers along x and y, shape (n,)."""
    pinned: np.ndarray = np.zeros(x.shape, dtype=bool)
    for fixed, side in ((left, x == 0), (right, x == x.max()), (bottom, y == 0), (top, y == y.max())):
        if fixed:
            pinned |= side
    return pinned


def as_colors(color: Any, opacity: Any, count: int) -> tuple[list[Any], list[float]]:
    """Return a colour (red, green, blue, 0 to 1) or None, and an opacity 0 to 1, for each of several triangles.

    Raises:
        OptionError: They are not within 0 and 1, or not as many.
    """
    opacities = as_each("opacity", opacity, count, 1.0)
    if (opacities > 1.0).any():
        raise OptionError("opacity", opacity, "numbers from 0 to 1")
    if color is None:
        return [None] * count, opacities.tolist()
    colors = as_points("color", np.atleast_2d(as_numbers("color", color, "red, green and blue from 0 to 1")))
    if len(colors) not in (1, count) or (colors < 0.0).any() or (colors > 1.0).any():
        raise OptionError("color", color, f"red, green and blue from 0 to 1, once or {count} times")
    rows = np.broadcast_to(colors, (count, 3))
    return [tuple(row) for row in rows.tolist()], opacities.tolist()
