# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values and masks that callers give for a selection, refused by name where they are not what is meant."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.dynamics.kinematic_arguments import on_host


def chosen_by(mask: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return a truth value for each articulation of a selection.

    Args:
        mask: Worlds, shape (worlds,), or articulations, shape (worlds, articulations a world); None for all.
        shape: Number of worlds and of articulations in each.

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
    """Return values spread to a shape.

    Args:
        name: What they are, for messages.
        values: A Warp array, or what NumPy makes an array of.
        shape: The shape.
        may_be_endless: Infinities are values, too, as of limits; None where NaN is one as well.

    Raises:
        OptionError: They are not numbers, NaN, or infinite where that is no value; or they have another shape.
    """
    try:
        given = on_host(values)
        spread = np.broadcast_to(given, shape)
    except (TypeError, ValueError):
        raise OptionError(name, _shape_of(values), f"of shape {shape}, or what spreads to it") from None
    if given.dtype.kind not in "biuf":
        raise OptionError(name, values, "numbers")
    usable = ~np.isnan(given) if may_be_endless else np.isfinite(given)
    if may_be_endless is not None and not usable.all():
        raise OptionError(name, float(given[~usable].flat[0]), "numbers" if may_be_endless else "finite numbers")
    return spread


def poses_for(name: str, values: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return poses spread to a selection, shape (worlds, articulations a world, 7), with unit quaternions.

    Raises:
        OptionError: As `values_for`, or a quaternion is zero.
    """
    poses = np.array(values_for(name, values, (*shape, 7)), dtype=np.float64)
    lengths = np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    if not lengths.all():
        raise OptionError(name, "a quaternion of length zero", "positions and quaternions x, y, z, w")
    poses[..., 3:] /= lengths
    return poses


def write(array: Any, rows: np.ndarray, values: np.ndarray, chosen: np.ndarray) -> None:
    """Write values to the entries of an array that some articulations have.

    Args:
        array: A Warp array.
        rows: Entries of each articulation, shape (worlds, articulations a world, entries).
        values: One for each of those.
        chosen: The articulations that are written to, shape (worlds, articulations a world).
    """
    host = array.numpy()
    host[rows[chosen]] = values[chosen]
    array.assign(host)


def _shape_of(values: Any) -> Any:
    return getattr(values, "shape", None) or values
