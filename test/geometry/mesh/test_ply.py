# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""PLY read without a library: text and binary, polygons of any number of corners, and other data among them."""

import struct

import numpy as np
import pytest
import trimesh

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.ply import read_ply

OUTLINE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]
"""A concave polygon; its prism of height 1 has two polygons of six corners and six of four."""

CORNERS = np.array([[x, y, z] for z in (0, 1) for x, y in OUTLINE], dtype=np.float64)
POLYGONS = [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *([i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6] for i in range(6))]
TRIANGLES = [[face[0], *face[k : k + 2]] for face in POLYGONS for k in range(1, len(face) - 1)]
VOLUME = 4.0
FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


def file(kind: str, faces: list[list[int]], *, coloured: bool = False, length: str = "uchar", end: str = "\n") -> bytes:
    """Write a mesh, with a colour at every corner and face, and an element in between, if it is coloured."""
    colour = ["property uchar red"] if coloured else []
    between = ["element edge 2", "property int from", "property float sharpness"] if coloured else []
    axes = [f"property double {axis}" for axis in "xyz"]
    lists = f"property list {length} int vertex_indices"
    header = [f"format {kind} 1.0", "comment a prism", f"element vertex {len(CORNERS)}", *axes[:1], *colour, *axes[1:]]
    header += [*between, f"element face {len(faces)}", lists, *colour]
    text = end.join(["ply", *header, "end_header", ""]).encode()
    red = [7] if coloured else []
    rows = [("dB2d" if coloured else "3d", [corner[0], *red, *corner[1:]]) for corner in CORNERS.tolist()]
    rows += [("if", [0, 0.5])] * (2 if coloured else 0)
    code = {"uchar": "B", "int": "i"}[length]
    rows += [(f"{code}{len(face)}i" + "B" * coloured, [len(face), *face, *red]) for face in faces]
    if kind == "ascii":
        return text + end.join(" ".join(map(str, row)) for _, row in rows).encode()
    return text + b"".join(struct.pack(FORMATS[kind] + form, *row) for form, row in rows)


def read(folder, data: bytes):
    path = folder / "part.ply"
    path.write_bytes(data)
    return read_mesh(Mesh("part", str(path)))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    "faces", [TRIANGLES, POLYGONS, POLYGONS[2:] + TRIANGLES[:8]], ids=["alike", "mixed", "in runs"]
)
@pytest.mark.parametrize("words", [{}, {"coloured": True}, {"length": "int"}, {"end": "\r\n"}], ids=str)
def test_the_prism_is_read(tmp_path, kind, faces, words):
    mesh = read(tmp_path, file(kind, faces, **words))
    assert np.array_equal(mesh.vertices, CORNERS)
    assert integrate_mesh(mesh).unit.mass == pytest.approx(VOLUME, rel=1e-12)


def test_bytes_after_the_last_face_are_passed_over(tmp_path):
    assert len(read(tmp_path, file("binary_little_endian", TRIANGLES) + b"by hand").triangles) == len(TRIANGLES)


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_numbers_are_those_of_another_reader(tmp_path, encoding):
    ball = trimesh.creation.icosphere(subdivisions=2)
    mesh = read(tmp_path, ball.export(file_type="ply", encoding=encoding, vertex_normal=True))
    other = trimesh.load_mesh(tmp_path / "part.ply", process=False)
    single = 0.0 if encoding == "binary" else 1e-7  # trimesh rounds the decimals of a text
    np.testing.assert_allclose(mesh.corners, np.asarray(other.vertices)[other.faces], rtol=0.0, atol=single)


BAND = [corner for i in range(7) for corner in (i % 6 + 6, i % 6)]
"""The sides of the prism as one strip."""


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    "strips",
    [
        [BAND],
        [[*BAND, -1]],
        [[-1, *BAND[:6], -1, *BAND[4:], -1]],
        [BAND[:6], BAND[4:]],
        [BAND[:6], [], [*BAND[4:8], -1, -1, *BAND[6:]]],
        [[*BAND[:6], BAND[5], BAND[4], *BAND[4:]]],
    ],
    ids=["one", "ended", "parted", "two", "both", "stitched"],
)
def test_strips_of_triangles_are_the_sides_of_the_prism(tmp_path, kind, strips):
    ends = file(kind, POLYGONS[:2])
    element = f"element tristrips {len(strips)}\nproperty list int int vertex_indices\nend_header\n".encode()
    rows = [[len(strip), *strip] for strip in strips]
    if kind == "ascii":
        data = ends + b"\n" + "\n".join(" ".join(map(str, row)) for row in rows).encode()
    else:
        data = ends + b"".join(struct.pack(f"{FORMATS[kind]}{len(row)}i", *row) for row in rows)
    mesh = read(tmp_path, data.replace(b"end_header\n", element))
    assert len(mesh.triangles) == len(TRIANGLES)
    assert integrate_mesh(mesh).unit.mass == pytest.approx(VOLUME, rel=1e-12)


WHOLE = file("binary_little_endian", POLYGONS)


@pytest.mark.parametrize(
    "data",
    [b"", b"ply", WHOLE[:-1], WHOLE[:300], file("ascii", POLYGONS)[:-2], WHOLE.replace(b"uchar int", b"uchar odd", 1)],
)
def test_what_is_no_ply_is_named(tmp_path, data):
    path = tmp_path / "part.ply"
    path.write_bytes(data)
    with pytest.raises(MeshError, match=r"part\.ply cannot be read"):
        read_ply(str(path), "part")
