# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.msh import read_msh

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype="<i4")


def content(triangles=TRIANGLES, normals=2, texcoords=3) -> bytes:
    header = np.array([len(POINTS), normals, texcoords, len(triangles)], dtype="<i4")
    return header.tobytes() + POINTS.tobytes() + bytes(4 * (3 * normals + 2 * texcoords)) + triangles.tobytes()


def test_reads_vertices_and_triangles(tmp_path):
    path = tmp_path / "a.msh"
    path.write_bytes(content())
    (part,) = read_msh(str(path), "a.msh")
    mesh = part.mesh
    assert np.array_equal(mesh.vertices, POINTS)
    assert np.array_equal(mesh.triangles, TRIANGLES)


@pytest.mark.parametrize("data", [b"", b"abc", b"\xff" * 16, content()[:-1], content() + b"1", content(TRIANGLES + 1)])
def test_other_files_are_refused(data, tmp_path):
    path = tmp_path / "a.msh"
    path.write_bytes(data)
    with pytest.raises(MeshError, match=r"a\.msh"):
        read_msh(str(path), "a.msh")
