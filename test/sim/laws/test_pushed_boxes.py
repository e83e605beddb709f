# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of one height that are pushed side on slide as Coulomb says: weight alone carries no corner past another face."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose

G, MU, DENSITY = 9.81, 0.3, 1000.0


def add_box(builder, shape, half, body, mu):
    cfg = it.ShapeConfig(mu=mu, density=DENSITY)
    if shape == "hull":
        mesh = it.Mesh.create_box(half, half, half, duplicate_vertices=False)
        builder.add_shape_convex_hull(body, mesh=mesh, cfg=cfg)
    else:
        builder.add_shape_box(body, hx=half, hy=half, hz=half, cfg=cfg)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 60, 4), (1 / 240, 1)])
@pytest.mark.parametrize(("speed", "gap"), [(0.1, 0.0), (0.1, 0.003), (0.5, 0.002)])
@pytest.mark.parametrize(
    ("shape", "count", "half"),
    [("box", 1, 0.01), ("box", 1, 0.2), ("box", 4, 0.05), ("hull", 1, 0.1), ("hull", 3, 0.02)],
)
def test_a_row_is_pushed_with_its_friction(scene, shape, count, half, speed, gap, dt, substeps, dtype):
    """The pusher is smooth, so the floor alone bears the weight. Corners lay on top of each other, and boxes jammed."""
    builder = it.ModelBuilder()
    builder.friction_combine = "min"
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=MU))
    pusher = builder.add_link(xform=Pose(np.array([0.0, 0.0, half])), is_kinematic=True)
    add_box(builder, "box", half, pusher, 0.0)
    row = [builder.add_link(xform=Pose(np.array([i * (2.0 * half + gap), 0.0, half]))) for i in range(1, count + 1)]
    for body in row:
        add_box(builder, shape, half, body, MU)
    run = scene(builder, dtype, substeps, dt=dt)
    run.set_velocity(pusher, linear=(speed, 0.0, 0.0))
    run.run(0.5)
    friction = MU * count * DENSITY * (2.0 * half) ** 3 * G
    for _ in range(8):
        run.run(dt)
        assert -run.force_on(pusher, row[0])[0] == pytest.approx(friction, rel=1e-2)
    at = run.q[[pusher, *row]]
    assert np.diff(at[:, 0]) == pytest.approx(2.0 * half, rel=1e-4)
    assert at[:, 2] == pytest.approx(half, rel=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rate", [60, 120, 240])
def test_a_box_that_slides_into_another_shares_its_speed(scene, rate, dtype):
    """What both have after the blow is half of what one had, less what friction took."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=MU))
    first, second = (builder.add_link(xform=Pose(np.array([x, 0.0, 0.1]))) for x in (0.0, 0.23))
    for body in (first, second):
        add_box(builder, "box", 0.1, body, MU)
    run = scene(builder, dtype, 1, dt=1 / rate)
    run.set_velocity(first, linear=(1.0, 0.0, 0.0))
    way = (1.0 - 2.0 * MU * G * 0.03) / 4.0 / (2.0 * MU * G)  # of both from the blow on, to rest
    q = run.run(0.6).q
    assert q[second, 0] - 0.23 == pytest.approx(way, abs=2e-2 / rate * 60)
    assert q[second, 0] - q[first, 0] == pytest.approx(0.2, abs=1e-5)
    assert q[:, 2] == pytest.approx(0.1, abs=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 10), (1 / 240, 4), (1 / 1000, 1)])
@pytest.mark.parametrize(("half", "times"), [(0.01, 1.5), (0.02, 3.0), (0.05, 10.0)])
def test_what_free_fingers_press_does_not_slip(scene, half, times, dt, substeps, dtype):
    """Forces press them and bear all weights; their edges are flush with what they hold, and fall as it does."""
    builder = it.ModelBuilder()
    load = builder.add_link()
    add_box(builder, "box", half, load, 0.5)
    fingers = [builder.add_link(xform=Pose(np.array([side * 1.2 * half, 0.0, 0.0]))) for side in (1.0, -1.0)]
    for finger in fingers:
        builder.add_shape_box(finger, hx=0.2 * half, hy=half, hz=half, cfg=it.ShapeConfig(mu=0.5, density=DENSITY))
    run = scene(builder, dtype, substeps, dt=dt)
    weight = DENSITY * (2.0 * half) ** 3 * G
    forces = np.zeros((3, 6))
    for finger, side in zip(fingers, (-1.0, 1.0), strict=True):
        forces[finger, [0, 2]] = side * times * weight, 0.7 * weight
    run.state.body_f.assign(forces)
    run.run(0.3)
    assert np.abs(run.q[load, 2] - run.q[fingers, 2]).max() < 1e-6 * half
