# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import trimesh

from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.geometry import primitives as p
from inertia_tools.geometry.mesh.integral import MeshOptions, Rung
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.mesh.wall import hollow_mesh, thin_mesh


def of(mesh) -> TriangleMesh:
    return TriangleMesh(np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64))


BOX = of(trimesh.creation.box((0.3, 0.5, 0.8)))
BALL = of(trimesh.creation.icosphere(subdivisions=4))


def off(value, exact) -> float:
    tensor = np.linalg.norm(value.inertia - exact.inertia, 2) / np.linalg.norm(exact.inertia, 2)
    return max(abs(value.mass / exact.mass - 1.0), tensor)


@pytest.mark.parametrize("thickness", [1e-9, 1e-6, 1e-4, 0.01, 0.14])
def test_plane_faces_give_the_exact_wall(thickness):
    wall = hollow_mesh(BOX.shifted(np.array([128.0, -64.0, 32.0])), thickness)
    assert wall.rung is Rung.SHELL
    assert off(wall.unit, p.hollow_box((0.3, 0.5, 0.8), thickness)) < 1e-11
    assert wall.error_estimate < 1e-11


def test_wall_is_measured_inwards_at_slanted_faces_too():
    cone = of(trimesh.creation.cone(0.5, 1.0, sections=512))
    wall = hollow_mesh(cone, 0.05)
    exact = p.hollow_cone(0.5, 1.0, 0.05)  # lies about its mid height, trimesh's cone above its base
    assert off(wall.unit, exact) < 1e-4
    assert np.allclose(wall.unit.com, exact.com + [0, 0, 0.5], atol=1e-4)


def test_wall_of_a_ball_of_triangles_is_near_the_ball():
    assert off(hollow_mesh(BALL, 0.1).unit, p.hollow_sphere(1.0, 0.1)) < 0.005


def test_inverted_mesh_is_hollowed_inwards_all_the_same():
    inverted = TriangleMesh(BOX.vertices, BOX.triangles[:, ::-1])
    assert off(hollow_mesh(inverted, 0.01).unit, p.hollow_box((0.3, 0.5, 0.8), 0.01)) < 1e-11


@pytest.mark.parametrize("thickness", [0.0, -1.0, np.nan, 0.15, 2.0])
def test_impossible_thickness_is_refused(thickness):
    with pytest.raises(OptionError, match="thickness"):
        hollow_mesh(BOX, thickness)


def test_wall_thicker_than_a_neck_is_refused():
    profile = np.array([[0, -1], [0.5, -1], [0.5, -0.3], [0.05, -0.1], [0.05, 0.1], [0.5, 0.3], [0.5, 1], [0, 1]])
    dumbbell = of(trimesh.creation.revolve(profile, sections=32))
    assert hollow_mesh(dumbbell, 0.02).unit.is_valid()
    with pytest.raises(InertiaError, match="thicker than part of the mesh"):
        hollow_mesh(dumbbell, 0.1)


def test_open_mesh_has_no_inside_to_put_a_wall_in_but_is_a_sheet():
    sheet = TriangleMesh(BOX.vertices, BOX.triangles[:-2])
    with pytest.raises(InertiaError, match="closed"):
        hollow_mesh(sheet, 0.01)
    assert integrate_mesh(sheet, MeshOptions(thickness=0.01)).rung is Rung.SHELL


def test_sheet_is_the_surface():
    sheet = thin_mesh(BOX).unit
    assert off(sheet, p.thin_box((0.3, 0.5, 0.8))) < 1e-12
    whole = p.thin_sphere(1.0)
    assert off(thin_mesh(BALL).unit, whole) < 0.01


def test_stated_error_of_a_sheet_covers_a_wall():
    for thickness in (0.001, 0.01, 0.05):
        sheet = thin_mesh(BALL, thickness)
        exact = hollow_mesh(BALL, thickness).unit
        assert off(sheet.unit, exact) < sheet.error_estimate < 5 * off(sheet.unit, exact)


def test_double_sided_sheet_counts_once():
    both = TriangleMesh(BOX.vertices, np.concatenate([BOX.triangles, BOX.triangles[:, ::-1]]))
    assert off(thin_mesh(both).unit, p.thin_box((0.3, 0.5, 0.8))) < 1e-12
