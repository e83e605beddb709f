# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that start apart, or are enabled while their bodies are, close at a bounded speed."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import Scene

import inertia_tools as it
from inertia_tools.sim.kernels.constants import RECOVERY_SPEED, RECOVERY_TIME
from inertia_tools.spatial import quaternion_from_rotation, rotation_from_quaternion, rotation_from_rpy

LENGTHS = [(1.0 / 60.0, 4), (1.0 / 240.0, 1), (1.0 / 240.0, 80)]
GAP = 0.3
CLOSED = RECOVERY_TIME * (1.0 + np.log(GAP / (RECOVERY_SPEED * RECOVERY_TIME)))
"""Time in which a gap closes at the speed at which it would be gone in `RECOVERY_TIME`, `RECOVERY_SPEED` at least [s]."""


def tied(joint: str, **options: object) -> it.ModelBuilder:
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    body = builder.add_link(mass=2.0, inertia=np.eye(3) * 0.02)
    getattr(builder, f"add_joint_{joint}")(-1, body, **options)
    return builder


def put(scene: Scene, pose: it.Pose) -> None:
    it.eval_fk(scene.model, scene.model.joint_q, scene.model.joint_qd, scene.state)
    q = np.concatenate([pose.position, quaternion_from_rotation(pose.rotation)])
    scene.state.body_q.assign(q[np.newaxis].astype(scene.dtype))


def fastest(scene: Scene, seconds: float) -> np.ndarray:
    """Return the greatest linear and angular speed of a run."""
    most = np.zeros(2)
    for _ in range(round(seconds / scene.dt)):
        scene.run(scene.dt)
        speeds = np.linalg.norm(scene.qd.reshape(-1, 2, 3), axis=2)
        most = np.maximum(most, speeds.max(axis=0))
    return most


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), LENGTHS)
@pytest.mark.parametrize("joint", ["ball", "fixed", "revolute", "prismatic"])
@pytest.mark.parametrize("gap", [1e-3, GAP])
def test_a_body_comes_back_at_a_bounded_speed(gap, joint, dt, substeps, dtype):
    """It stops where the joint holds it."""
    options = {} if joint in ("ball", "fixed") else {"axis": (1, 0, 0)}
    scene = Scene(tied(joint, **options), dtype, substeps, dt=dt)
    put(scene, it.Pose([0.0, gap, 0.0]))
    assert fastest(scene, CLOSED + 2.0 * dt)[0] < 1.3 * max(RECOVERY_SPEED, gap / RECOVERY_TIME)
    assert np.abs(scene.q[0, :3]).max() < 1e-6
    assert np.abs(scene.run(2.0 * dt).qd).max() < 1e-5


@pytest.mark.parametrize(("dt", "substeps"), LENGTHS)
def test_a_body_turns_back_at_a_bounded_rate(dt, substeps):
    scene = Scene(tied("fixed"), substeps=substeps, dt=dt)
    put(scene, it.Pose([0.0, 0.0, 0.0], rotation_from_rpy([0.0, 0.0, GAP])))
    assert fastest(scene, CLOSED + 2.0 * dt)[1] < 1.02 * GAP / RECOVERY_TIME
    assert scene.q[0, 3:] == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-9)
    assert np.abs(scene.run(2.0 * dt).qd).max() < 1e-9


@pytest.mark.parametrize(("dt", "substeps"), LENGTHS)
def test_a_joint_that_is_enabled_closes_at_a_bounded_speed(dt, substeps):
    scene = Scene(tied("ball"), substeps=substeps, dt=dt)
    enabled = scene.model.joint_enabled
    enabled.assign(np.zeros(1, dtype=bool))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
    put(scene, it.Pose([0.0, GAP, 0.0]))
    scene.run(0.1)
    assert scene.q[0, 1] == pytest.approx(GAP)
    enabled.assign(np.ones(1, dtype=bool))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
    assert fastest(scene, CLOSED + 2.0 * dt)[0] < 1.01 * GAP / RECOVERY_TIME
    assert np.abs(scene.q[0, :3]).max() < 1e-9


@pytest.mark.parametrize(("dt", "substeps"), LENGTHS)
@pytest.mark.parametrize("gap", [0.1, 0.5])
def test_a_loop_that_starts_open_closes(gap, dt, substeps):
    """Two bars whose end is tied to a point of the world that they reach; bars turn faster than their end goes."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    bars = [builder.add_link(mass=1.0, inertia=np.diag([1e-3, 0.02, 0.02])) for _ in range(2)]
    near, far = it.Pose([-0.5, 0.0, 0.0]), it.Pose([0.5, 0.0, 0.0])
    joints = [
        builder.add_joint_revolute(-1, bars[0], child_xform=near, axis=(0, 1, 0)),
        builder.add_joint_revolute(bars[0], bars[1], parent_xform=far, child_xform=near, axis=(0, 1, 0)),
    ]
    builder.add_articulation(joints)
    builder.joint_q[0], builder.joint_q[1] = 0.6, 0.9
    end = np.array([np.cos(0.6) + np.cos(1.5), 0.0, -np.sin(0.6) - np.sin(1.5)])
    goal = (1.0 - gap / np.linalg.norm(end)) * end
    builder.add_joint_ball(-1, bars[1], parent_xform=it.Pose(goal), child_xform=far)
    scene = Scene(builder, substeps=substeps, dt=dt)
    it.eval_fk(scene.model, scene.model.joint_q, scene.model.joint_qd, scene.state)
    assert fastest(scene, 2.0 * CLOSED).max() < 4.0 * gap / RECOVERY_TIME
    position, turn = scene.q[1, :3], rotation_from_quaternion(scene.q[1, 3:])
    assert position + turn @ far.position == pytest.approx(goal, abs=1e-8)


@pytest.mark.parametrize(("dt", "substeps"), LENGTHS)
def test_a_state_that_is_taken_back_goes_on_as_it_did(dt, substeps):
    """Also where a solver has closed the joint since, and where another one steps it."""
    scene = Scene(tied("ball"), substeps=substeps, dt=dt)
    put(scene, it.Pose([0.0, GAP, 0.0]))
    scene.run(2.0 * dt)
    saved = scene.model.state()
    saved.assign(scene.state)
    then = scene.run(4.0 * dt).q
    scene.run(2.0 * CLOSED)
    scene.state.assign(saved)
    assert np.array_equal(scene.run(4.0 * dt).q, then)
    scene.state.assign(saved)
    scene.solver = it.SolverXPBD(scene.model, iterations=scene.iterations, substeps=substeps)
    assert np.array_equal(scene.run(4.0 * dt).q, then)


def test_a_joint_that_is_disabled_while_it_closes_leaves_nothing():
    """What swings besides goes on as if it had never been: nothing strikes it."""
    ends = []
    for ties in (False, True):
        builder = it.ModelBuilder()
        rod = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.02)
        free = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.02)
        builder.add_joint_revolute(-1, rod, child_xform=it.Pose([0.5, 0.0, 0.0]), axis=(0, 1, 0))
        builder.add_joint_ball(rod, free, parent_xform=it.Pose([-0.5, 0.0, 0.0]))
        scene = Scene(builder)
        it.eval_fk(scene.model, scene.model.joint_q, scene.model.joint_qd, scene.state)
        start = scene.state.body_q.numpy().copy()
        apart = start.copy()
        apart[1, 0] -= GAP
        enabled = np.array([True, ties])
        for q, holds in ((apart, enabled), (start, np.array([True, False]))):
            scene.model.joint_enabled.assign(holds)
            scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
            scene.state.body_q.assign(q)
            scene.state.body_qd.zero_()
            scene.run(scene.dt if q is apart else 0.3)
        ends.append(scene.qd[0])
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
