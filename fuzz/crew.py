# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that work through cases: forked from one that has loaded everything, a batch each."""

from __future__ import annotations

import json
import os
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.case import Case
from fuzz.outcome import Outcome, Result, outcome_of_death, run_batch

BATCH = 100
"""Cases that one process works through, so that what leaks from one to the next has a bound."""

PATIENCE = 300.0
"""Time without an answer after which a process is ended [s]; the limit of processor time ends what computes."""

Draw = Callable[[int], Case]


@dataclass
class _Worker:
    """A child at work on the cases from `next` up to `end`."""

    pid: int
    pipe: int
    log: Path
    next: int
    end: int
    heard: float = field(default_factory=time.monotonic)
    rest: bytes = b""
    has_ended: bool = False


def run_cases(draw: Draw, numbers: range, jobs: int, keep_on: Callable[[], bool]) -> Iterator[Result]:
    """Run cases, several processes at a time, and give their results as they come.

    Args:
        draw: Makes the case of a number.
        numbers: Of the cases.
        jobs: Processes at a time.
        keep_on: Asked before each batch.
    """
    workers: list[_Worker] = []
    waiting = [range(first, min(first + BATCH, numbers.stop)) for first in range(numbers.start, numbers.stop, BATCH)]
    waiting.reverse()
    with tempfile.TemporaryDirectory() as logs:
        while workers or (waiting and keep_on()):
            while waiting and len(workers) < jobs and keep_on():
                workers.append(_started(draw, waiting.pop(), Path(logs)))
            _wait_for_any(workers)
            for worker in list(workers):
                yield from _answers(worker)
                if worker.has_ended:
                    workers.remove(worker)
                    death = _buried(worker)
                    if worker.next < worker.end:
                        yield death
                        waiting.append(range(worker.next + 1, worker.end))


def _started(draw: Draw, numbers: range, logs: Path) -> _Worker:
    reader, writer = os.pipe()
    log = Path(logs, f"{numbers.start}.log")
    pid = os.fork()
    if pid:
        os.close(writer)
        os.set_blocking(reader, False)
        return _Worker(pid, reader, log, numbers.start, numbers.stop)
    code = 1
    try:
        with log.open("w") as file:
            for stream in (1, 2):  # libraries print of their own
                os.dup2(file.fileno(), stream)
            run_batch(((number, draw(number)) for number in numbers), writer, file)
        code = 0
    finally:
        os._exit(code)


def _answers(worker: _Worker) -> Iterator[Result]:
    """Read what a worker has said, note whether it has ended, and end one that is silent for too long."""
    try:
        data = os.read(worker.pipe, 1 << 20)
    except BlockingIOError:
        if time.monotonic() - worker.heard > PATIENCE:
            os.kill(worker.pid, signal.SIGKILL)
        return
    worker.has_ended = not data
    *lines, worker.rest = (worker.rest + data).split(b"\n")
    for line in lines:
        entry = json.loads(line)
        worker.next, worker.heard = entry["number"] + 1, time.monotonic()
        yield Result(**{**entry, "outcome": Outcome(entry["outcome"])})


def _buried(worker: _Worker) -> Result:
    """Take leave of a worker that has ended, and say what became of the case at which it did."""
    _, status = os.waitpid(worker.pid, 0)
    os.close(worker.pipe)
    lines = worker.log.read_text(errors="replace").splitlines()
    worker.log.unlink()
    frames = [line.strip() for line in lines if "inertia_tools" in line and line.lstrip().startswith("File")]
    where = frames[0].rpartition("inertia_tools/")[2] if frames else "?"
    outcome = outcome_of_death(status)
    return Result(worker.next, outcome, f"{outcome} {where}", " | ".join(lines[-3:])[:300])


def _wait_for_any(workers: list[_Worker]) -> None:
    if workers:
        select.select([worker.pipe for worker in workers], [], [], 0.2)
