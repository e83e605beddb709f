# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Commands for the thread of the simulation: bounded, in order, each with a future for its result."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from inertia_tools.ros.failures import BusyError
from inertia_tools.ros.simulation_world import World

_Result = TypeVar("_Result")

CAPACITY = 256
"""Maximum number of waiting commands.

If this many wait, the simulation is busy for seconds; more would only be stale.
"""


@dataclass(frozen=True)
class Command:
    """An action between two steps.

    Attributes:
        run: The action.
        future: Receives its result or exception.
        replaceable: Whether a later command supersedes it, as in a stream of set points.
    """

    run: Callable[[World], Any]
    future: Future[Any]
    replaceable: bool


class CommandQueue:
    """Commands of several threads for one thread.

    Attributes:
        overflow_count: Number of commands that were dropped or refused because the queue was full.
    """

    def __init__(self) -> None:
        self.overflow_count = 0
        self._lock = threading.Lock()
        self._commands: deque[Command] = deque()

    def put(self, run: Callable[[World], _Result], *, replaceable: bool = False) -> Future[_Result]:
        """Add a command.

        A full queue drops its oldest replaceable command; if there is none, the new command is refused. The future of a
        dropped or refused command has a `BusyError`.
        """
        future: Future[_Result] = Future()
        dropped: Future[Any] | None = None
        with self._lock:
            if len(self._commands) >= CAPACITY:
                self.overflow_count += 1
                dropped = self._drop_oldest() or future
            if dropped is not future:
                self._commands.append(Command(run, future, replaceable))
        if dropped is not None:
            dropped.set_exception(BusyError(f"busy: {CAPACITY} commands are waiting for the simulation"))
        return future

    def take_all(self) -> list[Command]:
        """Remove all commands, and return those that are not cancelled, oldest first."""
        with self._lock:
            commands, self._commands = self._commands, deque()
        return [command for command in commands if command.future.set_running_or_notify_cancel()]

    def __len__(self) -> int:
        return len(self._commands)

    def _drop_oldest(self) -> Future[Any] | None:
        """Remove the oldest replaceable command that is not cancelled, and return its future."""
        for index, command in enumerate(self._commands):
            if command.replaceable and command.future.set_running_or_notify_cancel():
                del self._commands[index]
                return command.future
        return None
