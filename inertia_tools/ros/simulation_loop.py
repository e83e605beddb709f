# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The thread that steps a simulation: real-time pacing, and commands that take effect between two steps.

Nothing here depends on ROS. Only this thread accesses the simulation, so that a run depends only on the order of
commands. No exception ends the thread; instead the world enters its failed state, with the reason.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros.command_queue import CommandQueue
from inertia_tools.ros.failures import BusyError
from inertia_tools.ros.pacing import Pacing
from inertia_tools.ros.simulation_world import Phase, World, WrongPhaseError

_Result = TypeVar("_Result")

LOG = logging.getLogger(__name__)

_IDLE_PERIOD = 0.1  # Publication period of a world at rest [s].
_PATIENCE = 0.5  # Time that an ending loop waits for the step in progress [s].


class Outputs(Protocol):
    """Outputs of the loop for its world; all methods are called in the loop's thread."""

    def tick(self, world: World) -> None:
        """Publish the time."""

    def look(self, world: World) -> None:
        """Read the world after something other than a step has moved it."""

    def sense(self, world: World) -> None:
        """Read the world after a step, and publish sensor readings."""

    def publish(self, world: World) -> None:
        """Publish the state when due: at its rate, and at times while nothing moves."""

    def report_failure(self, reason: str) -> None:
        """Report that the world has just failed."""


@dataclass
class Stepping:
    """Requested steps of a paused world in progress.

    Attributes:
        wanted: Number of requested steps.
        done: Number of steps made.
        finished: Receives `done` at the end, or the reason why the remaining steps were not made.
    """

    wanted: int
    done: int = 0
    finished: Future[int] = field(default_factory=Future)
    _cancelled: bool = False

    def cancel(self) -> None:
        """Make no more steps; `finished` receives the number made. For any thread."""
        self._cancelled = True

    @property
    def is_over(self) -> bool:
        """Whether no more steps will be made."""
        return self._cancelled or self.done >= self.wanted


class SimulationLoop:
    """Runs a `World` in its own thread."""

    def __init__(self, world: World, step_nanoseconds: int, outputs: Outputs) -> None:
        """Create the loop; `start` starts it.

        Args:
            world: The world to run.
            step_nanoseconds: Length of a step [ns].
            outputs: Outputs for its state.
        """
        self.pacing = Pacing(step_nanoseconds)
        self._world, self._outputs = world, outputs
        self._queue = CommandQueue()
        self._stepping: Stepping | None = None
        self._load: Callable[[World], None] | None = None
        self._on_displaced: Callable[[], None] = _do_nothing
        self._is_loading = False
        self._wake = threading.Condition()
        self._stopping = False
        self._shown = 0.0
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> bool:
        """End the thread after the step in progress; return whether it has ended.

        Compilation or a large step cannot be interrupted; a caller that ends nevertheless abandons the thread.
        """
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=_PATIENCE)
        return not self._thread.is_alive()

    @property
    def phase(self) -> Phase:
        """The phase of the loop. For any thread, at any time."""
        if self._stopping:
            return Phase.QUITTING
        return Phase.LOADING if self._load is not None or self._is_loading else self._world.phase

    @property
    def overflow_count(self) -> int:
        """Number of commands that found the queue full."""
        return self._queue.overflow_count

    def submit(self, command: Callable[[World], _Result], *, replaceable: bool = False) -> Future[_Result]:
        """Run a command between two steps; the future holds its result or exception.

        Args:
            command: The command. If it raises an `InertiaToolsError`, it must have had no effect; any other exception
                is a defect, and puts the world into its failed state.
            replaceable: Whether a later command supersedes this one, so that it may be dropped if too many wait.
        """
        future = self._queue.put(command, replaceable=replaceable)
        self._notify()
        return future

    def load(self, load: Callable[[World], None], on_displaced: Callable[[], None] | None = None) -> None:
        """Load a world between two steps, replacing one that is still waiting to be loaded.

        Args:
            load: Loads the world.
            on_displaced: Called if another replaces it before it starts; none by default.
        """
        with self._wake:
            tell_displaced = self._on_displaced
            self._load, self._on_displaced = load, on_displaced or _do_nothing
            self._wake.notify()
        tell_displaced()

    def advance(self, steps: int) -> Stepping:
        """Make steps of a paused world; commands between them are executed as usual."""
        stepping = Stepping(steps)
        self.submit(lambda world: self._begin(world, stepping)).add_done_callback(
            lambda begun: _hand_on_error(begun, stepping.finished)
        )
        return stepping

    def _begin(self, world: World, stepping: Stepping) -> None:
        """Start requested steps.

        Raises:
            BusyError: Steps are in progress.
            WrongPhaseError: The world is not paused.
        """
        if self._stepping is not None:
            raise BusyError(f"busy: {self._stepping.wanted} steps were requested, {self._stepping.done} are done")
        if world.sound is not None and world.playing:
            raise WrongPhaseError("the simulation is running; pause it first")
        self._stepping = stepping

    # Inside the thread

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._turn()
            except Exception as error:  # the thread continues after any exception
                self._fail(error)
        self._end_stepping("the simulation is shutting down")

    def _turn(self) -> None:
        """Execute waiting commands, then step, or sleep until the next step is due."""
        self._carry_out_load()
        self._carry_out_commands()
        world = self._world
        if world.moved:
            world.moved = False
            self._outputs.look(world)
        if self._stepping is not None:
            self._step_on(self._stepping)
        elif world.phase is not Phase.PLAYING:
            self._stand_still()
        elif (ahead := self.pacing.lead(world.step, world.real_time_factor)) > 0.0:
            self._sleep(min(ahead, _IDLE_PERIOD))
        else:
            self._step()
            self.pacing.measure(world.step)

    def _step(self, is_last: bool = False) -> None:
        world = self._world
        began = time.thread_time()
        world.advance()
        stepped = time.thread_time()
        self._outputs.sense(world)
        if is_last or world.clock_rate.is_due(world.step):
            self._outputs.tick(world)
        if is_last or world.publish_rate.is_due(world.step):
            self._outputs.publish(world)
        self.pacing.spend(stepped - began, time.thread_time() - stepped)

    def _step_on(self, stepping: Stepping) -> None:
        """Make one of the requested steps."""
        if self._world.playing:
            self._end_stepping("the simulation was set to run")
        elif not stepping.is_over:
            self._step(is_last=stepping.done + 1 == stepping.wanted)
            stepping.done += 1
        if stepping.is_over:
            self._end_stepping()

    def _end_stepping(self, reason: str = "") -> None:
        """End requested steps: all were made, or there is a reason to make no more."""
        stepping, self._stepping = self._stepping, None
        self.pacing.stand_still(self._world.step, self._world.real_time_factor)
        if stepping is None or stepping.finished.done():
            return
        if reason:
            error = WrongPhaseError(f"{stepping.done} of {stepping.wanted} steps were completed: {reason}")
            stepping.finished.set_exception(error)
        else:
            stepping.finished.set_result(stepping.done)

    def _stand_still(self) -> None:
        world = self._world
        self.pacing.stand_still(world.step, world.real_time_factor)
        self._sleep(_IDLE_PERIOD)
        if time.monotonic() - self._shown >= _IDLE_PERIOD and not self._has_work():
            self._shown = time.monotonic()
            self._outputs.tick(world)
            if not world.failure:
                self._outputs.publish(world)

    def _carry_out_load(self) -> None:
        try:
            while not self._stopping and (load := self._take_load()) is not None:
                before = self._world.simulation
                load(self._world)
                if self._world.simulation is not before:
                    self._end_stepping("another description was loaded")
                    self._show()
        finally:
            self._is_loading = False

    def _take_load(self) -> Callable[[World], None] | None:
        with self._wake:
            self._is_loading = self._load is not None  # before that is None: `phase`, without the lock, reads it last
            load, self._load, self._on_displaced = self._load, None, _do_nothing
        return load

    def _carry_out_commands(self) -> None:
        step = self._world.step
        for command in self._queue.take_all():
            try:
                result = command.run(self._world)
            except Exception as error:
                command.future.set_exception(error)
                if not isinstance(error, InertiaToolsError):
                    self._fail(error)
            else:
                command.future.set_result(result)
        if self._world.step < step:  # a reset
            self._end_stepping("the simulation was reset")
            self._show()

    def _show(self) -> None:
        """Publish a state that did not result from a step."""
        self._outputs.tick(self._world)
        self._outputs.publish(self._world)

    def _fail(self, error: Exception) -> None:
        """Put the world into its failed state, which a reset or a new description ends."""
        reason = str(error) if isinstance(error, InertiaToolsError) else f"{type(error).__name__}: {error}"
        if not isinstance(error, InertiaToolsError):
            LOG.error("the simulation has failed", exc_info=error)
        is_new = not self._world.failure
        self._world.failure = reason
        self._end_stepping(reason)
        if is_new:
            try:
                self._outputs.report_failure(reason)
            except Exception:  # a failing report must not end the thread
                LOG.exception("cannot report a failure")

    def _has_work(self) -> bool:
        return bool(len(self._queue)) or self._load is not None or self._stopping

    def _notify(self) -> None:
        with self._wake:
            self._wake.notify()

    def _sleep(self, seconds: float) -> None:
        with self._wake:
            if not self._has_work():
                self._wake.wait(timeout=seconds)


def _do_nothing() -> None:
    """Do nothing."""


def _hand_on_error(begun: Future[Any], finished: Future[int]) -> None:
    """End requested steps that could not start, with the reason."""
    error = begun.exception()
    if error is not None and not finished.done():
        finished.set_exception(error)
