# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of values and masks for a selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.dynamics.kinematic_arguments import on_host


def chosen_by(mask: Any, shape: tuple[int, int]) -> np.ndarray:
    """Expand a mask to a boolean for each articulation of a selection, shape (worlds, articulations per world).

    Args:
        mask: Booleans for worlds, shape (worlds,), or articulations, shape (worlds, articulations per world); None for
            all.
        shape: Numbers of worlds and of articulations per world.

    Raises:
        OptionError: The mask has another shape.
    """
    if mask is None:
        return np.ones(shape, dtype=bool)
    given = on_host(mask).astype(bool)
    if given.shape == shape[:1]:
        given = np.repeat(given[:, None], shape[1], axis=1)
    if given.shape != shape:
        raise OptionError("mask", given.shape, f"of shape ({shape[0]},) or {shape}")
    return given


def values_for(name: str, values: Any, shape: tuple[int, ...], may_be_endless: bool | None = False) -> np.ndarray:
    """Broadcast values to a shape.

    Args:
        name: Name of the values in messages.
        values: A Warp array, or anything that NumPy accepts as an array.
        shape: The shape.
        may_be_endless: Whether infinity is valid, as for limits; None if NaN is valid as well.

    Raises:
        OptionError: A value is not a number, is NaN or infinite where that is invalid, or the shape does not broadcast.
    """
    try:
        given = on_host(values)
        spread = np.broadcast_to(given, shape)
    except (TypeError, ValueError):
        raise OptionError(name, _shape_of(values), f"of shape {shape}, or one that broadcasts to it") from None
    if given.dtype.kind not in "biuf":
        raise OptionError(name, values, "numbers")
    usable = ~np.isnan(given) if may_be_endless else np.isfinite(given)
    if may_be_endless is not None and not usable.all():
        raise OptionError(name, float(given[~usable].flat[0]), "numbers" if may_be_endless else "finite numbers")
    return spread


def poses_for(name: str, values: Any, shape: tuple[int, int]) -> np.ndarray:
    """Broadcast poses to a selection, shape (worlds, articulations per world, 7), with normalised quaternions.

    Raises:
        OptionError: See `values_for`; or a quaternion is zero.
    """
    poses = np.array(values_for(name, values, (*shape, 7)), dtype=np.float64)
    lengths = np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    if not lengths.all():
        raise OptionError(name, "a quaternion of length zero", "positions and quaternions x, y, z, w")
    poses[..., 3:] /= lengths
    return poses


def write(array: Any, rows: np.ndarray, values: np.ndarray, chosen: np.ndarray) -> None:
    """Write values to the entries of selected articulations in an array.

    Args:
        array: A Warp array.
        rows: Indices of the entries, shape (worlds, articulations per world, entries).
        values: One value for each entry.
        chosen: Whether to write to each articulation, shape (worlds, articulations per world).
    """
    host = array.numpy()
    host[rows[chosen]] = values[chosen]
    array.assign(host)


def _shape_of(values: Any) -> Any:
    return getattr(values, "shape", None) or values
