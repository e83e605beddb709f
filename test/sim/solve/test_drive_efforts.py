# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What drives give, as a state tells it: it bears weights, does work, and keeps its limit."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError

REQUESTED = "mujoco:qfrc_actuator"
MASS, ARM, STEP = 2.0, 0.5, 1e-3


def pendulum(gravity: float = 0.0, **drive: float) -> it.ModelBuilder:
    """Return a point mass on an arm along x that turns about y."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, -gravity))
    body = builder.add_link(mass=MASS, com=(ARM, 0.0, 0.0), inertia=np.eye(3) * 1e-3)
    joint = builder.add_joint_revolute(-1, body, axis=(0.0, 1.0, 0.0), **drive)
    builder.add_articulation([joint])
    return builder


def run(builder: it.ModelBuilder, steps: int, dtype: str = "float64", joint_f: float = 0.0):
    """Return coordinates, rates and efforts after each step."""
    model = builder.finalize(dtype=dtype)
    model.request_state_attributes(REQUESTED)
    states, control, solver = [model.state(), model.state()], model.control(), it.SolverXPBD(model)
    control.joint_f.fill_(joint_f)
    rows = []
    for _ in range(steps):
        solver.step(*states, control, None, STEP)
        states.reverse()
        now = states[0]
        rows.append([now.joint_q.numpy().copy(), now.joint_qd.numpy().copy(), now.mujoco.qfrc_actuator.numpy().copy()])
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_at_rest_a_drive_bears_the_weight(dtype: str) -> None:
    q, qd, effort = run(pendulum(9.81, target_ke=400.0, target_kd=60.0), 4000, dtype)
    assert abs(qd[-1, 0]) < 1e-3
    assert effort[-1, 0] == pytest.approx(-MASS * 9.81 * ARM * np.cos(q[-1, 0]), rel=2e-3)


def test_the_work_of_a_drive_is_what_the_body_gains() -> None:
    q, qd, effort = run(pendulum(target_ke=3.0, target_pos=1.0), 400)
    inertia = MASS * ARM**2 + 1e-3
    work = np.sum(0.5 * (effort[1:, 0] + effort[:-1, 0]) * np.diff(q[:, 0]))
    gained = 0.5 * inertia * (qd[-1, 0] ** 2 - qd[0, 0] ** 2)
    assert gained > 0.1
    assert work == pytest.approx(gained, rel=1e-3)


def test_it_keeps_its_limit_and_leaves_out_what_a_script_adds() -> None:
    _, _, effort = run(pendulum(target_ke=1000.0, target_pos=1.0, effort_limit=2.0), 5, joint_f=3.0)
    np.testing.assert_array_equal(effort, np.full((5, 1), 2.0))


def test_without_a_drive_there_is_none_and_a_rigid_one_is_not_told() -> None:
    assert not run(pendulum(9.81), 3)[2].any()
    assert np.isnan(run(pendulum(target_ke=np.inf), 3)[2]).all()


def test_a_ball_is_driven_about_the_axis_to_its_target() -> None:
    builder = it.ModelBuilder(gravity=0.0)
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    joint = builder.add_joint_ball(-1, body, target_ke=5.0)
    builder.add_articulation([joint])
    builder.joint_target_pos[:] = [0.0, 0.2, 0.0]
    q, _, effort = run(builder, 50)
    turn = 2.0 * np.arctan2(q[:, 1], q[:, 3])
    np.testing.assert_allclose(effort[:, 1], 5.0 * (0.2 - turn), atol=1e-9)
    np.testing.assert_allclose(effort[:, [0, 2]], 0.0, atol=1e-9)


def test_a_ball_gains_what_its_drive_gives_wherever_its_target_is() -> None:
    """Turned about x and aiming at a turn about y: the effort is inertia times angular acceleration, to the second order."""
    builder = it.ModelBuilder(gravity=0.0)
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    joint = builder.add_joint_ball(-1, body, target_ke=5.0)
    builder.add_articulation([joint])
    builder.joint_q[:] = [np.sin(0.5), 0.0, 0.0, np.cos(0.5)]
    builder.joint_target_pos[:] = [0.0, 1.2, 0.0]
    _, qd, effort = run(builder, 200)
    np.testing.assert_allclose((qd[2:] - qd[:-2]) / (2.0 * STEP), effort[1:-1], atol=1e-4)


def test_states_take_it_over_from_one_another() -> None:
    builder = pendulum(target_ke=1.0)
    builder.request_state_attributes(REQUESTED)
    model = builder.finalize()
    one, other = model.state(), model.state()
    one.mujoco.qfrc_actuator.fill_(3.0)
    other.assign(one)
    assert other.mujoco.qfrc_actuator.numpy().tolist() == [3.0]
    with pytest.raises(OptionError, match="qfrc_actuator"):
        pendulum().finalize().state().assign(one)


def test_ground_is_a_shape() -> None:
    model = pendulum().finalize()
    model.ground = False
    with pytest.raises(OptionError, match="add_ground_plane"):
        model.ground = True
