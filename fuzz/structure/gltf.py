# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of glTF, as text or as binary, that keep its JSON and its lengths whole."""

from __future__ import annotations

import base64
import json
import struct
from random import Random
from typing import Any

from fuzz.structure.numbers import changed_float, index_below

MAGIC, VERSION = b"glTF", 2
JSON_CHUNK, BINARY_CHUNK = b"JSON", b"BIN\0"
DATA_URI = "data:application/octet-stream;base64,"

Document = dict[str, Any]


def changed_gltf(data: bytes, random: Random) -> bytes:
    """Return a file of the same kind with one to four changes; as it is where it is none."""
    is_binary = data.startswith(MAGIC)
    try:
        document, buffer = apart(data) if is_binary else _apart_text(data)
    except (ValueError, LookupError, struct.error, TypeError, AttributeError):
        return data
    for _ in range(random.choice((1, 1, 2, 4))):
        random.choice(CHANGES)(document, buffer, random)
    return binary(document, buffer) if is_binary else _text(document, buffer)


def apart(data: bytes) -> tuple[Document, bytearray]:
    """Return the JSON of a binary file, and what its numbers are read from."""
    (size,) = struct.unpack_from("<I", data, 12)
    document, rest = json.loads(data[20 : 20 + size]), 20 + size
    (length,) = struct.unpack_from("<I", data, rest)
    return _checked(document), bytearray(data[rest + 8 : rest + 8 + length])


def _apart_text(data: bytes) -> tuple[Document, bytearray]:
    document = _checked(json.loads(data))
    return document, bytearray(base64.b64decode(document["buffers"][0]["uri"].partition(",")[2]))


def _checked(document: Any) -> Document:
    if not isinstance(document, dict):
        raise TypeError
    return document


def binary(document: Document, buffer: bytearray) -> bytes:
    """Put a binary file together again, with the lengths that it has now."""
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = bytes(buffer) + b"\0" * (-len(buffer) % 4)
    chunks = struct.pack("<I4s", len(text), JSON_CHUNK) + text + struct.pack("<I4s", len(rest), BINARY_CHUNK) + rest
    return struct.pack("<4sII", MAGIC, VERSION, 12 + len(chunks)) + chunks


def _text(document: Document, buffer: bytearray) -> bytes:
    buffers = document.get("buffers")
    if isinstance(buffers, list) and buffers and isinstance(buffers[0], dict):
        buffers[0]["uri"] = DATA_URI + base64.b64encode(bytes(buffer)).decode()
    return json.dumps(document).encode()


def _listed(document: Document, name: str, random: Random) -> Document | None:
    """Return one of the objects in a list of the document."""
    found = document.get(name)
    objects = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return random.choice(objects) if objects else None


def _change_coordinate(_document: Document, buffer: bytearray, random: Random) -> None:
    if len(buffer) >= 4:
        at = 4 * random.randrange(len(buffer) // 4)
        if random.random() < 0.3:
            struct.pack_into("<I", buffer, at, random.randrange(8))
            return
        (old,) = struct.unpack_from("<f", buffer, at)
        new = changed_float(old, random)
        struct.pack_into("<f", buffer, at, new if abs(new) < 3e38 else float("inf"))


def _turn_node(document: Document, _buffer: bytearray, random: Random) -> None:
    """Place a node by a matrix, or by its parts."""
    node = _listed(document, "nodes", random)
    if node is None:
        return
    kind = random.choice(("matrix", "translation", "rotation", "scale"))
    numbers = {
        "matrix": [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        "translation": [0.0, 0.0, 0.0],
        "rotation": [0.0, 0.0, 0.0, 1.0],
        "scale": [1.0, 1.0, 1.0],
    }[kind]
    at = random.randrange(len(numbers))
    numbers[at] = changed_float(numbers[at], random)
    node[kind] = numbers


def _nest_node(document: Document, _buffer: bytearray, random: Random) -> None:
    """Add a node above another, or beside it with the same mesh."""
    nodes = document.get("nodes")
    if not isinstance(nodes, list) or not nodes:
        return
    child = index_below(len(nodes), random)
    if random.random() < 0.5:
        nodes.append({"children": [child], "name": random.choice(("a", "b", ""))})
    else:
        nodes.append({"mesh": 0})
    scene = _listed(document, "scenes", random)
    if scene is not None and isinstance(scene.get("nodes"), list):
        scene["nodes"].append(len(nodes) - 1)


def _change_accessor(document: Document, _buffer: bytearray, random: Random) -> None:
    """Read fewer numbers, from elsewhere, or as another type."""
    accessor = _listed(document, "accessors", random)
    if accessor is None:
        return
    kind, count = random.randrange(5), accessor.get("count")
    if kind == 0 and isinstance(count, int):
        accessor["count"] = max(0, count - random.choice((1, 3, 30)))
    elif kind == 1:
        accessor["byteOffset"] = random.choice((0, 4, 12, 120))
    elif kind == 2:
        accessor["componentType"] = random.choice((5120, 5121, 5122, 5123, 5125, 5126))
    elif kind == 3:
        accessor["normalized"] = random.random() < 0.5
    else:
        accessor["min"] = accessor["max"] = [changed_float(1.0, random) for _ in range(3)]


def _change_view(document: Document, buffer: bytearray, random: Random) -> None:
    view = _listed(document, "bufferViews", random)
    if view is not None:
        name, numbers = random.choice(
            (("byteStride", (4, 12, 16)), ("byteOffset", (0, 4, len(buffer) // 2)), ("target", (0, 34962)))
        )
        view[name] = random.choice(numbers)


def _change_primitive(document: Document, _buffer: bytearray, random: Random) -> None:
    """Draw a mesh as strips, fans, lines or points; with other numbers; once more; without indices."""
    mesh = _listed(document, "meshes", random)
    primitive = _listed(mesh, "primitives", random) if mesh is not None else None
    if mesh is None or primitive is None:
        return
    kind = random.randrange(5)
    if kind == 0:
        primitive["mode"] = random.choice((0, 1, 3, 4, 4, 5, 6))
    elif kind == 1:
        mesh["primitives"].append(dict(primitive))
    elif kind == 2:
        primitive.pop("indices", None)
    elif kind == 3 and isinstance(primitive.get("attributes"), dict):
        name = random.choice(("NORMAL", "TEXCOORD_0", "COLOR_0", "JOINTS_0"))
        primitive["attributes"][name] = primitive["attributes"].get("POSITION", 0)
    else:
        primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}


def _rename(document: Document, _buffer: bytearray, random: Random) -> None:
    one = _listed(document, random.choice(("nodes", "meshes", "scenes", "accessors")), random)
    if one is not None:
        one["name"] = random.choice(("", "x", "geometry_0", "é", "world", "a" * 300))


def _lose_key(document: Document, _buffer: bytearray, random: Random) -> None:
    one = _listed(document, random.choice(("nodes", "meshes", "scenes", "accessors", "bufferViews")), random)
    if one:
        del one[random.choice(list(one))]


def _add_extras(document: Document, _buffer: bytearray, random: Random) -> None:
    """Add what a reader of shapes passes over, or a material."""
    kind = random.randrange(4)
    if kind == 0:
        document["extras"] = {"made": ["by", "hand", {}, None, 1e300]}
    elif kind == 1:
        document["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0.5, 1]}}]
    elif kind == 2:
        document["extensionsUsed"] = ["KHR_lights_punctual"]
    else:
        document["scene"] = index_below(1, random)


CHANGES = (
    *(_change_coordinate, _change_coordinate, _turn_node, _turn_node, _nest_node, _change_accessor, _change_view),
    *(_change_primitive, _rename, _lose_key, _add_extras),
)
"""What can happen to a file, the likelier the more often it stands here."""
