# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes with holes: the ladder, its stated errors, and that nothing depends on where the mesh lies."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.geometry.mesh import boundary
from inertia_tools.geometry.mesh.boundary import rims
from inertia_tools.geometry.mesh.cap import capped
from inertia_tools.geometry.mesh.defects import MeshFault, mend
from inertia_tools.geometry.mesh.integral import MeshOptions, Rung
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.mesh.voxel import count_voxels
from inertia_tools.geometry.mesh.winding import winding_numbers
from inertia_tools.geometry.primitives import solid_cylinder, solid_sphere


def of(mesh) -> TriangleMesh:
    return TriangleMesh(np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64))


def kept(mesh: TriangleMesh, mask) -> TriangleMesh:
    return TriangleMesh(mesh.vertices, mesh.triangles[mask])


CYLINDER = of(trimesh.creation.cylinder(0.5, 1.0, sections=256))
OPEN_CYLINDER = kept(CYLINDER, CYLINDER.corners.mean(axis=1)[:, 2] < 0.499)
EXACT = integrate_mesh(CYLINDER).unit
BALL = of(trimesh.creation.icosphere(subdivisions=4))


def off(value, exact) -> float:
    tensor = np.linalg.norm(value.inertia - exact.inertia, 2) / np.linalg.norm(exact.inertia, 2)
    return max(abs(value.mass / exact.mass - 1.0), tensor)


@pytest.mark.parametrize("height", [0.0, 0.5, -0.5, 0.25, 1.25, 100.0])
def test_open_cylinder_comes_out_wherever_its_origin_lies(height):
    shift = np.array([0.3, -0.2, 1.0]) * height
    integral = integrate_mesh(OPEN_CYLINDER.shifted(shift))
    assert integral.rung is Rung.CAPPED
    assert off(integral.unit, EXACT) < 1e-11
    assert np.allclose(integral.unit.com, EXACT.com + shift, atol=1e-12)
    assert off(integral.unit, EXACT) < integral.error_estimate < 0.02
    assert set(integral.alternatives) >= {"capped", "hull"}


def test_hole_in_a_ball_is_closed_with_a_dome_not_a_lid():
    top = BALL.corners.mean(axis=1)[:, 2]
    whole = integrate_mesh(BALL).unit
    integral = integrate_mesh(kept(BALL, top < 0.9))
    lid = 1.0 - np.pi * 0.1**2 * (3 - 0.1) / 3 / solid_sphere(1.0).mass
    assert abs(integral.unit.mass / whole.mass - 1.0) < 0.4 * (1.0 - lid)
    assert off(integral.unit, whole) < integral.error_estimate < 0.1


HALF_BALL = kept(BALL, BALL.corners.mean(axis=1)[:, 2] < 0.5)
"""So wide open that voxels state the smallest error."""

HOLLOW = TriangleMesh(
    np.concatenate([HALF_BALL.vertices, 0.5 * BALL.vertices - [0.0, 0.0, 0.4]]),
    np.concatenate([HALF_BALL.triangles, BALL.triangles[:, ::-1] + len(HALF_BALL.vertices)]),
)
"""The same with a cavity."""


INSIDE_OUT = {"closed": CYLINDER, "cylinder": OPEN_CYLINDER, "wide open": HALF_BALL, "with a cavity": HOLLOW}


@pytest.mark.sweep
@pytest.mark.parametrize("name", INSIDE_OUT)
@pytest.mark.parametrize("method", ["auto", "voxel"])
def test_a_mesh_wound_inside_out_is_the_same_solid(name, method):
    mesh, options = INSIDE_OUT[name], MeshOptions(method=method)
    inverted = TriangleMesh(mesh.vertices, mesh.triangles[:, ::-1])
    right, wrong = integrate_mesh(mesh, options), integrate_mesh(inverted, options)
    assert wrong.rung is right.rung
    assert off(wrong.unit, right.unit) < 1e-6
    assert wrong.faults.count(MeshFault.INVERTED) == 1
    assert MeshFault.INVERTED not in right.faults
    quick = integrate_mesh(inverted, replace(options, may_load_warp=False))
    assert off(integrate_mesh(inverted, options, quick).unit, right.unit) < 1e-6


def test_single_lost_triangles_leave_nothing_in_doubt():
    mask = np.ones(len(BALL.triangles), dtype=bool)
    mask[::100] = False
    integral = integrate_mesh(kept(BALL, mask))
    assert off(integral.unit, integrate_mesh(BALL).unit) < 1e-12
    assert integral.error_estimate < 1e-9
    assert "all of them planar" in integral.reason


def test_vertices_on_an_edge_are_no_hole():
    box = trimesh.creation.box((1, 2, 3))
    tiled = box.subdivide(face_index=[0, 5])
    surface = mend(of(tiled)).surface
    assert not surface.is_closed
    assert rims(surface) == []
    integral = integrate_mesh(of(tiled))
    assert off(integral.unit, integrate_mesh(of(box)).unit) < 1e-13
    assert integral.exact
    assert "without holes" in integral.reason


def test_two_holes_that_touch_in_a_vertex_are_two_loops():
    grid = of(trimesh.creation.icosphere(subdivisions=3))
    at = np.flatnonzero((grid.triangles == 12).any(axis=1))
    mask = np.ones(len(grid.triangles), dtype=bool)
    mask[at[[0, len(at) // 2]]] = False
    loops = rims(mend(kept(grid, mask)).surface)
    assert sorted(len(rim.loop) for rim in loops) in ([3, 3], [4])


def test_wide_open_mesh_says_that_much_is_in_doubt():
    box = of(trimesh.creation.box((1, 1, 1)))
    three_faces = box.triangles[np.abs(box.corners.mean(axis=1)).max(axis=1) > 0.4]
    normals = np.cross(*(np.diff(box.corners, axis=1).transpose(1, 0, 2)))
    corner = kept(box, (normals @ [1.0, 1.0, 1.0]) > 0)
    assert len(three_faces) == 12
    integral = integrate_mesh(corner)
    assert integral.error_estimate > 0.2


@pytest.mark.parametrize(
    ("policy", "rung"), [("cap", Rung.CAPPED), ("hull", Rung.HULL), ("voxel", Rung.VOXEL), ("fail", Rung.NONE)]
)
def test_policies_take_their_rung_for_open_meshes_only(policy, rung):
    options = MeshOptions(open_mesh=policy, tolerance=1e-2)
    integral = integrate_mesh(OPEN_CYLINDER, options)
    assert integral.rung is rung
    assert MeshFault.OPEN in integral.faults
    if rung is not Rung.NONE:
        assert off(integral.unit, EXACT) < max(integral.error_estimate, 1e-11)
    assert integrate_mesh(CYLINDER, options).rung is Rung.EXACT


@pytest.mark.parametrize("method", ["voxel", "hull"])
def test_methods_are_for_closed_meshes_too(method):
    integral = integrate_mesh(CYLINDER, MeshOptions(method=method, tolerance=3e-3))
    assert str(integral.rung) == method
    assert off(integral.unit, EXACT) <= max(integral.error_estimate, 1e-11)


def test_hull_of_a_dented_mesh_states_how_far_it_is():
    torus = of(trimesh.creation.torus(1.0, 0.3))
    integral = integrate_mesh(torus, MeshOptions(method="hull"))
    true = integrate_mesh(torus).unit.mass
    assert integral.error_estimate == pytest.approx(
        integral.unit.mass / true * (1 - true / integral.unit.mass), rel=0.5
    )
    assert integral.error_estimate > 0.1


@pytest.mark.parametrize(
    "options",
    [
        {"method": "magic"},
        {"tolerance": 0.0},
        {"tolerance": 1.0},
        {"voxel_size": -1.0},
        {"method": "shell"},
        {"open_mesh": "x"},
    ],
)
def test_impossible_options_are_refused(options):
    with pytest.raises(OptionError):
        MeshOptions(**options)


def test_voxels_halve_their_error_twice_with_every_halving():
    surface = Surface(BALL.vertices, BALL.triangles)
    exact = integrate_mesh(BALL).unit
    errors = [off(count_voxels(surface, edge=2.0 / n).unit, exact) for n in (24, 48, 96)]
    assert errors[1] < 0.4 * errors[0]
    assert errors[2] < 0.4 * errors[1]


@pytest.mark.parametrize("tolerance", [3e-2, 1e-2, 3e-3])
def test_voxels_keep_to_their_stated_error(tolerance):
    for mesh in (BALL, CYLINDER):
        result = count_voxels(Surface(mesh.vertices + 7.0, mesh.triangles), tolerance)
        assert off(result.unit, integrate_mesh(mesh).unit) < result.error_estimate
        assert result.error_estimate < 2 * tolerance


@pytest.mark.parametrize("edge", [10.0, 1e-5])
def test_voxels_of_no_use_are_refused(edge):
    with pytest.raises(OptionError, match="voxel_size"):
        count_voxels(Surface(BALL.vertices, BALL.triangles), edge=edge)


def test_winding_number_is_one_inside_zero_outside_a_half_in_a_plane_hole():
    points = np.array([[0, 0, 0], [0.3, 0.2, -0.4], [0, 0, 3.0], [0, 0, 0.5]], dtype=float)
    closed = winding_numbers(points[:3], CYLINDER.vertices, CYLINDER.triangles)
    assert np.allclose(closed, [1, 1, 0], atol=1e-12)
    assert winding_numbers(points[3:], OPEN_CYLINDER.vertices, OPEN_CYLINDER.triangles)[0] == pytest.approx(0.5)


def test_kernel_of_the_voxels_agrees_with_the_solid_angles():
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator

    rng = np.random.default_rng(0)
    points = rng.uniform(-0.6, 0.6, (2000, 3))
    inside, way = SurfaceLocator(OPEN_CYLINDER.vertices, OPEN_CYLINDER.triangles, "cpu").locate(points, 0.5)
    numbers = winding_numbers(points, OPEN_CYLINDER.vertices, OPEN_CYLINDER.triangles)
    sure = np.abs(numbers - 0.5) > 0.02
    assert np.array_equal(inside[sure], numbers[sure] > 0.5)
    radial = np.hypot(points[:, 0], points[:, 1])
    near_wall = (radial < 0.5) & (0.5 - radial < 0.1) & (np.abs(points[:, 2]) < 0.3)
    assert np.allclose(np.linalg.norm(way[near_wall], axis=1), 0.5 - radial[near_wall], atol=1e-3)


def test_threads_change_nothing_about_where_points_are(monkeypatch):
    from inertia_tools.geometry.kernels import surface_locator

    points = np.random.default_rng(0).uniform(-0.6, 0.6, (5001, 3))
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(surface_locator, "own_cores", lambda cores=cores: cores)
        locator = surface_locator.SurfaceLocator(OPEN_CYLINDER.vertices, OPEN_CYLINDER.triangles, "cpu")
        found.append(locator.locate(points, 0.5))
    assert len(locator._parts(points)) == 3
    for alone, together in zip(*found, strict=True):
        assert np.array_equal(alone, together)


def test_the_doubt_about_holes_is_the_volume_between_two_winding_numbers():
    """What is inside at one half is asked at the higher number only, what is outside at the lower."""
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator
    from inertia_tools.geometry.mesh import voxel

    locator = SurfaceLocator(OPEN_CYLINDER.vertices, OPEN_CYLINDER.triangles, "cpu")
    lattice = voxel._Lattice.over(np.ptp(OPEN_CYLINDER.vertices, axis=0), voxel.COARSEST).located(locator)
    wide, narrow = (locator.locate(lattice.centres(), 0.5 + d)[0].sum() for d in (-voxel.BAND, voxel.BAND))
    assert wide > narrow
    assert voxel._hole_doubt(locator, lattice) == 0.5 * (wide - narrow) * lattice.edge**3


def test_a_surface_torn_all_over_costs_bounded_work_and_says_so(monkeypatch):
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator
    from inertia_tools.geometry.mesh import voxel

    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    shift = np.random.default_rng(1).uniform(-0.05, 0.05, (len(ball.faces), 1, 3))
    corners = (ball.vertices[ball.faces] + shift).reshape(-1, 3)
    surface = Surface(corners, np.arange(len(corners)).reshape(-1, 3))
    located, locate = [], SurfaceLocator.locate
    monkeypatch.setattr(SurfaceLocator, "locate", lambda *a: located.append(len(a[1])) or locate(*a))
    monkeypatch.setattr(voxel, "MOST_POINTS", 100_000)
    coarse = count_voxels(surface, tolerance=1e-9)
    assert coarse.is_coarse
    assert sum(located) < 100_000 + 2 * 30**3  # and the doubt about the holes
    assert coarse.error_estimate > 1e-3
    mesh = TriangleMesh(corners, surface.triangles)
    report = integrate_mesh(mesh, MeshOptions(method="voxel", tolerance=1e-4))
    assert "the voxel size is" in report.reason


@pytest.mark.slow
def test_fewer_voxels_are_located_where_each_is_near_most_triangles(monkeypatch):
    """A case of the fuzzer: of a thousand triangles as long as the part each voxel takes ten times as long."""
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator
    from inertia_tools.geometry.mesh import voxel

    ball = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    triangles = ball.faces.copy()
    triangles[::2, 0] = np.random.default_rng(1).integers(0, len(ball.vertices), len(triangles[::2]))
    monkeypatch.setattr(voxel, "MOST_POINTS", 150_000)
    located, locate, own = [], SurfaceLocator.locate, voxel.DEAR
    monkeypatch.setattr(SurfaceLocator, "locate", lambda *a: located.append(len(a[1])) or locate(*a))

    def count(dear):
        located.clear()
        monkeypatch.setattr(voxel, "DEAR", dear)
        return count_voxels(Surface(ball.vertices, triangles), tolerance=1e-4), sum(located)

    (fine, many), (coarse, few) = count(np.inf), count(own)
    assert few < 0.5 * many
    assert coarse.is_coarse
    assert abs(coarse.unit.mass / fine.unit.mass - 1.0) < coarse.error_estimate


def test_triangles_are_near_in_the_part_of_the_box_that_they_reach():
    from inertia_tools.geometry.mesh.voxel import _near_triangles

    small = np.array([[[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]])
    box = np.array([1.0, 1.0, 0.5])
    assert _near_triangles(100.0 * small, box) == 1.0
    assert _near_triangles(2.0 * small, box) == pytest.approx(8.0 * _near_triangles(small, box))
    assert _near_triangles(np.repeat(small, 50, axis=0), box) == pytest.approx(50.0 * _near_triangles(small, box))


def test_winding_numbers_of_the_kernel_err_by_a_tenth_of_the_band_of_doubt():
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator
    from inertia_tools.geometry.mesh.voxel import BAND

    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.5)
    rng = np.random.default_rng(2)
    triangles = ball.faces[(rng.random(len(ball.faces)) > 0.12) & (ball.triangles_center[:, 2] < 0.3)]
    points = rng.uniform(-0.55, 0.55, (4000, 3)).astype(np.float32).astype(np.float64)
    numbers = winding_numbers(points, ball.vertices, triangles)
    locator = SurfaceLocator(ball.vertices, triangles, "cpu")
    for threshold in (0.5 - BAND, 0.5, 0.5 + BAND):
        wrong = locator.locate(points, threshold)[0] != (numbers > threshold)
        assert np.abs(numbers[wrong] - threshold).max(initial=0.0) < 0.1 * BAND


def test_halving_ends_where_it_does_not_help(monkeypatch):
    """Triangles strewn about are wound round something else at each look; ten seconds would go on them."""
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator

    rng = np.random.default_rng(1)
    corners = (rng.uniform(-1.0, 1.0, (672, 1, 3)) * [1.0, 1.0, 0.1] + rng.normal(0.0, 0.05, (672, 3, 3))).reshape(
        -1, 3
    )
    surface = Surface(corners, np.arange(len(corners)).reshape(-1, 3))
    located, locate = [], SurfaceLocator.locate
    monkeypatch.setattr(SurfaceLocator, "locate", lambda *a: located.append(len(a[1])) or locate(*a))
    found = count_voxels(surface, tolerance=0.05)
    assert found.is_coarse
    assert found.error_estimate > 0.5
    assert sum(located) < 250_000  # of the 800 000 that there may be


def test_sheets_have_no_volume():
    """Whatever rung they fall to, what it states is no use."""
    triangle = TriangleMesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]]), np.array([[0, 1, 2]]))
    x, y = np.meshgrid(np.arange(11.0), np.arange(11.0))
    grid = np.stack([x.ravel(), y.ravel(), np.zeros(121)], axis=1)
    cells = [
        [i * 11 + j + k for k in corner] for i in range(10) for j in range(10) for corner in ((0, 1, 12), (0, 12, 11))
    ]
    for sheet in (triangle, TriangleMesh(grid, np.array(cells))):
        integral = integrate_mesh(sheet)
        assert integral.unit is None
        assert integral.faults == (MeshFault.OPEN, MeshFault.FLAT)


def test_long_thin_part_with_a_hole_keeps_its_shape():
    """Its corners lie closer together than a millionth of its length."""
    wire = trimesh.creation.cylinder(1e-4, 10.0, sections=32).subdivide()
    wire.update_faces(np.arange(len(wire.faces)) != 5)
    integral = integrate_mesh(of(wire))
    assert integral.unit.mass == pytest.approx(16 * np.sin(2 * np.pi / 32) * 1e-8 * 10, rel=1e-3)


@pytest.mark.parametrize("thickness", [1e-2, 1e-3, 1e-4])
def test_error_of_welded_corners_is_stated(thickness):
    plate = trimesh.creation.box((1, 1, thickness))
    corners = np.array(plate.vertices)[np.array(plate.faces)].reshape(-1, 3)
    noisy = corners + np.random.default_rng(1).uniform(-2e-7, 2e-7, corners.shape)
    integral = integrate_mesh(TriangleMesh(noisy, np.arange(len(noisy)).reshape(-1, 3)))
    assert integral.rung is Rung.EXACT
    assert abs(integral.unit.mass / thickness - 1.0) < integral.error_estimate < 100 * 2e-7 / thickness


@pytest.mark.parametrize("index", [-1, 8])
def test_arrays_that_are_no_mesh_are_refused(index):
    box = of(trimesh.creation.box())
    broken = box.triangles.copy()
    broken[3, 1] = index
    with pytest.raises(InertiaError, match="beyond"):
        integrate_mesh(TriangleMesh(box.vertices, broken))
    with pytest.raises(InertiaError, match="finite"):
        integrate_mesh(TriangleMesh(np.where(box.vertices > 0, np.nan, box.vertices), box.triangles))
    assert integrate_mesh(TriangleMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))).unit is None


def test_cylinder_mesh_is_the_cylinder():
    assert off(EXACT, solid_cylinder(0.5, 1.0)) < 1e-3


def test_edges_are_cut_alike_whether_an_order_or_a_tree_finds_the_corners_on_them(monkeypatch):
    tiled = trimesh.creation.box((1, 2, 3)).subdivide(face_index=[0, 5])
    tiled.update_faces(np.arange(len(tiled.faces)) % 7 != 3)
    surface = mend(of(tiled)).surface
    by_order = rims(surface)
    monkeypatch.setattr(boundary, "MOST_PAIRS", 0)
    by_tree = rims(surface)
    assert len(by_order) > 1
    for one, other in zip(by_order, by_tree, strict=True):
        assert np.array_equal(one.loop, other.loop)


def test_a_surface_with_more_holes_than_triangles_is_not_capped():
    """Triangles as thin as the tolerance of corners on edges: cut at all of those, each has several holes."""
    corners = np.random.default_rng(1).random((600, 3)) * [1.0, 1e-6, 1e-6]
    mesh = TriangleMesh(corners, np.arange(600).reshape(-1, 3))
    assert capped(mend(mesh).surface) is None
    found = integrate_mesh(mesh, MeshOptions(open_mesh="cap"))
    assert (found.unit, found.reason) == (None, "it has more holes than triangles")
