# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Hulls of some hundred corners, as the meshes of robots have them, on planes."""

import numpy as np
import trimesh
from scenes import Scene

import inertia_tools as it

CORNERS = 500
HALF = np.array([0.2, 0.04, 0.02])


def long_hull(seed):
    """Return points at random on a long ellipsoid, all of them corners of their hull."""
    directions = np.random.default_rng(seed).normal(size=(CORNERS, 3))
    return HALF * directions / np.linalg.norm(directions, axis=1)[:, None]


def add_hull(builder, body, points, **options):
    hull = trimesh.convex.convex_hull(points)
    builder.add_shape_mesh(body, mesh=it.Mesh(hull.vertices, hull.faces), **options)


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
