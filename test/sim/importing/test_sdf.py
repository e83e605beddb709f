# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""SDFormat models in a scene: inertials in force, joints with frames of their own, and what is refused."""

import math

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import SimulationError

BOX = "<collision name='c'><pose>0 0 {z} 0 0 0</pose><density>100</density><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>"
LOST = "<collision name='d'><geometry><mesh><uri>nowhere.stl</uri></mesh></geometry></collision>"
AUTO = "<inertial auto='true'/>"


def model(body: str) -> it.Description:
    return it.load_text(f"<sdf version='1.11'><model name='m'>{body}</model></sdf>")


def test_automatic_inertials_are_in_force():
    builder = it.ModelBuilder()
    builder.add_description(model(f"<link name='l'>{AUTO}{BOX.format(z=0)}</link>"))
    assert builder.body_mass == [pytest.approx(0.8)]


def test_an_automatic_inertial_that_comes_to_nothing_is_a_finding():
    """The link weighed 1 kg without a word."""
    robot, lost = model(f"<link name='l'>{AUTO}</link>"), model(f"<link name='l'>{AUTO}{BOX.format(z=0)}{LOST}</link>")
    for adds in (it.ModelBuilder.add_sdf, it.ModelBuilder.add_description):
        assert [one.code for one in adds(it.ModelBuilder(), robot).findings] == ["auto-without-collision"]
    assert "auto-incomplete" in {one.code for one in it.ModelBuilder().add_sdf(lost).findings}
    ignoring = it.ModelBuilder().add_sdf(robot, ignore_inertial_definitions=True)
    assert "auto-without-collision" not in {one.code for one in ignoring.findings}


def test_a_pendulum_swings_about_the_frame_of_its_joint():
    """A bar hung at its end, its link's origin elsewhere, has the period of a physical pendulum."""
    robot = model(f"""<link name='base'/><joint name='hold' type='fixed'><parent>world</parent><child>base</child></joint>
      <link name='bob'><pose>0 0 3 0 0 0</pose>{AUTO}{BOX.format(z=-1)}</link>
      <joint name='j' type='revolute'><pose>0 0 1 0 0 0</pose><parent>base</parent><child>bob</child>
        <axis><xyz>0 1 0</xyz></axis></joint>""")
    simulation = it.Simulation(robot, ground=False, dtype="float64", substeps=8)
    assert simulation.fixed_base
    simulation.set_joint_positions({"j": 0.05})
    mass, arm = 0.8, 2.0
    about_hinge = mass * (0.2**2 / 6 + arm**2)
    quarter = 0.5 * math.pi * math.sqrt(about_hinge / (mass * 9.81 * arm))
    while simulation.snapshot().joint_positions["j"] > 0.0:
        simulation.step()
    assert simulation.time == pytest.approx(quarter, rel=5e-3)
    hinge = np.array([0, 0, 4])
    place = simulation.snapshot().positions[list(simulation.names).index("bob")]
    assert np.linalg.norm(place - hinge) == pytest.approx(1.0, abs=1e-4)


def test_a_root_hangs_on_the_world():
    """A bar on a hinge to the world swings with the period of a physical pendulum."""
    robot = model(f"""<link name='bob'><pose>1 2 5 0 0 0</pose>{AUTO}{BOX.format(z=-1)}</link>
      <joint name='j' type='revolute'><parent>world</parent><child>bob</child><axis><xyz>0 1 0</xyz></axis></joint>""")
    simulation = it.Simulation(robot, dtype="float64", substeps=8)
    assert simulation.fixed_base
    assert simulation.free_roots == ()
    assert simulation.weight == pytest.approx(0.8 * 9.81)
    simulation.set_joint_positions({"j": 0.05})
    about_hinge = 0.8 * (0.2**2 / 6 + 1.0)
    quarter = 0.5 * math.pi * math.sqrt(about_hinge / (0.8 * 9.81))
    while simulation.snapshot().joint_positions["j"] > 0.0:
        simulation.step()
    assert simulation.time == pytest.approx(quarter, rel=5e-3)
    assert np.allclose(simulation.snapshot().positions[0], (1, 2, 5), atol=1e-9)
    rate = math.sqrt(2 * 0.8 * 9.81 * (1 - math.cos(0.05)) / about_hinge)
    assert simulation.snapshot().joint_velocities["j"] == pytest.approx(-rate, rel=1e-2)


def test_what_is_not_simulated_is_refused():
    gears = "<link name='a'/><link name='b'/><joint name='j' type='gearbox'><parent>a</parent><child>b</child></joint>"
    with pytest.raises(SimulationError, match="gearbox"):
        it.Simulation(model(gears))


def surface(inside: str) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    shape = f"<collision name='c'><geometry><sphere><radius>.1</radius></sphere></geometry>{inside}</collision>"
    builder.add_description(model(f"<link name='l'>{AUTO}{shape}</link>"))
    return builder


def test_surfaces_state_friction_and_restitution():
    builder = surface("""<surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode>
      <torsional><coefficient>0.5</coefficient><patch_radius>0.02</patch_radius></torsional></friction>
      <bounce><restitution_coefficient>0.8</restitution_coefficient></bounce></surface>""")
    config = builder.shapes[0].config
    assert (config.mu, config.restitution) == (0.3, 0.8)
    assert config.mu_torsional == pytest.approx(3.0 * math.pi / 16.0 * 0.5 * 0.02)


@pytest.mark.parametrize(
    "inside", ["", "<surface/>", "<surface><friction><ode><mu>much</mu></ode></friction></surface>",
               "<surface><friction><ode><mu>-1</mu></ode></friction></surface>"],
)  # fmt: skip
def test_surfaces_that_state_nothing_usable_leave_the_material_of_the_scene(inside):
    config, given = surface(inside).shapes[0].config, it.ShapeConfig()
    assert (config.mu, config.mu_torsional, config.restitution) == (given.mu, given.mu_torsional, given.restitution)


@pytest.mark.parametrize("asked", [True, False])
def test_a_ball_bounces_as_its_file_says_where_it_is_asked_to(asked):
    robot = model(f"""<pose>0 0 1 0 0 0</pose><link name='l'>{AUTO}<collision name='c'>
      <geometry><sphere><radius>.1</radius></sphere></geometry>
      <surface><bounce><restitution_coefficient>1</restitution_coefficient></bounce></surface></collision></link>""")
    simulation = it.Simulation(robot, dtype="float64", enable_restitution=asked)
    simulation.lift(0.5)
    heights = []
    for _ in range(220):
        simulation.step()
        heights.append(simulation.snapshot().positions[0][2] - 0.1)
    assert max(heights[100:]) == pytest.approx(0.125 if asked else 0.0, abs=2e-3)  # the mean of 1 and the floor's 0
