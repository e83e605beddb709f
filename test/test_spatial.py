# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_tools.errors import OptionError
from inertia_tools.spatial import (
    Pose,
    box_of,
    extents,
    lengths_of,
    quaternion_from_rotation,
    rotation_about,
    rotation_between,
    rotation_from_quaternion,
    rotation_from_rpy,
    rpy_from_rotation,
    skew,
)

angles = st.tuples(*[st.floats(-3.1, 3.1)] * 3)
vectors = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)


@given(angles)
def test_rpy_gives_a_rotation(rpy):
    rotation = rotation_from_rpy(rpy)
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_rpy_turns_about_fixed_axes_in_order():
    roll, pitch, yaw = (rotation_from_rpy(np.eye(3)[i] * a) for i, a in enumerate((0.3, -0.4, 1.2)))
    assert np.allclose(rotation_from_rpy([0.3, -0.4, 1.2]), yaw @ pitch @ roll, atol=1e-15)
    assert np.allclose(rotation_from_rpy([np.pi / 2, 0, 0]) @ [0, 1, 0], [0, 0, 1])


@given(angles)
def test_rpy_round_trip(rpy):
    rotation = rotation_from_rpy(rpy)
    assert np.allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=1e-14)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_rpy_round_trip_in_gimbal_lock(pitch):
    rotation = rotation_from_rpy([0.3, pitch, -0.7])
    assert np.allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=1e-14)


@given(angles)
def test_quaternion_round_trip(rpy):
    rotation = rotation_from_rpy(rpy)
    quaternion = quaternion_from_rotation(rotation)
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)
    assert quaternion[3] >= 0.0
    assert np.allclose(rotation_from_quaternion(quaternion), rotation, atol=1e-14)


def test_quaternion_order_is_x_y_z_w():
    assert np.allclose(rotation_from_quaternion([0, 0, 1, 1]), rotation_from_rpy([0, 0, np.pi / 2]))


def test_quaternion_without_length_is_refused():
    with pytest.raises(ValueError, match="not a rotation"):
        rotation_from_quaternion([0, 0, 0, 0])


@given(vectors, vectors)
def test_skew_is_the_cross_product(a, b):
    assert np.allclose(skew(a) @ b, np.cross(a, b))


@pytest.mark.parametrize("to", [[1, 2, 3], [-1, 0, 0], [1, 0, 0], [0, 0, -5]])
def test_rotation_between_maps_directions(to):
    rotation = rotation_between([2, 0, 0], to)
    assert np.allclose(rotation @ [1, 0, 0], np.array(to) / np.linalg.norm(to), atol=1e-12)
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)


@given(angles, vectors, angles, vectors, vectors)
def test_poses_chain_as_their_point_maps(rpy_a, xyz_a, rpy_b, xyz_b, point):
    a, b = Pose.from_xyz_rpy(xyz_a, rpy_a), Pose.from_xyz_rpy(xyz_b, rpy_b)
    assert np.allclose((a @ b).transform_points(point), a.transform_points(b.transform_points(point)), atol=1e-12)
    assert (a @ a.inverse()).isclose(Pose(), 1e-12)


def test_pose_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        Pose().position[0] = 1.0


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("x",), r"position must be numbers of shape \(3,\); it is 'x'"),
        (((1.0, 2.0),), r"position must be numbers of shape \(3,\); it is \(1.0, 2.0\)"),
        (((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), r"rotation must be numbers of shape \(3, 3\)"),
    ],
)
def test_a_pose_of_other_values_is_refused_by_name(values, said):
    with pytest.raises(OptionError, match=said):
        Pose(*values)


def test_columns_say_what_numpy_says_row_by_row():
    """To the last bit: files hold these numbers, and speed changes none."""
    points = np.random.default_rng(0).normal(size=(1000, 3))
    low, high = box_of(points)
    assert np.array_equal(low, points.min(axis=0))
    assert np.array_equal(high, points.max(axis=0))
    assert np.array_equal(extents(points), np.ptp(points, axis=0))
    assert np.array_equal(lengths_of(points), np.linalg.norm(points, axis=1))


def test_half_a_turn_has_one_quaternion_however_it_is_rounded():
    generator = np.random.default_rng(3)
    for axis in (*np.eye(3), [1.0, 0.0, 1.0], [-1.0, 0.0, -1.0], [1.0, -1.0, 0.0], *generator.normal(size=(20, 3))):
        turned = [
            quaternion_from_rotation(rotation_about(along, np.pi * (1.0 + rounding)))
            for along in (axis, -np.asarray(axis))
            for rounding in (-1e-16, 0.0, 1e-16)
        ]
        np.testing.assert_allclose(turned, np.broadcast_to(turned[0], (6, 4)), atol=1e-15)
        assert turned[0][np.argmax(np.abs(turned[0]) > 1e-12)] > 0.0
