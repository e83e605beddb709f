# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Structures of arrays as arrays of one entry, which kernels take by reference."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import warp as wp


def struct_array(struct: Any, device: str, count: int = 1) -> Any:
    """Return a Warp array that holds a structure, or so many of the same, also while a caller captures a graph.

    What Warp allocates while a graph is captured belongs to the graph, and what it copies then is copied again in each
    replay. So on a CPU the memory is NumPy's, and on a GPU all is done in a stream beside the one that is captured.
    """
    host = np.array([struct.numpy_value()] * count, dtype=struct._cls.numpy_dtype())
    if wp.get_device(device).is_cpu:
        return wp.array(host, dtype=struct._cls, device=device, copy=False)
    with wp.ScopedStream(_stream_beside(device), sync_enter=False) as stream:
        array = wp.array(host, dtype=struct._cls, device=device)
        wp.synchronize_stream(stream)
    return array


@cache
def _stream_beside(device: str) -> Any:
    """Return a stream of a GPU that nobody captures."""
    return wp.Stream(device)
