# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Several joints of one body of MJCF in a simulation: read, set and driven by their own names, as in MuJoCo."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import UnknownJointError

CART = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="cart" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0" range="-2 2"/><joint name="pitch" axis="0 1 0"/>
    <joint name="roll" axis="1 0 0"/><geom size=".1"/><geom size=".05" pos=".3 .1 0"/>
    <body name="pole" pos="0 0 .5"><joint name="hinge" axis="0 1 0"/><geom size=".1" pos="0 0 .2"/></body></body>
</worldbody></mujoco>"""
POSITIONS = {"x": 0.5, "pitch": 0.3, "roll": -0.4, "hinge": -0.2}
RATES = {"x": 1.0, "pitch": -0.4, "roll": 0.7, "hinge": 0.3}


def cart(**options) -> it.Simulation:
    return it.Simulation(it.load_text(CART), ground=False, dtype="float64", gravity=(0, 0, 0), **options)


def test_each_joint_is_read_and_set_by_its_name():
    simulation = cart()
    assert simulation.joint_names == simulation.dof_names == tuple(POSITIONS)
    simulation.set_joint_positions(POSITIONS)
    simulation.set_joint_velocities(RATES)
    seen = simulation.snapshot()
    assert seen.joint_positions == pytest.approx(POSITIONS, abs=1e-12)
    assert seen.joint_velocities == pytest.approx(RATES, abs=1e-12)
    assert simulation.joint_limits["x"].upper == 2.0
    with pytest.raises(UnknownJointError):
        simulation.set_joint_positions({"x_pitch_roll": 0.1})


def test_they_move_as_in_mujoco(tmp_path, monkeypatch):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    monkeypatch.chdir(tmp_path)  # where it leaves its log
    simulation, model = cart(dt=1e-3), mujoco.MjModel.from_xml_string(CART)
    simulation.set_joint_positions(POSITIONS)
    simulation.set_joint_velocities(RATES)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = list(POSITIONS.values()), list(RATES.values())
    mujoco.mj_forward(model, data)
    seen = simulation.snapshot()
    for name in ("cart", "pole"):
        assert seen.positions[seen.names.index(name)] == pytest.approx(data.body(name).xpos, abs=1e-12)
    model.opt.timestep, model.opt.gravity[:] = 1e-4, 0.0
    simulation.step(200)
    mujoco.mj_step(model, data, nstep=2000)
    seen = simulation.snapshot()
    assert list(seen.joint_positions.values()) == pytest.approx(data.qpos.tolist(), abs=1e-3)
    assert list(seen.joint_velocities.values()) == pytest.approx(data.qvel.tolist(), abs=5e-3)


def test_they_are_held_and_driven():
    simulation = cart()
    simulation.set_joint_positions(POSITIONS)
    simulation.hold()
    simulation.set_joint_targets(positions={"x": 0.6, "roll": -0.5})
    simulation.step(480)
    assert simulation.snapshot().joint_positions == pytest.approx({**POSITIONS, "x": 0.6, "roll": -0.5}, abs=1e-2)


@pytest.mark.parametrize("name", POSITIONS)
def test_an_effort_acts_on_the_joint_that_it_is_set_of(name):
    simulation = cart(dt=1e-4)
    mass = simulation.mass_matrix()
    simulation.set_joint_targets(efforts={name: 1.0})
    simulation.step()
    effort = [float(one == name) for one in simulation.dof_names]
    rates = list(simulation.snapshot().joint_velocities.values())
    assert rates == pytest.approx((np.linalg.solve(mass, effort) * 1e-4).tolist(), rel=1e-3, abs=1e-8)


@pytest.mark.parametrize("lost", ["q", "qd"])
def test_rates_of_a_body_that_is_lost_are_no_numbers(lost):
    simulation = cart()
    motion = simulation.motion()
    getattr(motion, lost)[simulation.places["cart"].body] = np.nan
    observer, joint_q = simulation._built.kinematics.observer, simulation._built.state.joint_q.numpy()
    assert np.isnan(list(observer.snapshot(motion, joint_q, 0.0).joint_velocities.values())).all()
