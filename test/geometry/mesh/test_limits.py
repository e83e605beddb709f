# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes that no library may see as they are, and work and memory that have a bound."""

import os

import numpy as np
import pytest
import trimesh
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

import inertia_tools as it
from fuzz.structure.gltf import apart, binary
from inertia_tools.description import content
from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError, OptionError, ParseError
from inertia_tools.geometry.mesh import columns, surface, voxel
from inertia_tools.geometry.mesh.columns import stretches
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.integral import MeshOptions
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.mesh.triangles import TriangleMesh

SUFFIXES = ("stl", "obj", "ply", "off", "dae", "glb")
SCALES = ("nan 1 1", "1e400 1 1", "1e200 1e200 1e200", "1 -1e200 1", "1e9 1e9 1e9")
BALL = trimesh.creation.icosphere(subdivisions=3)


def ascii_ply(vertices, faces):
    header = (
        f"ply\nformat ascii 1.0\nelement vertex {len(vertices)}\nproperty float x\nproperty float y\nproperty float z\n"
    )
    header += f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    rows = [" ".join(map(str, row)) for row in vertices] + [" ".join(map(str, (3, *row))) for row in faces]
    return header + "\n".join(rows) + "\n"


def robot(*meshes):
    """Write a robot with a link a mesh, each given as file and scale."""
    links = [
        f'<link name="l{i}"><collision><geometry><mesh filename="{file}" scale="{scale}"/></geometry></collision></link>'
        for i, (file, scale) in enumerate(meshes)
    ]
    joints = [
        f'<joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{i}"/></joint>'
        for i in range(1, len(meshes))
    ]
    return f'<robot name="r">{"".join(links + joints)}</robot>'


@pytest.fixture
def folder(tmp_path):
    """Give a folder with one box in every format."""
    box = trimesh.creation.box((10.0, 20.0, 30.0))
    for suffix in SUFFIXES:
        data = box.export(file_type=suffix)
        (tmp_path / f"box.{suffix}").write_bytes(data.encode() if isinstance(data, str) else data)
    return tmp_path


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_scale_that_leaves_the_numbers_costs_one_shape_and_no_report(folder, suffix, scale):
    described = it.load_text(robot((f"box.{suffix}", scale), (f"box.{suffix}", "0.001 0.001 0.001")), base_dir=folder)
    report = it.check(described)
    assert {"invalid-size", "missing-mesh"} & {f.code for f in report["l0"].findings}
    assert report["l1"].computed.volume == pytest.approx(6e-6)
    assert it.fix(described).changes["l1"].after.mass == pytest.approx(6e-3)


@pytest.mark.parametrize("index", [-1, 8, 2**31 - 1])
@pytest.mark.parametrize("suffix", ["ply", "off", "obj"])
def test_a_corner_that_is_not_there_is_named(tmp_path, suffix, index):
    box = trimesh.creation.box()
    faces = box.faces.tolist()
    faces[5][1] = index
    text = {
        "ply": ascii_ply(box.vertices.tolist(), faces),
        "off": f"OFF\n8 {len(faces)} 0\n"
        + "\n".join(" ".join(map(str, v)) for v in box.vertices)
        + "\n"
        + "\n".join(" ".join(map(str, (3, *face))) for face in faces)
        + "\n",
        "obj": "\n".join("v " + " ".join(map(str, v)) for v in box.vertices)
        + "\n"
        + "\n".join("f " + " ".join(str(i + 1 if i >= 0 else 9) for i in face) for face in faces)
        + "\n",
    }[suffix]
    path = tmp_path / f"bad.{suffix}"
    path.write_text(text)
    with pytest.raises(MeshError, match="bad"):
        read_mesh(Mesh("bad", str(path)))
    good = tmp_path / "good.stl"
    good.write_bytes(box.export(file_type="stl"))
    report = it.check(it.load_text(robot((path.name, "1 1 1"), ("good.stl", "1 1 1")), base_dir=tmp_path))
    assert report["l0"].computed.inertial is None
    assert report["l1"].computed.volume == pytest.approx(1.0)


@pytest.mark.parametrize("times", [1, 30, 300])
def test_repeated_rows_cost_bounded_work(tmp_path, times, monkeypatch):
    """Rows that stand twice make triangles from one end of the part to the other."""
    seen = []
    monkeypatch.setattr(columns, "_widening", lambda *words, own=columns._widening: seen.append(1) or own(*words))
    vertices = BALL.vertices.tolist()
    rows = (vertices[:100] + [vertices[100]] * times + vertices[100:])[: len(vertices)]
    (tmp_path / "rows.ply").write_text(ascii_ply(rows, BALL.faces.tolist()))
    mesh = read_mesh(Mesh("rows", str(tmp_path / "rows.ply")))
    integrate_mesh(mesh, MeshOptions(may_load_warp=False))
    assert seen


def test_lines_stand_farther_apart_where_triangles_are_long(monkeypatch):
    closed = Surface(np.asarray(BALL.vertices), np.asarray(BALL.faces))
    fine = stretches(closed, 64)
    assert fine.coarseness == 1.0
    monkeypatch.setattr(columns, "MOST_CANDIDATES", 500)
    coarse = stretches(closed, 64)
    assert coarse.coarseness > 2.0
    assert coarse.cell == pytest.approx(fine.cell * coarse.coarseness)
    ones = np.ones(len(coarse.x))
    assert coarse.volume(ones) == pytest.approx(fine.volume(np.ones(len(fine.x))), rel=0.1)


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1e-9, 1), (1, 1e-4, 1), (1e-9, 1, 1), (1, 1, 1e-9), (9, 1e-12, 8)])
def test_pairs_of_lines_and_triangles_are_bounded_however_flat_the_part(monkeypatch, shape):
    looked_at = []

    def spread(*words, own=columns._spread):
        found = own(*words)
        looked_at.append(len(found[0]))
        return found

    monkeypatch.setattr(columns, "_spread", spread)
    monkeypatch.setattr(columns, "MOST_CANDIDATES", 5000)
    stretches(Surface(np.asarray(BALL.vertices) * shape, np.asarray(BALL.faces)), 160)
    assert max(looked_at) <= 5000 + len(BALL.faces)


def test_a_heap_of_points_is_not_welded_pair_by_pair(monkeypatch):
    monkeypatch.setattr(surface, "MOST_PAIRS", 100)
    heap = np.random.default_rng(0).normal(size=(200, 3)) * 1e-9
    assert len(np.unique(surface._number_close(heap, 1e-6))) == 200
    apart = np.arange(200.0)[:, None] * np.ones(3)
    assert len(np.unique(surface._number_close(np.concatenate([apart[:20], apart[:20] + 1e-9]), 1e-6))) == 20


@pytest.mark.parametrize("tolerance", [0.01, 0.05, 0.3])
def test_close_points_are_those_that_another_search_finds(tolerance):
    rng = np.random.default_rng(3)
    lattice = np.stack(np.meshgrid(*3 * [np.arange(7.0)]), axis=-1).reshape(-1, 3)
    points = np.concatenate([lattice, lattice + rng.normal(size=lattice.shape) * 0.02, rng.uniform(0, 6, (300, 3))])
    pairs = cKDTree(points).query_pairs(tolerance, output_type="ndarray")
    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(points), len(points)))
    assert np.array_equal(surface._number_close(points, tolerance), connected_components(graph, directed=False)[1])


@pytest.mark.parametrize("tolerance", [1e-9, 1e-300, 0.0, -1.0, 1.0, float("nan")])
def test_a_tolerance_that_voxels_cannot_reach_is_refused(tolerance):
    with pytest.raises(OptionError, match="tolerance"):
        MeshOptions(tolerance=tolerance)
    MeshOptions(tolerance=1e-6)


def test_voxels_are_not_halved_for_digits_that_the_holes_do_not_leave():
    ball = trimesh.creation.icosphere(subdivisions=3)
    open_ball = Surface(np.asarray(ball.vertices), np.asarray(ball.faces[ball.triangles_center[:, 2] < 0.3]))
    quick, thorough = (voxel.count_voxels(open_ball, tolerance) for tolerance in (1e-3, 2e-6))
    assert quick.edge == thorough.edge > 2.0 / voxel.FINEST  # the doubt about the hole ends both
    exact = voxel.count_voxels(open_ball, edge=2.0 / 192)
    assert quick.error_estimate == pytest.approx(exact.error_estimate, rel=0.1)
    assert quick.unit.mass == pytest.approx(exact.unit.mass, rel=quick.error_estimate)
    hopeless = voxel.count_voxels(open_ball, 1e-3, hopeless=1e-3)
    assert hopeless.edge == pytest.approx(2.0 / (2 * voxel.COARSEST), rel=0.2)


def test_content_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "MOST_BYTES", 3 * content.BLOCK)
    with pytest.raises(ParseError, match="more than 3 MiB"):
        it.load("/dev/zero")
    large = tmp_path / "large.urdf"
    with large.open("wb") as file:
        os.truncate(file.fileno(), 4 * content.BLOCK)
    with pytest.raises(ParseError, match="more than 3 MiB"):
        it.load(large)
    mesh = tmp_path / "large.stl"
    with mesh.open("wb") as file:
        os.truncate(file.fileno(), 4 * content.BLOCK)
    with pytest.raises(MeshError, match="more than 3 MiB"):
        read_mesh(Mesh("large", str(mesh)))


def test_an_endless_include_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "MOST_BYTES", content.BLOCK)
    with (tmp_path / "part.xml").open("wb") as file:
        os.truncate(file.fileno(), 2 * content.BLOCK)
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><include file="part.xml"/></mujoco>')
    with pytest.raises(ParseError, match="more than 1 MiB"):
        it.load(main)


def test_a_mesh_of_nothing_but_far_corners_is_refused():
    with pytest.raises(MeshError, match="farther"):
        read_mesh(
            Mesh("far", None, scale=(1e8, 1e8, 1e8), inline=_inline(TriangleMesh(BALL.vertices * 100, BALL.faces)))
        )


def test_corners_that_are_finite_and_far_are_not_called_infinite():
    far = TriangleMesh(BALL.vertices * 1e12, BALL.faces)
    with pytest.raises(MeshError, match=r"not finite, or more than 1e\+09 m away"):
        read_mesh(Mesh("far", None, inline=_inline(far)))


def _inline(mesh):
    from inertia_tools.description.geometry import InlineMesh

    return InlineMesh(np.asarray(mesh.vertices), np.asarray(mesh.triangles))


def test_corners_of_one_number_beside_others_are_an_error_of_the_mesh(tmp_path):
    """What glTF calls SCALAR is one number a corner, and trimesh makes a mesh of it."""
    scene = trimesh.Scene([trimesh.creation.box(), trimesh.creation.icosphere(subdivisions=1)])
    document, buffer = apart(scene.export(file_type="glb"))
    last = document["meshes"][-1]["primitives"][0]["attributes"]["POSITION"]
    document["accessors"][last]["type"] = "SCALAR"
    path = tmp_path / "odd.glb"
    path.write_bytes(binary(document, buffer))
    with pytest.raises(MeshError, match="do not have three coordinates"):
        read_mesh(Mesh("odd", str(path)))
