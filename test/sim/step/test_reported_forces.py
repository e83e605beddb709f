# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a step reports is what was done: forces times the step add up to the change of momentum."""

import numpy as np
import pytest
from scenes import G, Scene

import inertia_tools as it

ROUNDING = {"float64": 1e-9, "float32": 2e-4}
"""What sums over some hundred steps may be off besides, as a part of all impulses."""

RUBBING = it.ShapeConfig(density=1000.0, mu=0.5)


def placed(x=0.0, z=0.6):
    leaning = it.Pose.from_xyz_rpy(xyz=[0.0, 0.0, z], rpy=[0.2, 0.5, 0.0])
    return leaning @ it.Pose(np.array([x, 0.0, 0.0]))


def hinged_pair(spin):
    builder = it.ModelBuilder()
    for x in (-0.1, 0.1):
        builder.add_shape_box(builder.add_link(placed(x)), hx=0.08, hy=0.06, hz=0.06, cfg=RUBBING)
    ends = (it.Pose(np.array([x, 0.0, 0.0])) for x in (0.1, -0.1))
    builder.add_joint_revolute(0, 1, *ends, axis=(0, 1, 0))
    return falling(builder, spin)


def plate(spin):
    builder = it.ModelBuilder()
    builder.add_shape_box(builder.add_link(placed()), hx=0.08, hy=0.06, hz=0.005, cfg=RUBBING)
    return falling(builder, spin)


def falling(builder, spin):
    builder.body_qd[:] = [(0.0, 0.0, -3.0, 0.0, spin, 0.0) for _ in builder.body_qd]
    return builder


def paddle_on_a_carriage(spin):
    """A paddle that turns about an axle out of its middle beats the floor; a slide along it bears the axle."""
    builder = it.ModelBuilder()
    axle = it.Pose(np.array([0.0, 0.0, 0.11]))
    carriage = builder.add_link(axle, mass=0.5, inertia=1e-3 * np.eye(3))
    builder.add_joint_prismatic(-1, carriage, axle, axis=(1, 0, 0))
    paddle = builder.add_link(axle)
    builder.add_shape_box(paddle, it.Pose(np.array([0.05, 0.0, 0.0])), hx=0.08, hy=0.06, hz=0.01, cfg=RUBBING)
    builder.add_joint_revolute(carriage, paddle, axis=(0, 1, 0))
    builder.joint_qd[-1] = spin
    return builder


def on_the_floor(builder, dtype, dt, substeps):
    """Return a scene that reports contacts and reactions."""
    builder.add_ground_plane(cfg=RUBBING)
    scene = Scene(builder, dtype, substeps=substeps, dt=dt)
    scene.model.request_state_attributes("body_parent_f")
    scene.state = scene.model.state()
    return scene


def momentum(scene):
    """Return the momentum of all bodies [N s]."""
    return sum(
        one.mass * qd[:3] for one, qd in zip(scene.model.inertials, scene.model.motion(scene.state).qd, strict=True)
    )


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize(
    ("build", "dt", "spin", "substeps"),
    [
        (hinged_pair, 1 / 60, 0.0, 1),
        (hinged_pair, 1 / 240, 0.0, 1),
        (plate, 1 / 60, 60.0, 1),
        (plate, 1 / 240, 200.0, 4),
        (paddle_on_a_carriage, 1 / 60, 10.0, 1),
        (paddle_on_a_carriage, 1 / 240, 80.0, 1),
    ],
)
def test_forces_add_up_to_the_change_of_momentum_where_substeps_are_halved(dtype, build, dt, spin, substeps):
    """With what a joint to the world does to a body that does not turn; to half a substep of gravity."""
    scene = on_the_floor(build(spin), dtype, dt, substeps)
    outer = [joint.child for joint in scene.model.built_joints if joint.parent < 0]
    before, steps, given, all_of_it, lengths = momentum(scene), round(1.0 / dt), np.zeros(3), 0.0, []
    for _ in range(steps):
        scene.run(dt)
        force = sum(scene.force_on(body, -1) for body in range(scene.model.body_count))
        force = force + scene.state.body_parent_f.numpy()[outer, :3].astype(float).sum(axis=0)
        given += dt * force
        all_of_it += dt * np.linalg.norm(force)
        lengths.append(scene.state.data.h_last.numpy()[0])
    weight = G * sum(one.mass for one in scene.model.inertials)
    off = given - (momentum(scene) - before) - np.array([0.0, 0.0, weight * steps * dt])
    assert min(lengths) < 0.6 * dt / substeps and max(lengths) > 0.9 * dt / substeps  # or this shows nothing
    assert np.abs(off).max() < 1.001 * weight * 0.5 * dt / substeps + ROUNDING[dtype] * all_of_it


@pytest.mark.parametrize("dtype", ROUNDING)
def test_torques_add_up_to_the_change_of_spin_where_substeps_are_halved(dtype):
    """A plate that lands flat on a slippery floor spins about the vertical until torsional friction has stopped it."""
    builder, slippery = it.ModelBuilder(), it.ShapeConfig(density=1000.0, mu=0.0, mu_torsional=0.05)
    body = builder.add_link(it.Pose(np.array([0.0, 0.0, 0.1])))
    builder.add_shape_box(body, hx=0.08, hy=0.06, hz=0.005, cfg=slippery)
    builder.add_ground_plane(cfg=slippery)
    dt, steps, given, lengths = 1 / 60, 240, 0.0, []
    scene = Scene(builder, dtype, substeps=1, dt=dt)
    scene.set_velocity(body, (0.0, 0.0, -2.0), (0.0, 0.0, 100.0))
    for _ in range(steps):
        scene.run(dt)
        given += dt * scene.contacts.data.torque.numpy()[:, 2].astype(float).sum()
        lengths.append(scene.state.data.h_last.numpy()[0])
    spin = scene.model.inertials[0].inertia[2, 2] * 100.0
    assert scene.qd[body, 5] == pytest.approx(0.0, abs=1e-6)
    assert min(lengths) < 0.3 * dt and max(lengths) > 0.9 * dt
    braking = 0.05 * G * scene.model.inertials[0].mass
    assert given == pytest.approx(-spin, abs=1.001 * braking * 0.5 * dt + ROUNDING[dtype] * spin)
