# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities that are read after a blow without restitution, and states that are copied then."""

import numpy as np
import pytest
import scenes

import inertia_tools as it


def falling(half=None):
    """A ball, or a cube that falls flat, above the ground."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(xform=it.Pose(np.array([0, 0, 0.3])))
    if half is None:
        builder.add_shape_sphere(body, radius=0.1)
    else:
        builder.add_shape_box(body, hx=half, hy=half, hz=half)
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("substeps", [1, 10])
@pytest.mark.parametrize("half", [None, 0.1])
def test_a_body_that_was_stopped_is_read_so(half, substeps, dt, dtype):
    scene = scenes.Scene(falling(half), dtype, substeps, dt=dt)
    deepest, highest = 0.0, -10.0
    for _ in range(round(0.3 / dt)):
        velocity = scene.run(dt).qd[0, 2]
        deepest, highest = min(deepest, velocity), max(highest, velocity)
    assert deepest == pytest.approx(-np.sqrt(2 * scenes.G * 0.2), abs=2 * scenes.G * dt)
    assert highest < 1e-5
    assert np.abs(scene.qd).max() < 1e-5


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_a_state_that_is_copied_after_a_blow_does_not_hop(dt):
    scene = scenes.Scene(falling(), dt=dt)
    while scene.run(dt).q[0, 2] > 0.1 + 1e-4:
        pass
    copy, contacts = scene.model.state(), scene.model.contacts()
    copy.body_q.assign(scene.state.body_q)
    copy.body_qd.assign(scene.state.body_qd)
    for _ in range(20):
        scene.solver.step(copy, copy, scene.control, contacts, dt)
        assert copy.body_q.numpy()[0, 2] < 0.1 + 1e-6
