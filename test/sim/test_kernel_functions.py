# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Functions for kernels of users: laws of rotations, twists and wrenches, on the host and in a kernel."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.spatial import Pose, rotation_from_quaternion

POSE = Pose(np.array([0.3, -1.2, 0.7]), rotation_from_quaternion(np.array([0.1, -0.4, 0.3, 0.86])))
TRANSFORM = wp.transform(wp.vec3(*POSE.position), wp.quat(*POSE.quaternion))


@wp.kernel
def evaluate(a: wp.vec3, b: wp.vec3, number: wp.array(dtype=float), vector: wp.array(dtype=wp.vec3)):
    number[0] = it.math.safe_div(a[0], 0.0, 0.5)
    direction, norm = it.math.normalize_with_norm(a)
    number[1] = norm
    first, second = it.math.orthonormal_basis(direction)
    vector[0] = direction
    vector[1] = first
    vector[2] = second
    if it.math.vec_allclose(a, b, rtol=0.1, atol=0.05):
        number[2] = 1.0
    if it.math.vec_inside_limits(a, b, a):
        number[3] = 1.0


def test_functions_say_the_same_in_a_kernel():
    number, vector = wp.zeros(4, dtype=float), wp.zeros(3, dtype=wp.vec3)
    wp.launch(evaluate, 1, inputs=[wp.vec3(1.0, 2.0, -2.0), wp.vec3(0.9, 1.8, -1.9)], outputs=[number, vector])
    assert number.numpy() == pytest.approx([2.0, 3.0, 1.0, 0.0])
    axes = vector.numpy()
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-6) and np.linalg.det(axes[[1, 2, 0]]) > 0.0


def test_vectors_are_compared_on_the_host_too():
    pose, near = TRANSFORM, wp.transform(wp.vec3(*POSE.position) + wp.vec3(1e-4, 0.0, 0.0), wp.quat(*POSE.quaternion))
    assert it.math.vec_allclose(pose, near, atol=2e-4) and not it.math.vec_allclose(pose, near)
    assert not it.math.vec_allclose(wp.vec3(wp.nan), wp.vec3(wp.nan)) and it.math.vec_allclose(
        wp.vec3(wp.inf), wp.vec3(wp.inf)
    )
    assert not it.math.vec_inside_limits(wp.vec3(wp.nan), wp.vec3(-1.0), wp.vec3(1.0))


def test_power_is_the_same_in_each_frame():
    twist, wrench = wp.spatial_vector(1, 2, 3, -1, 0.5, 2), wp.spatial_vector(0.3, -1, 2, 0.7, 4, -2)
    moved = np.dot(list(it.math.transform_twist(TRANSFORM, twist)), list(it.math.transform_wrench(TRANSFORM, wrench)))
    assert moved == pytest.approx(np.dot(list(twist), list(wrench)), rel=1e-5)


def test_a_point_moves_as_its_body_does():
    twist, arm = wp.spatial_vector(1, 2, 3, -1, 0.5, 2), wp.vec3(0.2, 0.1, -0.4)
    expected = np.array([1, 2, 3]) + np.cross([-1, 0.5, 2], [0.2, 0.1, -0.4])
    assert list(it.math.velocity_at_point(twist, arm)) == pytest.approx(expected, rel=1e-6)


def test_angles_put_the_rotation_together_again():
    angles = it.math.quat_decompose(wp.quat(*POSE.quaternion))
    turns = [wp.quat_from_axis_angle(wp.vec3(*np.eye(3)[axis]), angles[axis]) for axis in range(3)]
    rotation = np.array(wp.quat_to_matrix(turns[0] * turns[1] * turns[2])).reshape(3, 3)
    assert rotation == pytest.approx(POSE.rotation, abs=1e-6)


def test_a_velocity_turns_one_rotation_into_the_other():
    velocity, start = wp.vec3(0.4, -2.0, 1.0), wp.quat(*POSE.quaternion)
    end = wp.quat_from_axis_angle(wp.normalize(velocity), 0.3 * wp.length(velocity)) * start
    for same in (end, -end):
        assert list(it.math.quat_velocity(same, start, 0.3)) == pytest.approx(list(velocity), rel=1e-5)


@pytest.mark.parametrize("target", [(0.0, 0.6, 0.8), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
def test_a_rotation_between_vectors_takes_one_to_the_other(target):
    turn = it.math.quat_between_vectors_robust(wp.vec3(1.0, 0.0, 0.0), wp.vec3(*target))
    assert list(wp.quat_rotate(turn, wp.vec3(1.0, 0.0, 0.0))) == pytest.approx(target, abs=1e-6)


def test_rotations_between_axes_follow_each_other():
    assert list(wp.quat_rotate(it.math.quat_between_axes("x", 1, it.Axis.Z), wp.vec3(1, 0, 0))) == pytest.approx(
        (0, 0, 1), abs=1e-6
    )
    with pytest.raises(OptionError, match="axis"):
        it.math.quat_between_axes("x", "w")


def test_smooth_bounds_lie_about_the_exact_ones():
    for a, b in ((0.3, 0.31), (-2.0, 5.0)):
        assert it.math.smooth_max(a, b, 1e-4) > max(a, b) > min(a, b) > it.math.smooth_min(a, b, 1e-4)
        assert it.math.leaky_max(a, b) + it.math.leaky_min(a, b) == pytest.approx(a + b)
        assert it.math.boltzmann(a, b, 1e4) == pytest.approx(max(a, b)) and it.math.boltzmann(
            a, b, 0.0
        ) == pytest.approx((a + b) / 2)
