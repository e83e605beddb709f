# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.spatial import Pose, rotation_from_rpy


def corners_of(mesh) -> np.ndarray:
    return np.asarray(mesh.vertices, dtype=np.float64)[np.asarray(mesh.faces)]


def integrate(corners: np.ndarray, backend: str = "numpy"):
    """Integrate triangles of which each has corners of its own."""
    return integrate_triangles(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), backend)


BLOB = trimesh.creation.icosphere(subdivisions=3)
BLOB.apply_transform(np.diag([0.3, 0.5, 0.2, 1.0]))


def test_box_of_twelve_triangles_is_the_closed_form():
    box = integrate(corners_of(trimesh.creation.box([0.3, 0.5, 0.8])))
    assert box.isclose(solid_box((0.3, 0.5, 0.8)), 1e-14)


@pytest.mark.parametrize("offset", [0.0, 1.0, 100.0, 1e4])
def test_distance_from_the_origin_costs_nothing(offset):
    """Offsets are powers of two so that the moved corners are the same numbers, exactly."""
    near = corners_of(trimesh.creation.box([0.25, 0.5, 0.75]))
    step = 2.0 ** np.round(np.log2(offset)) if offset else 0.0
    far = integrate(near + step * np.array([1.0, 1.0, -1.0]))
    exact = solid_box((0.25, 0.5, 0.75))
    assert far.mass == pytest.approx(exact.mass, rel=1e-12)
    assert np.allclose(far.inertia, exact.inertia, rtol=1e-12, atol=1e-12 * exact.inertia.max())
    assert np.allclose(far.com, step * np.array([1.0, 1.0, -1.0]), rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e4])
def test_size_costs_nothing(size):
    box = integrate(corners_of(trimesh.creation.box([size, 2 * size, 3 * size])))
    assert box.isclose(solid_box((size, 2 * size, 3 * size)), 1e-13)


@settings(deadline=None, max_examples=30)
@given(st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[st.floats(-2, 2)] * 3))
def test_moving_the_mesh_moves_its_inertial(rpy, xyz):
    pose = Pose(np.array(xyz), rotation_from_rpy(rpy))
    corners = corners_of(BLOB)
    assert integrate(pose.transform_points(corners)).isclose(integrate(corners).transform(pose), 1e-12)


def test_parts_sum_to_the_whole():
    corners = corners_of(BLOB)
    other = corners_of(trimesh.creation.box([0.2, 0.2, 0.2])) + [2.0, 0.0, 0.0]
    both = integrate(np.concatenate([corners, other]))
    assert both.isclose(integrate(corners) + integrate(other), 1e-12)


def test_turning_the_triangles_round_changes_the_sign():
    corners = corners_of(BLOB)
    outside, inside = integrate(corners), integrate(corners[:, ::-1])
    assert inside.mass == pytest.approx(-outside.mass, rel=1e-14)
    assert np.allclose(inside.inertia, -outside.inertia, rtol=1e-12, atol=1e-14)
    assert np.allclose(inside.com, outside.com)


def test_flat_triangles_enclose_nothing():
    square = np.array([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]], dtype=float) + 1e3
    assert integrate(square).mass == 0.0


@pytest.mark.parametrize("mesh", [BLOB, trimesh.creation.torus(1.0, 0.3), trimesh.creation.cone(0.4, 1.0)])
def test_trimesh_agrees(mesh):
    theirs = mesh.copy()
    theirs.density = 1.0
    ours = integrate(corners_of(mesh))
    assert ours.mass == pytest.approx(theirs.volume, rel=1e-12)
    assert np.allclose(ours.com, theirs.center_mass, atol=1e-12)
    assert np.allclose(ours.inertia, theirs.moment_inertia, atol=1e-11 * np.abs(theirs.moment_inertia).max())


@pytest.mark.parametrize("mesh", [BLOB, trimesh.creation.torus(1.0, 0.3)])
@pytest.mark.parametrize("offset", [0.0, 1024.0])
def test_kernel_and_numpy_agree(mesh, offset):
    corners = corners_of(mesh) + offset
    assert integrate(corners, "warp").isclose(integrate(corners), 1e-12)
