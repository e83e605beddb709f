# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Hulls of some hundred corners, as the meshes of robots have them, on planes."""

import numpy as np
import pytest
import trimesh
from scenes import Scene

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion

CORNERS = 500
HALF = np.array([0.2, 0.04, 0.02])
THICKNESS = 2.0 * HALF.min()
FLOORS = {"plane": None, "triangles": it.Heightfield(np.zeros((2, 2)), 2, 2, 5.0, 5.0)}


def long_hull(seed):
    """Return points at random on a long ellipsoid, all of them corners of their hull."""
    directions = np.random.default_rng(seed).normal(size=(CORNERS, 3))
    return HALF * directions / np.linalg.norm(directions, axis=1)[:, None]


def add_hull(builder, body, points, **options):
    hull = trimesh.convex.convex_hull(points)
    builder.add_shape_mesh(body, mesh=it.Mesh(hull.vertices, hull.faces), **options)


def thrown_hull(seed, floor, lift=0.25):
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose((0.0, 0.0, lift)))
    add_hull(builder, body, long_hull(seed))
    if FLOORS[floor] is None:
        builder.add_ground_plane()
    else:
        builder.add_shape_heightfield(heightfield=FLOORS[floor])
    return builder


def lowest_corner(scene, points):
    return (points @ rotation_from_quaternion(scene.q[0, 3:]).T)[:, 2].min() + scene.q[0, 2]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", range(3))
def test_no_corner_sinks_into_a_plane(seed, dtype):
    """A subset of 250 corners let others sink by 1 % of the thickness or more, as it tumbled and for ever."""
    scene, points = Scene(thrown_hull(seed, "plane"), dtype, substeps=4), long_hull(seed)
    scene.set_velocity(0, (0.3, 0.0, 0.0), (3.0, 5.0, 1.0))
    lowest = min(lowest_corner(scene.run(1 / 60), points) for _ in range(90))
    assert lowest > -1e-3 * THICKNESS


@pytest.mark.parametrize("seed", range(3))
def test_a_plane_equals_flat_triangles(seed):
    """The hull stands up from one corner; which others it meets depends on all of them."""
    ends = []
    for floor in FLOORS:
        scene, points = Scene(thrown_hull(seed, floor, lift=1.0), substeps=1, dt=1 / 1000), long_hull(seed)
        q = scene.q
        q[0, 2] -= lowest_corner(scene, points)
        scene.state.body_q.assign(q)
        ends.append(scene.run(0.3).q[0])
    assert np.abs(ends[0] - ends[1]).max() < 1e-3 * THICKNESS


def test_copies_of_a_robot_whose_corners_are_all_near_the_floor_equal_it_to_the_bit():
    """A copy had room for 320 contacts of one body, and lost the others: a limp robot sank by 0.1 m."""

    def scene(copies):
        builder = it.ModelBuilder()
        body = builder.add_link(xform=it.Pose((0.0, 0.0, 0.1)))
        for seed, y in enumerate((-0.2, 0.0, 0.2)):
            add_hull(builder, body, long_hull(seed), xform=it.Pose((0.0, y, 0.0)))
        builder.add_ground_plane()
        if copies > 1:
            builder.replicate(copies)
        scene = Scene(builder, substeps=1, dt=1 / 60)
        for copy in range(copies):
            scene.set_velocity(copy, (0.0, 0.0, -6.0), (2.0, 0.0, 0.0))
        return scene.run(0.5)

    alone, copies = scene(1), scene(2)
    assert (copies.contacts.lost, copies.q[0].tolist()) == (0, alone.q[0].tolist())
