# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision shapes: where a solid ends, and which of its points may touch."""

import itertools

import numpy as np
import pytest
import warp as wp

from inertia_tools.sim.collide.signed_distance import distance_functions
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.scene.convex import (
    HULL_CORNERS,
    convex_box,
    convex_capsule,
    convex_cylinder,
    convex_hull,
    convex_plane,
    convex_sphere,
)

CUBE = np.array(list(itertools.product([-0.1, 0.1], [-0.2, 0.2], [-0.3, 0.3])))

P = precision("float64")
_distance = distance_functions(P).distance
_Shapes, _vec3, _vec4 = P.Shapes, P.vec3, P.vec4


@wp.kernel(module="unique", enable_backward=False)
def _measure(shapes: _Shapes, points: wp.array(dtype=_vec3), found: wp.array(dtype=_vec4)):
    i = wp.tid()
    found[i] = _distance(shapes, 0, points[i])


def distances(convex, points):
    """Return outward normals and signed distances of points to one shape."""
    shapes = P.Shapes()
    shapes.kind = wp.array([int(convex.kind)], dtype=wp.int32)
    shapes.size = wp.array([convex.size], dtype=_vec3)
    shapes.first_face = wp.zeros(1, dtype=wp.int32)
    shapes.face_count = wp.array([len(convex.faces)], dtype=wp.int32)
    faces = convex.faces if len(convex.faces) else np.zeros((1, 4))
    shapes.face = wp.array(faces, dtype=_vec4)
    found = wp.zeros(len(points), dtype=_vec4)
    where = wp.array(np.asarray(points, dtype=np.float64), dtype=_vec3)
    wp.launch(_measure, dim=len(points), inputs=[shapes, where], outputs=[found])
    return found.numpy()[:, :3], found.numpy()[:, 3]


def reference(kind, points):
    """Signed distances in closed form, for points outside."""
    if kind == "plane":
        return points[:, 2]
    if kind == "sphere":
        return np.linalg.norm(points, axis=1) - 0.3
    if kind == "capsule":
        along = np.clip(points[:, 2], -0.2, 0.2)
        return np.linalg.norm(points - along[:, None] * [0, 0, 1], axis=1) - 0.1
    if kind == "box":
        return np.linalg.norm(np.maximum(np.abs(points) - [0.1, 0.2, 0.3], 0.0), axis=1)
    radial = np.maximum(np.hypot(points[:, 0], points[:, 1]) - 0.1, 0.0)
    return np.hypot(radial, np.maximum(np.abs(points[:, 2]) - 0.2, 0.0))


SOLIDS = {
    "plane": convex_plane(),
    "sphere": convex_sphere(0.3),
    "box": convex_box(0.1, 0.2, 0.3),
    "capsule": convex_capsule(0.1, 0.2),
    "cylinder": convex_cylinder(0.1, 0.2),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_distance_outside_is_that_of_geometry(kind):
    directions = np.random.default_rng(1).normal(size=(200, 3))
    points = directions / np.linalg.norm(directions, axis=1)[:, None] * 0.8
    normals, found = distances(SOLIDS[kind], points)
    outside = reference(kind, points) > 0.0
    assert found[outside] == pytest.approx(reference(kind, points)[outside], abs=1e-12)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", SOLIDS)
def test_going_back_along_the_normal_reaches_the_surface(kind):
    points = np.random.default_rng(2).normal(scale=0.3, size=(200, 3))
    normals, found = distances(SOLIDS[kind], points)
    again = distances(SOLIDS[kind], points - found[:, None] * normals)[1]
    assert np.abs(again).max() < 1e-12


@pytest.mark.parametrize("kind", SOLIDS)
def test_distance_grows_along_its_normal(kind):
    points = np.random.default_rng(3).normal(scale=0.5, size=(100, 3))
    normals, found = distances(SOLIDS[kind], points)
    outside = found > 1e-3
    further = distances(SOLIDS[kind], points + 1e-3 * normals)[1]
    assert (further - found)[outside] == pytest.approx(1e-3, abs=1e-9)


def test_hull_of_box_corners_agrees_with_the_box_inside_and_over_faces():
    points = np.random.default_rng(4).uniform(-1.0, 1.0, size=(200, 3)) * [0.09, 0.19, 0.29]
    over = np.concatenate([points, points[:50] + [0.0, 0.0, 0.4]])
    over = over[(np.abs(over) < [0.1, 0.2, 10.0]).all(axis=1)]
    box, hull = distances(SOLIDS["box"], over), distances(convex_hull(CUBE), over)
    assert hull[1] == pytest.approx(box[1], abs=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in SOLIDS if kind != "plane"])
def test_features_lie_on_or_in_their_own_solid_by_their_radius(kind):
    convex = SOLIDS[kind]
    depth = distances(convex, convex.features)[1] + convex.radii
    assert depth.max() < 1e-9


def test_bounding_ball_holds_the_features():
    for kind, convex in SOLIDS.items():
        if kind != "plane":
            reach = np.linalg.norm(convex.features, axis=1) + convex.radii
            assert reach.max() <= convex.bounding_radius + 1e-12
    assert SOLIDS["plane"].bounding_radius == np.inf


def test_hull_leaves_out_inner_points():
    hull = convex_hull(np.vstack([CUBE, np.zeros(3), [0.05, 0.05, 0.05]]))
    rounding = hull.radii.max()
    assert len(hull.features) == len(CUBE)
    assert 0.0 < rounding < 1e-3
    # A corner lies inside by the radius along each of its three faces, so that the faces stay where they are.
    apart = np.abs(hull.features[:, None, :] - CUBE[None, :, :]).max(axis=2).min(axis=1)
    assert apart == pytest.approx(rounding, rel=1e-6)


def test_hull_of_many_points_keeps_its_extent():
    directions = np.random.default_rng(5).normal(size=(5000, 3))
    ball = directions / np.linalg.norm(directions, axis=1)[:, None]
    hull = convex_hull(ball)
    assert len(hull.features) <= HULL_CORNERS + 6
    for axis in np.eye(3):
        reach = (hull.features @ axis + hull.radii).max()
        assert reach == pytest.approx((ball @ axis).max(), abs=2.0 * hull.radii.max())
