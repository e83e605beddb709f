# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Tetrahedral meshes as values: what they carry reaches the scene, and closed surfaces are filled."""

import sys

import numpy as np
import pytest
import trimesh
from gmsh_files import gmsh_file
from soft_bodies import areas_and_normals, points, random_pose, volumes

import inertia_tools as it
from inertia_tools.errors import MeshError, MissingDependencyError, OptionError, SimulationError
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.soft_solids import grid_tetrahedra

CELL = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)


def cell(**options) -> it.TetMesh:
    return it.TetMesh(CELL, grid_tetrahedra(1, 1, 1), **options)


def added(mesh, **options) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_soft_mesh(mesh=mesh, **options)
    return builder


def test_a_mesh_knows_its_surface():
    mesh = cell()
    assert (mesh.vertex_count, mesh.tet_count, mesh.tri_count) == (8, 5, 12)
    assert np.array_equal(it.TetMesh.compute_surface_triangles(mesh.tet_indices), mesh.surface_tri_indices)
    corners = mesh.vertices[mesh.surface_tri_indices.reshape(-1, 3)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (((corners.mean(axis=1) - 0.5) * normals).sum(axis=1) > 0.0).all()


def test_what_a_mesh_carries_is_used_where_nothing_else_is_given():
    mesh = cell(k_mu=[1.0, 2.0, 3.0, 4.0, 5.0], k_lambda=6.0, density=7.0)
    builder = added(mesh)
    assert builder.tet_materials == [(mu, 6.0, 0.0) for mu in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert sum(builder.particle_mass) == pytest.approx(7.0)
    assert sum(added(mesh, density=1.0).particle_mass) == pytest.approx(1.0)
    assert added(mesh, k_mu=9.0).tet_materials == [(9.0, 6.0, 0.0)] * 5


def test_values_of_custom_attributes_go_with_the_elements():
    builder = it.ModelBuilder()
    for name, frequency in (("heat", "particle"), ("age", "tetrahedron")):
        builder.add_custom_attribute(it.ModelBuilder.CustomAttribute(name, "float", frequency))
    builder.add_particle((9, 9, 9))
    custom = {"heat": np.arange(8.0), "age": np.arange(5.0), "unknown": np.arange(12.0)}
    builder.add_soft_mesh(mesh=cell(custom_attributes=custom), density=1.0)
    model = builder.finalize()
    assert np.array_equal(model.heat.numpy(), [0, *range(8)])
    assert np.array_equal(model.age.numpy(), range(5))


def test_a_file_gives_back_what_was_written(tmp_path):
    mesh = cell(k_mu=2.0, density=3.0, custom_attributes={"heat": (np.arange(8.0), AttributeFrequency.PARTICLE)})
    mesh.save(tmp_path / "cell.npz")
    again = it.TetMesh.create_from_file(tmp_path / "cell.npz")
    for name in ("vertices", "tet_indices", "surface_tri_indices", "k_mu"):
        assert np.array_equal(getattr(again, name), getattr(mesh, name)), name
    assert (again.density, again.k_lambda) == (3.0, None)
    values, frequency = again.custom_attributes["heat"]
    assert np.array_equal(values, range(8)) and frequency is AttributeFrequency.PARTICLE


def test_files_of_something_else_are_refused(tmp_path):
    for name in ("text.npz", "cell.obj"):
        (tmp_path / name).write_text("no archive")
    np.savez(tmp_path / "other.npz", points=CELL)
    np.savez(tmp_path / "wrong.npz", vertices=CELL, tet_indices=[0, 1, 2, 99])
    for name, why in (("text.npz", "cannot be read"), ("other.npz", "no arrays"), ("wrong.npz", "index below 8"),
                      ("absent.npz", "cannot be read"), ("cell.obj", ".npz")):  # fmt: skip
        with pytest.raises(MeshError, match=why):
            it.TetMesh.create_from_file(tmp_path / name)
    with pytest.raises(OptionError, match="filename"):
        cell().save(tmp_path / "cell.obj")


def test_a_mesh_of_gmsh_is_read_with_its_tetrahedra_turned_outwards(tmp_path):
    tetrahedra = grid_tetrahedra(1, 1, 1)[:, [1, 0, 2, 3]]
    (tmp_path / "cell.msh").write_bytes(gmsh_file(np.vstack([CELL, (9, 9, 9)]), tetrahedra, "4.1", True))
    mesh = it.TetMesh.create_from_file(tmp_path / "cell.msh")
    assert np.array_equal(mesh.vertices, CELL)
    assert sum(added(mesh, density=1.0).particle_mass) == pytest.approx(1.0)
    (tmp_path / "sheet.msh").write_bytes(gmsh_file(CELL, [[0, 1, 2]]))
    with pytest.raises(MeshError, match="no tetrahedron"):
        it.TetMesh.create_from_file(tmp_path / "sheet.msh")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"tet_indices": [0, 1, 2]}, "tet_indices"),
        ({"k_mu": [1.0, 2.0]}, "k_mu"),
        ({"density": -1.0}, "density"),
        ({"custom_attributes": {"heat": [1.0, 2.0]}}, "heat"),
    ],
)
def test_what_is_wrong_is_named(wrong, named):
    with pytest.raises(OptionError, match=named):
        it.TetMesh(**({"vertices": CELL, "tet_indices": grid_tetrahedra(1, 1, 1)} | wrong))


def test_a_length_that_fits_two_kinds_needs_a_frequency():
    single = {"vertices": CELL[[0, 1, 2, 4]], "tet_indices": [0, 1, 2, 3]}
    with pytest.raises(OptionError, match="AttributeFrequency"):
        it.TetMesh(**single, custom_attributes={"heat": np.arange(4.0)})
    mesh = it.TetMesh(**single, custom_attributes={"heat": (np.arange(4.0), AttributeFrequency.TRIANGLE)})
    assert mesh.custom_attributes["heat"][1] is AttributeFrequency.TRIANGLE


# Closed surfaces


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_closed_surface_is_filled(own_cache, inside_out):
    pytest.importorskip("pytetwild")
    ball = trimesh.creation.icosphere(2)
    faces = ball.faces[:, ::-1] if inside_out else ball.faces
    builder = added(it.Mesh(ball.vertices, faces), density=10.0, **random_pose(1))
    assert (volumes(builder) > 0.0).all()
    # The surface may lie 1e-3 of the diagonal from the given one: 0.0035 m, or 1.1 % of the volume.
    assert sum(builder.particle_mass) == pytest.approx(10.0 * ball.volume, rel=0.011)
    areas, normals = areas_and_normals(builder)
    assert np.allclose((areas[:, None] * normals).sum(axis=0), 0.0, atol=1e-12)
    reach = np.linalg.norm(points(builder) - random_pose(1)["pos"], axis=1)
    assert reach.max() <= 1.0 + 1e-3 * ball.scale


def test_a_surface_is_filled_once_and_found_again(own_cache, monkeypatch):
    pytest.importorskip("pytetwild")
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    first = it.TetMesh.create_from_surface(box.vertices, box.faces, edge_length=1.0, density=2.0)
    monkeypatch.setitem(sys.modules, "pytetwild", None)
    second = it.TetMesh.create_from_surface(box.vertices, box.faces, edge_length=1.0)
    assert np.array_equal(first.vertices, second.vertices) and np.array_equal(first.tet_indices, second.tet_indices)
    assert sum(added(first).particle_mass) == pytest.approx(2.0 * 6.0, rel=1e-2)
    with pytest.raises(MissingDependencyError, match="pip install"):
        it.TetMesh.create_from_surface(box.vertices, box.faces, edge_length=0.5)


def test_an_open_surface_is_refused_with_the_place():
    box = trimesh.creation.box()
    with pytest.raises(SimulationError, match=r"not closed.*edge between vertices"):
        it.TetMesh.create_from_surface(box.vertices, box.faces[1:])


def test_one_value_is_of_the_whole_mesh():
    """A single value is one for all where there are several tetrahedra, and undecided where there is one."""
    points, two = np.vstack([np.zeros(3), np.eye(3), np.ones(3)]), [0, 1, 2, 3, 1, 2, 3, 4]
    mesh = it.TetMesh(points, two, custom_attributes={"batch": [7]})
    assert mesh.custom_attributes["batch"][1] is AttributeFrequency.ONCE
    with pytest.raises(OptionError, match="ONCE"):
        it.TetMesh(points, two[:4], custom_attributes={"batch": [7]})


@pytest.mark.parametrize("name", ["vertices", "k_mu", "__custom_names__"])
def test_names_of_the_mesh_itself_are_no_custom_attributes(name):
    """A file would hold two arrays of that name."""
    with pytest.raises(OptionError, match="reserved"):
        it.TetMesh(np.vstack([np.zeros(3), np.eye(3)]), [0, 1, 2, 3], custom_attributes={name: [1.0]})
