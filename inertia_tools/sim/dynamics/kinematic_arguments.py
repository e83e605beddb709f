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
    """Return `count` numbers in double precision; arrays on a device may have one entry instead of none.

    Raises:
        OptionError: They are no numbers, or of another length.
    """
    try:
        numbers = np.array(on_host(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionTypeError(name, values, f"{count} numbers: a Warp array, or one of NumPy's") from None
    if numbers.ndim != 1 or len(numbers) not in (count, max(count, 1)):
        raise OptionError(name, numbers.shape, f"of shape ({count},), one number for each of the model's")
    return numbers


def check_fillable(name: str, array: Any, count: int) -> None:
    """Refuse an array that cannot hold `count` numbers.

    Raises:
        OptionError: It is neither an array of Warp's nor one of NumPy's that can be written to, or not of floating
            point, or of another length.
    """
    known = f"a Warp array or a NumPy array of {count} floating-point numbers, which are written to it"
    if isinstance(array, np.ndarray):
        if array.dtype.kind != "f" or not array.flags.writeable:
            raise OptionTypeError(name, f"{array.dtype}, read-only: {not array.flags.writeable}", known)
    elif not isinstance(array, wp.array):
        raise OptionTypeError(name, array, known)
    elif array.dtype not in (wp.float16, wp.float32, wp.float64):
        raise OptionTypeError(name, wp.types.type_repr(array.dtype), known)
    numbers_of(name, array, count)


def check_state(state: Any) -> None:
    """Refuse an object without bodies.

    Raises:
        OptionError: It is neither a state nor a model.
    """
    if getattr(state, "body_q", None) is None:
        raise OptionTypeError("state", type(state).__name__, "a State of model.state(), or the model")


def chosen_of(name: str, mask: Any, count: int) -> np.ndarray:
    """Return the indices that a mask selects.

    Raises:
        OptionError: It has not one truth value for each.
    """
    values = on_host(mask)
    if values.shape != (count,) or values.dtype.kind not in "biuf":
        shown = values.shape if values.dtype.kind in "biuf" else mask
        raise OptionError(name, shown, f"truth values of shape ({count},)")
    return np.flatnonzero(values)


def indices_of(name: str, indices: Any, count: int) -> np.ndarray:
    """Return validated indices.

    Raises:
        OptionError: They are no whole numbers, or out of range.
    """
    values = on_host(indices)
    if values.size == 0:
        return np.zeros(0, dtype=int)
    if values.dtype.kind not in "iu" or values.ndim != 1 or values.min() < 0 or values.max() >= count:
        raise OptionError(name, indices, f"whole numbers from 0 to {count - 1}")
    return values


def check_joint(joint: BuiltJoint, coordinates: Array, rates: Array) -> None:
    """Refuse invalid coordinates and rates of a joint.

    Raises:
        OptionError: One is not finite, or a quaternion is zero.
    """
    for name, values in (("joint_q", coordinates), ("joint_qd", rates)):
        if not np.isfinite(values).all():
            raise OptionError(name, values.tolist(), f"finite for joint {joint.name!r}")
    if joint.coordinate_count > joint.dof_count and not coordinates[-4:].any():
        raise OptionError("joint_q", coordinates.tolist(), f"with a quaternion x, y, z, w for joint {joint.name!r}")
