# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Substeps and steps that change their length change nothing else."""

from itertools import pairwise

import numpy as np
import pytest
from scenes import G, Scene, add_box

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion, rotation_from_rpy

LENGTHS = (1 / 60, 1 / 240, 1 / 90, 1 / 480, 1 / 60, 1 / 60, 1 / 30)
"""Steps of a scene in turn [s]."""


def at(x=0.0, y=0.0, z=0.0):
    return it.Pose(np.array([x, y, z], dtype=float))


def step(scene, dt):
    scene.solver.step(scene.state, scene.state, scene.control, scene.contacts, dt)


def rods(count=3, angle=2.0, **options):
    """Rods of 0.3 m on hinges one below the other, the first turned from straight down."""
    builder = it.ModelBuilder()
    pose, before = it.Pose.from_xyz_rpy(rpy=[0.0, angle, 0.0]), -1
    for index in range(count):
        body = builder.add_link(
            pose @ at(z=-0.3 * index), mass=0.5, com=(0, 0, -0.15), inertia=np.diag([4e-3, 4e-3, 1e-4])
        )
        parent = pose if index == 0 else at(z=-0.3)
        builder.add_joint_revolute(before, body, parent, axis=(0, 1, 0), **options)
        before = body
    return builder


def tip(scene):
    return scene.q[-1, [0, 2]]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_free_fall_is_exact_whatever_the_lengths_of_steps(dtype):
    builder = it.ModelBuilder()
    builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    scene, time = Scene(builder, dtype=dtype, substeps=1), 0.0
    scene.set_velocity(0, linear=(1.0, 0.0, 2.0))
    for dt in 3 * LENGTHS:
        step(scene, dt)
        time += dt
        exact = [time, 0.0, 2.0 * time - 0.5 * G * time**2]
        assert scene.q[0, :3] == pytest.approx(exact, abs=1e-12 if dtype == "float64" else 1e-6)
        assert scene.qd[0, 2] == pytest.approx(2.0 - G * time, abs=1e-12 if dtype == "float64" else 1e-5)


def test_what_rests_weighs_the_same_whatever_the_lengths_of_steps():
    builder = it.ModelBuilder()
    add_box(builder, 2.0, 0.1, (0.0, 0.0, 0.1))
    builder.add_ground_plane()
    scene = Scene(builder, substeps=1, dt=1 / 60).run(0.1)
    for dt in 2 * LENGTHS:
        step(scene, dt)
        assert scene.force_on(0, -1) == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-8)
    assert np.abs(scene.qd).max() < 1e-12


@pytest.mark.parametrize("drive", [{"target_ke": 200.0, "target_kd": 5.0}, {"stiffness": 200.0, "damping": 5.0}])
def test_what_a_drive_holds_stays_where_it_is_whatever_the_lengths_of_steps(drive):
    scene = Scene(rods(1, angle=1.0, **drive), substeps=1, dt=1 / 60).run(5.0)
    q = scene.state.joint_q.numpy()[0]
    assert 200.0 * q == pytest.approx(-0.5 * G * 0.15 * np.sin(1.0 + q), rel=1e-9)
    for dt in LENGTHS:
        step(scene, dt)
        assert scene.state.joint_q.numpy()[0] == pytest.approx(q, abs=1e-10)


@pytest.mark.parametrize("pattern", [(1,), (1, 2, 4, 1), (4, 1, 1, 2, 8)])
def test_the_error_falls_with_the_square_of_the_lengths_of_steps(pattern):
    """Three limp rods for half a second, in steps whose lengths go as the pattern."""

    def end(unit):
        scene, k = Scene(rods(), substeps=1), 0
        scene.solver = it.SolverXPBD(scene.model, substeps=1, joint_turn_limit=np.inf)
        total, done = round(0.48 / unit), 0
        while done < total:
            length = min(pattern[k % len(pattern)], total - done)
            step(scene, length * unit)
            done += length
            k += 1
        return tip(scene)

    exact = end(1 / 12800)
    errors = [np.linalg.norm(end(unit) - exact) for unit in (1 / 400, 1 / 800, 1 / 1600)]
    assert errors[0] < 0.02
    for coarse, fine in pairwise(errors):
        assert coarse / fine > 3.0


@pytest.mark.parametrize("rate", [30, 60, 240])
def test_substeps_that_are_halved_keep_a_chain_on_its_course(rate):
    """A chain that turns at up to 30 rad/s is as far off after a second as substeps of its fastest moments make it."""
    exact = Scene(rods(5, angle=1.5), substeps=200, dt=1 / 60).run(1.0)
    scene = Scene(rods(5, angle=1.5), substeps=1, dt=1 / rate).run(1.0)
    assert np.linalg.norm(tip(scene) - tip(exact)) < 0.01 * 1.5


def test_islands_choose_their_lengths_for_themselves():
    """A hinge that spins beside a slow pendulum changes nothing of it, bit by bit."""
    ends = []
    for spins in (False, True):
        builder = rods(2, angle=0.3)
        if spins:
            body = builder.add_link(at(x=5.0), mass=1.0, inertia=0.01 * np.eye(3))
            builder.add_joint_revolute(-1, body, at(x=5.0), axis=(0, 0, 1))
        scene = Scene(builder, substeps=1, dt=1 / 240)
        if spins:
            scene.set_velocity(2, angular=(0, 0, 200.0))
        ends.append(scene.run(0.5).q[:2])
    assert np.array_equal(*ends)


def gyroscope(speed):
    """A wheel of 1 kg on an arm of 0.2 m that turns about a vertical and a level axis, its axle along the arm."""
    builder = it.ModelBuilder()
    yaw = builder.add_link(mass=1e-3, inertia=1e-6 * np.eye(3))
    arm = builder.add_link(mass=1e-3, inertia=1e-6 * np.eye(3))
    wheel = builder.add_link(at(x=0.2), mass=1.0, inertia=np.diag([5e-3, 2.5e-3, 2.5e-3]))
    builder.add_joint_revolute(-1, yaw, axis=(0, 0, 1))
    builder.add_joint_revolute(yaw, arm, axis=(0, 1, 0))
    builder.add_joint_revolute(arm, wheel, at(x=0.2), axis=(1, 0, 0))
    scene = Scene(builder, substeps=1, dt=1 / 240)
    precession = 0.2 * G / (5e-3 * speed)
    for body in (yaw, arm):
        scene.set_velocity(body, angular=(0, 0, precession))
    scene.set_velocity(wheel, linear=(0, 0.2 * precession, 0), angular=(speed, 0, precession))
    return scene, wheel, precession


@pytest.mark.parametrize("speed", [200.0, 1000.0])
def test_a_gyroscope_precesses_whatever_it_turns_by_in_a_step(speed):
    """Its wheel turns by up to four radians in one; it precesses at m g l / (I w)."""
    scene, wheel, precession = gyroscope(speed)
    scene.run(1.0)
    assert scene.state.joint_q.numpy()[0] == pytest.approx(precession, rel=1e-4)
    assert abs(scene.state.joint_q.numpy()[1]) < 1e-3
    assert scene.state.data.h_last.numpy()[wheel] <= 0.1 / speed


def lasting_rise(halves, count, dt, substeps, dtype, seed):
    """How far the energy of boxes that are dropped rises for three frames, of the start's; one frame may misread it."""
    rng, builder = np.random.default_rng(seed), it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.6))
    for index in range(count):
        turn = rng.normal(size=4)
        pose = it.Pose(np.array([*rng.uniform(-0.02, 0.02, 2), 0.25 + 0.2 * index]))
        turned = it.Pose(pose.position, rotation_from_quaternion(turn / np.linalg.norm(turn)))
        hx, hy, hz = halves
        builder.add_shape_box(builder.add_link(turned), hx=hx, hy=hy, hz=hz, cfg=it.ShapeConfig(mu=0.6, density=1000.0))
    scene = Scene(builder, dtype=dtype, dt=dt, substeps=substeps)
    energy = [scene.energy()]
    for _ in range(round(1.2 / dt)):
        energy.append(scene.run(dt).energy())
    found = np.array(energy) / energy[0]
    least = np.minimum.accumulate(np.maximum(found[:-1], found[1:]))[:-3]
    return (np.min([found[2:-2], found[3:-1], found[4:]], axis=0) - least).max()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 60, 4), (1 / 240, 1)])
@pytest.mark.parametrize(
    "halves", [(0.09, 0.005, 0.005), (0.1, 0.0025, 0.0025), (0.1, 0.025, 0.0025), (0.1, 0.1, 0.01)]
)
def test_thin_bodies_that_are_dropped_gain_no_energy(halves, dt, substeps, dtype):
    for count, seed in ((1, 0), (1, 9), (6, 1)):
        assert lasting_rise(halves, count, dt, substeps, dtype, seed) < 0.04


def test_what_turns_about_its_round_axis_needs_no_shorter_substeps():
    """A ball that spins and rolls on the floor at 200 rad/s does so in the substeps that are asked for."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(at(z=0.1))
    builder.add_shape_sphere(body, radius=0.1)
    scene = Scene(builder, substeps=1, dt=1 / 60)
    scene.set_velocity(body, linear=(20.0, 0, 0), angular=(0, 200.0, 50.0))
    scene.run(0.5)
    assert scene.state.data.h_last.numpy()[body] == pytest.approx(1 / 60)


def limp_chain(random):
    """Rods of 0.3 m one after the other, on hinges and balls at random, that spin easily about their axes."""
    builder, before, last, end, turn = it.ModelBuilder(), -1, it.Pose(), np.zeros(3), np.eye(3)
    for _ in range(random.integers(2, 7)):
        turn = turn @ rotation_from_rpy(random.uniform(-1.5, 1.5, 3))
        pose = it.Pose(end + turn @ [0.15, 0.0, 0.0], turn)
        mass = 10.0 ** random.uniform(-0.5, 0.5)
        body = builder.add_link(pose, mass=mass, inertia=np.diag([5e-4, 7.5e-3 * mass, 7.5e-3 * mass]))
        is_ball = random.integers(3) == 2
        joint = it.Pose(end, turn if is_ball else turn @ rotation_from_rpy(random.uniform(-1.0, 1.0, 3)))
        places = (before, body, last.inverse() @ joint, pose.inverse() @ joint)
        if is_ball:
            builder.add_joint_ball(*places)
        else:
            builder.add_joint_revolute(*places, axis=(0, 0, 1))
        before, last, end = body, pose, end + turn @ [0.3, 0.0, 0.0]
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("dt", [1 / 5, 1 / 15, 1 / 30])
@pytest.mark.parametrize("seed", [3, 13, 15, 20, 58])
def test_limp_chains_gain_next_to_nothing_in_long_steps(seed, dt, dtype):
    """One gained 2 m g L, in the first substep, whose acceleration was unknown; one 4.7, its rods at 500 rad/s."""
    scene = Scene(limp_chain(np.random.default_rng(seed)), dtype, substeps=1, dt=dt)
    start = scene.energy()
    energies = [scene.run(dt).energy() for _ in range(round(6.0 / dt))]
    lasting = np.minimum(energies[1:], energies[:-1])
    assert lasting.max() - start < 0.05 * scene.model.body_mass.numpy().sum() * G * 0.3


def hanging_chain(random):
    """Rods of 0.3 m that hang one below the other, on hinges about any axes."""
    builder, before, turn = it.ModelBuilder(), -1, rotation_from_rpy((0.0, np.pi / 2, 0.0))
    for index in range(random.integers(2, 5)):
        mass = 10.0 ** random.uniform(-0.5, 0.5)
        pose = it.Pose([0.0, 0.0, -0.3 * index - 0.15], turn)
        body = builder.add_link(pose, mass=mass, inertia=np.diag([5e-4, 7.5e-3 * mass, 7.5e-3 * mass]))
        end = it.Pose((0.0, 0.0, 0.0), turn) if index == 0 else at(0.15)
        builder.add_joint_revolute(before, body, end, at(-0.15), axis=tuple(random.normal(size=3)))
        before = body
    return builder


def test_an_effort_that_sets_in_does_work_on_a_limp_chain():
    """No rate tells how far it turns a light rod in the first long substep: the energy was off by up to 0.17 m g L."""
    errors, dt, effort = [], 1 / 15, 0.3
    for seed in range(10):
        scene = Scene(hanging_chain(np.random.default_rng(seed)), substeps=1, dt=dt).run(1.0)
        start, angle = scene.energy(), scene.state.joint_q.numpy()[-1]
        efforts = np.zeros(scene.model.body_count)
        efforts[-1] = effort
        scene.control.joint_f.assign(efforts)
        work = effort * (scene.run(dt).state.joint_q.numpy()[-1] - angle)
        errors.append(abs(scene.energy() - start - work) / (scene.model.body_mass.numpy().sum() * G * 0.3))
    assert max(errors) < 2e-3
