# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading glTF 2.0, as text (.gltf) or binary (.glb), without a library.

A scene is a forest of nodes, each with a transform; a node's mesh has primitives, of which those of triangles count:
lists, strips and fans. Quantised and sparse positions are read, compressed ones are refused; skins and morph targets
have no effect.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.gltf_numbers import GltfNumbers, Json
from inertia_tools.geometry.mesh.part import MOST_TRIANGLES, Indices, MeshPart, file_content, placed
from inertia_tools.spatial import Array, rotation_from_quaternion

MAGIC = b"glTF"
HEADER, CHUNK = struct.Struct("<4s2I"), struct.Struct("<2I")
TEXT_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942

TRIANGLES, STRIP, FAN = 4, 5, 6
"""Modes of primitives that have triangles."""


def read_gltf(path: str, uri: str) -> list[MeshPart]:
    """Read the meshes of the scene that a file shows, each named as its node, and as itself.

    Raises:
        MeshError: The file cannot be opened, is not a glTF 2.0, or needs an extension that is not supported.
    """
    data = file_content(path, uri)
    try:
        text, binary = _chunks(data) if data.startswith(MAGIC) else (data, b"")
        document = json.loads(text)
        with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses corners that are not finite
            return list(_parts(document, GltfNumbers(document, binary, Path(path).parent)))
    except Exception as error:  # a document may lack anything, or have something else in its place
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error or type(error).__name__}") from error


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """Return the text of a .glb and its binary part, which may be missing."""
    found, begin = {TEXT_CHUNK: b"", BINARY_CHUNK: b""}, HEADER.size
    while begin + CHUNK.size <= len(data):
        length, kind = CHUNK.unpack_from(data, begin)
        begin += CHUNK.size
        if not found.get(kind, b"other"):
            found[kind] = data[begin : begin + length]
        begin += length
    return found[TEXT_CHUNK], found[BINARY_CHUNK]


def _parts(document: Json, numbers: GltfNumbers) -> Iterator[MeshPart]:
    """Iterate over the surfaces of the scene's nodes."""
    total = 0
    for node, transform in _nodes(document, numbers):
        if "mesh" not in node:
            continue
        mesh = document["meshes"][node["mesh"]]
        own = tuple(name for name in (node.get("name"),) if name)
        names = tuple(name for name in (*own, mesh.get("name")) if name)
        for primitive in mesh["primitives"]:
            if primitive.get("mode", TRIANGLES) in (TRIANGLES, STRIP, FAN):
                vertices, triangles = _surface(primitive, numbers)
                total += len(triangles)
                if total > MOST_TRIANGLES:
                    raise ValueError(f"its nodes hold more than {MOST_TRIANGLES} triangles")
                yield MeshPart(names, placed(vertices, triangles, transform), own)


def _nodes(document: Json, numbers: GltfNumbers) -> Iterator[tuple[Json, Array]]:
    """Iterate over the nodes of the scene, each with its transform to the file's frame, depth first."""
    nodes = document.get("nodes", [])
    seen: set[int] = set()
    waiting = [(index, np.eye(4)) for index in reversed(_roots(document, nodes))]
    while waiting:
        index, around = waiting.pop()
        if index in seen:
            raise ValueError(f"its node {index} is in the scene twice")
        seen.add(index)
        node = nodes[index]
        numbers.refuse_extensions(node)
        transform = around @ _transform(node)
        yield node, transform
        waiting += [(child, transform) for child in reversed(node.get("children", []))]


def _roots(document: Json, nodes: list[Json]) -> list[int]:
    """Return the nodes of the scene that the file shows, else of the first; all that have no parent without a scene."""
    if scenes := document.get("scenes"):
        return list(scenes[document.get("scene", 0)].get("nodes", []))
    children = {child for node in nodes for child in node.get("children", [])}
    return [index for index in range(len(nodes)) if index not in children]


def _transform(node: Json) -> Array:
    """Return the transform from a node to its parent, shape (4, 4)."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    transform = np.eye(4)
    rotation = rotation_from_quaternion(node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    transform[:3, :3] = rotation * np.array(node.get("scale", (1.0, 1.0, 1.0)), dtype=np.float64)
    transform[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return transform


def _surface(primitive: Json, numbers: GltfNumbers) -> tuple[Array, Indices]:
    """Return the corners of a primitive in the frame of its node, and its triangles."""
    numbers.refuse_extensions(primitive)
    vertices = numbers.accessor(primitive["attributes"]["POSITION"]).astype(np.float64)
    if vertices.shape[1] != 3:
        raise ValueError("its vertices do not have three coordinates")
    corners = np.arange(len(vertices))
    if "indices" in primitive:
        corners = numbers.accessor(primitive["indices"])[:, 0].astype(np.int64)
    return vertices, _triangles(corners, primitive.get("mode", TRIANGLES))


def _triangles(corners: Indices, mode: int) -> Indices:
    """Return the triangles of a list of corners, shape (m, 3); every second one of a strip is the other way round."""
    if mode == TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if mode == FAN:
        return np.stack([np.broadcast_to(corners[:1], len(corners[2:])), corners[1:-1], corners[2:]], axis=1)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    strip[1::2] = strip[1::2, ::-1]
    return strip
