# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Jacobians, mass matrices and inverse dynamics against the laws that they follow from, and against the solver."""

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UnknownJointError, UnknownLinkError

pytest.importorskip("warp", reason="warp-lang is not installed")

INERTIAL = '<inertial pos="0.05 -0.02 0.1" mass="{}" diaginertia="0.02 0.03 0.025" euler="20 10 40"/>'
TREE = """<mujoco><option gravity="0.3 -0.2 -9.81"/><worldbody>
<body name="trunk" pos="0 0 1"><freejoint/>{0}
  <body name="leg" pos="0.1 0.2 0" euler="10 20 30"><joint name="hip" axis="0 1 0.3" armature="0.05"/>{1}
    <body name="foot" pos="0 0 -0.4"><joint name="slide" type="slide" axis="0.2 0 1"/>{1}</body></body>
  <body name="arm" pos="0 -0.3 0.1"><joint name="ball" type="ball"/>{1}
    <body name="hand" pos="0.3 0 0"><joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0"/>{1}
      <body name="finger" pos="0.1 0 0"><joint name="a" axis="1 0 0"/><joint name="b" axis="0 1 0"/>
        <joint name="c" axis="0 0 1"/>{1}</body></body></body>
</body></worldbody></mujoco>""".format(INERTIAL.format(6), INERTIAL.format(1.5))
"""Every kind of joint: free, hinge, slide, ball, and two and three axes of one body."""


LINKS = ("trunk", "leg", "foot", "arm", "hand", "finger")

DRIFT = 3e-5
"""How far velocities of bodies may be from what joints let them have after some steps [m/s, rad/s]."""


def moving(text=TREE, seed=1, **options):
    """Build a robot somewhere in the middle of a motion."""
    options = {"dtype": "float64", "ground": False, "dt": 1e-3, **options}
    sim = it.Simulation(it.load_text(text), **options)
    numbers = np.random.default_rng(seed)
    sim.set_joint_positions({name: numbers.uniform(-0.5, 0.5) for name in sim.joint_names})
    if not sim.fixed_base:
        pose = it.Pose.from_xyz_rpy([0.3, 0.2, 1.5], [0.3, -0.4, 1.0])
        root = sim.free_roots[0]
        sim.set_body_state(root, pose.position, pose.quaternion, [0.5, -0.3, 0.2], [1.0, 2.0, -1.5])
    sim.set_joint_velocities({name: numbers.uniform(-3.0, 3.0) for name in sim.joint_names})
    return sim


def pushed(seed=1):
    """Build one whose balls and universal joints move too, as they cannot be set by name."""
    sim = moving(seed=seed)
    for name in ("arm", "hand", "finger"):
        sim.apply_wrench(name, (0.0, 0.0, 0.0), (3.0, -2.0, 1.5), duration=0.05)
    sim.step(50)
    return sim


@pytest.fixture(scope="module")
def robot():
    return pushed()


def speeds(sim, name):
    now = sim.snapshot()
    row = now.names.index(name)
    return np.concatenate([now.linear_velocities[row], now.angular_velocities[row]])


def test_degrees_of_freedom_are_named(robot):
    names = robot.dof_names
    assert names[:6] == ("trunk.x", "trunk.y", "trunk.z", "trunk.rx", "trunk.ry", "trunk.rz")
    assert len(names) == 6 + 1 + 1 + 3 + 2 + 3 == len(set(names))
    assert {"hip", "slide", "ball.0", "ball.2"} <= set(names)
    rates = dict(zip(names, robot.dof_velocities(), strict=True))
    for name, rate in robot.snapshot().joint_velocities.items():
        assert rates[name] == pytest.approx(rate, abs=1e-12)
    assert [rates[name] for name in names[:6]] == pytest.approx(speeds(robot, "trunk"), abs=1e-12)
    assert min(abs(rates[name]) for name in names if name.startswith(("ball", "yaw", "a"))) > 1e-2


@pytest.mark.parametrize("name", LINKS)
def test_a_jacobian_gives_the_velocity_of_a_link(robot, name):
    assert robot.jacobian(name) @ robot.dof_velocities() == pytest.approx(speeds(robot, name), abs=DRIFT)


def test_a_jacobian_is_the_derivative_of_forward_kinematics():
    sim, step, point = moving(), 1e-6, np.array([0.1, -0.2, 0.3])
    now = sim.snapshot().joint_positions
    columns = dict(zip(sim.dof_names, sim.jacobian("foot", point).T, strict=True))
    for name in ("hip", "slide"):
        ahead, back = (sim.forward_kinematics({name: now[name] + sign * step})["foot"] for sign in (1, -1))
        slope = (ahead.transform_points(point) - back.transform_points(point)) / (2.0 * step)
        assert columns[name][:3] == pytest.approx(slope, abs=1e-7)


def test_half_of_v_m_v_is_the_kinetic_energy(robot):
    rates, matrix = robot.dof_velocities(), robot.mass_matrix()
    assert 0.5 * rates @ matrix @ rates == pytest.approx(robot.snapshot().kinetic_energy, rel=DRIFT)
    assert matrix == pytest.approx(matrix.T, abs=1e-12)
    assert np.linalg.eigvalsh(matrix)[0] > 0.0


def test_rows_of_a_free_root_are_the_momentum(robot):
    now = robot.snapshot()
    linear, angular = robot.momentum(about=now.positions[now.names.index("trunk")])
    expected = robot.mass_matrix()[:6] @ robot.dof_velocities()
    assert np.concatenate([linear, angular]) == pytest.approx(expected, abs=10.0 * DRIFT)


def test_inverse_dynamics_is_linear_in_accelerations_by_the_mass_matrix(robot):
    acceleration = np.random.default_rng(2).normal(size=len(robot.dof_names))
    extra = robot.inverse_dynamics(acceleration) - robot.inverse_dynamics()
    assert extra == pytest.approx(robot.mass_matrix() @ acceleration, abs=1e-9)


def test_gravity_alone_makes_a_resting_body_fall():
    sim = moving()
    still = it.Simulation(sim.robot, dtype="float64", ground=False)
    efforts = still.inverse_dynamics({"trunk.x": 0.3, "trunk.y": -0.2, "trunk.z": -9.81})
    still.set_gravity((0.3, -0.2, -9.81))
    efforts = still.inverse_dynamics({"trunk.x": 0.3, "trunk.y": -0.2, "trunk.z": -9.81})
    assert efforts == pytest.approx(np.zeros(len(efforts)), abs=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_inverse_dynamics_of_what_the_solver_does_is_what_acts(seed):
    """Forward dynamics is the solver's: the mean acceleration of short steps around the present."""
    sim, efforts = pushed(seed), {"hip": 2.0, "slide": -3.0}
    fine = it.Simulation(sim.robot, dtype="float64", ground=False, dt=2e-5, substeps=1)
    for name in ("body_q", "body_qd", "joint_q"):
        getattr(fine.state, name).assign(getattr(sim.state, name))
    fine.set_joint_targets(efforts=efforts)
    fine.step(50)
    before = fine.dof_velocities()
    fine.step(25)
    middle = fine.clone()
    fine.step(25)
    acceleration = (fine.dof_velocities() - before) / 1e-3
    assert np.abs(acceleration).max() > 1.0
    acts = dict(zip(fine.dof_names, middle.inverse_dynamics(acceleration), strict=True))
    expected = {name: efforts.get(name, 0.0) for name in acts}
    weight = fine.weight
    assert weight > 100.0
    assert acts == pytest.approx(expected, abs=1e-4 * weight)


def test_a_bolted_arm_has_its_joints_alone():
    chain = urdf(
        link("base", mass(1) + tensor(0.1, 0.1, 0.1)),
        link("rod", f'<origin xyz="0.5 0 0"/>{mass(2)}{tensor(0.01, 0.2, 0.2)}'),
        joint("rod", origin="0 0 0").replace("0 0 1", "0 1 0"),
    )
    sim = it.Simulation(it.load_text(chain), dtype="float64", fixed_base=True, ground=False)
    assert sim.dof_names == ("rod_joint",)
    assert sim.mass_matrix() == pytest.approx(np.array([[0.2 + 2.0 * 0.25]]))
    assert sim.inverse_dynamics() == pytest.approx([-2.0 * 9.81 * 0.5])
    assert sim.inverse_dynamics({"rod_joint": 2.0}) == pytest.approx([-2.0 * 9.81 * 0.5 + 1.4])


def test_sums_over_bodies_are_those_of_their_parts(robot):
    total, parts = robot.centre_of_mass(), [robot.centre_of_mass([name]) for name in LINKS]
    weights = [6.0] + [1.5] * 5
    assert total == pytest.approx(np.average(parts, axis=0, weights=weights), abs=1e-12)
    linear, angular = robot.momentum(about=(1, 2, 3))
    one_by_one = [robot.momentum([name], about=(1, 2, 3)) for name in LINKS]
    assert linear == pytest.approx(sum(part for part, _ in one_by_one), abs=1e-9)
    assert angular == pytest.approx(sum(part for _, part in one_by_one), abs=1e-9)


def test_momentum_is_kept_where_nothing_acts():
    sim = moving()
    sim.set_gravity((0, 0, 0))
    before = sim.momentum(about=(0, 0, 0))
    sim.step(100)
    assert np.hstack(sim.momentum(about=(0, 0, 0))) == pytest.approx(np.hstack(before), abs=1e-6)


def test_forward_kinematics_moves_nothing_and_is_where_joints_go():
    sim = moving()
    before = sim.snapshot()
    there = sim.forward_kinematics({"hip": 0.7, "slide": -0.1})
    assert (sim.snapshot().positions == before.positions).all()
    sim.set_joint_positions({"hip": 0.7, "slide": -0.1})
    now = sim.snapshot()
    for row, name in enumerate(now.names):
        assert there[name].position == pytest.approx(now.positions[row], abs=1e-12)


def test_misuse_is_named(robot):
    with pytest.raises(UnknownLinkError):
        robot.jacobian("tail")
    with pytest.raises(OptionError, match="point"):
        robot.jacobian("leg", (1, 2))
    with pytest.raises(OptionError, match="accelerations"):
        robot.inverse_dynamics([1.0, 2.0])
    with pytest.raises(OptionError, match="hip"):
        robot.inverse_dynamics({"hop": 1.0})
    with pytest.raises(UnknownJointError):
        robot.forward_kinematics({"knee": 1.0})
    with pytest.raises(SimulationError, match="bodies without mass"):
        robot.centre_of_mass([])
