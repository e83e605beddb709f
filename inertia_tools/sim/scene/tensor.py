# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors in the lists of a scene, which users add Warp's matrices to."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.spatial import Array

SHAPE = (3, 3)


class Tensor(np.ndarray[Any, Any]):
    """An array of shape (3, 3) that takes `wp.mat33` in sums and products with numbers, which NumPy sees as nine."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of NumPy to plain arrays; what it makes of shape (3, 3) is a tensor again."""
        if "out" in options:
            options["out"] = tuple(_plain(one) for one in options["out"])
        found = getattr(ufunc, method)(*(_plain(one) for one in inputs), **options)
        return as_matrix(found) if isinstance(found, np.ndarray) and found.shape == SHAPE else found


def _plain(value: Any) -> Any:
    """Return a tensor or one of Warp's matrices as a plain array, and anything else as it is."""
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    return np.array(value).reshape(SHAPE) if getattr(value, "_shape_", None) == SHAPE else value


def as_matrix(values: Array) -> Tensor:
    """Return an array of shape (3, 3) as a tensor that shares its numbers."""
    return values.view(Tensor)
