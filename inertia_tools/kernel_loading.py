# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp kernels are compiled, or taken from the cache: several at the same time, with a word where it takes long."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import warp as wp

from inertia_tools.errors import WriteError

LOG = logging.getLogger(__name__)

MODULE_OPTIONS = {"enable_backward": False}
"""How kernels are compiled: nothing here is differentiated, and adjoints double the time to compile."""

RIGID_OPTIONS = MODULE_OPTIONS | {"cpu_compiler_flags": "-march=native -fno-vectorize -fno-slp-vectorize"}
"""The same for the kernels of rigid bodies. On the CPU, Warp's far inlining and the search for vectors take a quarter
of the time to compile them, and make them no faster. Far inlining is also an option of the whole process: Warp compiles
modules with and without it one after the other, but those of one kind at the same time."""

LONG_WAY = RIGID_OPTIONS | {"block_dim": 32}
"""The same for kernels of which each thread goes a long way alone: blocks of one warp reach more of a GPU."""

PATIENCE = 0.5
"""Loading that takes longer than this is explained [s]."""

BUILT = Path(__file__).parent / "kernels"
"""Where an installation keeps kernels that were compiled with it, by the version of Warp; CMakeLists.txt fills it."""

LOCK = threading.RLock()

LOADED: set[tuple[Any, str]] = set()
"""Modules that this process has loaded, and on which device."""


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Warp from printing that it starts and loads: what is printed may be a document."""
    with LOCK:
        level = wp.config.log_level
        wp.config.log_level = max(level, wp.LOG_WARNING)
        try:
            yield
        finally:
            wp.config.log_level = level


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause Python's garbage collector while kernels are declared and built.

    They consist of some hundred thousand objects that live as long as the process. The collector would traverse them
    again and again, which takes a third of the first step of a robot whose kernels are in the cache.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _failures_of_cache() -> Iterator[None]:
    """Say of what the disk refuses that Warp's cache lies on it.

    Raises:
        WriteError: The cache cannot be written.
    """
    try:
        yield
    except OSError as error:
        folder, reason = wp.config.kernel_cache_dir, error.strerror or error
        raise WriteError(
            f"kernels cannot be compiled into {folder}: {reason}; make room there, or let WARP_CACHE_PATH name "
            "a folder that can be written"
        ) from error


@cache
def start_warp() -> None:
    """Start Warp, and copy into its cache the kernels of the installation that are not there yet.

    Folders of the cache are named by what they were compiled from, so that none takes the place of another.

    Raises:
        WriteError: Warp's cache cannot be made.
    """
    with quiet(), _failures_of_cache():
        wp.init()
    kernels = Path(str(wp.config.kernel_cache_dir))
    for folder in (BUILT / wp.config.version).glob("wp_*"):
        if not (kernels / folder.name).exists():
            copy_kernel(folder, kernels)


def copy_kernel(folder: Path, kernels: Path) -> None:
    """Copy a compiled module into the cache, unless another process was first or it cannot be read.

    A build beside links to files leaves such links behind when a kernel has changed; what is not copied is compiled.
    """
    copy = ""
    try:
        copy = tempfile.mkdtemp(dir=kernels)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        os.rename(copy, kernels / folder.name)
    except OSError as error:  # shutil.Error is one
        if copy:
            shutil.rmtree(copy, ignore_errors=True)
        LOG.debug("kernels of %s are not copied: %s", folder.name, error)


def cache_folder(module: Any, device: Any) -> Path:
    """Return where Warp keeps a compiled module."""
    return Path(str(wp.config.kernel_cache_dir)) / str(module.get_module_identifier(block_of(module, device)))


def load(kernels: Sequence[Any], device: Any) -> None:
    """Load kernels, as many modules at the same time as there are cores.

    Args:
        kernels: Warp kernels, those that take longest to compile first.
        device: The device to load them on.

    Raises:
        WriteError: The disk is full, or Warp's cache cannot be written.
    """
    start_warp()
    device = wp.get_device(device)
    modules = [
        module for module in dict.fromkeys(kernel.module for kernel in kernels) if (module, device.alias) not in LOADED
    ]
    if not modules:
        return
    message = "compiling kernels for %s; `inertia-tools warm-up` does so ahead of time"
    word = threading.Timer(PATIENCE, LOG.warning, [message, device])
    word.start()
    try:
        with quiet(), collection_paused(), _failures_of_cache(), ThreadPoolExecutor(os.cpu_count()) as pool:
            for loading in [pool.submit(module.load, device, block_dim=block_of(module, device)) for module in modules]:
                loading.result()
    finally:
        word.cancel()
    LOADED.update((module, device.alias) for module in modules)


def launch(kernel: Any, dim: int, inputs: Sequence[Any], outputs: Sequence[Any], device: Any) -> None:
    """Launch a kernel that nobody may have loaded yet; see `warp.launch`."""
    load((kernel,), device)
    wp.launch(kernel, dim, inputs, outputs, device=device)


def block_of(module: Any, device: Any) -> int:
    """Return how many threads a block of a module's kernels has; part of what a compiled module is known by."""
    return 1 if device.is_cpu else int(module.options["block_dim"])
