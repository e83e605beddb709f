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
from inertia_tools.ros.rates import Rate
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import Phase, World, WrongPhaseError

STEP = 4_000_000  # [ns]
PATIENCE = 60.0  # For a loop on a loaded machine [s].


class Counting:
    """Stands in for a simulation: counts what is asked of it."""

    def __init__(self, fails_at=math.inf, error=None, gate=None):
        self.steps, self.fails_at, self.gate = 0, fails_at, gate
        self.error = error or SimulationError("a position is not finite")
        self.has_begun = threading.Event()

    def step(self, count):
        self.has_begun.set()
        if self.gate is not None:
            assert self.gate.wait(PATIENCE)
        self.steps += count
        if self.steps >= self.fails_at:
            raise self.error

    def restore(self, start):
        self.steps = start


class Recorder:
    """Takes what the loop shows."""

    def __init__(self):
        self.ticks, self.published, self.failures, self.looked = [], [], [], []
        self.breaks = False

    def look(self, world):
        self.looked.append(world.step)

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
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE} s"
        time.sleep(0.005)


def in_first_step(run):
    """Start a loop and return it, with the gate that its first step waits at."""
    gate = threading.Event()
    simulation = Counting(gate=gate)
    loop, _ = run(world_of(simulation))
    assert simulation.has_begun.wait(PATIENCE)
    return loop, gate


# Pace


def test_real_time_is_kept(run):
    loop, _ = run(world_of(Counting(), real_time_factor=2.0))

    def now(world):
        return world.step * STEP * 1e-9, time.monotonic()

    def is_kept():
        """Tell whether half a second was, unless the machine stood still in it."""
        first, began = loop.submit(now).result(PATIENCE)
        time.sleep(0.5)
        last, ended = loop.submit(now).result(PATIENCE)
        return (last - first) / (ended - began) == pytest.approx(2.0, rel=0.1)

    wait_for(is_kept)


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
    _, recorder = run(world_of(Counting(), publish_rate=Rate(1 / 5)))
    wait_for(lambda: len(recorder.published) > 20)
    assert recorder.published[:20] == list(range(5, 105, 5))
    assert recorder.ticks[:100] == list(range(1, 101))


def test_the_clock_has_a_rate_of_its_own(run):
    _, recorder = run(world_of(Counting(), publish_rate=Rate(1 / 7), clock_rate=Rate(1 / 3)))
    wait_for(lambda: len(recorder.published) > 10)
    assert recorder.ticks[:20] == list(range(3, 63, 3))
    assert recorder.published[:10] == list(range(7, 77, 7))


def test_a_step_that_does_not_go_on_from_the_last_is_looked_at_before(run):
    world = world_of(Counting(), playing=False)
    loop, recorder = run(world)
    loop.advance(3).finished.result(PATIENCE)
    loop.submit(World.reset).result(PATIENCE)
    loop.advance(2).finished.result(PATIENCE)
    assert recorder.looked == [0, 0]


# Commands


def test_commands_take_effect_between_two_steps_not_between_two_publications(run):
    loop, recorder = run(world_of(Counting(), publish_rate=Rate(1e-9)))
    seen = [loop.submit(lambda w: w.step).result(PATIENCE) for _ in range(20)]
    assert recorder.published == []
    assert len(set(seen)) > 1


def test_commands_run_in_one_thread_in_their_order(run):
    loop, _ = run(world_of(Counting(), playing=False))
    seen = []
    futures = [loop.submit(lambda w, n=n: seen.append((n, threading.get_ident()))) for n in range(50)]
    for future in futures:
        future.result(PATIENCE)
    assert [number for number, _ in seen] == list(range(50))
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] != threading.get_ident()


def test_failure_of_a_command_reaches_the_one_who_asked_and_changes_nothing(run):
    world = World()
    loop, recorder = run(world)
    with pytest.raises(InertiaToolsError, match="no robot description"):
        loop.submit(lambda w: w.advance(1)).result(PATIENCE)
    assert loop.submit(lambda w: 42).result(PATIENCE) == 42
    assert (world.phase, recorder.failures) == (Phase.NO_WORLD, [])


def test_a_full_queue_drops_the_oldest_of_a_stream_and_refuses_the_rest(run, monkeypatch):
    monkeypatch.setattr(command_queue, "CAPACITY", 4)
    carried_out = []
    loop, gate = in_first_step(run)
    stream = [loop.submit(lambda w, n=n: carried_out.append(n), replaceable=True) for n in range(6)]
    wanted = [loop.submit(lambda w, n=n: carried_out.append(n)) for n in (10, 11, 12, 13, 14)]
    gate.set()
    with pytest.raises(BusyError):
        wanted[-1].result(PATIENCE)
    wanted[-2].result(PATIENCE)
    assert carried_out == [10, 11, 12, 13]
    assert all(isinstance(future.exception(PATIENCE), BusyError) for future in stream)
    assert loop.overflow_count == 7


def test_a_command_that_was_given_up_is_not_carried_out(run):
    carried_out = []
    loop, gate = in_first_step(run)
    given_up = loop.submit(carried_out.append)
    assert given_up.cancel()
    gate.set()
    loop.submit(lambda w: None).result(PATIENCE)
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
        loop.advance(1).finished.result(PATIENCE)
    ticks = len(recorder.ticks)
    wait_for(lambda: len(recorder.ticks) > ticks)  # the clock goes on
    assert len(recorder.failures) == 1


def test_a_failed_world_runs_again_after_a_reset(run):
    world = world_of(Counting(fails_at=8))
    world.start = 0
    loop, recorder = run(world)
    wait_for(lambda: recorder.failures)
    world.simulation.fails_at = math.inf
    loop.submit(World.reset).result(PATIENCE)
    wait_for(lambda: world.step > 20)
    assert loop.phase is Phase.PLAYING


def test_a_loop_that_has_nothing_to_load_does_not_say_that_it_loads(run, monkeypatch):
    """It did for an instant in each cycle, which another thread saw now and then."""
    phases, take_load = [], SimulationLoop._take_load

    def watched(loop):
        phases.append(loop.phase)
        return take_load(loop)

    monkeypatch.setattr(SimulationLoop, "_take_load", watched)
    run(world_of(Counting()))
    wait_for(lambda: len(phases) > 20)
    assert set(phases) == {Phase.PLAYING}


def test_a_publication_that_fails_does_not_end_the_thread(run):
    world = world_of(Counting(), playing=False)
    loop, recorder = run(world)
    recorder.breaks = True
    wait_for(lambda: recorder.failures)
    assert "ValueError: no such topic" in recorder.failures[0]
    recorder.breaks = False
    loop.submit(World.reset).result(PATIENCE)
    wait_for(lambda: recorder.published and loop.phase is Phase.PAUSED)


def test_a_defect_in_a_command_fails_the_world_and_reaches_the_one_who_asked(run):
    loop, recorder = run(world_of(Counting(), playing=False))
    with pytest.raises(ZeroDivisionError):
        loop.submit(lambda w: 1 / 0).result(PATIENCE)
    wait_for(lambda: loop.phase is Phase.FAILED)
    assert "ZeroDivisionError" in recorder.failures[0]


# Long work


def test_paused_world_stands_still_and_can_be_stepped(run):
    world = world_of(Counting(), playing=False)
    loop, recorder = run(world)
    time.sleep(0.1)
    assert world.step == 0
    assert loop.advance(7).finished.result(PATIENCE) == 7
    assert (world.step, world.simulation.steps) == (7, 7)
    assert recorder.ticks[-1] == recorder.published[-1] == 7


def test_commands_are_carried_out_while_steps_are_made(run):
    loop, _ = run(world_of(Counting(), playing=False))
    stepping = loop.advance(10**12)
    first = loop.submit(lambda w: w.step).result(PATIENCE)
    wait_for(lambda: loop.submit(lambda w: w.step).result(PATIENCE) > first)
    with pytest.raises(BusyError, match="steps were requested"):
        loop.advance(1).finished.result(PATIENCE)
    stepping.cancel()
    done = stepping.finished.result(PATIENCE)
    assert 0 < done < 10**12
    assert loop.submit(lambda w: w.step).result(PATIENCE) == done


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
    with pytest.raises(WrongPhaseError, match="of 1000000000000 steps were completed"):
        stepping.finished.result(PATIENCE)


def test_running_world_is_not_stepped(run):
    loop, _ = run(world_of(Counting()))
    with pytest.raises(WrongPhaseError, match="pause it first"):
        loop.advance(1).finished.result(PATIENCE)


def test_of_descriptions_that_come_while_busy_the_last_one_wins(run):
    world = World()
    loop, _ = run(world)
    gate, loaded = threading.Event(), []

    def load(name):
        def loading(world):
            loaded.append(name)
            assert gate.wait(PATIENCE)
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
    loop, _ = in_first_step(run)
    assert not loop.stop()


def test_stopped_loop_is_gone(run):
    before = set(threading.enumerate())
    loop, _ = run(world_of(Counting()))
    (thread,) = set(threading.enumerate()) - before
    wait_for(loop.stop)
    assert loop.phase is Phase.QUITTING
    assert not thread.is_alive()
