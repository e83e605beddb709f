# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Free motion, by its laws."""

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.spatial import Pose, rotation_from_quaternion, rotation_from_rpy


def free_body(inertia=(0.1, 0.1, 0.1), position=(0, 0, 0), gravity=(0, 0, -9.81)):
    builder = ModelBuilder(gravity=gravity)
    builder.add_link(mass=1.0, inertia=np.diag(inertia), xform=Pose(np.array(position, dtype=float)))
    return builder


def test_symmetric_top_keeps_its_angular_momentum_and_energy(scene):
    run = scene(free_body((0.01, 0.01, 0.02), gravity=(0, 0, 0)))
    run.set_velocity(0, angular=(2, 0, 10))
    before = run.momenta()[1]
    run.run(10.0)
    assert np.allclose(run.momenta()[1], before, rtol=0, atol=1e-12)
    turn = rotation_from_quaternion(run.q[0, 3:])
    spin = turn.T @ run.qd[0, 3:]
    assert spin @ np.diag([0.01, 0.01, 0.02]) @ spin / (0.04 + 2) == pytest.approx(1.0, abs=1e-6)


def test_symmetric_top_precesses_at_the_right_rate(scene):
    """The body's axis turns about the angular momentum L at the rate |L| / I1."""
    run = scene(free_body((0.01, 0.01, 0.02), gravity=(0, 0, 0)))
    run.set_velocity(0, angular=(2, 0, 10))
    momentum = run.momenta()[1]
    run.run(2.0)
    turn = about(momentum, np.linalg.norm(momentum) / 0.01 * 2.0)
    axis = rotation_from_quaternion(run.q[0, 3:]) @ [0, 0, 1]
    assert np.allclose(axis, turn @ [0, 0, 1], atol=1e-10)


def attitude_error(run, seconds):
    """Angle [rad] by which a symmetric top, spun up to (2, 0, 10) rad/s, is off after some time."""
    run.set_velocity(0, angular=(2, 0, 10))
    run.run(seconds)
    along = np.array([0.02, 0, 0.2])
    precession, own = about(along, np.linalg.norm(along) / 0.01 * seconds), about(np.array([0, 0, 1.0]), -10 * seconds)
    off = (precession @ own).T @ rotation_from_quaternion(run.q[0, 3:])
    return np.linalg.norm(off - np.eye(3)) / np.sqrt(2.0)


def test_free_rotation_is_of_the_sixth_order(scene):
    coarse, fine = (
        attitude_error(scene(free_body((0.01, 0.01, 0.02), gravity=(0, 0, 0)), substeps=n, dt=1 / 60), 0.5)
        for n in (2, 4)
    )
    assert coarse < 1e-5
    assert coarse / fine == pytest.approx(2.0**6, rel=0.1)


def tumbled(scene, dtype, seconds):
    """Return a body that spins about its middle axis, and so flips every five seconds, after some time."""
    run = scene(free_body((0.01, 0.02, 0.03), gravity=(0, 0, 0)), dtype=dtype, substeps=5)
    run.set_velocity(0, angular=(0.01, 5, 0.01))
    return run.run(seconds)


def test_single_precision_follows_a_body_that_tumbles(scene):
    """A part in 1e8 of its energy would be a part in 1e3 of its period: such a body lives next to the separatrix."""
    single, double = (rotation_from_quaternion(tumbled(scene, d, 10.0).q[0, 3:]) for d in ("float32", "float64"))
    assert np.allclose(single, double, rtol=0, atol=2e-5)


def test_a_body_that_tumbles_keeps_its_energy(scene):
    run = tumbled(scene, "float64", 0.0)
    before = run.energy()
    assert run.run(10.0).energy() == pytest.approx(before, rel=1e-14)


def about(axis, angle):
    along = axis / np.linalg.norm(axis)
    return np.cos(angle) * np.eye(3) + (1 - np.cos(angle)) * np.outer(along, along) + np.sin(angle) * cross(along)


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def test_applied_force_and_torque(scene):
    run = scene(free_body(gravity=(0, 0, 0)))
    run.state.body_f.assign(np.array([[2.0, 0, 0, 0, 0, 0.3]]))
    run.run(1.0)
    # The first half substep does not know of the force yet: 1/9600 of a second is missing.
    assert run.qd[0, 0] == pytest.approx(2.0, rel=2e-4)
    assert run.qd[0, 5] == pytest.approx(3.0, rel=2e-4)


def test_motion_does_not_depend_on_where_and_which_way(scene):
    turn = rotation_from_rpy([0.3, -0.5, 1.1])
    here = scene(free_body((0.01, 0.02, 0.03), gravity=(0, 0, -9.81)))
    there_builder = ModelBuilder(gravity=turn @ [0, 0, -9.81])
    there_builder.add_link(mass=1.0, inertia=np.diag([0.01, 0.02, 0.03]), xform=Pose(np.array([100.0, -50, 20]), turn))
    there = scene(there_builder)
    omega = np.array([0.2, 5.0, 0.1])
    here.set_velocity(0, (1, 2, 3), omega)
    there.set_velocity(0, turn @ [1, 2, 3], turn @ omega)
    here.run(1.0)
    there.run(1.0)
    assert np.allclose(there.q[0, :3], turn @ here.q[0, :3] + [100, -50, 20], atol=1e-10)
    mine, other = rotation_from_quaternion(here.q[0, 3:]), rotation_from_quaternion(there.q[0, 3:])
    assert np.allclose(other, turn @ mine, atol=1e-10)


def test_kinematic_bodies_and_empty_scenes_stay(scene):
    scene(ModelBuilder()).run(0.1)
    builder = ModelBuilder()
    builder.add_link(is_kinematic=True, xform=Pose(np.array([0.0, 0, 5])))
    run = scene(builder).run(0.5)
    assert run.q[0, 2] == 5.0
