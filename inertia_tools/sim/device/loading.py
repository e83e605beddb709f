# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels are compiled, or taken from the cache: several at the same time, with a word where it takes long."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import warp as wp

LOG = logging.getLogger(__name__)

LAUNCH_BLOCK = 256
"""Threads of a block where nothing else is said; part of what a compiled module is known by."""

PATIENCE = 0.5
"""Loading that takes longer than this is explained [s]."""


HEAD_START = 0.02
"""Time in which the first thread is at work on code [s]."""


class PlainHeaders:
    """Lets Warp read its headers as they are, while some thread compiles kernels of ours.

    Making something quicker of them for each thread costs more than a thread gains that compiles one module.
    """

    def __init__(self) -> None:
        self._lock, self._users, self._before = threading.Lock(), 0, True

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._before, wp.config.use_precompiled_headers = wp.config.use_precompiled_headers, False
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                wp.config.use_precompiled_headers = self._before


PLAIN_HEADERS = PlainHeaders()


def is_in_cache(kernel: Any, device: Any) -> bool:
    """Tell whether a kernel need not be compiled for a device."""
    block = 1 if device.is_cpu else LAUNCH_BLOCK
    with PLAIN_HEADERS:  # part of what the module is known by
        folder = Path(str(wp.config.kernel_cache_dir)) / kernel.module.get_module_identifier(block)
    return folder.is_dir()


def load_together(kernels: Sequence[Any], device: Any, *, silent: bool = False) -> None:
    """Load kernels of different modules at the same time.

    The first, which should be the largest, has a head start, as Warp writes the code of one after the other.

    Args:
        kernels: Warp kernels.
        device: The device to load them on.
        silent: Nobody waits for it, so nobody is told.
    """
    block = 1 if device.is_cpu else LAUNCH_BLOCK
    modules = list(dict.fromkeys(kernel.module for kernel in kernels))
    message = "compiling the solver for %s; later runs find it in a cache"
    word = threading.Timer(PATIENCE, LOG.warning, [message, device])
    if not silent:
        word.start()
    try:
        with PLAIN_HEADERS, ThreadPoolExecutor(len(modules)) as pool:
            modules[0].get_module_hash(block)
            loads = [pool.submit(modules[0].load, device, block_dim=block)]
            time.sleep(HEAD_START)
            loads += [pool.submit(module.load, device, block_dim=block) for module in modules[1:]]
            for load in loads:
                load.result()
    finally:
        word.cancel()
