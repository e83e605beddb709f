# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pieces of one mesh: solids, cavities, pieces inside out, pieces that share volume."""

import numpy as np
import pytest
import trimesh

from inertia_tools.geometry.mesh.columns import stretches
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.primitives import solid_box


def of(mesh) -> TriangleMesh:
    return TriangleMesh(np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64))


def box(size, at=(0.0, 0.0, 0.0), inside_out=False) -> TriangleMesh:
    mesh = of(trimesh.creation.box(size)).shifted(np.array(at))
    return TriangleMesh(mesh.vertices, mesh.triangles[:, ::-1]) if inside_out else mesh


def solid(*sizes) -> object:
    return solid_box(sizes)


def integrate(*meshes):
    return integrate_mesh(TriangleMesh.joined(list(meshes)))


def test_overlap_of_two_boxes_counts_once():
    integral = integrate(box((2, 1, 1)), box((1, 1, 1), (1.0, 0.3, 0.2)))
    shared = solid(0.5, 0.7, 0.8).shift([0.75, 0.15, 0.1])
    exact = solid(2, 1, 1) + solid(1, 1, 1).shift([1.0, 0.3, 0.2]) - shared
    assert integral.faults == (MeshFault.OVERLAP,)
    assert integral.unit.isclose(exact, 1e-9)


def test_boxes_that_share_a_face_do_not_overlap():
    integral = integrate(box((1, 1, 1)), box((1, 1, 1), (1.0, 0.0, 0.0)))
    assert MeshFault.OVERLAP not in integral.faults
    assert integral.unit.isclose(solid(2, 1, 1).shift([0.5, 0, 0]), 1e-12)


def test_box_inside_a_box_wound_alike_is_an_overlap():
    integral = integrate(box((2, 2, 2)), box((1, 1, 1)))
    assert integral.faults == (MeshFault.OVERLAP,)
    assert integral.unit.isclose(solid(2, 2, 2), 1e-9)


def test_cavities_islands_and_all_of_it_inside_out():
    parts = [box((4, 4, 4)), box((3, 3, 3), inside_out=True), box((1, 1, 1))]
    exact = solid(4, 4, 4) - solid(3, 3, 3) + solid(1, 1, 1)
    assert integrate(*parts).unit.isclose(exact, 1e-12)
    turned = [TriangleMesh(part.vertices, part.triangles[:, ::-1]) for part in parts]
    integral = integrate(*turned)
    assert integral.faults == (MeshFault.INVERTED,)
    assert integral.unit.isclose(exact, 1e-12)


def test_piece_inside_out_in_the_box_of_another_but_outside_it_is_turned():
    """An L around a box that is wound inside out: the boxes of the two contain each other, the solids do not."""
    arm, leg = box((4, 1, 1), (0, -1.5, 0)), box((1, 3, 1), (-1.5, 0.5, 0))
    lone = box((0.5, 0.5, 0.5), (1.0, 1.0, 0.0), inside_out=True)
    integral = integrate(arm, leg, lone)
    assert MeshFault.INVERTED in integral.faults
    exact = (
        solid(4, 1, 1).shift([0, -1.5, 0])
        + solid(1, 3, 1).shift([-1.5, 0.5, 0])
        + solid(0.5, 0.5, 0.5).shift([1, 1, 0])
    )
    assert integral.unit.isclose(exact, 1e-9)


def test_piece_that_runs_into_itself_is_named_and_measured():
    """A tube bent through itself has no union; the shared volume is measured along lines."""
    angle = np.linspace(0, 2 * np.pi, 97)[:-1]
    path = np.stack([np.sin(2 * angle), np.sin(angle), 0.02 * np.cos(angle)], axis=1)  # a figure of eight
    ahead = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    side = np.cross(ahead, [0, 0, 1.0])
    ring = 2 * np.pi * np.arange(16) / 16
    rows = [path + 0.1 * (np.cos(a) * side + np.sin(a) * np.cross(side, ahead)) for a in ring]
    vertices = np.stack(rows, axis=1).reshape(-1, 3)
    faces = []
    for i in range(96):
        for j in range(16):
            a, b, c, d = i * 16 + j, i * 16 + (j + 1) % 16, ((i + 1) % 96) * 16 + (j + 1) % 16, ((i + 1) % 96) * 16 + j
            faces += [[a, b, c], [a, c, d]]
    mesh = TriangleMesh(vertices, np.array(faces))
    integral = integrate_mesh(mesh)
    assert MeshFault.OVERLAP in integral.faults
    fine = stretches(Surface(mesh.vertices, mesh.triangles), 700)
    union = fine.volume((fine.winding != 0).astype(float))
    assert integral.unit.mass == pytest.approx(union, rel=max(integral.error_estimate, 1e-3))
    assert 0.0 < integral.error_estimate < 0.01


@pytest.mark.parametrize("seed", range(30))
def test_slight_overlaps_are_seen_however_narrow(seed):
    """Lines through the mesh would fall beside most of these."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.3, 1, 3), rng.uniform(0.3, 1, 3)
    at = rng.uniform(-0.2, 0.2, 3)
    axis = rng.integers(3)
    at[axis] = (a + b)[axis] / 2 - rng.uniform(0.002, 0.1) * min(a[axis], b[axis])
    low, high = np.maximum(-a / 2, at - b / 2), np.minimum(a / 2, at + b / 2)
    integral = integrate(box(a), box(b, at))
    assert integral.faults == (MeshFault.OVERLAP,)
    shared = solid(*(high - low)).shift((low + high) / 2)
    assert integral.unit.isclose(solid(*a) + solid(*b).shift(at) - shared, 1e-9)


def test_thin_walls_that_cross_overlap():
    integral = integrate(box((1, 0.02, 0.5)), box((0.02, 1, 0.5)))
    assert integral.faults == (MeshFault.OVERLAP,)
    assert integral.unit.mass == pytest.approx(2 * 0.01 - 0.02 * 0.02 * 0.5, rel=1e-9)


def test_overlap_beside_a_cavity():
    integral = integrate(box((2, 2, 2)), box((0.5, 0.5, 0.5), inside_out=True), box((1, 1, 1), (0.9, 0, 0)))
    exact = 8 - 0.125 + 1 - 0.6
    inside_cavity = 0.0  # the small box begins at 0.4, the cavity ends at 0.25
    assert integral.unit.mass == pytest.approx(exact + inside_cavity, rel=1e-9)


def test_lines_measure_a_ball():
    ball = of(trimesh.creation.icosphere(subdivisions=4))
    scan = stretches(Surface(ball.vertices, ball.triangles), 256)
    exact = integrate_mesh(ball).unit
    ones = np.ones(len(scan.winding))
    assert (scan.winding == 1).all()
    assert scan.volume(ones) == pytest.approx(exact.mass, rel=1e-4)
    assert scan.sums(ones, np.array([0.3, 0.2, 0.1])).inertial().isclose(exact, 1e-3)
