# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Particles in many elements, which swing faster than each of these alone."""

import numpy as np
import pytest

import inertia_tools as it

STEPS = [(1 / 60, 1), (1 / 60, 4), (1 / 240, 4)]
MASS, SPEED = 0.1, np.array([0.1, 0.05, 0.0])


def hub(kind, count, pace, h):
    """Return a scene of a particle in elements that are slow against a substep h: (frequency alone x h)^2 = pace."""
    builder, stiffness = it.ModelBuilder(gravity=(0.0, 0.0, 0.0)), pace * MASS / h**2
    builder.add_particle((0.0, 0.0, 0.0), SPEED, mass=MASS, radius=0.0)
    angles = 2.0 * np.pi * np.arange(count) / count
    rim = [builder.add_particle((np.cos(a), np.sin(a), 0.0), mass=0.0, radius=0.0) for a in angles]
    if kind == "springs":
        for i in rim:
            builder.add_spring(0, i, stiffness, 0.0, 0)
        return builder
    width = 2.0 * np.sin(np.pi / count)  # of a triangle: mu = lambda = k, 3 k A |g|^2 = 1.5 k width at the hub
    for i, j in zip(rim, np.roll(rim, -1), strict=True):
        each = stiffness / (1.5 * width)
        builder.add_triangle(0, i, int(j), tri_ke=each, tri_ka=each, tri_kd=0.0, tri_drag=0.0, tri_lift=0.0)
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("count", [60, 200])
@pytest.mark.parametrize("kind", ["springs", "triangles"])
def test_a_particle_in_many_elements_does_not_explode(kind, count, dt, substeps, dtype):
    """It reached 1e5 m/s from 60 springs on."""
    model = hub(kind, count, 0.4, dt / substeps).finalize(dtype=dtype)
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    for _ in range(30):
        solver.step(state, state, None, None, dt)
        assert np.linalg.norm(state.particle_qd.numpy()[0]) < 1.01 * np.linalg.norm(SPEED)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("count", [4, 100])
def test_a_particle_on_slow_springs_swings_as_its_closed_form(count, dt, substeps, dtype):
    """Half of the sum of their stiffness acts along each axis of the plane."""
    h, pace = dt / substeps, 0.1 / count
    model = hub("springs", count, pace, h).finalize(dtype=dtype)
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    omega, seen = np.sqrt(0.5 * count * pace) / h, []
    for _ in range(50):
        solver.step(state, state, None, None, dt)
        seen.append(state.particle_q.numpy()[0].copy())
    phase = omega * dt * np.arange(1, 51)
    expected = SPEED * np.sin(phase)[:, None] / omega
    assert np.array(seen) == pytest.approx(expected, abs=1e-2 * SPEED[0] / omega)
