# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of prims: a value counts when some layer states it, and a block takes it away."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.spatial import Array, rotation_from_quaternion


def authored(prim: Any, name: str) -> Any | None:
    """Return the value that layers state for an attribute; None when they state none, or block it."""
    attribute = prim.GetAttribute(name)
    return attribute.Get() if attribute and attribute.HasAuthoredValue() else None


def stated_or(prim: Any, name: str, default: Any) -> Any:
    """Return the value that layers state for an attribute, or the default."""
    value = authored(prim, name)
    return default if value is None else value


def is_blocked(prim: Any, name: str) -> bool:
    """Tell whether a layer takes the value of an attribute away."""
    attribute = prim.GetAttribute(name)
    return bool(attribute) and attribute.GetResolveInfo().ValueIsBlocked()


def numbers(value: Any) -> Array | None:
    """Return a vector as an array; None for None."""
    return None if value is None else np.array(value, dtype=np.float64)


def rotation(value: Any) -> Array | None:
    """Return a quaternion as a rotation, shape (3, 3); None for None, and for one without a length."""
    if value is None:
        return None
    parts = np.array([*value.GetImaginary(), value.GetReal()], dtype=np.float64)
    length = float(np.linalg.norm(parts))
    return rotation_from_quaternion(parts) if np.isfinite(length) and length > 0.0 else None
