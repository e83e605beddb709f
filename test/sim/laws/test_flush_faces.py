# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Corners that lie on a face at its edge stay on it: free motion carries them past the edge, and friction back."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import inertia_tools as it
from inertia_tools.spatial import Pose

STEPS = [(1 / 60, 1), (1 / 120, 1), (1 / 60, 4)]
SLIP = {"float64": 2e-9, "float32": 1e-6}
"""How far what sticks may move [m]."""


def add_hull(builder, body, corners, cfg):
    """Add a hull; its body, if it is none of the world's, has its frame in the middle of the corners."""
    middle = corners.mean(axis=0)
    if body is None:
        body, place = builder.add_link(xform=Pose(middle)), Pose()
    else:
        place = Pose(middle)
    mesh = it.Mesh(corners - middle, ConvexHull(corners).simplices.astype(np.int32))
    builder.add_shape_convex_hull(body, xform=place, mesh=mesh, cfg=cfg)


def wedge(outline, half_width):
    return np.array([(x, y, z) for y in (-half_width, half_width) for x, z in outline])


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", SLIP)
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize(("count", "thickness", "fan"), [(9, 0.25, 1.0), (15, 0.3, 2.0)])
def test_a_flat_arch_between_wider_abutments_stands(scene, count, thickness, fan, dt, substeps, dtype):
    """Its joints meet in one point below it, at angles that friction holds; top and bottom are flush."""
    builder, cfg = it.ModelBuilder(), it.ShapeConfig(mu=0.6, density=1000.0)
    below = np.linspace(-0.5, 0.5, count + 1)
    above = below * (fan + thickness) / fan
    for end, out in ((0, -2.0), (-1, 2.0)):
        outline = [(out, 1.0), (below[end], 1.0), (above[end], 1.0 + thickness), (out, 1.0 + thickness)]
        add_hull(builder, -1, wedge(outline, 0.21), cfg)
    for i in range(count):
        low, high = below[i : i + 2], above[i : i + 2]
        outline = [(low[0], 1.0), (high[0], 1.0 + thickness), (high[1], 1.0 + thickness), (low[1], 1.0)]
        add_hull(builder, None, wedge(outline, 0.2), cfg)
    run = scene(builder, dtype, substeps, dt=dt)
    start = run.q[:, :3]
    assert np.abs(run.run(1.0).q[:, :3] - start).max() < SLIP[dtype]


def add_solid(builder, shape, body, cfg, place=None):
    if shape == "box":
        builder.add_shape_box(body, place, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    elif shape == "cylinder":
        builder.add_shape_cylinder(body, place, radius=0.1, half_height=0.1, cfg=cfg)
    else:
        corners = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
        mesh = it.Mesh(corners, ConvexHull(corners).simplices.astype(np.int32))
        builder.add_shape_convex_hull(body, xform=place, mesh=mesh, cfg=cfg)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", SLIP)
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("shape", ["box", "cylinder", "hull"])
def test_equal_solids_on_each_other_stick_on_a_slope(scene, shape, count, dt, substeps, dtype):
    """The slope turns gravity; free motion carries lower corners past the edge of what they lie on."""
    tilt = 0.4 if count == 1 else 0.15
    builder = it.ModelBuilder(gravity=(9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)))
    cfg = it.ShapeConfig(mu=0.8, density=1000.0)
    add_solid(builder, shape, -1, cfg, Pose(np.array([0.0, 0.0, -0.1])))
    for i in range(count):
        add_solid(builder, shape, builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.1 + 0.2 * i]))), cfg)
    run = scene(builder, dtype, substeps, dt=dt)
    start = run.q[:, :3]
    assert np.abs(run.run(1.0).q[:, :3] - start).max() < SLIP[dtype]


def test_a_box_that_slides_off_an_edge_falls_as_one_without_it(scene):
    """It leaves the face no later than a substep after its last corner."""
    builder, cfg = it.ModelBuilder(), it.ShapeConfig(mu=0.0, density=1000.0)
    builder.add_shape_box(-1, Pose(np.array([0.0, 0.0, -0.1])), hx=0.5, hy=0.5, hz=0.1, cfg=cfg)
    builder.add_shape_box(builder.add_link(xform=Pose(np.array([0.3, 0.0, 0.1]))), hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    run = scene(builder, "float64", 4, dt=1 / 240)
    run.set_velocity(0, linear=(40.0, 0.0, 0.0))
    energy = run.energy()
    q = run.run(0.25).q[0]
    gone = (0.6 - 0.3) / 40.0  # until the last corner leaves
    assert q[2] - 0.1 == pytest.approx(-0.5 * 9.81 * (0.25 - gone) ** 2, abs=0.02)
    assert run.energy() == pytest.approx(energy, rel=1e-6)
