# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A worker process that executes one job at a time, and can be killed during it.

Run as a module, this is the worker: it reads jobs from standard input and writes outcomes to standard output, both as
pickles preceded by their length. It ends with the process that started it, even during a job.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import select
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from logging.handlers import QueueHandler
from typing import IO, Any

import inertia_tools.pickling  # noqa: F401 (read-only mappings of arguments and results)
from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros.failures import CodedError, DefectError, TimeLimitError, failure_of, kind_of

_LENGTH = struct.Struct("<Q")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job.

    Attributes:
        result: Result of the function.
        code: Number of ErrorCode for a deliberate failure; None otherwise.
        message: Reason for a failure; empty on success.
        details: Traceback of a defect.
        logged: Log records of this package during the job.
    """

    result: Any = None
    code: int | None = None
    message: str = ""
    details: str = ""
    logged: tuple[logging.LogRecord, ...] = ()

    def unwrap(self) -> Any:
        """Return the result.

        Raises:
            CodedError: The job failed deliberately.
            DefectError: The job failed because of a defect.
        """
        if self.code is not None:
            raise CodedError(self.code, self.message)
        if self.message:
            raise DefectError(self.message, self.details)
        return self.result


class WorkerProcess:
    """The parent's side of the process; for one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any:
        """Call a function of a module in the process, and return its result.

        Args:
            function: A function that can be imported by its name.
            arguments: Its arguments; they and the result must be picklable.
            limit: Time limit [s], after which the process is ended.

        Raises:
            CodedError: The function failed deliberately.
            TimeLimitError: The function exceeded the time limit.
            DefectError: The function failed because of a defect, or the process ended.
        """
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            _write(process.stdin, pickle.dumps((function, arguments)))
            data = _read_within(process.stdout, limit)
        except (BrokenPipeError, EOFError):
            code = process.wait()
            self.kill()
            raise DefectError(f"its worker process ended unexpectedly, with exit code {code}", "") from None
        except TimeoutError:
            self.kill()
            raise TimeLimitError(f"it took longer than {limit:g} s, the parameter time_limit") from None
        outcome: Outcome = pickle.loads(data)
        for record in outcome.logged:
            logging.getLogger(record.name).handle(record)
        return outcome.unwrap()

    def kill(self) -> None:
        """End the process; the next call starts another one. For any thread."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0,  # Ctrl-C interrupts the group of the node, which ends its workers itself
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
        return process


class _Records(QueueHandler):
    """Collects log records in a form that can be pickled."""

    queue: queue.SimpleQueue[logging.LogRecord]

    def __init__(self) -> None:
        super().__init__(queue.SimpleQueue())

    def taken(self) -> tuple[logging.LogRecord, ...]:
        """Return the collected records, and clear them."""
        return tuple(self.queue.get() for _ in range(self.queue.qsize()))


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _read_within(stream: IO[bytes], limit: float) -> bytes:
    """Read a message from a pipe.

    Raises:
        TimeoutError: The message does not arrive in time.
        EOFError: The other end of the pipe is closed.
    """
    deadline, received, wanted = time.monotonic() + limit, bytearray(), _LENGTH.size
    while len(received) < wanted:
        ready, _, _ = select.select([stream], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        part = os.read(stream.fileno(), _CHUNK)
        if not part:
            raise EOFError
        received += part
        if wanted == _LENGTH.size and len(received) >= wanted:
            wanted += _LENGTH.unpack(received[: _LENGTH.size])[0]
    return bytes(received[_LENGTH.size :])


def _outcome_of(job: bytes) -> Outcome:
    try:
        function, arguments = pickle.loads(job)
        return Outcome(function(*arguments))
    except InertiaToolsError as error:
        return Outcome(code=int(failure_of(error)), message=str(error))
    except Exception as error:
        return Outcome(message=kind_of(error), details=traceback.format_exc())


def _end_without_reader(stream: IO[bytes]) -> None:
    """Wait until the reader of the outcomes is gone, then end the process immediately.

    The node was killed then, and a job that continued could overwrite files of its successor.
    """
    poll = select.poll()
    poll.register(stream, 0)  # a closed other end is always reported
    poll.poll()
    os._exit(1)


def main() -> None:
    """Do jobs until the input ends."""
    jobs, outcomes = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of libraries is not an outcome
    threading.Thread(target=_end_without_reader, args=(outcomes,), name="reader watch", daemon=True).start()
    records, log = _Records(), logging.getLogger("inertia_tools")
    log.addHandler(records)
    log.setLevel(logging.DEBUG)  # the parent filters by level
    while len(head := jobs.read(_LENGTH.size)) == _LENGTH.size:
        outcome = replace(_outcome_of(jobs.read(_LENGTH.unpack(head)[0])), logged=records.taken())
        try:
            data = pickle.dumps(outcome)
        except Exception as error:
            data = pickle.dumps(Outcome(message=kind_of(error), details=traceback.format_exc()))
        _write(outcomes, data)


if __name__ == "__main__":
    # Pickles name classes of this module by its real name.
    from inertia_tools.ros import worker_process

    worker_process.main()
