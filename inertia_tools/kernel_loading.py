# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of Warp kernels, or their loading from the cache, in parallel, with a log message if it takes long."""

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
"""Options of all kernel modules: without adjoints, which would double the compile time and are never used."""

RIGID_OPTIONS = MODULE_OPTIONS | {"cpu_compiler_flags": "-march=native -fno-vectorize -fno-slp-vectorize"}
"""Options of the kernels of rigid bodies. On the CPU, Warp's aggressive inlining and vectorisation take a quarter of
their compile time and do not speed them up. Inlining is also an option of the whole process: Warp compiles modules that
differ in it one after another, and modules that agree in it in parallel."""

LONG_WAY = RIGID_OPTIONS | {"block_dim": 32}
"""Options of kernels with much serial work per thread: blocks of one warp spread over more of a GPU."""

PATIENCE = 0.5
"""Loading that takes longer than this is announced in the log [s]."""

BUILT = Path(__file__).parent / "kernels"
"""Folder of the kernels that an installation ships compiled, by Warp version; CMakeLists.txt fills it."""

LOCK = threading.RLock()

LOADED: set[tuple[Any, str]] = set()
"""Modules that this process has loaded, each with the alias of its device."""

ANNOUNCED: set[str] = set()
"""Aliases of devices for which this process has said that it compiles kernels."""


@contextmanager
def quiet() -> Iterator[None]:
    """Silence Warp's start and load messages, since standard output may be a document."""
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
    repeatedly, which takes a third of the first step of a robot whose kernels are in the cache.
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
    """Report disk errors with the folder of Warp's cache.

    Raises:
        WriteError: The cache cannot be written.
    """
    try:
        yield
    except OSError as error:
        folder, reason = wp.config.kernel_cache_dir, error.strerror or error
        raise WriteError(
            f"kernels cannot be compiled into {folder}: {reason}; free disk space there, or set WARP_CACHE_PATH to "
            "a writable folder"
        ) from error


@cache
def start_warp() -> None:
    """Start Warp, and copy the installation's kernels that its cache lacks into it.

    Cache folders are named by a hash of their sources, so different kernels never collide.

    Raises:
        WriteError: Warp's cache cannot be created.
    """
    with quiet(), _failures_of_cache():
        wp.init()
    kernels = Path(str(wp.config.kernel_cache_dir))
    for folder in (BUILT / wp.config.version).glob("wp_*"):
        if not (kernels / folder.name).exists():
            copy_kernel(folder, kernels)


def copy_kernel(folder: Path, kernels: Path) -> None:
    """Copy a compiled module into the cache, unless another process did so first or it cannot be read.

    After a kernel changes, a build with symbolic links leaves dangling links. A module that is not copied is compiled.
    """
    copy = ""
    try:
        copy = tempfile.mkdtemp(dir=kernels)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        os.rename(copy, kernels / folder.name)
    except OSError as error:  # includes shutil.Error
        if copy:
            shutil.rmtree(copy, ignore_errors=True)
        LOG.debug("kernels of %s were not copied: %s", folder.name, error)


def cache_folder(module: Any, device: Any) -> Path:
    """Return the folder of Warp's cache for a compiled module."""
    return Path(str(wp.config.kernel_cache_dir)) / str(module.get_module_identifier(block_of(module, device)))


def load(kernels: Sequence[Any], device: Any) -> None:
    """Compile kernels or load them from the cache, one module per core in parallel.

    Args:
        kernels: Warp kernels, the slowest to compile first.
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
    modules.sort(key=_compiler_flags, reverse=True)  # see `RIGID_OPTIONS`
    word = threading.Timer(PATIENCE, _announce, [device.alias])
    word.start()
    try:
        with quiet(), collection_paused(), _failures_of_cache(), ThreadPoolExecutor(os.cpu_count()) as pool:
            for loading in [pool.submit(module.load, device, block_dim=block_of(module, device)) for module in modules]:
                loading.result()
    finally:
        word.cancel()
    LOADED.update((module, device.alias) for module in modules)


def _announce(device: str) -> None:
    """Log once for each device that kernels are being compiled: a simulation loads several sets of them."""
    if device not in ANNOUNCED:
        ANNOUNCED.add(device)
        LOG.warning("compiling kernels for %s; run `inertia-tools warm-up` to compile them in advance", device)


def _compiler_flags(module: Any) -> str:
    """Return the flags of the CPU compiler for a module; empty for Warp's default."""
    return module.options["cpu_compiler_flags"] or ""


def launch(kernel: Any, dim: int, inputs: Sequence[Any], outputs: Sequence[Any], device: Any) -> None:
    """Launch a kernel, after loading it if necessary; see `warp.launch`."""
    load((kernel,), device)
    wp.launch(kernel, dim, inputs, outputs, device=device)


def block_of(module: Any, device: Any) -> int:
    """Return the number of threads per block of a module's kernels, which is part of a compiled module's identity."""
    return 1 if device.is_cpu else int(module.options["block_dim"])
