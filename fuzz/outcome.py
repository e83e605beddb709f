# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What became of a case, and running one under limits in a process of its own."""

from __future__ import annotations

import enum
import faulthandler
import gc
import json
import os
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from fuzz.case import Case
from inertia_tools.errors import InertiaToolsError

MOST_TIME = 10.0
"""Processor time a case may take [s]."""

MOST_GROWTH = 2 << 30
"""Address space that a process may take on top of what it began with [bytes]."""


class Outcome(enum.StrEnum):
    """What became of a case; the last four are failures."""

    READ = "read"
    REFUSED = "refused"
    FOREIGN = "foreign exception"
    MEMORY = "memory"
    HANG = "hang"
    CRASH = "crash"

    @property
    def is_failure(self) -> bool:
        """Tell whether the case must not end so."""
        return self not in (Outcome.READ, Outcome.REFUSED)


@dataclass(frozen=True)
class Result:
    """The outcome of one case.

    Attributes:
        number: Of the case.
        outcome: What became of it.
        signature: What tells one failure from another: the exception, and where it was raised.
        message: What the exception says.
        seconds: Processor time it took [s].
        growth: How much more memory the process had held at most, since it began [bytes].
    """

    number: int
    outcome: Outcome
    signature: str = ""
    message: str = ""
    seconds: float = 0.0
    growth: int = 0


def limit_this_process(log: TextIO) -> None:
    """Bound time a case and memory; what kills the process leaves a trace in the log."""
    faulthandler.enable(log)
    faulthandler.register(signal.SIGPROF, log, chain=True)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_GROWTH
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    warnings.simplefilter("ignore")
    gc.freeze()


def run_case(number: int, case: Case, folder: Path) -> Result:
    """Run a case here and say what became of it."""
    begin, held = time.process_time(), _most_held()
    signal.setitimer(signal.ITIMER_PROF, MOST_TIME)
    outcome, signature, message = Outcome.READ, "", ""
    try:
        case.run(folder)
    except InertiaToolsError as error:
        outcome = Outcome.REFUSED
        str(error)
    except MemoryError as error:
        outcome, signature, message = Outcome.MEMORY, signature_of(error), str(error)
    except Exception as error:
        outcome, signature, message = Outcome.FOREIGN, signature_of(error), str(error)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    for path in folder.iterdir():
        path.unlink()
    return Result(number, outcome, signature, message[:300], time.process_time() - begin, _most_held() - held)


def run_batch(cases: Iterable[tuple[int, Case]], answers: int, log: TextIO) -> None:
    """Run cases in this process, which is a child of its own, and write one JSON line each to a pipe."""
    limit_this_process(log)
    with tempfile.TemporaryDirectory() as folder:
        for number, case in cases:
            result = run_case(number, case, Path(folder))
            os.write(answers, json.dumps(asdict(result)).encode() + b"\n")


def outcome_of_death(status: int) -> Outcome:
    """Return what a process died of, by the status that waiting for it gave."""
    killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Outcome.HANG if killer in (signal.SIGPROF, signal.SIGKILL) else Outcome.CRASH


def _most_held() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def signature_of(error: BaseException) -> str:
    """Name the exception, the last line of ours that it came from, and the last line at all."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "inertia_tools" in Path(frame.filename).parts]
    places = [f"{Path(frame.filename).name}:{frame.name}" for frame in (*own[-1:], *frames[-1:])]
    return " ".join(dict.fromkeys([type(error).__name__, *places]))
