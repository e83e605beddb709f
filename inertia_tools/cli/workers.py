# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Workers for many files: this process, processes of its own, or a Dask cluster."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from inertia_tools.cli.arguments import whole_number
from inertia_tools.errors import MissingDependencyError, OptionError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

P = ParamSpec("P")
T = TypeVar("T")

CONNECTING_TIME = 10.0
"""Time limit for a scheduler to answer [s]."""

WORTH_A_POOL = 16
"""Number of files from which processes are started by default; each takes about a second to start."""


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the workers."""
    group = parser.add_argument_group("many files")
    add_jobs(group)
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler, such as tcp://host:8786; its workers must have access to the files",
    )
    group.add_argument("--resume", metavar="PATH", help="journal of results, with which an interrupted run continues")


def add_jobs(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the option for the number of local processes."""
    parser.add_argument(
        "-j",
        "--jobs",
        type=whole_number,
        metavar="N",
        help="number of processes (default for many files: one for each core)",
    )


@contextlib.contextmanager
def working(options: argparse.Namespace, files: int) -> Iterator[tuple[Executor | None, int]]:
    """Yield an executor, None for this process, and its number of workers.

    Args:
        options: Options from `add_workers`, or `add_jobs`.
        files: Number of files.

    Raises:
        OptionError: The number of processes is not positive, or no scheduler answers.
        MissingDependencyError: A scheduler is named, and dask.distributed is not installed.
    """
    if options.jobs is not None and options.jobs < 1:
        raise OptionError("--jobs", options.jobs, "1 or more")
    if getattr(options, "scheduler", None):
        with _cluster(options.scheduler) as cluster:
            yield cluster
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(options.jobs or (cores if files >= WORTH_A_POOL else 1), files)
    if count < 2:
        yield None, 1
        return
    with _processes(count) as pool:
        yield pool, count


@contextlib.contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """Start processes that execute tasks until an exception, such as an interrupt, ends them."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    class Pool(ProcessPoolExecutor):
        def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
            _INTERRUPT.raise_if_noticed()
            return super().submit(_do, function, *args, **kwargs)

    starting = multiprocessing.get_context(_way_to_start())
    with _INTERRUPT.deferred():
        pool = Pool(count, mp_context=starting, initializer=_begin_worker)
        try:
            yield pool
        except BaseException:
            _INTERRUPT.pass_on()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


class _Interrupt:
    """An interrupt that ends only tasks, in the process that waits for workers and in each of them.

    Locks and pipes between the processes do not survive an exception at an arbitrary point: a lock stays taken, half a
    message is lost, and one process waits for another forever. The waiting process therefore receives an interrupt as
    the exception of a task.
    """

    def __init__(self) -> None:
        self._is_noticed = False
        self._may_raise = False

    def notice(self, *_: object) -> None:
        """Handle the signal."""
        self._is_noticed = True
        self.pass_on()
        if self._may_raise:
            self._may_raise = False
            raise KeyboardInterrupt

    def pass_on(self) -> None:
        """Interrupt the workers of this process."""
        import multiprocessing

        for process in multiprocessing.active_children():
            if process.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGINT)

    def raise_if_noticed(self) -> None:
        """Raise a deferred interrupt."""
        if self._is_noticed:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Defer interrupts to the end of this context; only the main thread of a process receives any."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._is_noticed = False
        handler = signal.signal(signal.SIGINT, self.notice)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            self.raise_if_noticed()

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Let interrupts, including earlier ones, end the work in this context."""
        self._may_raise = True
        try:
            self.raise_if_noticed()
            yield
        finally:
            self._may_raise = False


_INTERRUPT = _Interrupt()


def _begin_worker() -> None:
    from inertia_tools.cli import SELDOM

    gc.set_threshold(*SELDOM)
    signal.signal(signal.SIGINT, _INTERRUPT.notice)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the end of the parent process, for any reason, and end too."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    with _INTERRUPT.allowed():
        return function(*args, **kwargs)


def _way_to_start() -> str:
    """Return the start method of workers: fork, with all that is loaded, unless threads run here, since it may hang."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError:
        return "spawn"
    return "fork" if threads == 1 else "spawn"


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise MissingDependencyError("distributed", "--scheduler", "pip install distributed") from error
    try:
        if not address.startswith("ucx://"):  # which that function cannot split
            get_address_host_port(address)  # a client of a malformed address prints a traceback when it is deleted
        client = Client(address, timeout=CONNECTING_TIME, set_as_default=False)
    except (OSError, ValueError) as error:
        allowed = f"the address of a running Dask scheduler, such as tcp://host:8786 ({error})"
        raise OptionError("--scheduler", address, allowed) from error
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise OptionError("--scheduler", address, "the address of a scheduler with workers; this one has none")
        yield client.get_executor(), workers
