# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collada is read as another library reads it, its parts found by node as Gazebo finds them, else by geometry."""

import re

import numpy as np
import pytest
import trimesh

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.collada import read_collada
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.polyhedron import integrate_triangles


def geometry(id_: str, name: str, groups: int) -> str:
    """Write a geometry of one square pyramid's faces, dealt out to groups of triangles."""
    faces = np.array_split(np.array([[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]), groups)
    triangles = "".join(
        f'<triangles count="{len(part)}"><input semantic="VERTEX" source="#{id_}-v" offset="0"/>'
        f"<p>{' '.join(map(str, part.ravel()))}</p></triangles>"
        for part in faces
    )
    return (
        f'<geometry id="{id_}" name="{name}"><mesh><source id="{id_}-p">'
        f'<float_array id="{id_}-a" count="15">0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1</float_array><technique_common>'
        f'<accessor source="#{id_}-a" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
        '<param name="Z" type="float"/></accessor></technique_common></source>'
        f'<vertices id="{id_}-v"><input semantic="POSITION" source="#{id_}-p"/></vertices>{triangles}</mesh></geometry>'
    )


def node(name: str, x: float, content: str) -> str:
    return f'<node id="{name}-id" name="{name}"><translate>{x} 0 0</translate>{content}</node>'


def held(id_: str) -> str:
    return f'<instance_geometry url="#{id_}"/>'


@pytest.fixture
def file(tmp_path):
    """Two nodes hold one geometry whose name is that of the first; others stand in nodes and in instances of them."""
    path = tmp_path / "parts.dae"
    scene = (
        node("twin", 0, held("twin-mesh"))
        + node("twin.001", 10, held("twin-mesh"))
        + node("outer", 20, node("inner", 5, held("split")) + held("plain"))
        + '<node id="copy" name="copy"><instance_node url="#stored-id"/></node>'
    )
    path.write_text(
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        '<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries>'
        + geometry("twin-mesh", "twin", 1)
        + geometry("split", "two groups", 2)
        + geometry("plain", "", 1)
        + f"</library_geometries><library_nodes>{node('stored', 40, held('plain'))}</library_nodes>"
        f'<library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    )
    return path


def part(file, name):
    mesh = read_mesh(Mesh(file.name, str(file), submesh=name))
    return len(mesh.triangles), float(mesh.vertices[:, 0].min())


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("twin", (6, 0.0)),
        ("twin.001", (6, 10.0)),
        ("twin.001-id", (6, 10.0)),
        ("twin-mesh", (12, 0.0)),
        ("inner", (6, 25.0)),
        ("two groups", (6, 25.0)),
        ("outer", (6, 20.0)),
        ("stored", (6, 40.0)),
        ("plain", (12, 20.0)),
    ],
)
def test_parts_are_found_by_node_then_by_geometry(file, name, found):
    assert part(file, name) == found


def test_an_unknown_part_lists_the_nodes(file):
    with pytest.raises(MeshError, match=r"no part named 'nose'; its parts are inner, outer, stored, twin, twin.001"):
        part(file, "nose")


def test_the_whole_file_is_all_of_its_parts(file):
    assert len(read_mesh(Mesh(file.name, str(file))).triangles) == 30


FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
"""The pyramid of `geometry`: a base of 1 m by 1 m, 1 m high."""

INPUT = '<input semantic="VERTEX" source="#p-v" offset="0"/>'


def pyramid(folder, faces=None, transform="", geometry_change=lambda text: text):
    """Read a file with one pyramid, its faces written in some way, in a node that stands in some way."""
    text = geometry("p", "p", 1)
    if faces is not None:
        text = re.sub("<triangles.*</triangles>", faces, text)
    path = folder / "p.dae"
    path.write_text(
        f"<COLLADA><library_geometries>{geometry_change(text)}</library_geometries><library_visual_scenes>"
        f'<visual_scene id="s"><node>{transform}{held("p")}</node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    )
    return read_collada(str(path), "p")


def solid(parts):
    vertices = np.concatenate([part.mesh.corners.reshape(-1, 3) for part in parts])
    return integrate_triangles(vertices, np.arange(len(vertices)).reshape(-1, 3))


def words(rows):
    return " ".join(str(corner) for row in rows for corner in row)


@pytest.mark.parametrize(
    "faces",
    [
        f'<polylist count="5">{INPUT}<vcount>4 3 3 3 3</vcount><p>0 3 2 1 {words(FACES[2:])}</p></polylist>',
        f'<polygons count="5">{INPUT}<p>0 3 2 1</p>{"".join(f"<p>{words([row])}</p>" for row in FACES[2:])}</polygons>',
        f"<tristrips>{INPUT}<p>0 3 1 2</p><p>0 1 4</p><p>1 2 4 3</p><p>3 0 4</p></tristrips>",
        f"<trifans>{INPUT}<p>4 0 1 2 3 0</p><p>0 3 2 1</p></trifans>",
        f'<triangles>{INPUT}<input semantic="NORMAL" source="#p-p" offset="1"/>'
        f"<p>{' '.join(f'{corner} 0' for corner in FACES.ravel())}</p></triangles>",
        f"<lines>{INPUT}<p>0 1</p></lines><triangles>{INPUT}<p>{words(FACES)}</p></triangles>",
        f"<triangles>{INPUT}<p>{words(FACES[:2])}</p></triangles><triangles>{INPUT}<p>{words(FACES[2:])}</p></triangles>",
    ],
)
def test_faces_of_every_kind_make_the_same_solid(tmp_path, faces):
    found = solid(pyramid(tmp_path, faces))
    assert found.isclose(solid(pyramid(tmp_path)), 1e-12)
    assert found.mass == pytest.approx(1 / 3)


ROOT = 1.0 / np.sqrt(2.0)


@pytest.mark.parametrize(
    ("transform", "com"),
    [
        ("<translate>1 2 3</translate>", (1.5, 2.5, 3.25)),
        ("<rotate>0 0 2 90</rotate>", (-0.5, 0.5, 0.25)),
        ("<scale>1 1 -1</scale>", (0.5, 0.5, -0.25)),
        ("<translate>1 0 0</translate><rotate>0 0 1 90</rotate>", (0.5, 0.5, 0.25)),
        ("<matrix>0 -1 0 1  1 0 0 2  0 0 1 3  0 0 0 1</matrix>", (0.5, 2.5, 3.25)),
        ("<lookat>1 2 3  1 2 0  0 1 0</lookat>", (1.5, 2.5, 3.25)),
        ("<lookat>0 0 0  -1 0 0  0 0 1</lookat>", (0.25, 0.5, 0.5)),
    ],
)
def test_transforms_place_the_solid(tmp_path, transform, com):
    found = solid(pyramid(tmp_path, transform=transform))
    assert found.mass == pytest.approx(1 / 3)
    assert found.com == pytest.approx(com)


def test_a_ball_is_that_of_another_reader(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=2)
    ball.export(tmp_path / "ball.dae")
    assert solid(read_collada(str(tmp_path / "ball.dae"), "ball")).mass == pytest.approx(ball.volume, rel=1e-6)


def replaced(old, new):
    return {"geometry_change": lambda text: text.replace(old, new)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (replaced('count="15"', 'count="18"'), "has 15 numbers, but count is 18"),
        (replaced("0.5 0.5 1", "0.5 x 1"), "cannot be read"),
        (replaced('source="#p-a"', 'source="#other"'), "names 'other'"),
        (replaced("POSITION", "NORMAL"), "no positions"),
        (replaced("<p>0 2 1", "<p>0 2 9"), "beyond its 5"),
        (replaced("<p>0 2 1", "<p>0 2"), "fewer than three"),
        (replaced("<p>", "<ph/><p>"), "holes"),
        ({"transform": "<translate>1 2</translate>"}, "2 numbers; 3 are needed"),
        ({"transform": "<skew>45 0 1 0 1 0 0</skew>"}, "skew"),
        ({"transform": '<node id="n"><instance_node url="#n"/></node>'}, "a cycle of nodes"),
        ({"faces": f"<polylist>{INPUT}<vcount>3 9</vcount><p>0 1 2</p></polylist>"}, "not the number that they state"),
    ],
)
def test_what_cannot_be_made_out_is_named(tmp_path, change, reason):
    with pytest.raises(MeshError, match=reason):
        pyramid(tmp_path, **change)


def test_nodes_that_multiply_end(tmp_path):
    levels = "".join(
        f'<node id="n{k}">{f"<instance_node url=&quot;#n{k + 1}&quot;/>".replace("&quot;", chr(34)) * 2}</node>'
        for k in range(40)
    )
    with pytest.raises(MeshError, match="nodes"):
        pyramid(tmp_path, transform=levels)
