# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of several degrees of freedom, tethers, and what a joint is refused for."""

import numpy as np
import pytest
from scenes import DT, G, Scene

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim import SceneWarning
from inertia_tools.spatial import rotation_from_quaternion, rotation_from_rpy

Dof = it.ModelBuilder.JointDofConfig
SKEW = rotation_from_rpy([0.4, -0.7, 1.1])


def body_on(add, gravity=(0.0, 0.0, 0.0), inertia=(0.1, 0.2, 0.3)):
    """One body on a joint that `add` puts between it and the world."""
    builder = it.ModelBuilder(gravity=gravity)
    body = builder.add_link(mass=1.0, inertia=np.diag(inertia))
    add(builder, body)
    return Scene(builder)


@pytest.mark.parametrize("turn", [np.eye(3), SKEW])
def test_d6_slides_along_its_axes_only(turn):
    axes = [Dof(axis=turn @ [1, 1, 0]), Dof(axis=turn @ [0, 0, 1], limit_lower=-0.5)]
    pull = turn @ [1.0, 2.0, -G]
    scene = body_on(lambda b, i: b.add_joint_d6(-1, i, linear_axes=axes), pull).run(1.0)
    seen = turn.T @ scene.q[0, :3]
    assert seen == pytest.approx([0.75, 0.75, -0.5], abs=1e-9)
    assert scene.state.joint_q.numpy() == pytest.approx([1.5 / np.sqrt(2.0), -0.5], abs=1e-9)
    assert np.linalg.norm(scene.q[0, 3:6]) < 1e-9


def test_d6_of_three_angles_turns_one_after_the_other():
    """Targets about z, the new y, the new x are yaw, pitch and roll."""
    goals = {(0, 0, 1): 0.5, (0, 1, 0): 0.3, (1, 0, 0): -0.4}
    axes = [Dof(axis=axis, target_pos=goal, target_ke=10.0, target_kd=4.0) for axis, goal in goals.items()]
    scene = body_on(lambda b, i: b.add_joint_d6(-1, i, angular_axes=axes)).run(6.0)
    assert scene.state.joint_q.numpy() == pytest.approx([0.5, 0.3, -0.4], abs=1e-6)
    turn = it.Pose(rotation=rotation_from_quaternion(scene.q[0, 3:]))
    assert turn.rpy == pytest.approx([-0.4, 0.3, 0.5], abs=1e-6)
    assert np.linalg.norm(scene.q[0, :3]) < 1e-12


def test_universal_joint_keeps_its_axes_at_a_right_angle_and_its_energy():
    axes = [Dof(axis=(0, 0, 1)), Dof(axis=(0, 1, 0))]
    scene = body_on(lambda b, i: b.add_joint_d6(-1, i, angular_axes=axes))
    scene.set_velocity(0, angular=(0.0, 0.5, 0.7))
    energy = scene.energy()
    scene.run(2.0)
    carried = rotation_from_quaternion(scene.q[0, 3:]) @ [0.0, 1.0, 0.0]
    assert abs(carried[2]) < 1e-9
    assert scene.energy() == pytest.approx(energy, rel=1e-6)


def test_mixed_d6_is_a_cylinder_in_a_bore():
    axes = {"linear_axes": [Dof(axis=(0, 0, 1))], "angular_axes": [Dof(axis=(0, 0, 1))]}
    scene = body_on(lambda b, i: b.add_joint_d6(-1, i, **axes), gravity=(3.0, 0.0, -G))
    scene.set_velocity(0, angular=(0.0, 0.0, 2.0))
    scene.run(1.0)
    assert scene.state.joint_q.numpy() == pytest.approx([-0.5 * G, 2.0], abs=1e-9)
    assert scene.state.joint_qd.numpy() == pytest.approx([-G, 2.0], abs=1e-9)


def test_ball_aims_at_a_rotation_vector():
    goal = np.array([0.5, 0.3, -0.4])
    scene = body_on(lambda b, i: b.add_joint_ball(-1, i, target_ke=10.0, target_kd=4.0))
    scene.control.joint_target_pos.assign(goal)
    scene.run(6.0)
    angle = np.linalg.norm(goal)
    expected = [*(np.sin(0.5 * angle) / angle * goal), np.cos(0.5 * angle)]
    assert scene.q[0, 3:] == pytest.approx(expected, abs=1e-6)
    assert scene.state.joint_q.numpy() == pytest.approx(expected, abs=1e-6)
    assert (scene.model.joint_dof_count, scene.model.joint_coord_count) == (3, 4)


def test_tether_is_slack_until_it_is_taut():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=2.0, inertia=0.01 * np.eye(3), xform=it.Pose(np.array([0.0, 0.0, -0.5])))
    builder.add_joint_distance(-1, body, min_distance=-1.0, max_distance=1.2)
    scene = Scene(builder).run(0.25)
    assert scene.q[0, 2] == pytest.approx(-0.5 - 0.5 * G * 0.25**2, abs=1e-12)
    farthest = max(float(scene.run(DT).state.joint_q.numpy()[0]) for _ in range(240))
    assert farthest < 1.2 + 1e-6
    assert scene.q[0, 2] == pytest.approx(-1.2, abs=1e-6)


def test_rod_between_two_bodies_keeps_its_length_and_their_momentum():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    first = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    second = builder.add_link(mass=3.0, inertia=0.2 * np.eye(3), xform=it.Pose(np.array([1.0, 0.0, 0.0])))
    builder.add_joint_distance(first, second, min_distance=1.0, max_distance=1.0)
    scene = Scene(builder)
    scene.set_velocity(0, (0.0, 1.0, 0.0))
    scene.run(0.1)
    linear, angular = scene.momenta()
    energy = scene.energy()
    scene.run(3.0)
    assert np.linalg.norm(scene.q[1, :3] - scene.q[0, :3]) == pytest.approx(1.0, abs=1e-9)
    after = scene.momenta()
    assert np.allclose(after[0], linear, atol=1e-12) and np.allclose(after[1], angular, atol=1e-12)
    assert scene.energy() == pytest.approx(energy, rel=1e-6)


def test_free_joint_has_the_pose_of_its_body_and_takes_a_wrench():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_body(mass=2.0, inertia=np.eye(3))
    scene = Scene(builder)
    scene.control.joint_f.assign(np.array([4.0, 0.0, 0.0, 0.0, 0.0, 0.5]))
    scene.run(1.0)
    assert scene.qd[0] == pytest.approx([2.0, 0, 0, 0, 0, 0.5], abs=1e-9)
    assert scene.state.joint_q.numpy() == pytest.approx(scene.q[0])
    assert scene.state.joint_qd.numpy() == pytest.approx(scene.qd[0])


@pytest.mark.parametrize("axis", [(1, 0, 0), (1, 1, 0), (-0.3, 0.5, 0.8)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_skew_axes_hold_under_load(axis, dtype):
    builder = it.ModelBuilder(gravity=(1.0, 2.0, -G))
    base = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3), com=(0.1, 0.0, 0.2))
    slider = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3), com=(0.0, 0.1, -0.2))
    builder.add_joint_revolute(-1, base, axis=axis, target_ke=50.0, target_kd=2.0)
    builder.add_joint_prismatic(base, slider, axis=axis, limit_lower=-0.3, limit_upper=0.3)
    scene = Scene(builder, dtype).run(2.0)
    unit = np.array(axis) / np.linalg.norm(axis)
    turn, off = rotation_from_quaternion(scene.q[0, 3:]), scene.q[1, :3] - scene.q[0, :3]
    assert np.linalg.norm(turn @ unit - unit) < 1e-5
    assert np.linalg.norm(np.cross(off, turn @ unit)) < 1e-5


def test_a_joint_that_is_switched_off_lets_go():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    builder.add_joint_fixed(-1, body)
    scene = Scene(builder).run(0.5)
    assert np.abs(scene.q[0, :3]).max() < 1e-12
    scene.model.joint_enabled.assign(np.array([0], dtype=np.int32))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
    scene.run(0.5)
    assert scene.q[0, 2] == pytest.approx(-0.5 * G * 0.25, abs=0.6 * G * DT / 10 * 0.5)  # h / 2 late


def test_soft_limits_are_named_once():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_joint_revolute(-1, body, limit_ke=2e4, limit_kd=5.0, name="elbow")
    with pytest.warns(SceneWarning, match=r"elbow \(limit_kd\), elbow \(limit_ke\)"):
        builder.finalize()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"target_ke": -1.0}, "target_ke"),
        ({"friction": np.nan}, "friction"),
        ({"effort_limit": 0.0}, "effort_limit"),
        ({"limit_lower": 1.0, "limit_upper": 0.0}, "limit_lower"),
        ({"axis": (0, 0, 0)}, "axis"),
        ({"colour": 1}, "colour"),
    ],
)
def test_impossible_values_of_a_joint_are_refused(options, named):
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    with pytest.raises(OptionError, match=named):
        builder.add_joint_revolute(-1, body, **options)


@pytest.mark.parametrize("kind", [it.JointKind.BALL, it.JointKind.PLANAR])
@pytest.mark.parametrize("limit", ["limit_lower", "limit_upper"])
def test_limits_of_a_joint_of_several_degrees_of_freedom_are_refused_by_name(kind, limit):
    """One number cannot bound three coordinates, least of all in metres and radians."""
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    for options in ({limit: 0.0}, {"axis": Dof(axis=(1, 0, 0), **{limit: 0.0})}):
        with pytest.raises(OptionError, match=rf"{limit} must be omitted for 'hip'.*{kind.name}.*add_joint_d6"):
            builder.add_joint(kind, -1, body, name="hip", **options)
    assert builder.joint_count == 0


@pytest.mark.parametrize("kind", [it.JointKind.BALL, it.JointKind.PLANAR])
def test_limits_of_the_scene_are_for_joints_of_one_axis(kind):
    """Defaults bound hinges and slides; none given, or an infinite one, is none."""
    builder = it.ModelBuilder()
    builder.default_joint_cfg = Dof(limit_lower=-0.1, limit_upper=0.1)
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_joint(kind, -1, body, limit_upper=np.inf)
    assert all(np.isinf([dof.config.limit_lower, dof.config.limit_upper]).all() for dof in builder.joints[0].dofs)


def test_axes_of_a_d6_stand_at_right_angles():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    with pytest.raises(OptionError, match="right angles"):
        builder.add_joint_d6(-1, body, angular_axes=[Dof(axis=(1, 0, 0)), Dof(axis=(1, 1, 0))])
