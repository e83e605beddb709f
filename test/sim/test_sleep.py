# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sleep: what lies still is not stepped, and is as it would be; whatever acts on it wakes it."""

import numpy as np
import pytest
from scenes import DT, Scene, add_box, pendulum

import inertia_tools as it
from inertia_tools.sim.step.sleep import REST

G = 9.81


def resting(sleep=True, joint=False, height=0.0, **options):
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.1 + height))
    add_box(builder, 2.0, 0.1, (0.01, 0.0, 0.3 + height))
    if joint:
        arm = builder.add_link(it.Pose(np.array([2.0, 0.0, 1.0])), mass=1.0, inertia=0.1 * np.eye(3))
        builder.add_joint_revolute(-1, arm, it.Pose(np.array([2.0, 0.0, 1.0])), axis=(0.0, 1.0, 0.0), damping=0.1)
    builder.add_ground_plane()
    scene = Scene(builder, **options)
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=4, sleep=sleep)
    return scene


def asleep(**options):
    scene = resting(**options).run(REST + 10 * DT)
    assert scene.solver.is_asleep
    return scene


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_scene_that_lies_still_sleeps_where_it_is_and_keeps_its_forces(dtype):
    scene = asleep(dtype=dtype)
    q, force = scene.q, scene.force_on(0, -1)
    scene.run(1.0)
    assert scene.solver.is_asleep
    assert np.array_equal(scene.q, q)
    assert np.array_equal(scene.force_on(0, -1), force)
    assert force[2] == pytest.approx(3.0 * G, rel=1e-4)


def test_scene_that_falls_is_what_it_is_without_sleep_to_the_bit_until_it_sleeps():
    one, other = resting(height=0.3), resting(sleep=False, height=0.3)
    while not one.solver.is_asleep:
        one.run(DT)
        other.run(DT)
        assert np.array_equal(one.q, other.q)
    assert np.abs(other.run(1.0).q - one.run(1.0).q).max() < 1e-4


def test_two_states_in_turn_sleep_as_one_does():
    scene = asleep()
    second = scene.model.state()
    scene.solver.step(scene.state, second, scene.control, scene.contacts, DT)
    assert scene.solver.is_asleep
    assert np.array_equal(second.body_q.numpy(), scene.q)
    second.body_qd.assign(np.array([[0.0] * 6, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))
    scene.solver.step(second, scene.state, scene.control, scene.contacts, DT)
    assert not scene.solver.is_asleep


def push(scene):
    f = scene.state.body_f.numpy()
    f[1] = [40.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    scene.state.body_f.assign(f)


def turn_gravity(scene):
    scene.model.gravity = np.array([6.0, 0.0, -8.0])
    scene.solver.notify_model_changed(it.SolverNotifyFlags.MODEL_PROPERTIES)


def drive(scene):
    scene.set_drive(effort={2: 1.0})


def stiffen(scene):
    scene.set_drive(stiffness={2: 10.0}, target={2: 1.0})


def lift(scene):
    q = scene.q
    q[1, 2] += 0.1
    scene.state.body_q.assign(q)


@pytest.mark.parametrize("act", [push, turn_gravity, drive, stiffen, lift])
def test_whatever_acts_wakes(act):
    scene = asleep(joint=True)
    q = scene.q
    act(scene)
    scene.run(20 * DT)
    assert not scene.solver.is_asleep
    assert np.abs(scene.q - q).max() > 1e-3


def test_a_load_that_changes_all_the_time_keeps_a_scene_awake():
    scene = resting()
    for step in range(200):
        f = scene.state.body_f.numpy()
        f[1, 2] = -1.0 - 0.01 * (step % 2)
        scene.state.body_f.assign(f)
        scene.run(DT)
    assert not scene.solver.is_asleep


def test_what_swings_does_not_sleep():
    scene = Scene(pendulum(angle=0.01))
    scene.solver = it.SolverXPBD(scene.model, substeps=4, sleep=True)
    for _ in range(480):
        scene.run(DT)
        assert not scene.solver.is_asleep


def test_simulation_sleeps_and_its_time_passes():
    robot = it.load_text(
        "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' "
        "iyz='0'/></inertial><collision><geometry><box size='.2 .2 .2'/></geometry></collision></link></robot>"
    )
    simulation = it.Simulation(robot, sleep=True, dtype="float64")
    simulation.step(400)
    before = simulation.snapshot()
    simulation.step(100)
    assert simulation.time == pytest.approx(500 / 240)
    assert np.array_equal(simulation.snapshot().positions, before.positions)
    simulation.apply_wrench("l", (0.0, 0.0, 20.0), duration=0.2)
    simulation.step(48)
    assert simulation.snapshot().positions[0][2] > before.positions[0][2] + 0.1


@pytest.mark.parametrize("step", [4, 5, 6])
@pytest.mark.parametrize("change", ["gravity", "push", "mass"])
@pytest.mark.parametrize("substeps", [1, 4])
def test_contact_force_of_what_comes_to_rest_is_of_all_that_acts(change, step, substeps):
    """A load that set in during the step after which the box counted as at rest was reported with its mean for good."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    box = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.1])))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1, cfg=it.ShapeConfig(density=250.0))
    scene = Scene(builder, "float64", substeps, dt=1 / 60)
    mass, gravity, push = 2.0, G, 0.0
    for i in range(40):
        if i == step and change == "gravity":
            gravity = 3.0
            scene.model.set_gravity((0.0, 0.0, -gravity))
        elif i == step and change == "mass":
            mass = 6.0
            scene.model.body_mass.assign(np.array([mass]))
            scene.solver.notify_model_changed(it.ModelFlags.BODY_INERTIAL_PROPERTIES)
        elif i == step:
            push = 30.0
            scene.state.body_f.assign(np.array([[0.0, 0.0, -push, 0.0, 0.0, 0.0]]))
        scene.run(1 / 60)
    assert scene.force_on(box, -1)[2] == pytest.approx(mass * gravity + push, rel=1e-9)
