# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp types of numbers, vectors and matrices of one precision."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp


@dataclass(frozen=True)
class NumberTypes:
    """Types of one precision.

    Attributes:
        name: "float32" or "float64".
        scalar: Warp's scalar type.
        numpy: NumPy's.
        vec3, vec4, vec6, quat, mat33, mat66, transform: The vectors and matrices of it; transforms are a position and a
            quaternion x, y, z, w.
    """

    name: str
    scalar: Any
    numpy: Any
    vec3: Any
    vec4: Any
    vec6: Any
    quat: Any
    mat33: Any
    mat66: Any
    transform: Any


@lru_cache(maxsize=2)
def number_types(name: str) -> NumberTypes:
    """Return the types of "float32" or "float64".

    They are Warp's types with names, such as `wp.vec3`, to which scripts compare those of a state.
    """
    scalar, suffix = (wp.float32, "f") if name == "float32" else (wp.float64, "d")
    names = ("vec3", "vec4", "spatial_vector", "quat", "mat33", "spatial_matrix", "transform")
    return NumberTypes(name, scalar, np.dtype(name).type, *(getattr(wp, one + suffix) for one in names))
