# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Structures of arrays as arrays of one entry, which kernels take by reference."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import warp as wp


def struct_array(struct: Any, device: str, count: int = 1) -> Any:
    """Return a Warp array that holds a structure, or so many of the same, also while a caller captures a graph.

    What Warp allocates while a graph is captured belongs to the graph, and what it copies then is copied again in each
    replay. So on a CPU the memory is NumPy's, and on a GPU another thread fills it in a stream that nobody captures:
    CUDA lets the thread that captures allocate in no stream.
    """
    content = np.frombuffer(bytearray(bytes(struct.__ctype__()) * count), np.uint8)
    if wp.get_device(device).is_cpu:
        array: Any = wp.array(ptr=content.ctypes.data, dtype=struct._cls, shape=(count,), device=device)
        array._ref = content  # Warp does not own the memory of an address
        return array
    return _beside(device)[1].submit(_copied, content.view(_dtype_of(struct._cls)), struct._cls, device).result()


@cache
def _dtype_of(struct: Any) -> np.dtype[Any]:
    """Return how NumPy sees a structure; Warp takes milliseconds to derive it for nested ones."""
    dtype: np.dtype[Any] = np.dtype(struct.numpy_dtype())
    return dtype


def _copied(host: np.ndarray, dtype: Any, device: str) -> Any:
    """Copy an array to a GPU, in the stream beside those of callers."""
    with wp.ScopedStream(_beside(device)[0], sync_enter=False) as stream:
        array: Any = wp.array(host, dtype=dtype, device=device)
        arrival = stream.record_event()
        while not arrival.is_complete:  # Warp waits for no stream while another is captured
            time.sleep(0.0)
    return array


@cache
def _beside(device: str) -> tuple[Any, ThreadPoolExecutor]:
    """Return a stream of a GPU and a thread that nobody captures in."""
    return wp.Stream(device), ThreadPoolExecutor(1)
