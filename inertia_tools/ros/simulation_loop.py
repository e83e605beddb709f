# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The thread that steps a simulation: real-time pacing, and commands that take effect between two steps.

Nothing here knows about ROS. Everything that touches the simulation runs in this one thread, so that a run depends on
the order of commands and on nothing else.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from inertia_tools.errors import InertiaToolsError

_Result = TypeVar("_Result")

_IDLE_PERIOD = 0.1  # How often a paused or empty loop publishes [s].
_LARGEST_LAG = 0.25  # A loop further behind than this gives the time up instead of racing after it [s].


@dataclass
class World:
    """What the loop's thread owns, and commands may change.

    Attributes:
        simulation: The facade of the library; None before the first description.
        step: Steps since the start or the last reset.
        playing: Time runs.
        real_time_factor: Simulated seconds for each real one; 0 without limit.
        steps_per_publish: Steps between two publications.
        hold_joints: A reset makes the joints stay where they started.
    """

    simulation: Any = None
    step: int = 0
    playing: bool = True
    real_time_factor: float = 1.0
    steps_per_publish: int = 4
    hold_joints: bool = True

    def advance(self, steps: int) -> None:
        """Step the simulation.

        Raises:
            InertiaToolsError: There is nothing to simulate, or the motion has left the finite numbers.
        """
        if self.simulation is None:
            raise InertiaToolsError("no robot description has arrived yet")
        self.simulation.step(steps)
        self.step += steps

    def reset(self) -> None:
        """Go back to the start: time, state and wrenches."""
        if self.simulation is not None:
            self.simulation.reset()
            if self.hold_joints:
                self.simulation.hold()
        self.step = 0


class SimulationLoop:
    """Runs a `World` in a thread of its own.

    Attributes:
        step_nanoseconds: Length of a step [ns].
        achieved_factor: Simulated seconds for each real one over the last second; NaN while paused.
    """

    def __init__(
        self,
        world: World,
        step_nanoseconds: int,
        publish: Callable[[World], None],
        fail: Callable[[str], None],
    ) -> None:
        """Create the loop; `start` starts it.

        Args:
            world: What to run.
            step_nanoseconds: Length of a step [ns].
            publish: Called in the thread with states worth publishing, and now and then while nothing moves, so that
                late comers see where it stands.
            fail: Called in the thread with the reason when stepping has failed; the world is paused then.
        """
        self.step_nanoseconds = step_nanoseconds
        self.achieved_factor = math.nan
        self._world = world
        self._publish, self._fail = publish, fail
        self._commands: queue.Queue[tuple[Callable[[World], Any], Future[Any]]] = queue.Queue()
        self._wake = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._anchor()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the step it is at."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    def submit(self, command: Callable[[World], _Result]) -> Future[_Result]:
        """Have a command run between two steps; the future holds what it returned or raised."""
        future: Future[_Result] = Future()
        with self._wake:
            self._commands.put((command, future))
            self._wake.notify()
        return future

    def _run(self) -> None:
        shown = 0.0
        while not self._stopping:
            self._take_commands()
            now = time.monotonic()
            if not self._can_move():
                if now - shown >= _IDLE_PERIOD:
                    shown = now
                    self._publish(self._world)
                self._anchor()
                self.achieved_factor = math.nan
                self._sleep(_IDLE_PERIOD)
            elif (ahead := self._lead(now)) > 0.0:
                self._sleep(min(ahead, _IDLE_PERIOD))
            else:
                self._advance()

    def _can_move(self) -> bool:
        return self._world.playing and self._world.simulation is not None

    def _take_commands(self) -> None:
        while not self._commands.empty():
            command, future = self._commands.get()
            try:
                future.set_result(command(self._world))
            except Exception as error:
                future.set_exception(error)

    def _advance(self) -> None:
        """Step up to the next publication, so that the work for one is in one call."""
        world = self._world
        try:
            world.advance(world.steps_per_publish - world.step % world.steps_per_publish)
            self._publish(world)
        except InertiaToolsError as error:
            world.playing = False
            self._fail(str(error))
        self._measure()

    def _anchor(self) -> None:
        """Tie simulated to real time from here on."""
        self._anchor_wall, self._anchor_step = time.monotonic(), self._world.step
        self._measured_wall, self._measured_step = self._anchor_wall, self._anchor_step
        self._anchor_factor = self._world.real_time_factor

    def _lead(self, now: float) -> float:
        """Return how far simulated time is ahead of where it should be [s]."""
        factor = self._world.real_time_factor
        if factor <= 0.0:
            return 0.0
        if factor != self._anchor_factor or self._world.step < self._anchor_step:
            self._anchor()
        simulated = (self._world.step - self._anchor_step) * self.step_nanoseconds * 1e-9
        lead = self._anchor_wall + simulated / factor - now
        if lead < -_LARGEST_LAG:
            self._anchor_wall += -lead
        return lead

    def _measure(self) -> None:
        elapsed = time.monotonic() - self._measured_wall
        if elapsed >= 1.0:
            steps = self._world.step - self._measured_step
            self.achieved_factor = steps * self.step_nanoseconds * 1e-9 / elapsed
            self._measured_wall, self._measured_step = time.monotonic(), self._world.step

    def _sleep(self, seconds: float) -> None:
        with self._wake:
            if self._commands.empty() and not self._stopping:
                self._wake.wait(timeout=seconds)
