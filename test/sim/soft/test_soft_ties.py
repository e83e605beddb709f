# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ties of finite stiffness between particles and bodies swing as closed forms say."""

import numpy as np
import pytest

import inertia_tools as it
from test.sim.soft.scenes import GRAVITY

STEPS = [(1 / 60, 1), (1 / 60, 4), (1 / 240, 1), (1 / 240, 4)]
STIFFNESS, MASS, SPEED = 50.0, 0.3, 0.1


def tied(holder, gravity=0.0, count=1, stiffness=STIFFNESS, mass=MASS, body_mass=0.5, damping=0.0):
    """Return a scene of a body and particles that are tied to its centre, the first of which moves along x."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, -gravity))
    body = builder.add_link(mass=body_mass, inertia=0.05 * np.eye(3), is_kinematic=holder == "kinematic")
    if holder == "fixed":
        builder.add_joint_fixed(-1, body)
    elif holder == "free":
        builder.add_joint_free(body)
    for i in range(count):
        builder.add_particle((0, 0, 0), (0.0 if i or gravity else SPEED, 0, 0), mass=mass, radius=0.0)
        builder.add_attachment_particle_body(i, body, stiffness=stiffness, damping=damping)
    return builder


def watch(builder, seconds, dt, substeps, dtype):
    """Return places and rates along x of particles, and of the body last, after each step."""
    model = builder.finalize(dtype=dtype)
    solver, state, seen = it.SolverXPBD(model, substeps=substeps), model.state(), []
    for _ in range(round(seconds / dt)):
        solver.step(state, state, None, None, dt)
        places = [*state.particle_q.numpy()[:, 0], state.body_q.numpy()[0, 0]]
        seen.append([places, [*state.particle_qd.numpy()[:, 0], state.body_qd.numpy()[0, 0]]])
    return np.array(seen, dtype=float)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("holder", ["kinematic", "fixed", "free"])
def test_a_particle_on_a_soft_tie_swings_as_its_closed_form(holder, dt, substeps, dtype):
    """It lost 1.36 of its size a second at 1/60 s, by the backward Euler method."""
    seen = watch(tied(holder), 2.0, dt, substeps, dtype)
    inverse = 1.0 / MASS + (2.0 if holder == "free" else 0.0)
    omega, t = np.sqrt(STIFFNESS * inverse), dt * np.arange(1, len(seen) + 1)
    apart, rate = (seen[:, n, 0] - seen[:, n, 1] for n in range(2))
    bound = 3e-2 if dt / substeps > 0.01 else 3e-3
    assert apart == pytest.approx(SPEED / omega * np.sin(omega * t), abs=bound * SPEED / omega)
    assert rate == pytest.approx(SPEED * np.cos(omega * t), abs=2.0 * bound * SPEED)
    if holder == "free":
        momentum = MASS * seen[:, 1, 0] + 0.5 * seen[:, 1, 1]
        assert momentum == pytest.approx(np.full(len(t), MASS * SPEED), rel=2.0 * bound)


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("stiffness", [50.0, 1e4, 1e7])
def test_what_hangs_from_a_soft_tie_reads_no_velocity(stiffness, dt, substeps):
    builder = tied("fixed", gravity=GRAVITY, stiffness=stiffness, damping=np.sqrt(stiffness * MASS))
    model = builder.finalize(dtype="float64")
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    for _ in range(round(3.0 / dt)):
        solver.step(state, state, None, None, dt)
    assert state.particle_q.numpy()[0, 2] == pytest.approx(-MASS * GRAVITY / stiffness, rel=1e-5)
    assert np.abs(state.particle_qd.numpy()).max() < 1e-6


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS[:2])
def test_many_particles_tied_to_a_light_body_do_not_explode(dt, substeps, dtype):
    """(Frequency x h)^2 is 0.4 for each alone, and 40 for the body."""
    mass, h = 100.0, dt / substeps
    builder = tied("free", count=100, stiffness=0.2 / h**2, mass=mass, body_mass=0.5)
    seen = watch(builder, 30 * dt, dt, substeps, dtype)
    assert np.abs(seen[:, 1]).max() < 1.05 * SPEED
