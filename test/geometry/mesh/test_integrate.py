# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import trimesh

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.hull import integrate_hull
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.integral import Rung
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.surface import Surface, weld
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.primitives import solid_box

BOX = trimesh.creation.box([0.3, 0.5, 0.8])
EXACT = solid_box((0.3, 0.5, 0.8))


def of(mesh) -> TriangleMesh:
    return TriangleMesh(np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64))


def soup(mesh) -> TriangleMesh:
    """Each triangle with corners of its own, as STL files have them."""
    corners = np.array(mesh.vertices)[np.array(mesh.faces)].reshape(-1, 3)
    return TriangleMesh(corners, np.arange(len(corners)).reshape(-1, 3))


@pytest.mark.parametrize("mesh", [of(BOX), soup(BOX)], ids=["shared corners", "soup"])
def test_closed_mesh_is_exact(mesh):
    integral = integrate_mesh(mesh)
    assert integral.exact
    assert integral.faults == ()
    assert integral.unit.isclose(EXACT, 1e-13)


def test_single_precision_soup_still_closes():
    turned = BOX.copy()
    turned.apply_transform(trimesh.transformations.rotation_matrix(0.7, [1, 2, 3]))
    corners = soup(turned)
    noise = np.random.default_rng(0).normal(scale=1e-8, size=corners.vertices.shape)
    noisy = TriangleMesh(corners.vertices + noise, corners.triangles)
    unique, number = np.unique(noisy.vertices, axis=0, return_inverse=True)
    assert not Surface(unique, number[noisy.triangles]).is_closed
    integral = integrate_mesh(noisy)
    assert integral.exact
    assert integral.unit.mass == pytest.approx(EXACT.mass, rel=1e-6)


def test_inverted_mesh_is_turned_round_and_said():
    mesh = of(BOX)
    integral = integrate_mesh(TriangleMesh(mesh.vertices, mesh.triangles[:, ::-1]))
    assert integral.faults == (MeshFault.INVERTED,)
    assert integral.unit.isclose(EXACT, 1e-13)


def test_one_inverted_piece_beside_a_good_one_does_not_subtract():
    mesh = of(BOX)
    both = TriangleMesh(
        np.concatenate([mesh.vertices, mesh.vertices + [2.0, 0, 0]]),
        np.concatenate([mesh.triangles, mesh.triangles[:, ::-1] + len(mesh.vertices)]),
    )
    integral = integrate_mesh(both)
    assert integral.faults == (MeshFault.INVERTED,)
    assert integral.unit.isclose(EXACT + EXACT.shift([2.0, 0, 0]), 1e-13)


@pytest.mark.parametrize("seed", range(8))
def test_sheet_of_two_sides_beside_a_solid_is_not_wound_inwards(seed):
    """Its volume is rounding, of either sign."""
    mesh, turn = of(BOX), np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.7, 0.0], [0.0, 0.7, 0.0]]) @ turn + [3.0, 1.0, 2.0]
    sides = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    both = TriangleMesh(
        np.concatenate([mesh.vertices, square]), np.concatenate([mesh.triangles, sides + len(mesh.vertices)])
    )
    integral = integrate_mesh(both)
    assert integral.faults == ()
    assert integral.unit.isclose(EXACT, 1e-12)


def test_cavity_is_subtracted():
    mesh = of(BOX)
    hollow = TriangleMesh(
        np.concatenate([mesh.vertices, 0.5 * mesh.vertices]),
        np.concatenate([mesh.triangles, mesh.triangles[:, ::-1] + len(mesh.vertices)]),
    )
    integral = integrate_mesh(hollow)
    assert integral.faults == ()
    assert integral.unit.isclose(EXACT - solid_box((0.15, 0.25, 0.4)), 1e-13)


def test_plane_hole_is_capped():
    mesh = of(BOX)
    integral = integrate_mesh(TriangleMesh(mesh.vertices, mesh.triangles[:-2]))
    assert integral.rung is Rung.CAPPED
    assert not integral.exact
    assert integral.faults == (MeshFault.OPEN,)
    assert integral.unit.isclose(EXACT, 1e-12)
    assert "its planar hole was capped" in integral.reason


def test_flipped_triangles_are_turned_back_and_said():
    mesh = of(BOX)
    triangles = mesh.triangles.copy()
    triangles[0] = triangles[0, ::-1]
    integral = integrate_mesh(TriangleMesh(mesh.vertices, triangles))
    assert integral.faults == (MeshFault.MIXED_WINDING,)
    assert integral.exact
    assert integral.unit.isclose(EXACT, 1e-12)


def test_flat_mesh_gives_nothing():
    flat = trimesh.creation.box([0.3, 0.5, 0.8])
    flat.vertices[:, 2] = 0.0
    assert integrate_mesh(of(flat)).unit is None


def test_collapsed_triangles_do_not_open_a_mesh():
    mesh = of(BOX)
    more = TriangleMesh(mesh.vertices, np.concatenate([mesh.triangles, [[0, 0, 1], [2, 2, 2]]]))
    assert len(weld(more).triangles) == len(mesh.triangles)
    assert integrate_mesh(more).unit.isclose(EXACT, 1e-13)


def test_hull_of_a_cloud_of_box_corners():
    assert integrate_hull(np.array(BOX.vertices) + 100.0).isclose(EXACT.shift([100.0] * 3), 1e-12)
    assert integrate_hull(np.zeros((10, 3))) is None


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb", "dae", "off"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.001, 0.001, 0.001), (-2.0, 1.0, 0.5)])
def test_every_file_format_gives_the_same_solid(tmp_path, suffix, scale):
    size = (0.25, 0.5, 0.75)  # exact in single precision, which STL stores
    shifted = trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix([1.0, 0.5, 0.25]))
    path = tmp_path / f"part.{suffix}"
    shifted.export(path)
    integral = integrate_mesh(read_mesh(Mesh(path.name, str(path), scale)))
    exact = solid_box(tuple(abs(s) * f for s, f in zip(scale, size, strict=True))).shift(
        np.array(scale) * [1.0, 0.5, 0.25]
    )
    assert integral.exact
    assert integral.faults == ()
    assert integral.unit.isclose(exact, 1e-9 if suffix == "dae" else 1e-12)


def test_unit_of_a_collada_file_is_applied(tmp_path):
    path = tmp_path / "part.dae"
    trimesh.creation.box([1, 1, 1]).export(path)
    text = path.read_text()
    asset = '<asset><unit name="centimetre" meter="0.01"/>'
    path.write_text(
        text.replace("<asset>", asset) if "<unit" not in text else text.replace('meter="1.0"', 'meter="0.01"')
    )
    assert "0.01" in path.read_text()
    assert integrate_mesh(read_mesh(Mesh("part.dae", str(path)))).unit.mass == pytest.approx(1e-6)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("part.stl", b"solid nothing\nendsolid nothing\n", "no triangles"),
        ("part.stl", b"", "no triangles"),
        ("part.dae", b"<COLLADA", "cannot be read"),
        ("part.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite numbers"),
        ("part.txt", b"hello", "unknown mesh format"),
    ],
)
def test_bad_mesh_files_say_why(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(MeshError, match=reason):
        read_mesh(Mesh(name, str(path)))


def test_missing_mesh_says_how_to_find_it():
    with pytest.raises(MeshError, match="--package-path"):
        read_mesh(Mesh("package://nowhere/part.stl", None))


def test_changed_file_is_read_again(tmp_path):
    path = tmp_path / "part.stl"
    trimesh.creation.box([1, 1, 1]).export(path)
    first = integrate_mesh(read_mesh(Mesh("part.stl", str(path)))).unit.mass
    trimesh.creation.box([2, 1, 1]).export(path)
    path.touch()
    assert integrate_mesh(read_mesh(Mesh("part.stl", str(path)))).unit.mass == pytest.approx(2 * first)
