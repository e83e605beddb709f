# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints, limits and drives, by their laws."""

import numpy as np
import pytest
from scipy.special import ellipk

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.builder import WORLD, ModelBuilder
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.spatial import Pose, rotation_from_quaternion

G = 9.81
ROD = np.diag([1e-4, 1 / 12, 1 / 12])  # a metre of rod along x, 1 kg


def rod(
    builder,
    parent=WORLD,
    anchor=(0.0, 0.0, 0.0),
    start=(0.0, 0.0, 0.0),
    axis=(0, 1, 0),
    kind=JointKind.REVOLUTE,
    **options,
):
    """Hang a rod by its near end."""
    body = builder.add_link(mass=1.0, inertia=ROD, com=(0.5, 0, 0), xform=Pose(np.array(start, dtype=float)))
    builder.add_joint(kind, parent, body, parent_xform=Pose(np.array(anchor, dtype=float)), axis=axis, **options)
    return body


def swing(scene, amplitude):
    """Return the period of a rod that swings about its end, measured between passages through the lowest point."""
    builder = ModelBuilder()
    down = Pose.from_xyz_rpy(rpy=[0, np.pi / 2, 0])
    turn = Pose.from_xyz_rpy(rpy=[0, amplitude, 0])
    body = builder.add_link(mass=1.0, inertia=ROD, com=(0.5, 0, 0), xform=turn @ down)
    builder.add_joint(JointKind.REVOLUTE, WORLD, body, parent_xform=down, axis=(0, 1, 0))
    run = scene(builder)
    crossings, last = [], amplitude
    for step in range(240 * 6):
        run.run(1 / 240)
        angle = run.joint_q[0]
        if last < 0.0 <= angle:
            crossings.append((step + last / (last - angle)) / 240)
        last = angle
    return np.diff(crossings).mean()


@pytest.mark.parametrize("amplitude", [0.05, 1.5])
def test_rod_swings_with_the_right_period(scene, amplitude):
    exact = 2 * np.pi * np.sqrt(2 / (3 * G)) * (2 / np.pi) * ellipk(np.sin(amplitude / 2) ** 2)
    assert swing(scene, amplitude) == pytest.approx(exact, rel=1e-4)


def test_double_pendulum_keeps_its_energy(scene):
    builder = ModelBuilder()
    first = rod(builder)
    rod(builder, first, anchor=(1, 0, 0), start=(1, 0, 0))
    run = scene(builder)
    before = run.energy()
    run.run(10.0)
    assert abs(run.energy() - before) < 0.03  # of a scale of 29.4 J


@pytest.mark.parametrize("kind", [JointKind.FIXED, JointKind.BALL, JointKind.PLANAR])
def test_joints_without_a_coordinate(scene, kind):
    builder = ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=ROD, com=(0.5, 0, 0))
    builder.add_joint(kind, WORLD, body, axis=(0, 0, 1))
    run = scene(builder).run(0.3)
    turn = rotation_from_quaternion(run.q[0, 3:])
    if kind is JointKind.FIXED:
        assert np.allclose(run.q[0], [0, 0, 0, 0, 0, 0, 1], atol=1e-6)
    elif kind is JointKind.BALL:
        assert np.allclose(run.q[0, :3], 0.0, atol=1e-6)
        assert turn[2, 0] < -0.1
    else:
        assert abs(run.q[0, 2]) < 1e-6
        assert turn[2, 2] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("iterations", [2, 10])
def test_drive_sags_by_torque_over_stiffness(scene, iterations):
    """Root of ke q = m g l cos q, whatever the number of passes."""
    builder = ModelBuilder()
    rod(builder)
    run = scene(builder, iterations=iterations)
    run.drive(stiffness=[100.0], damping=[20.0])
    run.run(4.0)
    q = run.joint_q[0]
    assert 100.0 * q == pytest.approx(G * 0.5 * np.cos(q), rel=1e-6)


def test_drive_steps_as_an_oscillator(scene):
    inertia, ke, kd = 0.5, 50.0, 2.0
    builder = ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=np.diag([inertia] * 3))
    builder.add_joint(JointKind.REVOLUTE, WORLD, body)
    run = scene(builder)
    run.drive(target=[1.0], stiffness=[ke], damping=[kd])
    run.run(0.5)
    decay, natural = kd / (2 * inertia), np.sqrt(ke / inertia)
    rate = np.sqrt(natural**2 - decay**2)
    exact = 1 - np.exp(-decay * 0.5) * (np.cos(rate * 0.5) + decay / rate * np.sin(rate * 0.5))
    assert run.joint_q[0] == pytest.approx(exact, abs=2e-3)


def test_drive_follows_a_velocity(scene):
    builder = ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=0.5 * np.eye(3))
    builder.add_joint(JointKind.REVOLUTE, WORLD, body, axis=(0, 0, 1))
    run = scene(builder)
    run.drive(target_rate=[2.0], damping=[50.0])
    run.run(3.0)
    assert run.qd[0, 5] == pytest.approx(2.0, rel=1e-6)
    assert run.joint_q[0] > np.pi  # turns are counted


@pytest.mark.parametrize("stiffness", [1e3, 1e8])
def test_stiff_drives_are_stable(scene, stiffness):
    builder = ModelBuilder()
    first = rod(builder)
    rod(builder, first, anchor=(1, 0, 0), start=(1, 0, 0))
    run = scene(builder)
    run.drive(stiffness=[stiffness] * 2, damping=[10.0] * 2)
    run.run(3.0)
    assert np.isfinite(run.q).all()
    assert abs(run.joint_q[0]) < 3 * 9.81 / stiffness * 1.5


def test_drive_lifts_off_a_limit(scene):
    builder = ModelBuilder()
    rod(builder, limit_upper=0.5)
    run = scene(builder)
    run.run(2.0)
    assert run.joint_q[0] == pytest.approx(0.5, abs=1e-6)
    run.drive(target=[-0.3], stiffness=[500.0], damping=[50.0])
    run.run(2.0)
    assert run.joint_q[0] == pytest.approx(-0.3, abs=0.02)


def test_effort_balances_gravity(scene):
    builder = ModelBuilder()
    rod(builder)
    run = scene(builder)
    run.drive(effort=[-G * 0.5])
    run.run(0.5)
    assert run.joint_q[0] == pytest.approx(0.0, abs=1e-3)


def test_damping_slows_a_joint(scene):
    builder = ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=0.5 * np.eye(3))
    builder.add_joint(JointKind.REVOLUTE, WORLD, body, axis=(0, 0, 1), damping=0.5)
    run = scene(builder)
    run.set_velocity(0, angular=(0, 0, 3.0))
    run.run(1.0)
    assert run.qd[0, 5] == pytest.approx(3.0 * np.exp(-1.0), rel=1e-3)


def test_a_second_joint_closes_a_loop_and_a_free_joint_is_the_first():
    builder = ModelBuilder()
    a, b, c = (builder.add_link(mass=1, inertia=np.eye(3), name=name) for name in "abc")
    builder.add_joint_fixed(a, b)
    builder.add_joint_fixed(b, a)
    builder.add_joint_fixed(WORLD, b)
    assert [joint.closes_loop for joint in builder.joints] == [False, True, True]
    builder.add_joint_free(c)
    builder.add_joint_fixed(WORLD, c)
    assert builder.joints[-1].closes_loop
    with pytest.raises(SimulationError, match="already the child of joint"):
        builder.add_joint_free(b)
    with pytest.raises(SimulationError, match="no body 7"):
        builder.add_joint_fixed(a, 7)
    with pytest.raises(SimulationError, match="to itself"):
        builder.add_joint_fixed(a, a)
    with pytest.raises(SimulationError, match="cable joints are not simulated"):
        builder.add_joint(JointKind.CABLE, WORLD, a)


def test_a_joint_of_a_free_body_moves_it_as_the_joint_of_a_link_does(scene):
    """The loop through its free joint has as many rows as the joint itself."""
    ends = []
    for is_free in (False, True):
        builder = ModelBuilder()
        add = builder.add_body if is_free else builder.add_link
        body = add(Pose(np.array([0.3, 0.0, 0.0])), mass=1.0, inertia=0.1 * np.eye(3))
        builder.add_joint_revolute(WORLD, body, child_xform=Pose(np.array([-0.3, 0.0, 0.0])), axis=(0, 1, 0))
        run = scene(builder)
        run.run(0.5)
        ends.append(run.q[0])
    assert np.linalg.norm(ends[0][:3] - [0.3, 0.0, 0.0]) > 0.2
    assert np.allclose(ends[0], ends[1], atol=1e-6)


def test_values_of_a_joint_are_as_many_as_it_has():
    builder = ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_custom_attribute(ModelBuilder.CustomAttribute("a", frequency="joint_dof", dtype="float32"))
    axes = [ModelBuilder.JointDofConfig(axis=axis) for axis in ("X", "Y")]
    with pytest.raises(OptionError, match="2 of them"):
        builder.add_joint_d6(WORLD, body, linear_axes=axes, custom_attributes={"a": [1.0, 2.0, 3.0]})
    assert builder.joint_count == 0 and not builder.custom_attributes["a"].values
    builder.add_joint_d6(WORLD, body, linear_axes=axes, custom_attributes={"a": [1.0, 2.0]})


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rate, substeps", [(15, 1), (30, 1), (60, 1), (60, 4)])
@pytest.mark.parametrize("seed", [0, 1])
def test_limp_chains_are_not_thrown_apart_by_coarse_steps(scene, seed, rate, substeps, dtype):
    """Six rods on hinges that point all ways swing; bodies that turn fast get more substeps than were asked for."""
    random = np.random.default_rng(seed)
    builder, at, before = ModelBuilder(), np.zeros(3), None
    for _ in range(6):
        way = random.normal(size=3)
        way *= random.uniform(0.15, 0.4) / np.linalg.norm(way)
        tensor = 0.5 / 12.0 * (way @ way * np.eye(3) - np.outer(way, way)) + 1e-4 * np.eye(3)
        body = builder.add_link(Pose(at.copy()), mass=0.5, com=0.5 * way, inertia=tensor)
        parent, place = (-1, Pose()) if before is None else (body - 1, Pose(before.copy()))
        builder.add_joint_revolute(parent, body, place, axis=tuple(random.normal(size=3)))
        at, before = at + way, way
    run = scene(builder, dtype=dtype, substeps=substeps, dt=1.0 / rate)
    start = run.energy()
    for _ in range(6 * rate):
        assert run.run(run.dt).energy() < start + 0.5 * 6 * 0.5 * 9.81 * 0.3
