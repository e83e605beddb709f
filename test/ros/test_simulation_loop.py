# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The loop that steps a simulation: pace, commands, failures, long work; on a simulation that only counts."""

from __future__ import annotations

import math
import threading
import time

import pytest

from inertia_tools.errors import InertiaToolsError, SimulationError
from inertia_tools.ros import command_queue
from inertia_tools.ros.failures import BusyError
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import Phase, World, WrongPhaseError

STEP = 4_000_000  # [ns]


class Counting:
    """Stands in for a simulation: counts what is asked of it."""

    def __init__(self, fails_at=math.inf, error=None, gate=None):
        self.steps, self.fails_at, self.gate = 0, fails_at, gate
        self.error = error or SimulationError("a position is not finite")

    def step(self, count):
        if self.gate is not None:
            assert self.gate.wait(10.0)
        self.steps += count
        if self.steps >= self.fails_at:
            raise self.error

    def restore(self, start):
        self.steps = start


class Recorder:
    """Takes what the loop shows."""

    def __init__(self):
        self.ticks, self.published, self.failures = [], [], []
        self.breaks = False

    def sense(self, world):
        """Nothing is measured here."""

    def tick(self, world):
        self.ticks.append(world.step)

    def publish(self, world):
        if self.breaks:
            raise ValueError("no such topic")
        self.published.append(world.step)

    def report_failure(self, reason):
        self.failures.append(reason)


@pytest.fixture
def run():
    """Start a loop on a world; the loop ends with the test."""
    loops = []

    def start(world):
        recorder = Recorder()
        loop = SimulationLoop(world, STEP, recorder)
        loops.append(loop)
        loop.start()
        return loop, recorder

    yield start
    for loop in loops:
        if loop._world.simulation is not None and loop._world.simulation.gate is not None:
            loop._world.simulation.gate.set()
        loop.stop()


def world_of(simulation, **fields):
    return World(simulation, 0, **{"real_time_factor": 0.0, **fields})


def wait_for(condition):
    deadline = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline, "not within 20 s"
        time.sleep(0.005)


# Pace


def test_real_time_is_kept(run):
    loop, _ = run(world_of(Counting(), real_time_factor=2.0))
    first, began = loop.submit(lambda w: w.step).result(5), time.monotonic()
    time.sleep(0.5)
    last, ended = loop.submit(lambda w: w.step).result(5), time.monotonic()
    factor = (last - first) * STEP * 1e-9 / (ended - began)
    assert factor == pytest.approx(2.0, rel=0.2)


def test_factor_zero_does_not_wait(run):
    world = world_of(Counting())
    run(world)
    wait_for(lambda: world.step * STEP * 1e-9 > 20.0)


def test_time_that_cannot_be_kept_is_counted(run):
    class Slow(Counting):
        def step(self, count):
            time.sleep(0.02)
            super().step(count)

    loop, _ = run(world_of(Slow(), real_time_factor=1.0))
    wait_for(lambda: loop.pacing.given_up > 0.0 and loop.pacing.achieved_factor < 0.5)


def test_every_step_ticks_and_publications_are_evenly_spaced(run):
    _, recorder = run(world_of(Counting(), steps_per_publish=5))
    wait_for(lambda: len(recorder.published) > 20)
    assert recorder.published[:20] == list(range(5, 105, 5))
    assert recorder.ticks[:100] == list(range(1, 101))


def test_the_clock_has_a_rate_of_its_own(run):
    _, recorder = run(world_of(Counting(), steps_per_publish=7, steps_per_tick=3))
    wait_for(lambda: len(recorder.published) > 10)
    assert recorder.ticks[:20] == list(range(3, 63, 3))
    assert recorder.published[:10] == list(range(7, 77, 7))


# Commands


def test_commands_take_effect_between_two_steps_not_between_two_publications(run):
    loop, recorder = run(world_of(Counting(), steps_per_publish=10**9))
    seen = [loop.submit(lambda w: w.step).result(5) for _ in range(20)]
    assert recorder.published == []
    assert len(set(seen)) > 1


def test_commands_run_in_one_thread_in_their_order(run):
    loop, _ = run(world_of(Counting(), playing=False))
    seen = []
    futures = [loop.submit(lambda w, n=n: seen.append((n, threading.get_ident()))) for n in range(50)]
    for future in futures:
        future.result(5)
    assert [number for number, _ in seen] == list(range(50))
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] != threading.get_ident()


def test_failure_of_a_command_reaches_the_one_who_asked_and_changes_nothing(run):
    world = World()
    loop, recorder = run(world)
    with pytest.raises(InertiaToolsError, match="no robot description"):
        loop.submit(lambda w: w.advance(1)).result(5)
    assert loop.submit(lambda w: 42).result(5) == 42
    assert (world.phase, recorder.failures) == (Phase.NO_WORLD, [])


def test_a_full_queue_drops_the_oldest_of_a_stream_and_refuses_the_rest(run, monkeypatch):
    monkeypatch.setattr(command_queue, "CAPACITY", 4)
    gate, carried_out = threading.Event(), []
    loop, _ = run(world_of(Counting(gate=gate)))
    time.sleep(0.05)  # the loop is in its first step
    stream = [loop.submit(lambda w, n=n: carried_out.append(n), replaceable=True) for n in range(6)]
    wanted = [loop.submit(lambda w, n=n: carried_out.append(n)) for n in (10, 11, 12, 13, 14)]
    gate.set()
    with pytest.raises(BusyError):
        wanted[-1].result(5)
    wanted[-2].result(5)
    assert carried_out == [10, 11, 12, 13]
    assert all(isinstance(future.exception(5), BusyError) for future in stream)
    assert loop.overflow_count == 7


def test_a_command_that_was_given_up_is_not_carried_out(run):
    gate, carried_out = threading.Event(), []
    loop, _ = run(world_of(Counting(gate=gate)))
    time.sleep(0.05)
    given_up = loop.submit(carried_out.append)
    assert given_up.cancel()
    gate.set()
    loop.submit(lambda w: None).result(5)
    assert carried_out == []


# Failures


@pytest.mark.parametrize("error", [SimulationError("body 'arm' is lost"), ValueError("broken"), MemoryError("full")])
def test_a_step_that_fails_fails_the_world_and_says_why(run, error):
    world = world_of(Counting(fails_at=8, error=error))
    loop, recorder = run(world)
    wait_for(lambda: recorder.failures)
    assert str(error) in recorder.failures[0]
    assert loop.phase is Phase.FAILED
    with pytest.raises(WrongPhaseError, match="reset it"):
        loop.advance(1).finished.result(5)
    ticks = len(recorder.ticks)
    wait_for(lambda: len(recorder.ticks) > ticks)  # the clock goes on
    assert len(recorder.failures) == 1


def test_a_failed_world_runs_again_after_a_reset(run):
    world = world_of(Counting(fails_at=8))
    world.start = 0
    loop, recorder = run(world)
    wait_for(lambda: recorder.failures)
    world.simulation.fails_at = math.inf
    loop.submit(World.reset).result(5)
    wait_for(lambda: world.step > 20)
    assert loop.phase is Phase.PLAYING


def test_a_publication_that_fails_does_not_end_the_thread(run):
    world = world_of(Counting(), playing=False)
    loop, recorder = run(world)
    recorder.breaks = True
    wait_for(lambda: recorder.failures)
    assert "ValueError: no such topic" in recorder.failures[0]
    recorder.breaks = False
    loop.submit(World.reset).result(5)
    wait_for(lambda: recorder.published and loop.phase is Phase.PAUSED)


def test_a_defect_in_a_command_fails_the_world_and_reaches_the_one_who_asked(run):
    loop, recorder = run(world_of(Counting(), playing=False))
    with pytest.raises(ZeroDivisionError):
        loop.submit(lambda w: 1 / 0).result(5)
    wait_for(lambda: loop.phase is Phase.FAILED)
    assert "ZeroDivisionError" in recorder.failures[0]


# Long work


def test_paused_world_stands_still_and_can_be_stepped(run):
    world = world_of(Counting(), playing=False)
    loop, recorder = run(world)
    time.sleep(0.1)
    assert world.step == 0
    assert loop.advance(7).finished.result(5) == 7
    assert (world.step, world.simulation.steps) == (7, 7)
    assert recorder.ticks[-1] == recorder.published[-1] == 7


def test_commands_are_carried_out_while_steps_are_made(run):
    loop, _ = run(world_of(Counting(), playing=False))
    stepping = loop.advance(10**12)
    first = loop.submit(lambda w: w.step).result(5)
    wait_for(lambda: loop.submit(lambda w: w.step).result(5) > first)
    with pytest.raises(BusyError, match="are being made"):
        loop.advance(1).finished.result(5)
    stepping.cancel()
    done = stepping.finished.result(5)
    assert 0 < done < 10**12
    assert loop.submit(lambda w: w.step).result(5) == done


@pytest.mark.parametrize("kept_by", ["reset", "playing", "end"])
def test_steps_that_are_not_made_say_why(run, kept_by):
    world = world_of(Counting(), playing=False)
    world.start = 0
    loop, _ = run(world)
    stepping = loop.advance(10**12)
    wait_for(lambda: stepping.done > 3)
    if kept_by == "reset":
        loop.submit(World.reset)
    elif kept_by == "playing":
        loop.submit(lambda w: setattr(w, "playing", True))
    else:
        loop.stop()
    with pytest.raises(WrongPhaseError, match="of 1000000000000 steps were made"):
        stepping.finished.result(5)


def test_running_world_is_not_stepped(run):
    loop, _ = run(world_of(Counting()))
    with pytest.raises(WrongPhaseError, match="pause it first"):
        loop.advance(1).finished.result(5)


def test_of_descriptions_that_come_while_busy_the_last_one_wins(run):
    world = World()
    loop, _ = run(world)
    gate, loaded = threading.Event(), []

    def load(name):
        def loading(world):
            loaded.append(name)
            assert gate.wait(10.0)
            world.simulation = Counting()

        return loading

    loop.load(load("A"))
    wait_for(lambda: loaded)
    assert loop.phase is Phase.LOADING
    for name in ("B", "C", "B", "A"):
        loop.load(load(name))
    gate.set()
    wait_for(lambda: loop.phase is Phase.PLAYING)
    assert loaded == ["A", "A"]


def test_the_end_does_not_wait_for_a_step_that_takes_long(run):
    gate = threading.Event()
    loop, _ = run(world_of(Counting(gate=gate)))
    time.sleep(0.05)
    began = time.monotonic()
    assert not loop.stop()
    assert time.monotonic() - began < 5.0
    gate.set()


def test_stopped_loop_is_gone(run):
    loop, _ = run(world_of(Counting()))
    assert loop.stop()
    assert loop.phase is Phase.QUITTING
    assert "simulation" not in [thread.name for thread in threading.enumerate()]
