# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cylinders that roll on a level floor of triangles, in all directions: the edges between them are not there."""

import numpy as np
import pytest
from scenes import Scene
from scipy.spatial import Delaunay

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy

SPEED, SECONDS, FRAME = 0.3, 3.0, 1.0 / 60.0
HALF = 0.03
DIRECTIONS = np.linspace(0.0, 2.0 * np.pi, 14, endpoint=False) + 0.1
SIDE = 2.4


def points_of_grid(cells, spacing):
    place = (np.arange(cells + 1) - cells / 2) * spacing
    return np.stack(np.meshgrid(place, place, indexing="ij"), axis=-1).reshape(-1, 2)


def floor_of_diagonals(builder, place, spacing, config):
    cells = round(SIDE / spacing)
    row, column = np.meshgrid(range(cells), range(cells), indexing="ij")
    k = (row * (cells + 1) + column).ravel()
    faces = np.concatenate([np.stack([k, k + cells + 1, k + cells + 2], 1), np.stack([k, k + cells + 2, k + 1], 1)])
    points = np.pad(points_of_grid(cells, spacing), ((0, 0), (0, 1)))
    builder.add_shape_mesh(-1, Pose(place), it.Mesh(points, faces), cfg=config)


def floor_of_any_triangles(builder, place, spacing, config):
    points = points_of_grid(round(SIDE / spacing), spacing)
    points += np.random.default_rng(1).uniform(-0.3, 0.3, points.shape) * spacing
    faces = Delaunay(points).simplices
    sides = points[faces[:, 1:]] - points[faces[:, :1]]
    faces[np.linalg.det(sides) < 0.0] = faces[np.linalg.det(sides) < 0.0][:, ::-1]
    builder.add_shape_mesh(-1, Pose(place), it.Mesh(np.pad(points, ((0, 0), (0, 1))), faces), cfg=config)


def floor_of_heights(builder, place, spacing, config):
    count = round(SIDE / spacing) + 1
    field = it.Heightfield(np.zeros((count, count)), count, count, SIDE / 2, SIDE / 2)
    builder.add_shape_heightfield(Pose(place), heightfield=field, cfg=config)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("radius", [0.02, 0.1])
@pytest.mark.parametrize("floor", [floor_of_diagonals, floor_of_any_triangles, floor_of_heights])
def test_a_cylinder_rolls_over_the_edges_of_triangles_in_all_directions(floor, radius, dtype):
    """The point of its rim nearest to a triangle is known to a thousandth of its radius.

    Where it was not seen to lie on the edge, the contact leant over it: the cylinder lost 5 % or more as it met it.
    """
    builder, config = it.ModelBuilder(), it.ShapeConfig(mu=1.0)
    ways = np.stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS), np.zeros(len(DIRECTIONS))], axis=1)
    for i, direction in enumerate(DIRECTIONS):
        place = np.array([5.0 * i, 0.0, 0.0])
        floor(builder, place, 0.1, config)
        lying = rotation_from_rpy((np.pi / 2, 0.0, direction))
        body = builder.add_link(xform=Pose(place + [0.0013, 0.0027, radius], lying))
        builder.add_shape_cylinder(body, radius=radius, half_height=HALF, cfg=config)
    scene = Scene(builder, dtype=dtype, dt=FRAME, substeps=4)
    for body, way in enumerate(ways):
        scene.set_velocity(body, SPEED * way, np.cross([0.0, 0.0, SPEED / radius], way))
    scene.run(SECONDS)
    np.testing.assert_allclose(np.linalg.norm(scene.qd[:, :2], axis=1), SPEED, rtol=1e-3)
    np.testing.assert_allclose(scene.q[:, 2], radius, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("floor", [floor_of_diagonals, floor_of_heights])
def test_a_wheel_whose_side_is_over_a_row_of_edges_rolls_straight_on(floor, dtype):
    """All of it is beside the triangles of the next row: what is nearest of them is no point that it could touch.

    A contact there passed through the floor as the wheel turned, and its normal pointed down: cars were thrown.
    """
    builder, config, radius, speed = it.ModelBuilder(), it.ShapeConfig(mu=0.8), 0.1, 1.0
    starts = np.random.default_rng(3).uniform(-1.0, -0.8, 24)
    for i, start in enumerate(starts):
        place = np.array([0.0, 5.0 * i, 0.0])
        floor(builder, place, 0.2, config)
        lying = rotation_from_rpy((np.pi / 2, 0.0, 0.0))
        body = builder.add_link(xform=Pose(place + [start, 0.18, radius], lying))
        builder.add_shape_cylinder(body, radius=radius, half_height=0.02, cfg=config)
    scene = Scene(builder, dtype=dtype, dt=FRAME, substeps=4)
    for body in range(len(starts)):
        scene.set_velocity(body, [speed, 0.0, 0.0], [0.0, speed / radius, 0.0])
    scene.run(1.7)
    np.testing.assert_allclose(scene.qd[:, 0], speed, rtol=1e-3)
    np.testing.assert_allclose(scene.q[:, 2], radius, atol=1e-4)
