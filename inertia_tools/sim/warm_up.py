# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of kernels in advance, so that simulations do not wait for a compiler.

They are stored in Warp's cache, where each module is a folder named by a hash of its content, so that cached modules
are not compiled again. An installation may ship a copy of these folders, from which `kernel_loading.start_warp` fills
the user's cache.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import warp as wp

from inertia_tools.errors import OptionError, WriteError
from inertia_tools.kernel_loading import LONG_WAY, cache_folder, load, quiet, start_warp
from inertia_tools.sim.all_kernels import all_kernels
from inertia_tools.sim.kernels.on_device import known_device

SOURCES = ("*.cpp", "*.cu")
"""Source files of the compiler, which are not needed beside its output."""


def warm_up(device: str = "cpu") -> list[Path]:
    """Compile all kernels that are not in the cache, one module per core in parallel.

    Args:
        device: Name of a Warp device.

    Returns:
        The folders of the cache, one per module.

    Raises:
        SimulationError: There is no such device.
    """
    start_warp()
    kernels, place = all_kernels(), known_device(device)
    load(kernels, place)
    return sorted({cache_folder(kernel.module, place) for kernel in kernels})


def check_for_gpus(architectures: Sequence[int]) -> int:
    """Check that all kernels compile for GPUs, which need not be present; the output is discarded.

    Kernels with much serial work per thread are compiled without optimisation, which finds the same errors in a third
    of the time. The others compile faster with it.

    Args:
        architectures: Compute capabilities without the dot, such as 80 and 90.

    Returns:
        The number of PTX files that the compiler produced.

    Raises:
        OptionError: The compiler of this Warp build does not support an architecture.
        Exception: A kernel does not compile; the compiler prints the reason.
    """
    start_warp()
    known = wp.get_cuda_supported_archs()
    for architecture in architectures:
        if architecture not in known:
            names = ", ".join(map(str, known)) or "none, as this build of Warp has no CUDA compiler"
            raise OptionError("architecture", architecture, f"one of the compute capabilities {names}")
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(architectures)), get_context("spawn")) as pool:
        return sum(pool.map(_compile_for_gpu, architectures))


def _compile_for_gpu(architecture: int) -> int:
    """Compile all kernels for one architecture: NVRTC compiles one module at a time in a process."""
    start_warp()
    modules = dict.fromkeys(kernel.module for kernel in all_kernels())
    with quiet(), tempfile.TemporaryDirectory() as folder:
        for module in modules:
            if module.options["block_dim"] == LONG_WAY["block_dim"]:
                module.options["mode"] = "debug"
                module.mark_modified()
            target = Path(folder) / module.get_module_identifier()
            wp.compile_aot_module(module, arch=architecture, module_dir=target, use_ptx=True)
    return len(modules)


def copy_kernels(folders: Iterable[Path], target: Path) -> None:
    """Copy folders of the cache to an installation, without the sources; each copy is atomic.

    Raises:
        WriteError: A folder cannot be written.
    """
    for folder in folders:
        copy = target / wp.config.version / folder.name
        try:
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(*SOURCES), dirs_exist_ok=True)
        except OSError as error:
            shutil.rmtree(copy, ignore_errors=True)
            reason = error.args[0][0][2] if isinstance(error, shutil.Error) else error  # the first file of a list
            raise WriteError(f"kernels cannot be copied to {target}: {reason}") from error
