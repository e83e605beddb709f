# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of Collada files are found by the name of their node, as Gazebo finds them, else by that of their geometry."""

import numpy as np
import pytest

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.file import read_mesh


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
    with pytest.raises(MeshError, match=r"no part named 'nose'; it has inner, outer, stored, twin, twin.001"):
        part(file, "nose")


def test_the_whole_file_is_all_of_its_parts(file):
    assert len(read_mesh(Mesh(file.name, str(file))).triangles) == 30
