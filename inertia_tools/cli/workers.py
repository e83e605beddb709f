# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Who does the work on many files: this process, processes of its own, or a Dask cluster."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inertia_tools.errors import MissingDependencyError, OptionError

if TYPE_CHECKING:
    from concurrent.futures import Executor

CONNECTING_TIME = 10.0
"""How long a scheduler may take to answer [s]."""

WORTH_A_POOL = 16
"""Files from which processes are started without being asked for; each takes about a second to start."""


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options that say who does the work."""
    group = parser.add_argument_group("many files")
    add_jobs(group)
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786, whose workers see the files"
    )
    group.add_argument("--resume", metavar="PATH", help="journal of verdicts: a run that was ended goes on from there")


def add_jobs(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the option that says how many processes of this machine do the work."""
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="processes (default: one a core, for many files)")


@contextlib.contextmanager
def working(options: argparse.Namespace, files: int) -> Iterator[tuple[Executor | None, int]]:
    """Give an executor, None for this process, and how many workers it has.

    Args:
        options: Those that `add_workers`, or `add_jobs`, added.
        files: How many files there are.

    Raises:
        OptionError: The number of processes is not positive, or no scheduler answers.
        MissingDependencyError: A scheduler is named, and dask.distributed is not installed.
    """
    if options.jobs is not None and options.jobs < 1:
        raise OptionError("--jobs", options.jobs, "a positive number")
    if getattr(options, "scheduler", None):
        with _cluster(options.scheduler) as cluster:
            yield cluster
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(options.jobs or (cores if files >= WORTH_A_POOL else 1), files)
    if count < 2:
        yield None, 1
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    from inertia_tools.cli import SELDOM

    starting = multiprocessing.get_context(_way_to_start())
    pool = ProcessPoolExecutor(count, mp_context=starting, initializer=gc.set_threshold, initargs=SELDOM)
    try:
        yield pool, count
    finally:
        pool.shutdown(cancel_futures=True)


def _way_to_start() -> str:
    """Return how workers start: by a fork, with all that is loaded, unless threads run here, since that may hang."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError:
        return "spawn"
    return "fork" if threads == 1 else "spawn"


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingDependencyError("distributed", "--scheduler", "pip install distributed") from error
    try:
        client = Client(address, timeout=CONNECTING_TIME, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OptionError("--scheduler", address, f"the address of a scheduler that answers ({error})") from error
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise OptionError("--scheduler", address, "that of a cluster with workers; this one has none")
        yield client.get_executor(), workers
