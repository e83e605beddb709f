# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of numeric arguments; errors name the argument."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from inertia_tools.errors import OptionError, OptionTypeError
from inertia_tools.sim.scene.xform import as_vector
from inertia_tools.spatial import Array, ArrayLike, rotation_from_quaternion

Kind = TypeVar("Kind")


def as_finite_vector(name: str, vector: ArrayLike) -> Array:
    """Return three finite numbers, shape (3,).

    Raises:
        OptionError: The values are invalid; the message has this name.
    """
    try:
        numbers = as_vector(name, vector)
    except (TypeError, ValueError):
        numbers = np.full(3, np.nan)
    if not np.isfinite(numbers).all():
        raise OptionError(name, vector, "three finite numbers")
    return numbers


def as_rotation(name: str, quaternion: Any) -> Array:
    """Return the rotation matrix of a quaternion (x, y, z, w) of any nonzero length, shape (3, 3).

    Raises:
        OptionError: The values are not four finite numbers, or all are zero; the message has this name.
    """
    try:
        numbers = np.ravel(np.asarray(quaternion, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (4,) or not np.isfinite(numbers).all() or not numbers.any():
        raise OptionError(name, quaternion, "four finite numbers x, y, z, w, not all zero")
    return rotation_from_quaternion(numbers)


def as_finite(name: str, value: Any) -> float:
    """Return a finite number.

    Raises:
        OptionError: The value is invalid; the message has this name.
    """
    number = as_number(value)
    if not math.isfinite(number):
        raise OptionError(name, value, "a finite number")
    return number


def as_positive(name: str, value: Any) -> float:
    """Return a number above zero, which may be infinite.

    Raises:
        OptionError: The value is invalid; the message has this name.
    """
    number = as_number(value)
    if not number > 0.0:
        raise OptionError(name, value, "a number above 0, or inf")
    return number


def as_number(value: Any) -> float:
    """Return a number, or nan for what is none, as a text is that reads as one."""
    try:
        return math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        return math.nan


def is_number(value: Any) -> bool:
    """Return whether something is one number; infinity and nan are."""
    try:
        return not isinstance(value, str | bytes) and np.ndim(value) == 0 and isinstance(float(value), float)
    except (TypeError, ValueError):
        return False


def as_count(name: str, value: Any) -> int:
    """Return a whole number, 1 or more.

    Raises:
        OptionError: The value is invalid; the message has this name.
    """
    try:
        count = operator.index(value)
    except TypeError:
        count = 0
    if count < 1:
        raise OptionError(name, value, "a whole number, 1 or more")
    return count


def as_index(name: str, value: Any, what: str) -> int:
    """Return an index as an int, without checking its range; a float without a fraction is accepted.

    Args:
        name: Name of the argument.
        value: What was given.
        what: What it counts, for the message.

    Raises:
        OptionTypeError: The value is not a whole number.
    """
    is_whole_float = isinstance(value, float | np.floating) and float(value).is_integer()
    try:
        return int(value) if is_whole_float else int(operator.index(value))
    except TypeError:
        raise OptionTypeError(name, value, f"the index of {what}, a whole number") from None


def need(name: str, value: Any, kind: type[Kind], maker: str) -> Kind:
    """Return what was given, which is of the kind that is asked for.

    Args:
        name: Name of the argument.
        value: What was given.
        kind: Its type.
        maker: Where one comes from, for the message.

    Raises:
        OptionTypeError: It is something else.
    """
    if not isinstance(value, kind):
        shown = value if value is None or isinstance(value, bool | int | float | str) else type(value).__name__
        raise OptionTypeError(name, shown, f"a {kind.__name__}, as {maker} makes it")
    return value


def as_numbers(name: str, values: Any, allowed: str) -> Array:
    """Return numbers in whatever shape they are given.

    Raises:
        OptionError: They are not numbers; the message has this description of allowed values.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(name, values, allowed) from None


def entries_of(values: Any) -> list[Any]:
    """Return what a list, an array or a vector of Warp's holds, one behind the other, whatever its shape."""
    is_walked_once = isinstance(values, Iterable) and not hasattr(values, "__len__")
    given = list(values) if is_walked_once else values
    try:
        return list(np.ravel(np.asarray(given, dtype=object)).tolist())
    except ValueError:  # as its members are of several shapes
        return list(given)


def as_row(name: str, values: Any, allowed: str) -> list[float]:
    """Return the finite numbers of a list, an array, or a vector of Warp's, one behind the other.

    Raises:
        OptionError: They are not finite numbers; the message has this description of allowed values.
    """
    numbers = [as_number(entry) for entry in entries_of(values)]
    if not all(map(math.isfinite, numbers)):
        raise OptionError(name, values, allowed)
    return numbers


def as_optional_list(name: str, values: Any, what: str) -> list[Any]:
    """Return the members of a list that may be left out, which is an empty one; see `as_list`."""
    return [] if values is None else as_list(name, values, what)


def as_list(name: str, values: Any, what: str) -> list[Any]:
    """Return the members of a list or another iterable.

    Raises:
        OptionTypeError: The value is None, a string, a mapping, a table, or not iterable.
    """
    is_table = isinstance(values, np.ndarray) and values.ndim != 1
    if is_table or isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise OptionTypeError(name, values, f"a list of {what}")
    return list(values)


def as_keyed(name: str, values: Any) -> Mapping[str, Any]:
    """Return values by their keys; none is an empty mapping.

    Raises:
        OptionTypeError: They have no keys.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise OptionTypeError(name, values, "a mapping from keys to values")
    return values


def as_named(name: str, values: Any) -> Mapping[str, float]:
    """Return values by the names of joints.

    Raises:
        OptionError: The value is not a mapping; the message has this description of it.
    """
    if not isinstance(values, Mapping):
        raise OptionError(name, values, "a mapping from names of joints to numbers")
    return values
