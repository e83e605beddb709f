# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools warm-up`: compile the kernels of the simulator in advance."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from inertia_tools.errors import MissingDependencyError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--device", default="cpu", help="where they are to run: cpu, cuda:0, ... (default %(default)s)")
    parser.add_argument(
        "--check-arch",
        type=int,
        nargs="+",
        metavar="N",
        help="only see that they compile for GPUs of these compute capabilities (80, 90, ...), which need not be there",
    )
    parser.add_argument("--copy-to", type=Path, metavar="DIR", help="also copy them there, as an installation has them")
    parser.epilog = "they go to Warp's cache; those that are there already take no time"


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
        done = f"{warm_up.check_for_gpus(options.check_arch)} modules of kernels compile for GPUs"
    else:
        folders = warm_up.warm_up(options.device)
        done = f"{len(folders)} modules of kernels are compiled"
        if options.copy_to:
            warm_up.copy_kernels(folders, options.copy_to)
    if not options.quiet:
        print(f"{done} ({time.monotonic() - began:.1f} s)")
    return 0
