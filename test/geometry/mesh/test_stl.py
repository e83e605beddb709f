# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""STL read without a library: the same numbers as trimesh reads, and errors that say what is wrong."""

import subprocess
import sys
from codecs import BOM_UTF8

import numpy as np
import pytest
import trimesh

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.stl import HEADER, read_stl

BALL = trimesh.creation.icosphere(subdivisions=2)
BINARY = BALL.export(file_type="stl")
TEXT = BALL.export(file_type="stl_ascii")


def read(folder, data):
    path = folder / "part.stl"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_stl(str(path), "part")


@pytest.mark.parametrize("data", [BINARY, TEXT, TEXT.upper(), TEXT.replace("\n", "\r\n"), b"solid" + BINARY[5:]])
def test_numbers_are_those_of_another_reader(tmp_path, data):
    mesh = read(tmp_path, data)[0].mesh
    other = trimesh.load_mesh(tmp_path / "part.stl", process=False)
    assert np.array_equal(mesh.corners, np.asarray(other.vertices)[other.faces])
    assert not mesh.vertices.flags.writeable


def test_solids_of_a_text_keep_their_names(tmp_path):
    body = TEXT.split("\n", 1)[1]
    found = read(tmp_path, f"solid Left wheel\n{body}\n  solid right\n{body}")
    assert [part.names for part in found] == [("Left wheel",), ("right",)]
    assert all(len(part.mesh.triangles) == len(BALL.faces) for part in found)


@pytest.mark.parametrize("header", [b"", b"solid ball"])
@pytest.mark.parametrize("rest", [b"made by hand", b"\nsolid rest"])
def test_bytes_after_the_last_triangle_are_passed_over(tmp_path, header, rest):
    (part,) = read(tmp_path, header + BINARY[len(header) :] + rest)
    assert np.array_equal(part.mesh.corners, read(tmp_path, BINARY)[0].mesh.corners)


def test_a_byte_order_mark_before_the_text_is_passed_over(tmp_path):
    (part,) = read(tmp_path, BOM_UTF8 + TEXT.encode())
    assert np.array_equal(part.mesh.corners, read(tmp_path, TEXT)[0].mesh.corners)


@pytest.mark.parametrize(
    "data", [b"", b"solid", BINARY[:-1], BINARY[: HEADER - 1], "vertex 1 2 3", TEXT.replace("vertex", "vertex x", 1)]
)
def test_what_is_no_stl_is_named(tmp_path, data):
    try:
        solids = read(tmp_path, data)
    except MeshError as error:
        assert "part.stl" in str(error)
        assert "is not an STL" in str(error)
    else:
        assert sum(len(part.mesh.triangles) for part in solids) == 0


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae"])
def test_a_check_of_common_meshes_loads_no_mesh_library(tmp_path, suffix):
    BALL.export(tmp_path / f"part.{suffix}")
    mesh = f'<visual><geometry><mesh filename="part.{suffix}"/></geometry></visual>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="a">{mesh}</link></robot>')
    program = (
        "import sys, inertia_tools as it; found = it.check(it.load(sys.argv[1])); "
        "assert found['a'].computed.volume > 3.0; assert not {'trimesh', 'collada', 'scipy', 'warp', 'pxr'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "robot.urdf")], check=True)


@pytest.mark.filterwarnings("error")
def test_a_signalling_nan_is_refused_and_not_warned_of(tmp_path):
    path, corner = tmp_path / "part.stl", HEADER + 12
    path.write_bytes(BINARY[:corner] + np.uint32(0x7FA00000).tobytes() + BINARY[corner + 4 :])
    with pytest.raises(MeshError, match="not finite numbers"):
        read_mesh(Mesh("part.stl", path=str(path)))
