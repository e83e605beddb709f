# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ropes of particles round a drum: the capstan equation T2 = T1 exp(mu phi), and pulleys without loss."""

import math

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy
from test.sim.soft.scenes import GRAVITY, stepping

RADIUS, THICKNESS, LINKS, HANGING, GRAIN = 0.1, 0.004, 20, 0.25, 2e-5
"""Of the drum and of a rope's particles [m], links round the drum, length on each side [m], mass of a particle [kg]."""

INERTIA, STIFFNESS = 0.01, 2e5
"""Moment of inertia of a drum [kg m^2], stiffness of a link [N/m]."""

STEPS = pytest.mark.parametrize(
    ("dt", "substeps", "accuracy"), [(1 / 60, 1, 0.1), (1 / 60, 4, 0.015), (1 / 240, 4, 0.015)]
)
PRECISIONS = pytest.mark.parametrize("dtype", ["float64", "float32"])
DRUMS = {
    "cylinder": lambda builder, body, pose, cfg: builder.add_shape_cylinder(body, pose, RADIUS, 0.05, cfg=cfg),
    "ellipsoid": lambda builder, body, pose, cfg: builder.add_shape_ellipsoid(body, pose, RADIUS, RADIUS, 0.3, cfg=cfg),
}


def rope_over(builder, drum, body, mu, left, right):
    """Hang a rope with weights at its ends over a drum about y, half round, under tension."""
    DRUMS[drum](builder, body, Pose(np.zeros(3), rotation_from_rpy((math.pi / 2, 0, 0))), it.ShapeConfig(0.0, mu=mu))
    r = RADIUS + THICKNESS
    link = math.pi * r / LINKS
    below = link * np.arange(round(HANGING / link), 0, -1)
    angles = math.pi * np.arange(LINKS, -1, -1) / LINKS
    x = np.concatenate([np.full(len(below), -r), r * np.cos(angles), np.full(len(below), r)])
    z = np.concatenate([-below, r * np.sin(angles), -below[::-1]])
    masses = np.full(len(x), GRAIN)
    masses[[0, -1]] = left, right
    places = np.stack([x, 0.0 * x, z], axis=1)
    particles = builder.add_particles(places, mass=masses, radius=THICKNESS)
    round_drum = np.clip(np.arange(len(x) - 1) - len(below), 0, LINKS) / LINKS
    for a, tension in zip(particles, GRAVITY * left ** (1.0 - round_drum) * right**round_drum, strict=False):
        spring = builder.spring_count
        builder.add_spring(a, a + 1, STIFFNESS, 200.0, 0)
        builder.spring_rest_length[spring] -= tension / STIFFNESS


def scene(mu, left, right, dt, substeps, dtype, drum="cylinder"):
    """Return the model of a rope over a fixed drum, its state, and what makes a step."""
    builder = it.ModelBuilder(gravity=-GRAVITY)
    rope_over(builder, drum, -1, mu, left, right)
    model, state, step = stepping(builder, dt, substeps, dtype)
    model.soft_contact_mu = mu
    return model, state, step


def push_along(state, speed):
    """Let a rope move along itself."""
    along = np.gradient(state.particle_q.numpy(), axis=0)
    state.particle_qd.assign(speed * along / np.linalg.norm(along, axis=1)[:, None])


@pytest.mark.sweep
@PRECISIONS
@STEPS
def test_a_smooth_drum_takes_no_speed_from_a_rope(dt, substeps, accuracy, dtype):
    """Normals of the start of each substep lag behind the tension: a fifth of the speed was lost at 1/240 s x 1."""
    _, state, step = scene(0.0, 1.0, 1.0, dt, substeps, dtype, "ellipsoid")
    for _ in range(round(0.2 / dt)):
        step()
    push_along(state, 0.5)
    for _ in range(round(0.2 / dt)):
        step()
    ends = state.particle_qd.numpy()[[0, -1], 2]
    assert ends == pytest.approx([0.5, -0.5], rel=accuracy)


@STEPS
def test_friction_holds_as_much_as_the_capstan_equation_says(dt, substeps, accuracy):
    """At 1/60 s with one substep, a rope under 1.1 times that load soon ran at a steady speed."""
    mu = 0.4
    for share in (0.9, 1.2):
        _, state, step = scene(mu, 0.5, 0.5 * share * math.exp(mu * math.pi), dt, substeps, "float64")
        heights, times = [], dt * np.arange(round(0.5 / dt))
        for _ in times:
            step()
            heights.append(state.particle_q.numpy()[0, 2])
        late = times > 0.2
        gained = 2.0 * np.polyfit(times[late], np.array(heights)[late], 2)[0]
        steady = max(0.0, (share - 1.0) / (share + 1.0)) * GRAVITY
        assert gained == pytest.approx(steady, rel=2.0 * accuracy, abs=0.01)


def turning_drum(mu, left, right, dt, substeps, dtype, spin=0.0):
    """Return the same with a drum of 2 kg on a hinge that turns at `spin` [rad/s]."""
    builder = it.ModelBuilder(gravity=-GRAVITY)
    drum = builder.add_link(mass=2.0, inertia=INERTIA * np.eye(3), lock_inertia=True)
    builder.add_joint_revolute(-1, drum, axis=(0, 1, 0))
    rope_over(builder, "cylinder", drum, mu, left, right)
    model, state, step = stepping(builder, dt, substeps, dtype)
    model.soft_contact_mu = mu
    state.body_qd.assign(np.array([[0.0, 0.0, 0.0, 0.0, spin, 0.0]], dtype=dtype))
    return model, state, step


@pytest.mark.sweep
@PRECISIONS
@STEPS
def test_a_rope_turns_a_drum_that_it_does_not_slip_on(dt, substeps, accuracy, dtype):
    """Atwood's machine with a drum that has inertia."""
    _, state, step = turning_drum(0.8, 1.0, 1.5, dt, substeps, dtype)
    for _ in range(round(0.2 / dt)):
        step()
    before = state.body_qd.numpy()[0, 4]
    for _ in range(round(0.2 / dt)):
        step()
    gained = (state.body_qd.numpy()[0, 4] - before) / (round(0.2 / dt) * dt)
    a = 0.5 * GRAVITY / (2.5 + INERTIA / RADIUS**2)
    assert RADIUS * gained == pytest.approx(a, rel=2.0 * accuracy)


@pytest.mark.sweep
@PRECISIONS
@STEPS
def test_a_drum_spins_on_under_a_rope_without_friction(dt, substeps, accuracy, dtype):
    _, state, step = turning_drum(0.0, 1.0, 1.0, dt, substeps, dtype, 10.0)
    for _ in range(round(0.5 / dt)):
        step()
    assert state.particle_qd.numpy()[[0, -1], 2] == pytest.approx(0.0, abs=0.2 * accuracy)
    assert state.body_qd.numpy()[0, 4] == pytest.approx(10.0, rel=1e-6)
