# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints: they hold what they hold, leave free what they leave free, and stop at their limits."""

import time

import numpy as np
import pytest
from scenes import DT, G, Scene, pendulum

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion


def position(scene, body=0):
    return float(scene.state.data.joint_q.numpy()[body])


@pytest.mark.parametrize("axis", [(1, 0, 0), (1, 1, 0), (-0.3, 0.5, 0.8)])
def test_hinge_holds_its_axis_whatever_way_it_points(axis):
    scene = Scene(pendulum(axis=axis, angle=1.0)).run(2.0)
    unit = np.array(axis) / np.linalg.norm(axis)
    assert np.linalg.norm(scene.q[0, :3]) < 1e-12
    assert np.linalg.norm(rotation_from_quaternion(scene.q[0, 3:]) @ unit - unit) < 1e-12


@pytest.mark.parametrize("axis", [(1, 0, 0), (1, 1, 0), (-0.3, 0.5, 0.8)])
def test_slide_keeps_to_its_axis_and_falls_along_it(axis):
    unit = np.array(axis) / np.linalg.norm(axis)
    builder = it.ModelBuilder(gravity=(1.0, 2.0, -G))
    body = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.01, com=(0.1, 0.2, -0.1))
    builder.add_joint_prismatic(-1, body, axis=axis)
    scene = Scene(builder).run(1.0)
    along = unit @ scene.q[0, :3]
    assert np.linalg.norm(scene.q[0, :3] - along * unit) < 1e-12
    assert np.linalg.norm(scene.q[0, 3:6]) < 1e-12
    assert along == pytest.approx(0.5 * unit @ [1.0, 2.0, -G], abs=1e-10)
    assert position(scene) == pytest.approx(along, abs=1e-12)


def test_hinge_of_single_precision_holds_too():
    scene = Scene(pendulum(axis=(1, 1, 0), angle=1.0), "float32").run(2.0)
    assert np.linalg.norm(scene.q[0, :3]) < 1e-5


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_rod_stops_at_its_limit_and_lies_there(side):
    builder = pendulum(limit_lower=-0.5, limit_upper=0.5)
    builder.gravity = (-10.0 * side, 0.0, 0.0)  # about y, this turns the hanging rod to the side named
    scene, farthest = Scene(builder), 0.0
    for _ in range(240):
        scene.run(DT)
        farthest = max(farthest, side * position(scene))
    assert farthest < 0.5 + 1e-4
    assert side * position(scene) == pytest.approx(0.5, abs=1e-6)
    assert np.abs(scene.qd).max() < 1e-6


def test_rod_leaves_a_limit_as_soon_as_it_is_pulled_away():
    builder = pendulum(angle=0.5, limit_lower=-1.0, limit_upper=0.5)
    assert position(Scene(builder).run(0.1)) < 0.49


def test_slide_stops_at_its_limit():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.01)
    builder.add_joint_prismatic(-1, body, axis=(0, 0, 1), limit_lower=-0.2, limit_upper=0.2)
    assert position(Scene(builder).run(1.0)) == pytest.approx(-0.2, abs=1e-6)


def test_effort_turns_by_torque_over_inertia():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=np.diag([1.0, 2.0, 2.5]))
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1))
    scene = Scene(builder)
    scene.set_drive(effort={0: 3.0})
    # An effort that sets in counts for half a substep too much: h / t of the angle.
    assert position(scene.run(1.0)) == pytest.approx(0.5 * 3.0 / 2.5, rel=5e-4)


def test_turns_are_counted():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1))
    scene = Scene(builder)
    scene.set_velocity(0, angular=(0, 0, 10.0))
    assert position(scene.run(2.0)) == pytest.approx(20.0, rel=1e-6)


def test_fixed_joint_carries_a_body_as_if_one():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    first = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.1)
    second = builder.add_link(mass=2.0, inertia=np.eye(3) * 0.1, xform=it.Pose(np.array([0.5, 0.0, 0.0])))
    builder.add_joint_fixed(first, second, parent_xform=it.Pose(np.array([0.5, 0.0, 0.0])))
    scene = Scene(builder)
    scene.set_velocity(0, angular=(1, 2, 3))
    scene.set_velocity(1, np.cross([1, 2, 3], [0.5, 0, 0]), (1, 2, 3))
    scene.run(2.0)
    rotation = rotation_from_quaternion(scene.q[0, 3:])
    assert np.abs(scene.q[1, :3] - scene.q[0, :3] - rotation @ [0.5, 0.0, 0.0]).max() < 1e-9
    assert np.abs(scene.q[0, 3:] - scene.q[1, 3:]).max() < 1e-9


def test_heavy_load_on_a_light_link_hangs_without_a_gap():
    builder = it.ModelBuilder()
    light = builder.add_link(mass=0.01, inertia=np.eye(3) * 1e-6)
    heavy = builder.add_link(mass=100.0, inertia=np.eye(3), xform=it.Pose(np.array([0.0, 0.0, -1.0])))
    builder.add_joint_revolute(-1, light, axis=(0, 1, 0))
    builder.add_joint_revolute(light, heavy, parent_xform=it.Pose(np.array([0.0, 0.0, -1.0])), axis=(0, 1, 0))
    scene = Scene(builder).run(1.0)
    assert scene.q[heavy, 2] == pytest.approx(-1.0, abs=1e-9)


def test_chain_of_a_thousand_links_builds_and_steps():
    builder, last = it.ModelBuilder(), -1
    for index in range(1000):
        body = builder.add_link(
            mass=0.1, com=(0, 0, -0.05), inertia=np.eye(3) * 1e-4, xform=it.Pose(np.array([0.0, 0.0, -0.1 * index]))
        )
        above = it.Pose(np.array([0.0, 0.0, -0.1 if index else 0.0]))
        builder.add_joint_revolute(last, body, parent_xform=above, axis=(0, 1, 0))
        last = body
    began = time.perf_counter()
    scene = Scene(builder, substeps=2, iterations=2).run(10 * DT)
    assert time.perf_counter() - began < 30.0
    assert np.abs(scene.q[:, 0]).max() < 1e-9  # it hangs straight, and stays so
