# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that sink down, on weak drives or none, touch the floor with thighs, feet and trunk at once.

Contacts stick and slide, press and let go, joints stick by dry friction and reach their limits, all in one substep:
whatever the passes make of it, energy may only fall.
"""

import numpy as np
import pytest
from robots import example_robots

import inertia_tools as it
from inertia_tools.sim.device import scratch
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.spatial import rotation_from_quaternion

BENT = {"thigh": 0.8, "calf": -1.6}
CROUCH = {f"{leg}_{part}_joint": angle for leg in ("FL", "FR", "RL", "RR") for part, angle in BENT.items()}
DRIVES = [(0.0, 0.0), (0.0, 1.0), (0.0, 5.0), (10.0, 1.0), (30.0, 0.3), (300.0, 5.0)]


@pytest.fixture(scope="module")
def go1() -> it.Description:
    folder = example_robots()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    return it.fix(it.load(folder / "go1_description/urdf/go1.urdf")).corrected


def without_friction(robot: it.Description) -> it.Description:
    text = robot.document.data.decode().replace('friction="0.2"', 'friction="0"')
    folder = example_robots()
    return it.load_text(text, base_dir=None if folder is None else folder / "go1_description/urdf")


@pytest.mark.sweep
@pytest.mark.parametrize("rubs", [True, False], ids=["dry friction", "none"])
@pytest.mark.parametrize(("stiffness", "damping"), DRIVES)
def test_a_robot_that_sinks_down_only_loses_energy(go1, stiffness, damping, rubs):
    robot = go1 if rubs else without_friction(go1)
    simulation = it.Simulation(robot, dtype="float64", iterations=3)
    simulation.set_joint_positions(CROUCH)
    simulation.hold(stiffness, damping)
    start = simulation.snapshot()
    for _ in range(80):
        simulation.step(6)
        now = simulation.snapshot()
        aside = np.array([now.joint_positions[name] - start.joint_positions[name] for name in simulation.joint_names])
        stored = 0.5 * stiffness * float(aside @ aside)
        total = now.kinetic_energy + now.potential_energy + stored
        assert total <= start.potential_energy + 1e-3
    assert now.kinetic_energy < 1.0


DROPPED = {
    "alex": "alex_description/urdf/alex_nub_hands.urdf",
    "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}


@pytest.mark.parametrize("name", DROPPED)
def test_a_robot_that_is_dropped_limp_is_not_thrown_about(name):
    """Many contacts set in at once, on arms and legs that are nearly straight: the first passes find no end there."""
    folder = example_robots()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    simulation = it.Simulation(it.fix(it.load(folder / DROPPED[name])).corrected, dtype="float64")
    simulation.lift(0.05)
    lowest = start = simulation.snapshot().potential_energy
    for _ in range(40):
        simulation.step(6)
        now = simulation.snapshot()
        lowest = min(lowest, now.kinetic_energy + now.potential_energy)
        assert now.kinetic_energy + now.potential_energy < lowest + 2e-3 * simulation.weight
    assert lowest < start


def test_contacts_that_there_is_no_room_for_are_told_of(monkeypatch):
    """Hulls with hundreds of corners, limbs that turn fast: more corners come near than touch."""
    folder = example_robots()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    robot = it.fix(it.load(folder / "bolt_description/robots/bolt.urdf")).corrected
    simulation = it.Simulation(robot)
    simulation.lift(0.05)
    simulation.step(360)
    shape = max((shape for shape in simulation.model.collision.shapes if shape.body >= 0), key=lambda s: s.body)
    q = simulation.state.body_q.numpy().astype(float)[shape.body]
    foot = shape.pose.transform_points(shape.convex.features) @ rotation_from_quaternion(q[3:]).T + q[:3]
    assert foot[:, 2].min() > -1e-3
    monkeypatch.setattr(scratch, "ROWS_OF_ONE_WORLD", 0)
    monkeypatch.setattr(scratch, "ROWS_OF_BODY", 1)
    monkeypatch.setattr(scratch, "ROWS_OF_FEATURE", 0)
    cramped = it.Simulation(robot)
    with pytest.warns(SceneWarning, match="more than 7 contacts"):
        cramped.step(10)
