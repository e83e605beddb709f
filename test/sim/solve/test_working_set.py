# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Working set of a solve: rows that an impact closes enter it, and rows that stay open change nothing."""

import numpy as np
import pytest
import trimesh
from scenes import Scene, add_box

import inertia_tools as it

DEEPEST = {"float64": 1e-7, "float32": 1e-4}
"""Overlap that an impact may leave, of a way of 83 mm in a step [m]."""

WALL, BALL, HAMMER = 0.3, 0.05, 0.1


def struck_ball(gap):
    """Return a light ball at rest between a fast hammer and a wall, so far from the wall, without gravity."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_shape_box(-1, xform=it.Pose((WALL + 0.5, 0.0, 0.0)), hx=0.5, hy=1.0, hz=1.0)
    at = WALL - gap - BALL
    ball = builder.add_link(xform=it.Pose((at, 0.0, 0.0)))
    builder.add_shape_sphere(ball, radius=BALL, cfg=it.ShapeConfig(density=100.0))
    hammer = builder.add_link(xform=it.Pose((at - BALL - HAMMER - 0.002, 0.0, 0.0)))
    builder.add_shape_sphere(hammer, radius=HAMMER, cfg=it.ShapeConfig(density=5000.0))
    return builder


@pytest.mark.parametrize("dtype", DEEPEST)
@pytest.mark.parametrize("gap", [0.003, 0.01, 0.03])
@pytest.mark.parametrize("substeps", [1, 4])
def test_a_struck_ball_does_not_pass_a_wall_that_it_was_not_moving_to(gap, substeps, dtype):
    scene = Scene(struck_ball(gap), dtype, substeps=substeps, dt=1 / 60)
    scene.set_velocity(1, (5.0, 0.0, 0.0))
    farthest = max(scene.run(1 / 60).q[0, 0] for _ in range(10))
    assert farthest <= WALL - BALL + DEEPEST[dtype]


def test_a_solve_considers_contacts_that_may_close():
    """The working set has the corners of the box at rest, not those of one that falls 3 cm above it."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.1))
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.33))
    scene = Scene(builder, substeps=10, dt=1 / 60)
    scene.set_velocity(1, (0.0, 0.0, -1.0))
    scene.run(1 / 60)
    islands = scene.solver._bodies._islands
    first, working, end = (getattr(islands, name).numpy()[0] for name in ("first_row", "end_working", "end_row"))
    assert (working - first, end - first) == (4, 8)


def test_a_solve_with_an_empty_working_set_leaves_no_residual_of_an_earlier_one():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.13))
    scene = Scene(builder, substeps=10, dt=1 / 60)
    scene.model.request_contact_attributes("solve_log")
    scene.contacts = scene.model.contacts()
    scene.set_velocity(0, (0.0, 0.0, -1.0))
    scene.contacts.rows.residual.fill_(1.0)
    decades = scene.run(1 / 60).contacts.solve_log.decades
    assert (decades.sum(), decades[0, 0]) == (10, 10)


def test_a_solve_considers_the_corners_that_a_rotation_may_close():
    """Of a round foot at the end of a bar, the working set has the corners about the lowest one, not all near the floor."""
    directions = np.random.default_rng(0).normal(size=(400, 3))
    foot = trimesh.convex.convex_hull(0.02 * directions / np.linalg.norm(directions, axis=1)[:, None])
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(xform=it.Pose((0.0, 0.0, 0.04)))
    for end in (-0.5, 0.5):
        builder.add_shape_mesh(body, xform=it.Pose((end, 0.0, 0.0)), mesh=it.Mesh(foot.vertices, foot.faces))
    scene = Scene(builder, substeps=1, dt=1 / 60)
    scene.set_velocity(0, (0.0, 0.0, -2.0), (0.0, 0.5, 0.0))
    scene.run(1 / 60)
    islands = scene.solver._bodies._islands
    first, working, end = (getattr(islands, name).numpy()[0] for name in ("first_row", "end_working", "end_row"))
    assert end - first > 400
    assert 2 <= working - first < 100
