# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Jacobians, mass matrices and inverse dynamics of a robot beside MuJoCo's."""

import numpy as np
import pytest

import inertia_tools as it

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

INERTIAL = '<inertial pos="0.05 -0.02 0.1" mass="{}" diaginertia="0.02 0.03 0.025" euler="20 10 40"/>'
ROBOT = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="trunk" pos="0 0 1">{root}{0}
  <body name="upper" pos="0.1 0.2 0" euler="10 20 30"><joint name="hip" axis="0 1 0" armature="0.05"/>{1}
    <body name="lower" pos="0 0 -0.4"><joint name="knee" axis="1 0 0"/>{1}
      <body name="foot" pos="0 0.1 -0.3"><joint name="slide" type="slide" axis="0 0 1"/>{1}</body></body></body>
  <body name="head" pos="0 0 0.3"><joint name="neck" axis="0 0 1"/>{1}</body>
</body></worldbody></mujoco>"""


def text(root):
    return ROBOT.format(INERTIAL.format(6), INERTIAL.format(1.5), root=root)


@pytest.mark.parametrize("is_free", [True, False])
def test_equations_of_motion_are_those_of_mujoco(is_free):
    numbers = np.random.default_rng(3)
    model = mujoco.MjModel.from_xml_string(text("<freejoint/>" if is_free else ""))
    data = mujoco.MjData(model)
    ours = it.Simulation(it.load_text(text("<freejoint/>" if is_free else "")), dtype="float64", ground=False)
    joints = dict(zip(ours.joint_names, numbers.uniform(-0.6, 0.6, 4), strict=True))
    rates = dict(zip(ours.joint_names, numbers.uniform(-2.0, 2.0, 4), strict=True))
    ours.set_joint_positions(joints)
    turn = np.eye(3)
    spin = np.zeros(3)
    if is_free:
        pose = it.Pose.from_xyz_rpy([0.1, 0.2, 0.9], [0.3, -0.5, 0.8])
        turn, spin = pose.rotation, np.array([0.5, -1.0, 1.5])
        ours.set_body_state("trunk", pose.position, pose.quaternion, [0.3, 0.2, -0.1], spin)
        data.qpos[:3], data.qpos[3:7] = pose.position, np.roll(pose.quaternion, 1)
        data.qvel[:3], data.qvel[3:6] = [0.3, 0.2, -0.1], turn.T @ spin
    ours.set_joint_velocities(rates)
    for name in joints:
        data.joint(name).qpos, data.joint(name).qvel = joints[name], rates[name]
    acceleration = numbers.normal(size=model.nv)
    data.qacc[:] = acceleration
    mujoco.mj_forward(model, data)
    data.qacc[:] = acceleration
    mujoco.mj_inverse(model, data)
    # MuJoCo's angular velocity of a free body is in the body's axes; order and axes to ours.
    basis = np.eye(model.nv)
    if is_free:
        basis[3:6, 3:6] = turn.T
    named = [*ours.dof_names[:6]] if is_free else []
    order = [*range(len(named)), *(model.joint(name).dofadr[0] for name in ours.dof_names[len(named) :])]
    basis = basis[:, order]
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    assert ours.mass_matrix() == pytest.approx(basis.T @ full @ basis, abs=1e-9)
    in_ours = np.linalg.solve(basis, acceleration)  # R' (R^T w) = w' - w x w = w': axes that turn do not matter
    assert ours.inverse_dynamics(in_ours) == pytest.approx(basis.T @ data.qfrc_inverse, abs=1e-8)
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBody(model, data, linear, angular, model.body("foot").id)
    assert ours.jacobian("foot") == pytest.approx(np.vstack([linear, angular]) @ basis, abs=1e-9)
    assert ours.centre_of_mass() == pytest.approx(_centre(model, data, is_free), abs=1e-9)


def _centre(model, data, is_free):
    bodies = [body for body in range(1, model.nbody) if is_free or model.body_weldid[body] != 0]
    return np.average(data.xipos[bodies], axis=0, weights=model.body_mass[bodies])
