# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cylinders that roll on a level floor of triangles, in all directions: the edges between them are not there."""

import numpy as np
import pytest
from scenes import Scene
from scipy.spatial import Delaunay

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy, rotations_from_quaternions

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


@pytest.mark.sweep
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


@pytest.mark.sweep
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


def car_with(wheel):
    """Return a scene's builder with four wheels under a chassis of 20 kg, turned by 0.3 rad, and their bodies."""
    builder, around_y = it.ModelBuilder(), Pose(np.zeros(3), rotation_from_rpy((np.pi / 2, 0.0, 0.0)))
    place = Pose(np.array([-0.9, -0.3, 0.15]), rotation_from_rpy((0.0, 0.0, 0.3)))
    chassis, wheels = builder.add_link(xform=place, mass=20.0, inertia=np.diag([0.15, 0.6, 0.7])), []
    for x, y in ((0.2, 0.18), (0.2, -0.18), (-0.2, 0.18), (-0.2, -0.18)):
        axle = Pose(np.array([x, y, -0.05]))
        body = builder.add_link(xform=place @ axle @ around_y)
        wheel(builder, body)
        child = Pose(np.zeros(3), around_y.rotation.T)
        builder.add_joint_revolute(
            chassis, body, axis=(0, 1, 0), parent_xform=axle, child_xform=child, target_vel=10.0, target_kd=100.0
        )
        wheels.append(body)
    return builder, wheels


WHEELS = {
    "ball": lambda builder, body: builder.add_shape_sphere(body, radius=0.1),
    "capsule": lambda builder, body: builder.add_shape_capsule(body, radius=0.1, half_height=0.02),
}


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), [(1.0 / 60.0, 1), (1.0 / 60.0, 4), (1.0 / 240.0, 4)])
@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("floor", [floor_of_diagonals, floor_of_heights])
def test_wheels_of_a_car_bear_the_same_on_all_triangles(floor, wheel, dt, substeps):
    """What four wheels bear is not determined by their sum: it stays as it was where a wheel is handed over.

    When a contact began anew on each triangle, loads of 59 N went from 17 to 100 N.
    """
    builder, wheels = car_with(WHEELS[wheel])
    floor(builder, np.zeros(3), 0.1, it.ShapeConfig(mu=0.8))
    scene, loads = Scene(builder, dt=dt, substeps=substeps), []
    scene.run(0.6)
    for _ in range(round(0.9 / dt)):
        scene.run(dt)
        loads.append([scene.force_on(body, -1)[2] for body in wheels])
    quarter = 9.81 * sum(scene.builder.body_mass) / 4.0
    np.testing.assert_allclose(loads, quarter, rtol=1e-3)


@pytest.mark.parametrize("floor", [floor_of_diagonals, floor_of_any_triangles, floor_of_heights])
def test_a_cylinder_that_lies_across_edges_touches_with_both_of_its_ends(floor):
    """An end replaces the point on the edge between both triangles, and a point beside it no longer replaces that end.

    A car that turned on the spot on four such wheels had loads of 0 and 117 N instead of 59 N after a quarter second.
    """
    random, builder, radius = np.random.default_rng(2), it.ModelBuilder(), 0.1
    floor(builder, np.zeros(3), 0.1, it.ShapeConfig(mu=1.0))
    for heading in random.uniform(0.0, 2.0 * np.pi, 600):
        lying = rotation_from_rpy((np.pi / 2 + random.normal(0.0, 1e-13), random.uniform(0.0, 6.0), 0.0))
        place = [*random.uniform(-1.0, 1.0, 2), radius * (1.0 - 1e-11)]
        body = builder.add_link(xform=Pose(place, rotation_from_rpy((0.0, 0.0, heading)) @ lying))
        builder.add_shape_cylinder(body, radius=radius, half_height=HALF, cfg=it.ShapeConfig(collision_group=-1))
    model = builder.finalize(dtype="float64")
    state, contacts = model.state(), model.contacts()
    model.collide(state, contacts, foresight=1e-3)
    found, poses = contacts.geometry, state.body_q.numpy()
    axes = rotations_from_quaternions(poses[:, 3:])[:, :, 2]
    bodies = found.bodies.max(axis=1)
    arms = found.positions - poses[bodies, :3]
    np.testing.assert_allclose(np.einsum("ij,ij->i", arms, np.cross(axes[bodies], [0.0, 0.0, 1.0])), 0.0, atol=1e-12)
    along = np.einsum("ij,ij->i", arms, axes[bodies])
    ends = np.array([np.full(len(poses), np.inf), np.full(len(poses), -np.inf)])
    np.minimum.at(ends[0], bodies, along)
    np.maximum.at(ends[1], bodies, along)
    same_place = 1.1e-3 * radius  # one contact stands for all of its place
    np.testing.assert_allclose(ends, [[-HALF], [HALF]] * np.ones(len(poses)), rtol=0.0, atol=same_place)
