# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Equality constraints by their own names, target modes, bodies that do not move, and motion that is none."""

import numpy as np
import pytest
from scenes import DT, Scene

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim import JointTargetMode
from inertia_tools.spatial import rotation_from_quaternion


def at(x=0.0, y=0.0, z=0.0):
    return it.Pose(np.array([x, y, z], dtype=float))


def two_bodies():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for x in (0.0, 1.0):
        builder.add_link(mass=1.0, inertia=0.1 * np.eye(3), xform=at(x))
    return builder


def test_connect_keeps_a_point_together():
    builder = two_bodies()
    builder.add_equality_constraint_connect(0, 1, (0.5, 0, 0))
    scene = Scene(builder)
    scene.set_velocity(0, (0, 1.0, 0), (0.3, 0, 1.0))
    scene.run(1.0)
    ends = [q[:3] + rotation_from_quaternion(q[3:]) @ [x, 0, 0] for q, x in zip(scene.q, (0.5, -0.5), strict=True)]
    assert np.linalg.norm(ends[0] - ends[1]) < 1e-9
    assert np.abs(scene.qd[1, 3:] - scene.qd[0, 3:]).max() > 0.1  # but they turn on their own


@pytest.mark.parametrize("relpose", [None, at(2.0)])
def test_weld_holds_one_body_in_the_frame_of_another(relpose):
    builder = two_bodies()
    builder.add_equality_constraint_weld(0, 1, relpose=relpose)
    scene = Scene(builder).run(0.2)
    apart = rotation_from_quaternion(scene.q[0, 3:]).T @ (scene.q[1, :3] - scene.q[0, :3])
    assert apart == pytest.approx([1.0 if relpose is None else 2.0, 0, 0], abs=1e-9)


def test_a_body_is_connected_to_the_world_whichever_comes_first():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3), xform=at(z=-1.0))
    builder.add_equality_constraint_connect(body, -1, (0, 0, 1.0))
    scene = Scene(builder).run(0.5)
    assert scene.q[0, :3] == pytest.approx([0, 0, -1.0], abs=1e-9)


def test_joints_are_coupled_by_a_line_only():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    joints = [
        builder.add_joint_revolute(-1, builder.add_link(mass=1.0, inertia=np.eye(3)), axis=(0, 0, 1)) for _ in "ab"
    ]
    builder.add_equality_constraint_joint(joints[1], joints[0], (0.0, 3.0))
    scene = Scene(builder)
    scene.control.joint_f.assign(np.array([1.0, 0.0]))
    q = scene.run(0.5).state.joint_q.numpy()
    assert q[1] == pytest.approx(3.0 * q[0], abs=1e-9) and q[0] > 0.01
    with pytest.raises(OptionError, match="linear"):
        builder.add_equality_constraint_joint(joints[1], joints[0], (0, 1, 2, 0, 0))


@pytest.mark.parametrize(
    ("mode", "moves"),
    [
        (JointTargetMode.NONE, (0.0, 0.0)),
        (JointTargetMode.EFFORT, (0.0, 0.0)),
        (JointTargetMode.POSITION, (0.5, 0.0)),
        (JointTargetMode.POSITION_VELOCITY, (0.7, 0.0)),
        (JointTargetMode.VELOCITY, (None, 2.0)),
    ],
)
def test_a_target_mode_leaves_out_what_it_says(mode, moves):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=0.5 * np.eye(3))
    drive = {"target_pos": 0.5, "target_vel": 2.0, "target_ke": 100.0, "target_kd": 10.0}
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1), **drive, target_mode=mode)
    scene = Scene(builder).run(4.0)
    position, speed = moves  # at rest, ke (target - q) + kd target_vel = 0
    if position is not None:
        assert scene.state.joint_q.numpy()[0] == pytest.approx(position, abs=1e-6)
    assert scene.state.joint_qd.numpy()[0] == pytest.approx(speed, abs=1e-6)


def test_a_body_hangs_from_a_kinematic_child():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, com=(0, 0, -0.5), inertia=0.1 * np.eye(3))
    hook = builder.add_link(is_kinematic=True)
    builder.add_joint_revolute(body, hook, axis=(0, 1, 0))
    scene = Scene(builder).run(1.0)
    assert scene.q[0, :3] == pytest.approx(np.zeros(3), abs=1e-9)
    assert scene.q[1, :3] == pytest.approx(np.zeros(3), abs=0.0)


def test_kinematic_bodies_stay_and_carry_and_frames_move_along():
    builder = it.ModelBuilder()
    for kinematic, mass in ((True, 1.0), (False, 0.0)):
        with_mass = {"mass": mass, "inertia": mass * np.eye(3)}
        builder.add_link(**with_mass, is_kinematic=kinematic, xform=at(z=1.0))
    for carrier in (0, 1):
        child = builder.add_link(mass=2.0, inertia=0.1 * np.eye(3), xform=at(z=1.0))
        builder.add_joint_fixed(carrier, child)
    with pytest.warns(UserWarning, match="body_1"):
        scene = Scene(builder).run(0.5)
    fallen = 1.0 - 0.5 * 9.81 * 0.5**2
    assert scene.q[:, 2] == pytest.approx([1.0, fallen, 1.0, fallen], abs=1e-9)


def test_a_scene_of_joints_between_what_does_not_move_steps():
    builder = it.ModelBuilder()
    first = builder.add_link(is_kinematic=True)
    builder.add_joint_revolute(-1, first)
    Scene(builder).run(DT)


def test_the_solver_names_what_leaves_the_finite_numbers():
    builder = it.ModelBuilder()
    builder.add_link(mass=1.0, inertia=np.eye(3), name="calm")
    builder.add_link(mass=1.0, inertia=np.eye(3), name="rocket")
    scene = Scene(builder)
    scene.solver = it.SolverXPBD(scene.model, check_finite=True)
    scene.run(DT)
    scene.state.body_f.assign(np.array([[0.0] * 6, [np.inf] * 6]))
    with pytest.raises(SimulationError, match="rocket"):
        scene.run(DT)


@pytest.mark.parametrize("name", ["joint_f", "joint_target_q", "joint_target_qd", "body_f", "particle_f"])
def test_the_solver_names_the_input_that_was_not_finite(name):
    builder = it.ModelBuilder()
    for _ in range(2):
        link = builder.add_link(mass=1.0, inertia=np.eye(3))
        builder.add_joint_revolute(-1, link, axis=(0, 0, 1), target_ke=1.0, target_kd=1.0)
        builder.add_particle((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 1.0)
    scene = Scene(builder)
    scene.solver = it.SolverXPBD(scene.model, check_finite=True)
    scene.run(DT)
    owner = scene.control if hasattr(scene.control, name) else scene.state
    numbers = getattr(owner, name).numpy()
    numbers[1] = np.inf
    getattr(owner, name).assign(numbers)
    with pytest.raises(SimulationError, match=rf"so is (state|control)\.{name}\[1\]"):
        scene.run(DT)


def test_strong_pushes_stay_finite():
    builder = it.ModelBuilder()
    last = -1
    for index in range(4):
        body = builder.add_link(mass=1.0, com=(0.5, 0, 0), inertia=0.1 * np.eye(3), xform=at(float(index)))
        builder.add_joint_revolute(last, body, parent_xform=at(1.0 if index else 0.0), axis=(0, 1, 0), target_ke=1e3)
        last = body
    scene = Scene(builder)
    scene.state.body_f.assign(np.array([[0.0] * 6] * 3 + [[1e6, 1e6, -1e6, 0, 0, 0]]))
    scene.run(0.5)
    assert np.isfinite(scene.q).all() and np.isfinite(scene.qd).all()
