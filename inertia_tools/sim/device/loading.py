# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels are compiled, or taken from the cache: several at the same time, with a word where it takes long."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

LOG = logging.getLogger(__name__)

LAUNCH_BLOCK = 256
"""Threads of a block where nothing else is said; part of what a compiled module is known by."""

PATIENCE = 0.5
"""Loading that takes longer than this is explained [s]."""


def load_together(kernels: Sequence[Any], device: Any) -> None:
    """Load kernels of different modules at the same time.

    The first, which should be the largest, is loaded by this thread: Warp keeps what it has made of its headers for
    each thread, and this one may have compiled something before.

    Args:
        kernels: Warp kernels.
        device: The device to load them on.
    """
    block = 1 if device.is_cpu else LAUNCH_BLOCK
    modules = list(dict.fromkeys(kernel.module for kernel in kernels))
    message = "compiling the solver for %s; later runs find it in a cache"
    word = threading.Timer(PATIENCE, LOG.warning, [message, device])
    word.start()
    try:
        with ThreadPoolExecutor(max(len(modules) - 1, 1)) as pool:
            loads = [pool.submit(module.load, device, block_dim=block) for module in modules[1:]]
            modules[0].load(device, block_dim=block)
            for load in loads:
                load.result()
    finally:
        word.cancel()
