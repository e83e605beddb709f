# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools warm-up`: compile the kernels of the simulator in advance."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from inertia_tools.cli.arguments import whole_number
from inertia_tools.errors import MissingDependencyError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--device", default="cpu", help="device that will run the kernels: cpu, cuda:0, ... (default %(default)s)"
    )
    parser.add_argument(
        "--check-arch",
        type=whole_number,
        nargs="+",
        metavar="N",
        help="only test compilation for GPUs of these compute capabilities (80, 90, ...); no such GPU is needed",
    )
    parser.add_argument(
        "--copy-to",
        type=Path,
        metavar="DIR",
        help="also copy the compiled kernels to this folder, in the layout of an installation",
    )
    parser.epilog = "compiled kernels go to Warp's cache; cached kernels are not compiled again"


def run(options: argparse.Namespace) -> int:
    """Compile, and print the available devices; the exit code is 0.

    Raises:
        MissingDependencyError: Warp is not installed.
        WriteError: The kernels cannot be written.
    """
    try:
        from inertia_tools.sim import warm_up
    except ImportError as error:
        raise MissingDependencyError("warp-lang", "compiling kernels", "pip install warp-lang") from error
    began = time.monotonic()
    if options.check_arch:
        done = f"{warm_up.check_for_gpus(options.check_arch)} kernel modules compile for GPUs"
    else:
        folders = warm_up.warm_up(options.device)
        done = f"{len(folders)} kernel modules are compiled"
        if options.copy_to:
            warm_up.copy_kernels(folders, options.copy_to)
    if not options.quiet:
        print(f"{done} ({time.monotonic() - began:.1f} s)")
    return 0
