# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of arrays and masks that callers pass to kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, OptionTypeError
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.spatial import Array


def on_host(values: Any) -> np.ndarray:
    """Return a Warp array, or anything that NumPy can convert, as a NumPy array."""
    return np.asarray(values.numpy() if hasattr(values, "numpy") else values)


def numbers_of(name: str, values: Any, count: int) -> Array:
    """Return `count` numbers in double precision; an empty array on a device may have one entry.

    Raises:
        OptionTypeError: The values are not numbers.
        OptionError: Their number differs.
    """
    try:
        numbers = np.array(on_host(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionTypeError(name, values, f"{count} numbers: a Warp array, or one of NumPy's") from None
    if numbers.ndim != 1 or len(numbers) not in (count, max(count, 1)):
        raise OptionError(name, numbers.shape, f"of shape ({count},), one number for each of the model's")
    return numbers


def check_fillable(name: str, array: Any, count: int) -> None:
    """Raise an error for an array that cannot hold `count` numbers.

    Raises:
        OptionTypeError: The array is neither a Warp array nor a writable NumPy array, or is not of floating point.
        OptionError: The array has another length.
    """
    known = f"a Warp array or a writable NumPy array of {count} floating-point numbers"
    if isinstance(array, np.ndarray):
        if array.dtype.kind != "f" or not array.flags.writeable:
            raise OptionTypeError(name, f"{array.dtype}, read-only: {not array.flags.writeable}", known)
    elif not isinstance(array, wp.array):
        raise OptionTypeError(name, array, known)
    elif array.dtype not in (wp.float16, wp.float32, wp.float64):
        raise OptionTypeError(name, wp.types.type_repr(array.dtype), known)
    numbers_of(name, array, count)


def check_state(state: Any) -> None:
    """Raise an error for an object without bodies.

    Raises:
        OptionTypeError: `state` is neither a state nor a model.
    """
    if getattr(state, "body_q", None) is None:
        raise OptionTypeError("state", type(state).__name__, "a State of model.state(), or the model")


def chosen_of(name: str, mask: Any, count: int) -> np.ndarray:
    """Return the indices that a mask selects.

    Raises:
        OptionError: The mask does not have `count` booleans.
    """
    values = on_host(mask)
    if values.shape != (count,) or values.dtype.kind not in "biuf":
        shown = values.shape if values.dtype.kind in "biuf" else mask
        raise OptionError(name, shown, f"truth values of shape ({count},)")
    return np.flatnonzero(values)


def indices_of(name: str, indices: Any, count: int) -> np.ndarray:
    """Return validated indices.

    Raises:
        OptionError: An index is not a whole number, or is out of range.
    """
    values = on_host(indices)
    if values.size == 0:
        return np.zeros(0, dtype=int)
    if values.dtype.kind not in "iu" or values.ndim != 1 or values.min() < 0 or values.max() >= count:
        raise OptionError(name, indices, f"whole numbers from 0 to {count - 1}")
    return values


def check_joint(joint: BuiltJoint, coordinates: Array, rates: Array) -> None:
    """Raise an error for invalid coordinates or velocities of a joint.

    Raises:
        OptionError: A number is not finite, or a quaternion is zero.
    """
    for name, values in (("joint_q", coordinates), ("joint_qd", rates)):
        if not np.isfinite(values).all():
            raise OptionError(name, values.tolist(), f"finite for joint {joint.name!r}")
    if joint.coordinate_count > joint.dof_count and not coordinates[-4:].any():
        raise OptionError("joint_q", coordinates.tolist(), f"with a quaternion x, y, z, w for joint {joint.name!r}")
