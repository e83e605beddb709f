# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What commands of the graph do to a world."""

from __future__ import annotations

import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")

from robots import GOOD, link, urdf

import inertia_tools as it
from inertia_tools.ros.simulation_world import NoWorldError, World, WrongPhaseError
from inertia_tools.sim.simulation import Entity

CUBE = it.load_text(urdf(link("cube", GOOD, '<box size="0.2 0.2 0.2"/>')))


def test_without_a_simulation_there_is_nothing_to_reset():
    with pytest.raises(NoWorldError):
        World().reset()


def test_a_reset_that_would_leave_nothing_changes_nothing():
    world = World()
    world.begin(it.Simulation([Entity("first", CUBE)], ground=False))
    for number in (1.0, 2.0):
        world.spawn(Entity(f"spawned_{number:g}", CUBE, it.Pose((number, 0.0, 0.0))), lambda simulation, joints: None)
    world.delete("first")
    world.advance(3)
    before = world.sound.snapshot()
    with pytest.raises(WrongPhaseError, match="reset only time and state"):
        world.reset(spawned=True)
    assert (world.step, len(world.sound.entities)) == (3, 2)
    assert (world.sound.snapshot().states == before.states).all()
    world.reset()
    assert world.step == 0
