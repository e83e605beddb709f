# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds: several robots and things that stay, in one simulation."""

from pathlib import Path

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.settle import settle

FALLING_BALL = Path(__file__).parents[3] / "examples/ball_falling_ground.sdf"
"""The world of SDFormat's page on inertial properties."""

BOX = """<inertial auto='true'/><collision name='c'><density>100</density>
  <geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>"""
FLOOR = """<model name='floor'><static>1</static><link name='f'><collision name='c'>
  <geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>"""


def world(*models: str) -> it.Description:
    return it.load_text(f"<sdf version='1.11'><world name='w'>{''.join(models)}</world></sdf>")


def boxes(name: str, pose: str, more: str = "") -> str:
    return f"<model name='{name}'><pose>{pose}</pose><link name='l'>{BOX}</link>{more}</model>"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_ball_of_the_page_comes_to_rest_on_the_box(dtype):
    simulation = it.Simulation(it.load(FALLING_BALL), dtype=dtype)
    assert simulation.free_roots == ("ball::link",)
    simulation.step(500)
    snapshot = simulation.snapshot()
    assert snapshot.positions[0] == pytest.approx([0, 0, 0.55], abs=1e-5)
    assert np.array_equal(snapshot.positions[1], [0, 0, 0])
    assert snapshot.kinetic_energy < 1e-9
    (contact,) = simulation.contacts()
    assert (contact.body_a, contact.body_b) == ("ball::link", "ground_box::flat_box")
    assert contact.forces.sum(axis=0) == pytest.approx([0, 0, 9.81], rel=1e-3, abs=1e-6)


def test_the_ball_falls_freely_until_it_lands():
    simulation = it.Simulation(it.load(FALLING_BALL), dtype="float64")
    simulation.step(240)
    assert simulation.snapshot().positions[0][2] == pytest.approx(10 - 9.81 / 2, abs=1e-9)


def test_the_drop_test_leaves_a_world_as_it_is_and_sees_it_rest():
    result = settle(it.load(FALLING_BALL))
    assert result.stands
    assert result.start.positions[0][2] == 10.0
    assert result.weight == pytest.approx(9.81)
    assert result.contact_force == pytest.approx(9.81, rel=1e-6)


def test_models_of_a_world_touch_each_other_and_carry_each_other():
    stack = world(FLOOR, boxes("lower", "0 0 0.1 0 0 0"), boxes("upper", "0 0 0.3 0 0 0"))
    simulation = it.Simulation(stack, dtype="float64")
    simulation.step(240)
    forces = {(c.body_a, c.body_b): c.forces.sum(axis=0)[2] for c in simulation.contacts()}
    assert forces["floor::f", "lower::l"] == pytest.approx(-2 * 0.8 * 9.81, rel=1e-4)
    assert forces["lower::l", "upper::l"] == pytest.approx(-0.8 * 9.81, rel=1e-4)
    assert settle(stack).contact_force == pytest.approx(2 * 0.8 * 9.81, rel=1e-4)


def test_a_world_without_ground_has_none():
    simulation = it.Simulation(world(boxes("a", "0 0 1 0 0 0")), dtype="float64")
    simulation.step(240)
    assert simulation.snapshot().positions[0][2] == pytest.approx(1 - 9.81 / 2, abs=1e-9)


def test_links_of_one_model_do_not_touch_each_other():
    two = boxes("a", "0 0 0.1 0 0 0", f"<link name='m'><pose>0.1 0 0 0 0 0</pose>{BOX}</link>")
    simulation = it.Simulation(world(FLOOR, two), dtype="float64")
    simulation.step(120)
    assert simulation.snapshot().positions[1:] == pytest.approx(np.array([[0, 0, 0.1], [0.1, 0, 0.1]]), abs=1e-6)


def test_robots_of_one_world_are_moved_one_by_one():
    arm = """<link name='tip'><pose>0 0 0.5 0 0 0</pose><inertial><mass>1</mass></inertial></link>
      <joint name='j' type='revolute'><parent>l</parent><child>tip</child><axis><xyz>1 0 0</xyz></axis></joint>"""
    simulation = it.Simulation(world(boxes("a", "0 0 2 0 0 0", arm), boxes("b", "3 0 2 0 0 0", arm)), gravity=(0, 0, 0))
    assert simulation.free_roots == ("a::l", "b::l")
    simulation.set_joint_positions({"a::j": 0.3})
    before = simulation.snapshot().positions
    simulation.set_body_state("b::l", (3, 1, 2), (0, 0, 0, 1), linear=(0, 0, 1))
    after = simulation.snapshot()
    assert after.positions[:2] == pytest.approx(before[:2], abs=1e-6)
    assert after.positions[2:] - before[2:] == pytest.approx(np.array([[0, 1, 0], [0, 1, 0]]), abs=1e-6)
    assert after.linear_velocities[:, 2] == pytest.approx([0, 0, 1, 1], abs=1e-6)
    assert after.joint_positions == pytest.approx({"a::j": 0.3, "b::j": 0.0})


def test_a_robot_keeps_the_attitude_of_its_file_and_stands_on_the_floor():
    lying = """<sdf version='1.11'><model name='m'><pose>0 0 7 1.5707963267948966 0 0</pose><link name='l'>
      <inertial auto='true'/><collision name='c'><geometry><box><size>0.1 0.2 0.6</size></box></geometry></collision>
      </link></model></sdf>"""
    result = settle(it.load_text(lying), drop=0.0)
    assert result.stands
    assert result.end.positions[0][2] == pytest.approx(0.1, abs=1e-6)


def test_a_free_body_of_an_mjcf_stands_on_the_floor_of_the_file():
    scene = """<mujoco><worldbody><geom type='plane' size='1 1 1' pos='0 0 0.5'/>
      <body pos='0 0 0.8'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"""
    simulation = it.Simulation(it.load_text(scene), dtype="float64")
    assert not simulation.fixed_base
    simulation.step(240)
    assert simulation.snapshot().positions[1] == pytest.approx([0, 0, 0.6], abs=1e-6)


def test_a_model_tells_how_many_worlds_it_has_however_they_were_added():
    alone = it.ModelBuilder()
    alone.add_body(mass=1.0, inertia=np.eye(3))
    assert alone.finalize().world_count == 1
    for count in (1, 2, 3):
        copied, added = it.ModelBuilder(), it.ModelBuilder()
        copied.replicate(alone, count)
        for _ in range(count):
            added.add_world(alone)
        added.add_body(mass=1.0, inertia=np.eye(3))
        assert copied.finalize().world_count == added.finalize().world_count == count


@pytest.mark.parametrize("value", ["x", None, [1.0], -1.0, float("nan")])
@pytest.mark.parametrize("name", ["seconds", "drop", "dt"])
def test_what_is_no_length_of_a_settle_test_is_refused_by_name(name, value):
    with pytest.raises(OptionError, match=rf"^{name} must be"):
        settle(it.load(FALLING_BALL), **{name: value})


def test_included_models_that_are_missing_are_named(caplog):
    lost = "<include><uri>model://gone</uri></include>"
    simulation = it.Simulation(world(boxes("left", "0 0 1 0 0 0"), lost))
    assert simulation.names == ("left::l",)
    assert "model://gone" in caplog.text


@pytest.mark.parametrize("kind", ["fixed", "ball"])
def test_what_is_the_parent_of_something_bolted_hangs_on_it(kind):
    """A joint holds both of its links, whichever is called the parent."""
    models = (
        f"<model name='post'><pose>0 0 2 0 0 0</pose><link name='l'>{BOX}</link>"
        "<joint name='bolt' type='fixed'><parent>world</parent><child>l</child></joint></model>",
        boxes("load", "0 0 1 0 0 0"),
        f"<joint name='held' type='{kind}'><parent>load::l</parent><child>post::l</child></joint>",
    )
    simulation = it.Simulation(world(*models), dtype="float64")
    simulation.step(200)
    assert dict(zip(simulation.names, simulation.snapshot().positions[:, 2], strict=True)) == pytest.approx(
        {"post::l": 2.0, "load::l": 1.0}, abs=1e-6
    )
