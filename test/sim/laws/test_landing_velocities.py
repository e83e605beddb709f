# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities read in the frame of a landing: no body rises, however its fall divides the impact among substeps."""

import numpy as np
import pytest
from scenes import G, Scene

import inertia_tools as it

RADIUS, COUNT = 0.1, 150


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 240, 1), (1 / 240, 4)])
@pytest.mark.parametrize("speed", [0.0, 30.0])
def test_a_ball_that_lands_does_not_read_a_bounce(speed: float, dt: float, substeps: int) -> None:
    """Half of gravity's change in a substep is the most that a ball without restitution may read upwards."""
    builder, smooth = it.ModelBuilder(), it.ShapeConfig(mu=0.0)
    rng = np.random.default_rng(0)
    for i in range(COUNT):
        body = builder.add_link(xform=((0.0, 1.0 * i, RADIUS + rng.uniform(0.01, 0.5)), (0.0, 0.0, 0.0, 1.0)))
        builder.add_shape_sphere(body, radius=RADIUS, cfg=smooth)
    builder.add_ground_plane(cfg=smooth)
    scene = Scene(builder, substeps=substeps, dt=dt)
    falling = scene.qd
    falling[:, 0], falling[:, 2] = speed, -rng.uniform(0.0, 2.0, COUNT)
    scene.state.body_qd.assign(falling)
    highest = np.full(COUNT, -np.inf)
    for _ in range(round(0.35 / dt)):
        highest = np.maximum(highest, scene.run(dt).qd[:, 2])
    assert scene.q[:, 2] == pytest.approx(RADIUS, abs=1e-6)
    assert highest.max() <= 0.51 * G * dt / substeps
