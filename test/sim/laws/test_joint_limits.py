# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Positions and targets beyond the limits of a joint, and limits of effort and velocity that a file states."""

import numpy as np
import pytest
import scenes

import inertia_tools as it

STEPS = [1 / 60, 1 / 240, 1 / 1000]
DTYPES = ["float64", "float32"]
UPPER, INERTIA = 0.5, 1.0 / 3.0
RECOVERY = 0.3
"""Speed at which a joint comes back from beyond a limit, as docs/xpbd.md has it [rad/s]."""


def free_rod(beyond, slides=False, **joint):
    """A body without weight on a joint that is so far beyond its upper limit."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    start = it.Pose(np.array([0, 0, UPPER + beyond]))
    if not slides:
        start = it.Pose(rotation=scenes.rotation_from_rpy([0, 0, UPPER + beyond]))
    body = builder.add_link(mass=INERTIA, inertia=INERTIA * np.eye(3), xform=start)
    add = builder.add_joint_prismatic if slides else builder.add_joint_revolute
    add(-1, body, axis=(0, 0, 1), **{"limit_lower": -1.0, "limit_upper": UPPER, **joint})
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("beyond", [1e-4, 0.0576, 0.4])
def test_a_start_beyond_a_limit_comes_back_at_a_bounded_speed(beyond, slides, dt, dtype):
    scene, fastest = scenes.Scene(free_rod(beyond, slides), dtype, dt=dt), 0.0
    for _ in range(round(0.2 / dt)):
        fastest = max(fastest, np.abs(scene.run(dt).qd).max())
    speed = min(RECOVERY, beyond / 0.02)
    assert fastest == pytest.approx(speed, rel=0.02, abs=5e-4)
    assert scene.state.joint_q.numpy()[0] == pytest.approx(UPPER + beyond - 0.2 * speed, abs=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_the_rate_that_is_read_at_a_limit_is_not_turned_round(damping, substeps, dt, dtype):
    """A stop acts for no longer than the substep, or the two, in which it takes the joint to rest."""
    scene = scenes.Scene(free_rod(-0.2, damping=damping), dtype, dt=dt, substeps=substeps)
    scene.set_velocity(0, angular=(0, 0, 3.0))
    rates = [float(scene.run(dt).state.joint_qd.numpy()[0]) for _ in range(round(0.1 / dt))]
    assert min(rates) > -1e-4
    assert max(rates) < 3.0 + 1e-4
    assert scene.state.joint_q.numpy()[0] == pytest.approx(UPPER, abs=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("held", [{"target_ke": np.inf, "target_pos": UPPER + 0.0576}, {"limit_lower": UPPER}])
def test_what_is_held_at_a_limit_comes_back_to_it_and_stops(held, dt, dtype):
    scene = scenes.Scene(free_rod(0.0576, **held), dtype, dt=dt)
    before, fastest = 0.0, 0.0
    for _ in range(round(0.6 / dt)):
        fastest = max(fastest, np.abs(scene.run(dt).qd).max())
        before = max(before, scene.energy())
    assert fastest < 1.02 * RECOVERY
    assert before < 1.04 * 0.5 * INERTIA * RECOVERY**2
    assert scene.state.joint_q.numpy()[0] == pytest.approx(UPPER, abs=1e-5)
    assert np.abs(scene.qd).max() < 1e-3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("stiffness", [np.inf, 100.0])
def test_a_target_beyond_a_limit_stops_at_it(stiffness, dt, dtype):
    builder = free_rod(-0.01, target_ke=stiffness, target_kd=5.0, target_pos=UPPER + 0.0576)
    scene = scenes.Scene(builder, dtype, dt=dt)
    for _ in range(round(0.3 / dt)):
        assert scene.run(dt).state.joint_q.numpy()[0] < UPPER + 1e-6
    assert scene.state.joint_q.numpy()[0] == pytest.approx(UPPER, abs=1e-5)


@pytest.mark.parametrize("dt", STEPS)
def test_a_limp_rod_beyond_a_limit_falls_back_and_gains_no_more_than_the_recovery(dt):
    scene = scenes.Scene(scenes.pendulum(angle=UPPER + 0.0576, limit_upper=UPPER), dt=dt)
    before, most = scene.energy(), 0.0
    for _ in range(round(0.5 / dt)):
        most = max(most, scene.run(dt).energy() - before)
    assert scene.state.joint_q.numpy()[0] < 0.0  # it swings
    assert most < 1.05 * 0.5 * INERTIA * RECOVERY**2


URDF = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><mass value="3.0"/><origin xyz="0 0 0"/>
<inertia ixx="0.5" iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="{kind}"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit {range} effort="{effort}" velocity="{velocity}"/></joint></robot>"""


def arm(tmp_path, kind, effort=2.0, velocity=1.5):
    reach = "" if kind == "continuous" else 'lower="-50" upper="50"'
    (tmp_path / "arm.urdf").write_text(URDF.format(kind=kind, range=reach, effort=effort, velocity=velocity))
    return it.load(tmp_path / "arm.urdf")


def in_simulation(robot, dt, dtype, **gains):
    """Return the rates of the joint after each step of half a second, its gains having been set by the facade."""
    sim = it.Simulation(robot, dt, gravity=(0, 0, 0), ground=False, fixed_base=True, dtype=dtype)
    sim.step(2)
    sim.set_joint_targets(positions={"hinge": 20.0}, velocities={"hinge": 30.0})
    sim.set_joint_gains(**gains)
    rates = []
    for _ in range(round(0.5 / dt)):
        sim.step()
        rates.append(sim.snapshot().joint_velocities["hinge"])
    return np.array(rates)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dt", [STEPS[0], STEPS[-1]])
@pytest.mark.parametrize(("kind", "inertia"), [("revolute", 0.5), ("continuous", 0.5), ("prismatic", 3.0)])
@pytest.mark.parametrize(
    "gains", [{"stiffness": 1e4, "damping": 100.0}, {"stiffness": 0.0, "damping": 1e3}, {"stiffness": np.inf}]
)
def test_limits_of_a_urdf_hold_for_gains_that_are_set_later(gains, kind, inertia, dt, dtype, tmp_path):
    rates = in_simulation(arm(tmp_path, kind), dt, dtype, **gains)
    assert np.diff(rates).max() == pytest.approx(2.0 / inertia * dt, rel=1e-2)
    assert rates[round(0.3 / dt) - 1] == pytest.approx(0.3 * 2.0 / inertia, rel=1e-2)
    reached = min(1.5, 0.5 * 2.0 / inertia)
    assert rates.max() == pytest.approx(reached, rel=2e-2)


def test_limits_of_a_urdf_hold_in_a_builder_too_and_a_limp_joint_is_free(tmp_path):
    arm(tmp_path, "revolute")
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_urdf(tmp_path / "arm.urdf")
    scene = scenes.Scene(builder)
    body = scene.model.built_joints[-1].child
    scene.set_velocity(body, angular=(0, 0, 6.0))
    assert scene.run(0.1).qd[body, 5] == pytest.approx(6.0, rel=1e-6)
    scene.set_velocity(body)
    scene.set_drive(target={body: 30.0}, stiffness={body: 1e4}, damping={body: 100.0})
    assert scene.run(0.2).qd[body, 5] == pytest.approx(0.8, rel=1e-2)
    assert scene.run(0.5).qd[body, 5] == pytest.approx(1.5, rel=1e-3)


@pytest.mark.parametrize("stated", [0.0, -1.0])
def test_zero_and_negative_limits_of_a_urdf_are_none(stated, tmp_path):
    rates = in_simulation(arm(tmp_path, "revolute", stated, stated), 1 / 240, "float64", stiffness=0.0, damping=1e3)
    assert rates[-1] == pytest.approx(30.0, rel=1e-3)
