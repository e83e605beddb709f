# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Momenta of free bodies that strike each other, as they are read after each step."""

import numpy as np
import pytest
import scenes

import inertia_tools as it

SHAPES = {
    "boxes": lambda builder, body: builder.add_shape_box(body, hx=0.1, hy=0.13, hz=0.16),
    "capsules": lambda builder, body: builder.add_shape_capsule(body, radius=0.08, half_height=0.15),
    "cylinders": lambda builder, body: builder.add_shape_cylinder(body, radius=0.1, half_height=0.12),
}


def meeting(shape, seed, gravity, count=8):
    """Bodies at the corners of a cube that turn, fly at its middle, and strike each other there."""
    random = np.random.default_rng(seed)
    builder = it.ModelBuilder(gravity=gravity)
    builder.default_shape_cfg.density, builder.default_shape_cfg.mu = 500.0, 0.5
    for i in range(count):
        q = random.normal(size=4)
        corner = 0.45 * np.array([i % 2, i // 2 % 2, i // 4])
        SHAPES[shape](builder, builder.add_body(xform=(tuple(corner), tuple(q / np.linalg.norm(q)))))
    scene = scenes.Scene(builder, "float64", 4)
    x, v = scene.state.body_q.numpy()[:, :3], scene.state.body_qd.numpy()
    v[:, :3], v[:, 3:] = 3.0 * (x.mean(axis=0) - x), random.normal(size=(count, 3)) * 3.0
    scene.state.body_qd.assign(v)
    return scene


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES)
def test_the_sum_of_momenta_is_the_same_after_each_step(shape, seed):
    scene = meeting(shape, seed, 0.0)
    mass = scene.model.body_mass.numpy()
    before = scene.qd[:, :3].copy()
    most = 0.0
    for _ in range(200):
        scene.run(1 / 240)
        most = max(most, np.abs(mass @ scene.qd[:, :3] - mass @ before).max())
    assert most < 1e-12 * mass.sum()
    assert np.abs(scene.qd[:, :3] - before).max() > 0.5  # they struck each other


def test_what_strikes_in_free_fall_falls_together():
    scene, dt = meeting("boxes", 0, -scenes.G), 1 / 240
    mass = scene.model.body_mass.numpy()
    start = mass @ scene.qd[:, :3]
    for step in range(200):
        scene.run(dt)
        fall = mass.sum() * np.array([0.0, 0.0, -scenes.G * dt * (step + 1)])
        assert np.abs(mass @ scene.qd[:, :3] - start - fall).max() < 1e-12 * mass.sum()
