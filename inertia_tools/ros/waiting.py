# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Service callbacks that wait for other threads, while the executor serves other callbacks.

Such a callback is a coroutine in a reentrant callback group. It occupies no thread, and every wait is bounded.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import Any, TypeVar

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.task import Future as RosFuture

from inertia_tools.ros.failures import BusyError

_Result = TypeVar("_Result")

_POLL_PERIOD = 0.25  # Period of checking for requests that have waited too long [s].


class Waiting:
    """The coroutines of a node that wait for futures of other threads.

    Args:
        node: The node whose executor runs them.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._deadlines: list[tuple[float, RosFuture[None]]] = []
        node.create_timer(_POLL_PERIOD, self._give_up_the_late, clock=Clock(clock_type=ClockType.STEADY_TIME))

    async def result(self, future: Future[_Result], limit: float | None, doing: str) -> _Result:
        """Wait for a future and return its result.

        Args:
            future: The future.
            limit: Time within which it must start, or else it is cancelled [s]; None waits without limit.
            doing: The activity that prevents it, for the message.

        Raises:
            BusyError: The work did not start within the limit, and is cancelled.
            Exception: The exception of the future.
        """
        done = self._woken_by(future)
        if limit is not None:
            begun: RosFuture[None] = self._woken_by(future)
            self._deadlines.append((time.monotonic() + limit, begun))
            await begun
            if future.cancel():
                raise BusyError(f"busy: {doing} has not been possible within {limit:g} s; try again")
        await done
        return future.result()

    def _woken_by(self, future: Future[Any]) -> RosFuture[None]:
        woken: RosFuture[None] = RosFuture(executor=self._node.executor)
        future.add_done_callback(lambda _: self._wake(woken))
        return woken

    def _wake(self, woken: RosFuture[None]) -> None:
        if not woken.done():
            woken.set_result(None)
        executor = self._node.executor
        if executor is not None:
            executor.wake()

    def _give_up_the_late(self) -> None:
        now = time.monotonic()
        late: list[Any] = [woken for deadline, woken in self._deadlines if deadline <= now]
        self._deadlines = [(d, woken) for d, woken in self._deadlines if d > now and not woken.done()]
        for woken in late:
            self._wake(woken)
