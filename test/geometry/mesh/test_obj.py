# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""OBJ files are read as another library reads them, and what is none is named."""

import numpy as np
import pytest
import trimesh

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.obj import read_obj

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SIDES = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
"""A box of 1 m, its sides wound outwards."""

VERTICES = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)


def faces(form="{}", sides=SIDES) -> str:
    return "".join("f " + " ".join(form.format(corner) for corner in side) + "\n" for side in sides)


def read(folder, text):
    path = folder / "part.obj"
    path.write_bytes(text.encode())
    return read_obj(str(path), "part")


def test_a_ball_is_that_of_another_reader(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=2)
    (part,) = read(tmp_path, ball.export(file_type="obj", include_normals=True))
    assert np.allclose(part.mesh.corners, ball.triangles, atol=1e-8)
    assert not part.mesh.vertices.flags.writeable


@pytest.mark.parametrize(
    "text",
    [
        VERTICES + faces(),
        VERTICES + faces("{0}/{0}/7"),
        VERTICES + faces("{}//5"),
        VERTICES + faces("{}/3"),
        (VERTICES + faces()).replace("\n", "\r\n"),
        (VERTICES + faces()).replace(" ", "\t"),
        "\ufeff" + VERTICES + faces(),
        (VERTICES + faces()).replace("f 1 ", "f 1 \\\n"),
        VERTICES + faces().replace("\n", " # a side\n"),
        VERTICES.replace("\n", " 0.5 0.5 0.5\n") + faces(),
        VERTICES.replace("\n", " 0.5 0.5 0.5\n", 3) + faces(),
        "# made by hand\nmtllib none.mtl\n" + VERTICES + "vn 0 0 1\nvt 0 0\ns off\nusemtl steel\n" + faces(),
        VERTICES + "".join("f " + " ".join(str(corner - 9) for corner in side) + "\n" for side in SIDES) + "v 9 9 9\n",
        VERTICES + faces(sides=SIDES[:3] + [(a, b, c) for s in SIDES[3:] for a, b, c in (s[:3], (s[0], *s[2:]))]),
        VERTICES + "o one\n" + faces(sides=SIDES[:2]) + "g two\n" + faces(sides=SIDES[2:]),
        VERTICES + faces(sides=SIDES[:2]) + "v 5 5 5\n" + faces(sides=SIDES[2:]),
    ],
)
def test_a_box_is_a_box_however_it_is_written(tmp_path, text):
    (tmp_path / "box.obj").write_bytes(text.encode())
    found = integrate_mesh(read_mesh(Mesh("box.obj", str(tmp_path / "box.obj"))))
    assert found.exact
    assert found.unit.mass == pytest.approx(1.0)
    assert found.unit.com == pytest.approx([0.5, 0.5, 0.5])


def test_faces_of_one_name_are_one_part_wherever_they_stand(tmp_path):
    text = VERTICES + "o arm\n" + faces(sides=SIDES[:1]) + "o leg\ng left\n" + faces(sides=SIDES[1:3])
    parts = read(tmp_path, text + "g\no arm\n" + faces(sides=SIDES[3:]))
    assert [part.names for part in parts] == [("arm",), ("leg_left", "leg", "left")]
    assert [len(part.mesh.triangles) for part in parts] == [8, 4]
    assert len(parts[1].mesh.vertices) < 8  # no corners of others


@pytest.mark.parametrize(("name", "triangles"), [("leg", 4), ("left", 4), ("leg_left", 4), ("arm", 8)])
def test_parts_are_found_by_object_and_group(tmp_path, name, triangles):
    text = VERTICES + "o arm\n" + faces(sides=SIDES[2:]) + "o leg\ng left\n" + faces(sides=SIDES[:2])
    (tmp_path / "parts.obj").write_text(text)
    assert len(read_mesh(Mesh("p", str(tmp_path / "parts.obj"), submesh=name)).triangles) == triangles


@pytest.mark.parametrize(
    "damage",
    ["f 1 2 99\n", "f 1 2 0\n", "f 1 2 -99\n", "f 1 2 x\n", "f 1 2 2.5\n", "v 1 2\n", "v a b c\n", "f 1 2 9e99\n"],
)
def test_what_is_no_obj_is_named(tmp_path, damage):
    with pytest.raises(MeshError, match=r"part\.obj cannot be read"):
        read(tmp_path, VERTICES + faces() + damage)
