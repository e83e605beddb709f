# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Structures of arrays as arrays of one entry, which kernels take by reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp


def struct_array(struct: Any, device: str, count: int = 1) -> Any:
    """Return a Warp array that holds a structure, or so many of the same.

    On a CPU the memory is NumPy's: what Warp allocates while a graph is captured belongs to the graph.
    """
    if not wp.get_device(device).is_cpu:
        return wp.array([struct] * count, dtype=struct._cls, device=device)
    host = np.array([struct.numpy_value()] * count, dtype=struct._cls.numpy_dtype())
    return wp.array(host, dtype=struct._cls, device=device, copy=False)
