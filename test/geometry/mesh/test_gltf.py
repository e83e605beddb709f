# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""glTF read without a library: every way to state the same solid, and what is refused instead of read wrongly."""

import base64
import json
from dataclasses import dataclass, field

import numpy as np
import pytest
import trimesh

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.gltf import read_gltf
from inertia_tools.geometry.mesh.integrate import integrate_mesh

CORNERS = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], dtype=np.float64)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
VOLUME = 4.0
CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


@dataclass
class File:
    """A document in the making; each array gets a buffer of its own."""

    document: dict = field(
        default_factory=lambda: {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "buffers": []}
    )

    def view(self, values: np.ndarray, **words) -> int:
        data = values.astype(values.dtype.newbyteorder("<")).tobytes()
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        self.document["buffers"].append({"byteLength": len(data), "uri": uri})
        number = len(self.document["bufferViews"])
        self.document["bufferViews"].append({"buffer": number, "byteLength": len(data), **words})
        return number

    def accessor(self, values: np.ndarray, **words) -> int:
        rows = values.reshape(len(values), -1)
        stated = {
            "bufferView": self.view(values),
            "componentType": CODES[values.dtype.str[1:]],
            "count": len(rows),
            "type": {1: "SCALAR", 3: "VEC3"}[rows.shape[1]],
        }
        self.document["accessors"].append({**stated, **words})
        return len(self.document["accessors"]) - 1

    def primitive(self, positions: int, indices=None, **words) -> dict:
        own = {} if indices is None else {"indices": self.accessor(np.array(indices, dtype="u2"))}
        return {"attributes": {"POSITION": positions}, **own, **words}

    def saved(self, folder, *primitives: dict, nodes=({"mesh": 0},), **words) -> str:
        scene = {"scene": 0, "scenes": [{"nodes": [0]}], "nodes": list(nodes), "meshes": [{"primitives": primitives}]}
        path = folder / "part.gltf"
        path.write_text(json.dumps({**self.document, **scene, **words}))
        return str(path)


def unit_of(path: str):
    return integrate_mesh(read_mesh(Mesh("part", path))).unit


EXACT = trimesh.Trimesh(CORNERS, FACES, process=False)


def assert_is_the_solid(path: str, tolerance: float = 1e-12) -> None:
    unit = unit_of(path)
    assert unit.mass == pytest.approx(VOLUME, rel=tolerance)
    np.testing.assert_allclose(unit.com, CORNERS.mean(axis=0), rtol=tolerance)
    np.testing.assert_allclose(unit.inertia, EXACT.moment_inertia, rtol=tolerance, atol=tolerance)


SINGLE = CORNERS.astype("f4")


@pytest.mark.parametrize("name", ["list", "loose", "strip", "fan", "lines beside it"])
def test_primitives_of_triangles_are_read(tmp_path, name):
    file = File()
    at = file.accessor(SINGLE if name != "loose" else SINGLE[FACES.reshape(-1)])
    primitives = {
        "list": lambda: [file.primitive(at, FACES.reshape(-1))],
        "loose": lambda: [file.primitive(at)],
        "strip": lambda: [file.primitive(at, [0, 2, 1, 3, 0, 2], mode=5)],
        "fan": lambda: [file.primitive(at, [0, 2, 1, 3, 2], mode=6), file.primitive(at, [1, 2, 3])],
        "lines beside it": lambda: [file.primitive(at, FACES.reshape(-1)), file.primitive(at, [0, 1], mode=1)],
    }[name]()
    assert_is_the_solid(file.saved(tmp_path, *primitives))


def test_positions_with_other_data_between_them(tmp_path):
    file = File()
    rows = np.concatenate([np.full((4, 1), 7.0), CORNERS, np.full((4, 2), 7.0)], axis=1).astype("f4")
    file.document["accessors"] = [
        {
            "bufferView": file.view(rows, byteStride=24),
            "byteOffset": 4,
            "componentType": 5126,
            "count": 4,
            "type": "VEC3",
        }
    ]
    assert_is_the_solid(file.saved(tmp_path, file.primitive(0, FACES.reshape(-1))))


@pytest.mark.parametrize(("number", "steps"), [("i2", 32767), ("u2", 65535), ("i1", 127), ("u1", 255)])
def test_normalised_positions_are_fractions(tmp_path, number, steps):
    file = File()
    at = file.accessor(np.round(CORNERS / 4 * steps).astype(number), normalized=True)
    path = file.saved(tmp_path, file.primitive(at, FACES.reshape(-1)), nodes=[{"mesh": 0, "scale": [4, 4, 4]}])
    assert_is_the_solid(path, tolerance=3.0 / steps)


def test_whole_positions_are_numbers(tmp_path):
    file = File()
    at = file.accessor((CORNERS * 100).astype("u2"))
    path = file.saved(tmp_path, file.primitive(at, FACES.reshape(-1)), nodes=[{"mesh": 0, "scale": [0.01] * 3}])
    assert_is_the_solid(path)


@pytest.mark.parametrize("base", [None, SINGLE + 9])
def test_sparse_positions_replace_those_below(tmp_path, base):
    file = File()
    changed = np.arange(1 if base is None else 0, 4)
    sparse = {
        "count": len(changed),
        "indices": {"bufferView": file.view(changed.astype("u1")), "componentType": 5121},
        "values": {"bufferView": file.view(SINGLE[changed])},
    }
    at = file.accessor(SINGLE if base is None else base, sparse=sparse)
    if base is None:
        del file.document["accessors"][at]["bufferView"]
    assert_is_the_solid(file.saved(tmp_path, file.primitive(at, FACES.reshape(-1))))


def test_parts_of_a_scene_are_those_of_another_reader(tmp_path):
    scene, ball = trimesh.Scene(), trimesh.creation.icosphere(subdivisions=1)
    turn = trimesh.transformations.random_rotation_matrix(np.array([0.1, 0.4, 0.7]))
    for number, scale in enumerate([(1, 1, 1), (2, 1, -1)]):
        turn[:3, 3] = 3.0 * number
        scene.add_geometry(ball, node_name=f"node {number}", geom_name="ball", transform=turn @ np.diag([*scale, 1]))
    (tmp_path / "part.glb").write_bytes(scene.export(file_type="glb"))
    parts = read_gltf(str(tmp_path / "part.glb"), "part")
    assert [part.nodes for part in parts] == [("node 0",), ("node 1",)]
    whole = scene.to_geometry()
    unit = unit_of(str(tmp_path / "part.glb"))
    assert unit.mass == pytest.approx(whole.volume, rel=1e-6)
    np.testing.assert_allclose(unit.com, whole.center_mass, rtol=1e-6)


@pytest.mark.parametrize("place", ["primitive", "view", "node"])
def test_what_needs_an_unknown_extension_is_refused(tmp_path, place):
    file = File()
    primitive = file.primitive(file.accessor(SINGLE), FACES.reshape(-1))
    node = {"mesh": 0}
    {"primitive": primitive, "view": file.document["bufferViews"][0], "node": node}[place]["extensions"] = {
        "EXT_odd": {}
    }
    assert_is_the_solid(file.saved(tmp_path, primitive, nodes=[node]))
    with pytest.raises(MeshError, match="requires EXT_odd"):
        read_gltf(file.saved(tmp_path, primitive, nodes=[node], extensionsRequired=["EXT_odd"]), "part")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"nodes": [{"children": [1]}, {"children": [0]}]}, "twice"),
        ({"nodes": [{"mesh": 3}]}, "cannot be read"),
        ({"scenes": [{"nodes": [5]}]}, "cannot be read"),
        ({"buffers": [{"byteLength": 48}] * 2}, "has no data"),
        ({"buffers": [{"byteLength": 48, "uri": "none.bin"}] * 2}, "cannot be read"),
        ({"accessors": [{"componentType": 5126, "count": 10**12, "type": "VEC3"}] * 2}, "MiB"),
    ],
)
def test_invalid_documents_are_named(tmp_path, words, message):
    file = File()
    path = file.saved(tmp_path, file.primitive(file.accessor(SINGLE), FACES.reshape(-1)), **words)
    with pytest.raises(MeshError, match=message):
        read_gltf(path, "part")
