# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is remembered of mesh files: never too long, never of another file, and the same however it was made."""

import json
import sys

import numpy as np
import pytest
import trimesh

from inertia_tools.description.geometry import InlineMesh
from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh import batch, integrate, record
from inertia_tools.geometry.mesh.integral import MeshOptions
from inertia_tools.geometry.mesh.record import (
    decoded,
    encoded,
    forget,
    mesh_hull,
    mesh_integral,
    record_key,
    remembered,
)

AUTO = MeshOptions()


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.delenv(record.CACHE_VARIABLE, raising=False)
    forget()
    yield
    forget()


@pytest.fixture
def reads(monkeypatch):
    """Count how often a mesh is read."""
    counted = []
    read = record.read_mesh
    monkeypatch.setattr(record, "read_mesh", lambda geometry: counted.append(geometry) or read(geometry))
    return counted


def box(folder, name="part.stl", size=(1, 1, 1)) -> Mesh:
    trimesh.creation.box(size).export(folder / name)
    return Mesh(name, str(folder / name))


def test_second_time_nothing_is_read(tmp_path, reads):
    mesh = box(tmp_path)
    first = mesh_integral(mesh, AUTO)
    assert mesh_integral(mesh, AUTO) is first
    assert len(reads) == 1


def test_what_needs_no_voxels_is_integrated_once(tmp_path, reads):
    """`fix` judges without voxels and corrects with them: a closed mesh is the same either way."""
    quick = mesh_integral(box(tmp_path), MeshOptions(may_load_warp=False))
    assert mesh_integral(box(tmp_path), AUTO) is quick
    assert batch._missing([(box(tmp_path), AUTO)]) == []
    assert len(reads) == 1


def test_what_voxels_might_better_is_integrated_again(tmp_path, reads, monkeypatch):
    ball = trimesh.creation.icosphere(subdivisions=2)
    ball.update_faces(ball.triangles_center[:, 2] < 0.3)
    ball.export(tmp_path / "open.stl")
    mesh = Mesh("open.stl", str(tmp_path / "open.stl"))
    quick = mesh_integral(mesh, MeshOptions(may_load_warp=False))
    assert quick.error_estimate > 0.1
    monkeypatch.setattr(integrate, "capped", lambda surface: pytest.fail("the holes were capped before"))
    assert "voxel" in mesh_integral(mesh, AUTO).alternatives
    assert len(reads) == 2


def test_same_content_under_another_name_is_known(tmp_path, reads):
    mesh_integral(box(tmp_path, "a.stl"), AUTO)
    mesh_integral(box(tmp_path, "b.stl"), AUTO)
    assert len(reads) == 1


@pytest.mark.parametrize(
    ("mesh", "options", "mass"),
    [
        ({"scale": (2.0, 1.0, 1.0)}, {}, 2.0),
        ({"scale": (-2.0, 1.0, 1.0)}, {}, 2.0),
        ({}, {"thickness": 0.1}, 1 - 0.8**3),
        ({}, {"thickness": 0.2}, 1 - 0.6**3),
        ({}, {"method": "hull"}, 1.0),
    ],
)
def test_another_scale_or_wall_is_another_record(tmp_path, reads, mesh, options, mass):
    plain = box(tmp_path)
    mesh_integral(plain, AUTO)
    other = mesh_integral(Mesh(plain.uri, plain.path, **mesh), MeshOptions(**options))
    assert other.unit.mass == pytest.approx(mass, rel=1e-6)
    assert len(reads) == 2


@pytest.mark.parametrize("inline", [False, True])
def test_a_limit_of_the_hull_is_another_record(tmp_path, inline):
    """It decides the form of points without faces, from a file or in the description."""
    points = trimesh.creation.icosphere(subdivisions=2).vertices
    (tmp_path / "a.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in points.tolist()))
    source = {"inline": InlineMesh(points)} if inline else {"points_have_hull": True}
    meshes = [Mesh("a.obj", str(tmp_path / "a.obj"), hull_limit=most, **source) for most in (None, 40, 8)]
    masses = [mesh_integral(mesh, AUTO).unit.mass for mesh in meshes]
    assert masses[0] > masses[1] > masses[2] > 0.0


def test_changed_file_is_integrated_again(tmp_path):
    mesh = box(tmp_path)
    assert mesh_integral(mesh, AUTO).unit.mass == pytest.approx(1.0)
    box(tmp_path, size=(3, 1, 1))
    assert mesh_integral(mesh, AUTO).unit.mass == pytest.approx(3.0)


def test_records_survive_on_disk_to_the_last_digit(tmp_path, monkeypatch, reads):
    monkeypatch.setenv(record.CACHE_VARIABLE, str(tmp_path / "cache" / "deeper"))
    mesh = box(tmp_path, size=(1 / 3, 0.1, 0.7))
    first, hull = mesh_integral(mesh, AUTO), mesh_hull(mesh)
    forget()
    again = mesh_integral(mesh, AUTO)
    assert again is not first
    assert again.unit.mass == first.unit.mass
    assert np.array_equal(again.unit.inertia, first.unit.inertia)
    assert (again.rung, again.faults, again.reason) == (first.rung, first.faults, first.reason)
    assert np.array_equal(mesh_hull(mesh), hull)
    assert len(reads) == 2  # once for each, before


@pytest.mark.parametrize("damage", ["", "{", '{"unit": 3}', "[]"])
def test_damaged_record_on_disk_is_made_anew(tmp_path, monkeypatch, damage):
    monkeypatch.setenv(record.CACHE_VARIABLE, str(tmp_path))
    mesh = box(tmp_path)
    mesh_integral(mesh, AUTO)
    forget()
    (tmp_path / f"{record_key(mesh, AUTO)}.json").write_text(damage)
    assert mesh_integral(mesh, AUTO).unit.mass == pytest.approx(1.0)


def test_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(record.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    assert mesh_integral(box(tmp_path), AUTO).unit.mass == pytest.approx(1.0)


def test_record_goes_through_json_and_back(tmp_path):
    integral = mesh_integral(box(tmp_path), AUTO)
    back = decoded(json.loads(json.dumps(encoded(integral))))
    assert np.array_equal(back.unit.inertia, integral.unit.inertia)


def test_missing_file_says_so():
    with pytest.raises(MeshError, match="package-path"):
        mesh_integral(Mesh("package://a/b.stl", None), AUTO)
    with pytest.raises(MeshError, match="cannot be opened"):
        mesh_hull(Mesh("b.stl", "/nowhere/b.stl"))


def test_a_failing_disk_is_said_to_fail(tmp_path):
    (tmp_path / "b.stl").symlink_to("/proc/self/mem")  # a regular file whose first page is never there
    with pytest.raises(MeshError, match="cannot be opened: Input/output error"):
        mesh_integral(Mesh("b.stl", str(tmp_path / "b.stl")), AUTO)


def test_batch_tells_how_far_it_is_and_passes_over_what_cannot_be_read(tmp_path):
    (tmp_path / "bad.stl").write_bytes(b"solid nothing\nendsolid\n")
    meshes = [box(tmp_path, f"{i}.stl", (1, 1, 1 + i)) for i in range(3)]
    wanted = [(mesh, AUTO) for mesh in [*meshes, meshes[0], Mesh("bad", str(tmp_path / "bad.stl")), Mesh("gone", None)]]
    told = []
    batch.prepare([*wanted, (meshes[1], None)], lambda done, total: told.append((done, total)))
    assert told == [(i, 5) for i in range(1, 6)]
    assert all(remembered(record_key(mesh, AUTO)) is not None for mesh in meshes)
    batch.prepare([(mesh, AUTO) for mesh in meshes], lambda done, total: pytest.fail("nothing was left to do"))


def test_helping_processes_give_the_same(tmp_path, monkeypatch):
    meshes = [box(tmp_path, f"{i}.stl", (1 / 3, 1, 1 + i)) for i in range(8)]
    alone = [mesh_integral(mesh, AUTO).unit for mesh in meshes]
    hulls = [mesh_hull(mesh) for mesh in meshes]
    forget()
    monkeypatch.setattr(batch, "_worth_helpers", lambda spent, left: True)
    monkeypatch.setattr(batch, "_helpers", lambda tasks: 2)
    told = []
    wanted = [(mesh, AUTO) for mesh in meshes] + [(mesh, None) for mesh in meshes]
    batch.prepare(wanted, lambda done, total: told.append(done))
    assert sorted(told) == list(range(1, 17))
    monkeypatch.setattr(record, "read_mesh", lambda geometry: pytest.fail("a helper did not do its part"))
    for mesh, unit, hull in zip(meshes, alone, hulls, strict=True):
        assert np.array_equal(mesh_integral(mesh, AUTO).unit.inertia, unit.inertia)
        assert np.array_equal(mesh_hull(mesh), hull)


def test_helpers_that_die_leave_the_work_to_be_done_here(tmp_path, monkeypatch):
    meshes = [box(tmp_path, f"{i}.stl", (1, 1, 1 + i)) for i in range(4)]
    monkeypatch.setattr(batch, "_worth_helpers", lambda spent, left: True)
    monkeypatch.setattr(batch, "_helpers", lambda tasks: 2)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    batch.prepare([(mesh, AUTO) for mesh in meshes])
    assert mesh_integral(meshes[3], AUTO).unit.mass == pytest.approx(4.0)


def test_the_time_that_a_library_takes_to_load_starts_no_helpers(monkeypatch):
    monkeypatch.setattr(batch, "_helpers", lambda tasks: 2)
    assert not batch._worth_helpers([0.01, 2.0, 0.02, 0.01], 40)
    assert batch._worth_helpers([0.3, 2.0, 0.3, 0.3], 40)
    assert not batch._worth_helpers([0.3, 2.0, 0.3, 0.3], 3)
    assert not batch._worth_helpers([], 40)
