# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of prims: a value is stated if some layer states it, and not if it is blocked.

Of an animated value the first sample counts, which is where a simulation starts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from inertia_tools.description.usd.library import pxr
from inertia_tools.spatial import Array, rotation_from_quaternion


@lru_cache(maxsize=1)
def beginning() -> Any:
    """Return the time at which a stage is read: before all samples, so that values without samples are defaults."""
    return pxr().Usd.TimeCode.EarliestTime()


def authored(prim: Any, name: str) -> Any | None:
    """Return the value that layers state for an attribute; None if they state none, or block it."""
    attribute = prim.GetAttribute(name)
    return attribute.Get(beginning()) if attribute and attribute.HasAuthoredValue() else None


def applied_schemas(prim: Any) -> tuple[str, ...]:
    """Return the applied schemas of a prim, including those unknown to OpenUSD, such as other solvers'."""
    known = tuple(str(name) for name in prim.GetAppliedSchemas())
    return known + tuple(name for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas() if name not in known)


def stated_or(prim: Any, name: str, default: Any) -> Any:
    """Return the value that layers state for an attribute, or the default."""
    value = authored(prim, name)
    return default if value is None else value


def is_blocked(prim: Any, name: str) -> bool:
    """Return whether a layer blocks an attribute."""
    attribute = prim.GetAttribute(name)
    return bool(attribute) and attribute.GetResolveInfo().ValueIsBlocked()


def numbers(value: Any) -> Array | None:
    """Return a vector as an array; None for None."""
    return None if value is None else np.array(value, dtype=np.float64)


def rotation(value: Any) -> Array | None:
    """Return a quaternion as a rotation, shape (3, 3); None for None, and for one of zero length."""
    if value is None:
        return None
    parts = np.array([*value.GetImaginary(), value.GetReal()], dtype=np.float64)
    length = float(np.linalg.norm(parts))
    return rotation_from_quaternion(parts) if np.isfinite(length) and length > 0.0 else None
