# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inertia_tools.inertial import Inertial, point_tensor
from inertia_tools.moment_matrices import inertial_of_pseudo, inertial_of_spatial, pseudo_inertia, spatial_inertia
from inertia_tools.spatial import Pose, rotation_from_rpy, skew
from inertia_tools.validity import triangle_excess

FORMS = [(spatial_inertia, inertial_of_spatial), (pseudo_inertia, inertial_of_pseudo)]
seeds = st.integers(0, 2**31)
coordinates = st.floats(-5, 5)
vectors = st.tuples(coordinates, coordinates, coordinates).map(np.array)
angles = st.tuples(*[st.floats(-3, 3)] * 3)
poses = st.builds(Pose.from_xyz_rpy, vectors, angles)
scales = st.integers(-15, 15).map(lambda power: 10.0**power)


def cloud(seed: int, count: int = 6):
    """Point masses and where they are."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2.0, count), rng.normal(size=(count, 3))


def body_of(masses, points) -> Inertial:
    return Inertial.sum(Inertial(m, p) for m, p in zip(masses, points, strict=True))


bodies = seeds.map(lambda seed: body_of(*cloud(seed)))


def motion_into(pose: Pose):
    """Matrix that takes a twist at the outer origin to the same motion seen in the inner frame, angular first."""
    turn = pose.rotation.T
    return np.block([[turn, np.zeros((3, 3))], [-turn @ skew(pose.position), turn]])


def homogeneous(pose: Pose):
    return np.block([[pose.rotation, pose.position[:, np.newaxis]], [np.zeros((1, 3)), np.ones((1, 1))]])


@given(seeds, vectors, vectors)
def test_kinetic_energy_is_that_of_the_points(seed, angular, linear):
    masses, points = cloud(seed)
    twist = np.concatenate([angular, linear])
    energy = 0.5 * twist @ spatial_inertia(body_of(masses, points)) @ twist
    speeds = linear + np.cross(angular, points)
    assert energy == pytest.approx(0.5 * masses @ (speeds**2).sum(axis=1), rel=1e-10, abs=1e-12)


@given(bodies, poses)
def test_spatial_inertia_transforms_with_the_motion(body, pose):
    matrix = motion_into(pose)
    outer = matrix.T @ spatial_inertia(body) @ matrix
    assert np.allclose(spatial_inertia(body.transform(pose)), outer, rtol=0, atol=1e-12 * np.abs(outer).max())


def test_spatial_inertia_has_the_angular_part_first():
    """A unit point mass at x = 2 resists turning about z, and moving along z turns nothing but y."""
    matrix = spatial_inertia(Inertial(1.0, (2.0, 0.0, 0.0)))
    assert matrix[2, 2] == 4.0
    assert np.array_equal(matrix @ [0, 0, 0, 0, 0, 1], [0, -2, 0, 0, 0, 1])


@given(bodies, bodies)
@pytest.mark.parametrize("form", [spatial_inertia, pseudo_inertia])
def test_matrices_of_parts_add_up(form, a, b):
    assert np.allclose(form(a + b), form(a) + form(b), rtol=0, atol=1e-11)


@given(bodies, poses)
def test_pseudo_inertia_transforms_with_the_homogeneous_matrix(body, pose):
    moved = homogeneous(pose) @ pseudo_inertia(body) @ homogeneous(pose).T
    assert np.allclose(pseudo_inertia(body.transform(pose)), moved, rtol=0, atol=1e-12 * np.abs(moved).max())


@given(seeds)
def test_pseudo_inertia_is_the_second_moment_of_homogeneous_points(seed):
    masses, points = cloud(seed)
    rows = np.column_stack([points, np.ones(len(points))])
    assert np.allclose(pseudo_inertia(body_of(masses, points)), (rows.T * masses) @ rows, rtol=0, atol=1e-11)


@given(st.tuples(*[st.floats(-1, 1)] * 3).map(np.array), st.sampled_from([-1.0, 1.0]), vectors, angles)
def test_pseudo_inertia_is_positive_definite_exactly_for_bodies_with_volume(moments, mass, com, rpy):
    assume(np.abs(moments).max() > 1e-3)
    assume(min(abs(triangle_excess(moments)), abs(moments.min() / np.abs(moments).max())) > 1e-6)
    body = Inertial(mass, com / 5, np.diag(moments)).rotate(rotation_from_rpy(rpy))
    assert bool(np.linalg.eigvalsh(pseudo_inertia(body)).min() > 0) is body.is_valid(0.0)


@given(bodies, poses, scales, scales)
@pytest.mark.parametrize(("form", "back"), FORMS)
def test_round_trip(form, back, body, pose, mass, size):
    small = Inertial(mass * body.mass, size * body.com, mass * size**2 * body.inertia)
    scaled = small.transform(Pose(size * pose.position, pose.rotation))
    assert back(form(scaled)).isclose(scaled, rtol=1e-11)


@given(bodies, poses)
def test_a_transformed_matrix_is_still_read(body, pose):
    """Rounding leaves the blocks a little off their form."""
    matrix = motion_into(pose)
    back = inertial_of_spatial(matrix.T @ spatial_inertia(body) @ matrix)
    assert back.isclose(body.transform(pose), rtol=1e-10)


@pytest.mark.parametrize(("form", "back"), FORMS)
def test_wrong_matrices_are_refused(form, back):
    good = form(Inertial(1.0, (0.1, 0.2, 0.3), np.eye(3)))
    with pytest.raises(ValueError, match="expected shape"):
        back(np.eye(5))
    for row, column in ((0, 1), (0, -1), (-1, 0)):
        wrong = good.copy()
        wrong[row, column] += 1e-3
        with pytest.raises(ValueError, match=r"symmetric|not a spatial inertia"):
            back(wrong)
    massless = good.copy()
    massless[3:, 3:] = 0.0
    with pytest.raises(ValueError, match="no centre of mass"):
        back(massless)


def test_linear_part_first_is_refused():
    matrix = spatial_inertia(Inertial(2.0, (0.1, 0.2, 0.3), np.diag([1.0, 2.0, 2.5])))
    swapped = np.roll(matrix, (3, 3), axis=(0, 1))
    with pytest.raises(ValueError, match="angular part first"):
        inertial_of_spatial(swapped)


def test_nothing_has_zero_matrices_and_comes_back():
    for form, back in FORMS:
        assert not form(Inertial.zero()).any()
        assert back(form(Inertial.zero())).mass == 0.0


def test_point_mass_comes_back_as_one():
    point = Inertial(2.0, (1.0, 2.0, 3.0))
    assert np.allclose(inertial_of_spatial(spatial_inertia(point)).inertia, 0.0, atol=1e-14)
    assert np.allclose(pseudo_inertia(point)[:3, :3], 2.0 * np.outer(point.com, point.com))
    assert np.allclose(spatial_inertia(point)[:3, :3], 2.0 * point_tensor(point.com))
