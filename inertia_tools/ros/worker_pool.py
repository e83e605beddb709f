# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Worker processes for heavy work, with a bounded queue and time limits; work whose client is gone is dropped."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from inertia_tools.ros.failures import BusyError
from inertia_tools.ros.worker_process import WorkerProcess

SIZE = 2
"""Number of processes: one for requests, and one reserved for new descriptions."""

CAPACITY = 32
"""Maximum number of waiting requests; further ones would wait for minutes."""

_KILL_PERIOD = 0.1  # Period of killing processes until the threads that start them have ended [s].


@dataclass(frozen=True)
class _Job:
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: Future[Any]
    is_urgent: bool
    is_wanted: Callable[[], bool]


class WorkerPool:
    """Passes jobs to worker processes, which are started on demand.

    Attributes:
        refused_count: Number of jobs refused because too many were waiting.
    """

    def __init__(self, time_limit: Callable[[], float]) -> None:
        """Create the pool.

        Args:
            time_limit: Returns the current time limit of a job [s].
        """
        self.refused_count = 0
        self._time_limit = time_limit
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._ordinary = 0
        self._closed = False
        self._workers = [WorkerProcess() for _ in range(SIZE)]
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), name="worker", daemon=True) for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        is_urgent: bool = False,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Future[Any]:
        """Call a function in a process; see `WorkerProcess.call` for the outcomes of its future.

        Args:
            function: A function that can be imported by its name.
            arguments: Its arguments; they and the result must be picklable.
            is_urgent: Whether it precedes all others, and is never refused.
            is_wanted: Called before it starts; if it returns false, because the client is gone, the job is dropped.
        """
        job = _Job(function, arguments, Future(), is_urgent, is_wanted)
        with self._changed:
            if not is_urgent and len(self._jobs) >= CAPACITY:
                self.refused_count += 1
                job.future.set_exception(BusyError(f"busy: {CAPACITY} requests are waiting; try again"))
            elif is_urgent:
                self._jobs.appendleft(job)
            else:
                self._jobs.append(job)
            self._changed.notify_all()
        return job.future

    def close(self) -> None:
        """End all processes immediately, and then the threads that wait for them."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._changed.notify_all()
        for worker, thread in zip(self._workers, self._threads, strict=True):
            while thread.is_alive():  # it may be starting another process
                worker.kill()
                thread.join(_KILL_PERIOD)

    def _serve(self, worker: WorkerProcess) -> None:
        while (job := self._take()) is not None:
            try:
                self._work_on(job, worker)
            finally:
                with self._changed:
                    self._ordinary -= not job.is_urgent
                    self._changed.notify_all()

    def _take(self) -> _Job | None:
        """Wait for the next job, and return it; None if the pool is closed."""
        with self._changed:
            while not self._closed:
                if self._jobs and (self._jobs[0].is_urgent or self._ordinary < SIZE - 1):
                    job = self._jobs.popleft()
                    self._ordinary += not job.is_urgent
                    return job
                self._changed.wait()
        return None

    def _work_on(self, job: _Job, worker: WorkerProcess) -> None:
        if not job.future.set_running_or_notify_cancel():
            return
        try:
            if not job.is_wanted():
                raise BusyError("dropped: its client no longer waits")
            result = worker.call(job.function, job.arguments, self._time_limit())
        except Exception as error:
            if not self._closed:
                job.future.set_exception(error)
        else:
            job.future.set_result(result)
