# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Who asks for a world is answered, whatever comes meanwhile: the loader with a loop whose turns the test makes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")

from robots import GOOD, link, urdf

from inertia_tools.description.load import load_text
from inertia_tools.errors import SimulationError
from inertia_tools.ros import command_queue, simulation_setup
from inertia_tools.ros.failures import BusyError
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.world_loader import WorldLoader

FIRST, SECOND = (urdf(link(name, GOOD)).replace('"r"', f'"{name}"') for name in ("first", "second"))


class Outputs:
    """Shows nothing."""

    def tick(self, world):
        pass

    look = sense = publish = tick


@pytest.fixture
def loop(monkeypatch):
    def load(world, what, settings, control):
        world.simulation = SimpleNamespace(names=("base",), joint_names=(), weight=1.0)

    monkeypatch.setattr(simulation_setup, "load", load)
    return SimulationLoop(World(), 1_000_000, Outputs())


@pytest.fixture
def loader(loop):
    settings = SimpleNamespace(device="cpu")
    log = SimpleNamespace(info=print, error=print)
    return WorldLoader(ModelSource("a topic"), settings, loop, lambda: None, log, lambda: None)


def turn(loop):
    loop._carry_out_load()
    loop._carry_out_commands()


def test_a_load_is_answered_with_the_name(loop, loader):
    loaded = loader.load(load_text(FIRST))
    turn(loop)
    assert loaded.result(0) == "first"


@pytest.mark.parametrize("by", ["a load", "a description"])
def test_a_load_that_is_overtaken_says_so(loop, loader, by):
    overtaken = loader.load(load_text(FIRST))
    if by == "a load":
        last = loader.load(load_text(SECOND))
    else:
        loader.receive(SECOND, "a topic")
    with pytest.raises(BusyError, match="a newer description was received"):
        overtaken.result(0)
    turn(loop)
    assert loader.name == "second"
    assert by == "a description" or last.result(0) == "second"


def test_a_load_after_which_another_is_loaded_at_once_says_so(loop, loader):
    """The second one comes while the first is loaded, and is loaded before anybody is answered."""
    overtaken = loader.load(load_text(FIRST))
    begin = loader._begin
    loader._begin = lambda world, what: (
        setattr(loader, "_begin", begin),
        loader.receive(SECOND, "a topic"),
        begin(world, what),
    )
    turn(loop)
    assert loader.name == "second"
    with pytest.raises(BusyError, match="another description was loaded"):
        overtaken.result(0)


def test_a_load_of_no_use_gets_its_error(loop, loader):
    loaded = loader.load([])
    turn(loop)
    with pytest.raises(SimulationError):
        loaded.result(0)


def test_a_load_is_answered_when_no_command_finds_room(loop, loader, monkeypatch):
    monkeypatch.setattr(command_queue, "CAPACITY", 0)
    loaded = loader.load(load_text(FIRST))
    turn(loop)
    with pytest.raises(BusyError, match="commands are waiting"):
        loaded.result(0)
