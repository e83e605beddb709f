# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Replacement of arrays of states and controls by those of users."""

from __future__ import annotations

from itertools import count
from typing import Any

import warp as wp

from inertia_tools.errors import OptionError

new_key = count().__next__
"""Return a number that no arrays of a state or a control have had yet."""


def refuse_another_kind(name: str, array: Any, old: Any) -> None:
    """Refuse an array that cannot stand in the place of another.

    Args:
        name: Its name in the message.
        array: The new array.
        old: The present one.

    Raises:
        OptionError: It is of another type, length or device, or there is none to take the place of.
    """
    if not _is_alike(array, old):
        raise OptionError(name, _said_of(array), _said_of(old))


def _is_alike(array: Any, other: Any) -> bool:
    """Return whether one array can replace another."""
    if not isinstance(array, wp.array) or other is None:
        return False
    return bool(
        wp.types.types_equal(array.dtype, other.dtype) and array.shape == other.shape and array.device == other.device
    )


def _said_of(array: Any) -> str:
    """Name type, length and device of an array."""
    if not isinstance(array, wp.array):
        return "left out" if array is None else type(array).__name__
    return f"a Warp array of {len(array)} {wp.types.type_repr(array.dtype)} on {array.device}"
