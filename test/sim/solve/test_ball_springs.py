# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The spring in a ball and socket joint: it acts on the rotation vector from its frame at rest."""

import numpy as np
import pytest
from scenes import DT, Scene

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion, rotation_from_rpy

INERTIA, STIFFNESS = 0.1, 5.0
OMEGA = np.sqrt(STIFFNESS / INERTIA)
SKEW = it.Pose(np.array([0.3, -0.2, 0.1]), rotation_from_rpy([0.4, -0.7, 1.1]))
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


def on_ball(inertia=INERTIA, dtype="float64", joint_solver="direct", substeps=10, frame=None, **options):
    """A body on a ball and socket joint at its centre, which holds it to the world, without gravity."""
    frame = frame or it.Pose()
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=np.diag(np.broadcast_to(inertia, 3)), xform=it.Pose(frame.position))
    builder.add_joint_ball(-1, body, frame, it.Pose(rotation=frame.rotation), **options)
    scene = Scene(builder, dtype, substeps)
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=substeps, joint_solver=joint_solver)
    return scene


def turned(scene):
    """Rotation vector of the body [rad], of no more than half a turn."""
    q = scene.q[0, 3:]
    q = q if q[3] >= 0.0 else -q
    sine = np.linalg.norm(q[:3])
    return 2.0 * np.arctan2(sine, q[3]) / sine * q[:3] if sine > 0.0 else np.zeros(3)


@pytest.mark.sweep
@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-4), ("float32", 2e-4)])
@pytest.mark.parametrize("amplitude", [0.1, 2.8])
def test_a_ball_swings_with_the_period_of_its_spring(amplitude, dtype, tolerance, joint_solver):
    """About any axis and as far as half a turn: the inertia is that of a sphere, so the oscillator is linear."""
    scene = on_ball(dtype=dtype, joint_solver=joint_solver, frame=SKEW, stiffness=STIFFNESS)
    scene.set_velocity(0, angular=amplitude * OMEGA * AXIS)
    for quarter in (1, 2, 3, 4):
        scene.run(0.25)
        phase = OMEGA * 0.25 * quarter
        assert turned(scene) == pytest.approx(amplitude * np.sin(phase) * AXIS, abs=tolerance * amplitude)
        assert scene.qd[0, 3:] == pytest.approx(
            amplitude * OMEGA * np.cos(phase) * AXIS, abs=tolerance * amplitude * OMEGA
        )


@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
def test_a_spring_is_a_drive_of_the_same_stiffness_and_target(joint_solver):
    rest = (0.3, -0.5, 0.4)
    inertia = (0.1, 0.2, 0.25)
    spring = on_ball(inertia, joint_solver=joint_solver, frame=SKEW, stiffness=STIFFNESS)
    spring.model.joint_springref.assign(np.array(rest))
    drive = on_ball(inertia, joint_solver=joint_solver, frame=SKEW, target_ke=STIFFNESS)
    drive.control.joint_target_pos.assign(np.array(rest))
    for scene in (spring, drive):
        scene.set_velocity(0, angular=(1.0, 2.0, -0.5))
        scene.run(1.0)
    assert spring.q == pytest.approx(drive.q, abs=1e-12)
    assert spring.qd == pytest.approx(drive.qd, abs=1e-11)


@pytest.mark.parametrize(
    "options", [{"stiffness": STIFFNESS, "springref": 0.3}, {"target_ke": STIFFNESS, "target_pos": 0.3}]
)
def test_a_spring_that_is_released_acts_from_the_first_instant(options):
    """It swings about where it rests; the velocity is right to the second order of the step."""
    scene = on_ball(substeps=1, **options).run(0.25)
    away = np.full(3, 0.3)
    assert turned(scene) == pytest.approx((1.0 - np.cos(OMEGA * 0.25)) * away, abs=2e-4)
    assert scene.qd[0, 3:] == pytest.approx(OMEGA * np.sin(OMEGA * 0.25) * away, abs=1e-3)


def test_a_damper_acts_from_the_first_instant():
    scene = on_ball(substeps=1, damping=0.1)
    scene.set_velocity(0, angular=AXIS)
    assert scene.run(1.0).qd[0, 3:] == pytest.approx(np.exp(-1.0) * AXIS, abs=1e-5)


def test_an_unequal_body_keeps_its_energy():
    scene = on_ball((0.1, 0.2, 0.25), frame=SKEW, stiffness=STIFFNESS)
    scene.set_velocity(0, angular=(4.0, 6.0, -5.0))
    energy, farthest = scene.energy(), 0.0
    for _ in range(240):
        angle = np.linalg.norm(turned(scene.run(DT)))
        farthest = max(farthest, angle)
        assert scene.energy() + 0.5 * STIFFNESS * angle**2 == pytest.approx(energy, rel=1e-4)
    assert farthest > 1.0


def test_a_spring_between_two_bodies_keeps_their_momentum():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    bodies = [builder.add_link(mass=1.0, inertia=np.diag([0.1, 0.2, 0.25]), com=(0.1, 0.0, 0.2)) for _ in range(2)]
    builder.add_joint_free(bodies[0])
    builder.add_joint_ball(*bodies, stiffness=STIFFNESS, springref=0.2)
    scene = Scene(builder)
    scene.set_velocity(0, angular=(1.0, -2.0, 0.5))
    scene.set_velocity(1, angular=(1.0, -2.0, 0.5))
    scene.run(0.1)
    before = scene.momenta()
    after = scene.run(1.0).momenta()
    assert after[0] == pytest.approx(before[0], abs=1e-11)
    assert after[1] == pytest.approx(before[1], abs=1e-7)  # read to the third order
    assert np.linalg.norm(scene.qd[0, 3:] - scene.qd[1, 3:]) > 0.1


@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
@pytest.mark.parametrize("stiffness", [1e4, 1e8])
def test_a_stiff_spring_is_stable_and_comes_to_rest(stiffness, joint_solver):
    scene = on_ball(joint_solver=joint_solver, substeps=1, stiffness=stiffness)
    scene.set_velocity(0, angular=AXIS)
    energies = [scene.run(DT).energy() for _ in range(480)]
    assert max(energies) < 0.5 * INERTIA
    assert energies[-1] < 1e-6
    assert np.linalg.norm(turned(scene)) < 1e-4


def test_a_spring_holds_a_torque_at_torque_over_stiffness():
    scene = on_ball(stiffness=STIFFNESS, damping=2.0)
    torque = np.array([0.5, -1.0, 1.5])
    scene.control.joint_f.assign(torque)
    assert turned(scene.run(10.0)) == pytest.approx(torque / STIFFNESS, abs=1e-6)


def test_ball_of_mjcf_brings_its_spring():
    text = (
        '<mujoco><worldbody><body><joint type="ball" stiffness="5"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body></worldbody></mujoco>'
    )
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_mjcf(text)
    scene = Scene(builder)
    scene.set_velocity(0, angular=AXIS)
    assert scene.run(1.0).qd[0, 3:] == pytest.approx(np.cos(OMEGA) * AXIS, abs=1e-4)
    assert rotation_from_quaternion(scene.q[0, 3:]) @ AXIS == pytest.approx(AXIS, abs=1e-9)
