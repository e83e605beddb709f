# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How far shapes reach."""

import numpy as np
import pytest

from inertia_tools.description.source import Place
from inertia_tools.description.types import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Plane,
    Prism,
    Shape,
    Sphere,
)
from inertia_tools.geometry.extent import farthest, shape_boxes, shape_points
from inertia_tools.spatial import Pose, box_of

SOLIDS = (
    Box((0.2, 0.3, 0.7)),
    Sphere(0.4),
    Ellipsoid((0.1, 0.5, 0.9)),
    Cylinder(0.2, 0.9),
    Capsule(0.2, 0.9),
    Cone(0.3, 0.8),
    Prism((((0.0, 0.0), (1.0, 0.0), (0.0, 2.0)),), 0.5),
)
POSE = Pose.from_xyz_rpy((1.0, -2.0, 3.0), (0.3, -0.7, 1.1))
RING = 512
ROUNDING = 1.0 - np.cos(np.pi / RING)
"""Share of its radius by which a polygon of that many corners may fall short of a circle; a ball does so twice."""


def placed(geometry):
    return Shape(geometry, POSE, "", Place(None, 1))


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: type(solid).__name__)
def test_the_box_of_a_turned_shape_is_that_of_many_points_of_it(solid):
    shape = placed(solid)
    low, high = shape_boxes([shape])
    short = 2e-3 if isinstance(solid, Cone) else 4.0 * ROUNDING  # the box of a cone is that of few points
    for corner, other in zip((low[0], high[0]), box_of(shape_points(shape, RING)), strict=True):
        assert corner == pytest.approx(other, abs=short)


def test_boxes_stand_in_the_order_of_their_shapes():
    shapes = [placed(solid) for solid in SOLIDS]
    for both, alone in zip(
        zip(*shape_boxes(shapes), strict=True), map(shape_boxes, ([s] for s in shapes)), strict=True
    ):
        assert np.array_equal(both, [alone[0][0], alone[1][0]])


def test_what_has_no_size_is_a_point():
    low, high = shape_boxes([placed(Plane())])
    assert low[0].tolist() == high[0].tolist() == POSE.position.tolist()


def test_the_farthest_of_many_points_reach_nearly_as_far_as_all():
    rng = np.random.default_rng(1)
    cloud = rng.normal(size=(30000, 3))
    ball = cloud / np.linalg.norm(cloud, axis=1)[:, None]
    kept = farthest(ball)
    assert len(kept) < 200
    along = rng.normal(size=(500, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    assert ((along @ kept.T).max(axis=1) > 0.96).all()


@pytest.mark.parametrize("sizes", [(1.0, 20.0, 300.0), (1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_the_farthest_of_a_long_or_flat_cloud_are_no_fewer_than_its_shape_needs(sizes):
    cloud = np.array(sizes) * np.random.default_rng(2).uniform(-1.0, 1.0, (30000, 3))
    kept = farthest(cloud)
    assert np.ptp(kept, axis=0) == pytest.approx(np.ptp(cloud, axis=0), rel=0.04)
