# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What rolls or lies over a finite support keeps its contact near the edges, where the support has corners of its own."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy

STEPS = [(1 / 60, 1), (1 / 60, 4), (1 / 60, 20), (1 / 240, 4)]
OFF = {"float64": 1e-11, "float32": 1e-6}
"""How far a body may be from its height, over the half thickness of the support."""
ACROSS, ALONG = rotation_from_rpy((np.pi / 2, 0, 0)), rotation_from_rpy((0, np.pi / 2, 0))


def add_support(builder, kind, size):
    """A support whose top is at z = 0, four sizes long either way."""
    cfg, below = it.ShapeConfig(mu=0.5), Pose(np.array([0, 0, -size]))
    if kind == "box":
        builder.add_shape_box(-1, below, hx=4 * size, hy=3 * size, hz=size, cfg=cfg)
    else:
        builder.add_shape_capsule(-1, Pose(below.position, ALONG), radius=size, half_height=4 * size, cfg=cfg)


def add_roller(builder, kind, radius, at):
    body, cfg = builder.add_link(xform=Pose(np.array([at, 0, radius]))), it.ShapeConfig(mu=0.5, density=1000.0)
    if kind == "ball":
        builder.add_shape_sphere(body, radius=radius, cfg=cfg)
    else:
        builder.add_shape_capsule(body, Pose(rotation=ACROSS), radius=radius, half_height=radius, cfg=cfg)
    return body


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", OFF)
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("size", [0.001, 0.25, 100.0])
@pytest.mark.parametrize(
    ("roller", "support"), [("ball", "box"), ("ball", "capsule"), ("capsule", "box"), ("capsule first", "box")]
)
def test_a_roller_keeps_its_height_up_to_the_edge(scene, roller, support, size, dt, substeps, dtype):
    """Its row was taken for a double of the row of a corner, or of a point on an axis, several radii away.

    Lengths over the square of time stay, as gravity grows with them: the scenes are one, up to rounding.
    """
    builder, radius, speed = it.ModelBuilder(gravity=(0, 0, -4 * 9.81 * size)), 0.2 * size, 12 * size
    body = 0
    if roller.endswith("first"):
        add_roller(builder, "capsule", radius, -2 * size)
        add_support(builder, support, size)
    else:
        add_support(builder, support, size)
        add_roller(builder, roller, radius, -2 * size)
    run = scene(builder, dtype, substeps, dt=dt)
    run.set_velocity(body, linear=(speed, 0, 0), angular=(0, speed / radius, 0))
    for _ in range(round(5.6 * size / (speed * dt))):
        assert run.run(dt).q[body, 2] == pytest.approx(radius, abs=OFF[dtype] * size)
    assert run.q[body, 0] == pytest.approx(3.6 * size, abs=1e-2 * size)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", OFF)
@pytest.mark.parametrize("off", [0.003, 0.007, 0.012])
@pytest.mark.parametrize("upper_first", [False, True])
@pytest.mark.parametrize("half", [0.002, 0.1, 5.0])
def test_equal_boxes_that_are_not_quite_flush_stay(scene, half, upper_first, off, dtype):
    """Corners that lie over the other's edge were kept, and those within its face dropped as doubles of them."""
    builder, cfg = it.ModelBuilder(gravity=(0, 0, -98.1 * half)), it.ShapeConfig(mu=0.5, density=1000.0)
    start = np.array([off * half, -off * half, half])
    for is_upper in (upper_first, not upper_first):
        body = builder.add_link(xform=Pose(start)) if is_upper else -1
        place = Pose() if is_upper else Pose(np.array([0, 0, -half]))
        builder.add_shape_box(body, place, hx=half, hy=half, hz=half, cfg=cfg)
    run = scene(builder, dtype, 4, dt=1 / 60).run(0.5)
    assert run.q[0, 2] == pytest.approx(half, abs=1e-6 * half)
    assert run.q[0, :2] == pytest.approx(start[:2], abs=1e-3 * half)
