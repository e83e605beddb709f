# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertia_tools as it
from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.inertial import Inertial, point_tensor, rotate_tensor, six_of_tensor, symmetric_part, tensor_from_six
from inertia_tools.spatial import Pose, rotation_from_rpy

finite = st.floats(-5, 5)
vectors = st.tuples(finite, finite, finite).map(np.array)
angles = st.tuples(*[st.floats(-3, 3)] * 3)


@st.composite
def bodies(draw) -> Inertial:
    """A random set of point masses, which any body is."""
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    return of_points(rng.uniform(0.1, 2.0, 6), rng.normal(size=(6, 3)))


def of_points(masses, points) -> Inertial:
    com = masses @ points / masses.sum()
    return Inertial(masses.sum(), com, sum(m * point_tensor(p - com) for m, p in zip(masses, points, strict=True)))


def same(a: Inertial, b: Inertial, tolerance: float = 1e-11) -> bool:
    return (
        np.isclose(a.mass, b.mass, rtol=tolerance)
        and np.allclose(a.com, b.com, atol=tolerance)
        and np.allclose(a.inertia, b.inertia, atol=tolerance * max(1.0, np.abs(a.inertia).max()))
    )


def test_sum_of_parts_is_the_whole():
    rng = np.random.default_rng(1)
    masses, points = rng.uniform(0.1, 2, 10), rng.normal(size=(10, 3))
    assert same(of_points(masses[:4], points[:4]) + of_points(masses[4:], points[4:]), of_points(masses, points))


@given(bodies(), bodies(), bodies())
def test_sum_is_commutative_and_associative(a, b, c):
    assert same(a + b, b + a)
    assert same((a + b) + c, a + (b + c))
    assert same(a + Inertial.zero(), a)


@given(bodies(), bodies())
def test_difference_undoes_the_sum(a, b):
    assert same((a + b) - b, a, 1e-9)


def test_difference_that_leaves_no_mass_is_an_error():
    body = Inertial(1.0, inertia=np.eye(3))
    with pytest.raises(InertiaError, match="no centre of mass"):
        body - body


@given(bodies(), angles, vectors)
def test_transform_is_rotation_then_shift_and_keeps_moments(body, rpy, xyz):
    pose = Pose.from_xyz_rpy(xyz, rpy)
    moved = body.transform(pose)
    assert np.allclose(moved.com, pose.transform_points(body.com))
    assert np.allclose(moved.principal_moments, body.principal_moments, atol=1e-10)
    assert same(moved.transform(pose.inverse()), body, 1e-10)


@given(bodies(), bodies(), angles, vectors)
def test_transform_distributes_over_the_sum(a, b, rpy, xyz):
    pose = Pose.from_xyz_rpy(xyz, rpy)
    assert same((a + b).transform(pose), a.transform(pose) + b.transform(pose), 1e-10)


@given(bodies(), vectors)
def test_parallel_axis_theorem(body, point):
    about = body.inertia_about(point)
    far = point - body.com
    assert np.allclose(about, body.inertia + body.mass * (far @ far * np.eye(3) - np.outer(far, far)), atol=1e-9)
    assert np.allclose(body.inertia_about(body.com), body.inertia)


@given(bodies())
def test_principal_axes_rebuild_the_tensor(body):
    moments, axes = body.principal_moments, body.principal_axes
    assert np.allclose(axes @ np.diag(moments) @ axes.T, body.inertia, atol=1e-11)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert (np.diff(moments) >= 0).all()


@given(bodies())
def test_every_real_body_is_valid(body):
    assert body.is_valid()


@pytest.mark.parametrize(
    ("mass", "moments", "valid"),
    [
        (1, (1, 1, 1), True),
        (1, (1, 1, 2), True),
        (1, (1e-11, 1e-11, 2e-11), True),
        (1, (1, 1, 2.1), False),
        (1, (0, 1, 1), False),
        (1, (-1, 1, 1), False),
        (0, (1, 1, 1), False),
        (float("nan"), (1, 1, 1), False),
        (1, (float("inf"), 1, 1), False),
    ],
)
def test_validity(mass, moments, valid):
    assert Inertial(mass, inertia=np.diag(moments)).is_valid() is valid


def test_values_cannot_be_written_to():
    body = it.Inertial(mass=1, com=(0, 0, 0), inertia=np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 2
    with pytest.raises(AttributeError):
        body.mass = 2


def test_asymmetric_tensor_is_refused():
    with pytest.raises(OptionError, match="inertia must be symmetric"):
        Inertial(1, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    "matrix",
    [
        2 * np.eye(3),
        np.diag([1, 1, -1]),
        [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]],
        np.zeros((3, 3)),
        np.full((3, 3), np.nan),
    ],
)
def test_a_body_is_turned_by_a_rotation_only(matrix):
    with pytest.raises(OptionError, match="rotation must be a rotation matrix"):
        Inertial(1, inertia=np.eye(3)).rotate(matrix)
    with pytest.raises(OptionError, match="rotation must be numbers of shape"):
        Inertial(1, inertia=np.eye(3)).rotate([1, 0, 0])


def test_a_rotation_may_be_of_single_precision():
    body, turn = Inertial(1, (1, 0, 0), np.diag([1, 2, 3])), rotation_from_rpy([0.3, 0.2, 0.1])
    assert body.rotate(turn.astype(np.float32)).isclose(body.rotate(turn), 1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [("mass", "x"), ("mass", None), ("com", "x"), ("com", (1.0, 2.0)), ("inertia", "x"), ("inertia", 3.0)],
)
def test_what_is_no_number_is_refused_by_name(name, value):
    with pytest.raises(OptionError, match=rf"^{name} must be"):
        Inertial(**{"mass": 1.0, name: value})


def test_six_numbers_round_trip():
    assert np.array_equal(six_of_tensor(tensor_from_six([1, 2, 3, 4, 5, 6])), [1, 2, 3, 4, 5, 6])


def test_scaling_to_a_mass_keeps_the_shape():
    body = Inertial(2, (1, 0, 0), np.diag([1, 2, 3])).scaled_to_mass(4)
    assert body.mass == 4
    assert np.array_equal(np.diag(body.inertia), [2, 4, 6])
    with pytest.raises(InertiaError, match="cannot be scaled"):
        Inertial(0).scaled_to_mass(1)
    with pytest.raises(InertiaError, match="cannot be scaled to 4000 kg"):
        Inertial(4e-320).scaled_to_mass(4e3)


def test_equivalent_box_is_the_box_it_came_from():
    edges = np.array([0.5, 0.3, 0.1])
    x, y, z = edges
    box = Inertial(2.0, (1, 2, 3), np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * 2.0 / 12.0)
    turned = box.rotate(rotation_from_rpy([0.3, 0.2, 0.1]))
    assert np.allclose(turned.equivalent_box, edges, atol=1e-12)
    assert np.array_equal(Inertial(1.0, inertia=np.diag([1.0, 1.0, 3.0])).equivalent_box[2:], [0.0])
    with pytest.raises(InertiaError, match="no equivalent box"):
        _ = Inertial(0.0).equivalent_box


@given(bodies())
def test_principal_pose_is_right_handed_and_gives_the_body_back(body):
    pose = body.principal_pose
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)
    assert np.array_equal(pose.position, body.com)
    assert same(Inertial.from_frame(body.mass, pose, np.diag(body.principal_moments)), body)


@given(bodies(), angles, vectors, angles, vectors)
def test_a_frame_of_its_own_chains_with_outer_frames(body, rpy, xyz, outer_rpy, outer_xyz):
    frame, outer = Pose.from_xyz_rpy(xyz, rpy), Pose.from_xyz_rpy(outer_xyz, outer_rpy)
    framed = Inertial.from_frame(body.mass, frame, body.inertia)
    assert np.array_equal(framed.com, frame.position)
    assert same(framed.transform(outer), Inertial.from_frame(body.mass, outer @ frame, body.inertia), 1e-10)


def test_a_frame_turned_by_a_quarter():
    framed = Inertial.from_frame(1.0, Pose.from_xyz_rpy((1, 2, 3), (0, 0, np.pi / 2)), np.diag([1, 2, 3]))
    assert np.allclose(framed.inertia, np.diag([2, 1, 3]))


@given(st.tuples(*[st.floats(0.01, 5)] * 3), angles, st.integers(-15, 15))
def test_equivalent_solids_are_those_the_body_came_from(sizes, rpy, power):
    """Boxes and ellipsoids; the principal moments ascend as the sizes along the axes descend."""
    mass, lengths = 10.0**power, 10.0**power * np.sort(sizes)[::-1]
    squares = lengths**2
    unit = np.diag(mass * (squares.sum() - squares))
    turn = rotation_from_rpy(rpy)
    box, ellipsoid = (Inertial(mass, inertia=unit * factor).rotate(turn) for factor in (1 / 12, 1 / 5))
    assert np.allclose(box.equivalent_box**2, squares, rtol=0, atol=1e-12 * squares[0])
    assert np.allclose(ellipsoid.equivalent_ellipsoid**2, squares, rtol=0, atol=1e-12 * squares[0])


def test_equivalent_ellipsoid_of_a_sphere_and_of_nothing():
    assert np.allclose(Inertial(2.0, inertia=0.4 * 2.0 * 0.09 * np.eye(3)).equivalent_ellipsoid, 0.3)
    with pytest.raises(InertiaError, match="no equivalent ellipsoid"):
        _ = Inertial(0.0).equivalent_ellipsoid


def test_rotation_of_a_diagonal_tensor_by_a_quarter_turn():
    body = Inertial(1, (1, 0, 0), np.diag([1, 2, 3])).rotate(rotation_from_rpy([0, 0, np.pi / 2]))
    assert np.allclose(np.diag(body.inertia), [2, 1, 3])
    assert np.allclose(body.com, [0, 1, 0])


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_are_turned_by_nothing_without_overflow():
    largest = np.diag([1e308, 1.7e308, 5.0])
    np.testing.assert_array_equal(rotate_tensor(np.eye(3), largest), largest)
    np.testing.assert_array_equal(symmetric_part(np.triu(largest)), largest)
    assert not np.isfinite(rotate_tensor(rotation_from_rpy([0.1, 0.2, 0.3]), np.full((3, 3), np.inf))).any()


@pytest.mark.parametrize("other", (1, None, "body", np.eye(3)))
def test_only_bodies_are_joined_and_taken_away(other):
    body = Inertial(1.0, inertia=np.eye(3))
    for act in (operator.add, operator.sub):
        with pytest.raises(TypeError, match="unsupported operand"):
            act(body, other)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ("com", "inertia"))
def test_complex_numbers_are_refused(name):
    value = {"com": np.zeros(3), "inertia": np.eye(3)}[name] * 1j
    with pytest.raises(OptionError, match=name):
        Inertial(1.0, **{name: value})
