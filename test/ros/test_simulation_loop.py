# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The loop that steps a simulation: pace, pauses, commands, pushes; on a simulation that only counts."""

from __future__ import annotations

import math
import threading
import time

import pytest

from inertia_tools.errors import InertiaToolsError, SimulationError
from inertia_tools.ros.simulation_loop import SimulationLoop, World

STEP = 4_000_000  # [ns]


class Counting:
    """Stands in for a simulation: counts what is asked of it."""

    def __init__(self):
        self.steps = 0
        self.holds = 0
        self.fails_at = math.inf

    def step(self, count):
        self.steps += count
        if self.steps >= self.fails_at:
            raise SimulationError("a position is not finite")

    def hold(self):
        self.holds += 1

    def reset(self):
        self.steps = 0


@pytest.fixture
def run():
    """Start a loop on a world; the loop ends with the test."""
    loops = []

    def start(world):
        published, failures = [], []
        loop = SimulationLoop(world, STEP, lambda w: published.append(w.step), failures.append)
        loops.append(loop)
        loop.start()
        return loop, published, failures

    yield start
    for loop in loops:
        loop.stop()


def wait_for(condition):
    deadline = time.monotonic() + 5.0
    while not condition():
        assert time.monotonic() < deadline, "not within 5 s"
        time.sleep(0.005)


def test_real_time_is_kept(run):
    world = World(Counting(), real_time_factor=2.0)
    loop, _, _ = run(world)
    first, began = loop.submit(lambda w: w.step).result(5), time.monotonic()
    time.sleep(0.5)
    last, ended = loop.submit(lambda w: w.step).result(5), time.monotonic()
    factor = (last - first) * STEP * 1e-9 / (ended - began)
    assert factor == pytest.approx(2.0, rel=0.2)


def test_factor_zero_does_not_wait(run):
    world = World(Counting(), real_time_factor=0.0)
    run(world)
    wait_for(lambda: world.step * STEP * 1e-9 > 20.0)


def test_publications_are_evenly_spaced(run):
    world = World(Counting(), real_time_factor=0.0, steps_per_publish=5)
    _, published, _ = run(world)
    wait_for(lambda: len(published) > 20)
    assert published[:20] == list(range(5, 105, 5))


def test_paused_world_stands_still_and_can_be_stepped(run):
    world = World(Counting(), playing=False)
    loop, _, _ = run(world)
    time.sleep(0.1)
    assert world.step == 0
    loop.submit(lambda w: w.advance(7)).result(5)
    assert (world.step, world.simulation.steps) == (7, 7)


def test_commands_run_in_one_thread_in_their_order(run):
    world = World(Counting(), playing=False)
    loop, _, _ = run(world)
    seen = []
    futures = [loop.submit(lambda w, n=n: seen.append((n, threading.get_ident()))) for n in range(50)]
    for future in futures:
        future.result(5)
    assert [number for number, _ in seen] == list(range(50))
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] != threading.get_ident()


def test_failure_of_a_command_reaches_the_one_who_asked(run):
    loop, _, _ = run(World(playing=True))
    with pytest.raises(InertiaToolsError, match="no robot description"):
        loop.submit(lambda w: w.advance(1)).result(5)
    assert loop.submit(lambda w: 42).result(5) == 42


def test_failing_step_pauses_and_says_why(run):
    simulation = Counting()
    simulation.fails_at = 8
    world = World(simulation, real_time_factor=0.0)
    loop, _, failures = run(world)
    wait_for(lambda: bool(failures))
    assert failures == ["a position is not finite"]
    assert not world.playing
    assert loop.submit(lambda w: w.step).result(5) >= 0  # the thread lives on


@pytest.mark.parametrize(("hold", "held"), [(True, 1), (False, 0)])
def test_reset_goes_back_to_the_start(hold, held):
    world = World(Counting(), hold_joints=hold)
    world.advance(5)
    world.reset()
    assert (world.step, world.simulation.steps, world.simulation.holds) == (0, 0, held)


def test_stopped_loop_is_gone(run):
    loop, _, _ = run(World(Counting()))
    loop.stop()
    assert "simulation" not in [thread.name for thread in threading.enumerate()]
