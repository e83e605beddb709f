# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One target of the guided fuzzer for each reader: what it reads, what it starts from, how inputs are changed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from random import Random

import inertia_tools as it
from fuzz import seeds
from fuzz.mesh_damage import damaged_mesh
from fuzz.stage_damage import damaged_stage
from fuzz.xml_damage import damaged_xml
from inertia_tools.description.geometry import Mesh
from inertia_tools.geometry.mesh.file import read_mesh

LARGEST_SEED = 3000
"""Larger sound files are left out: what is small is read often [B]."""

Change = Callable[[bytes, Random], bytes]
"""Returns a document with some mutations."""


@dataclass(frozen=True)
class Reader:
    """A reader, and inputs for it.

    Attributes:
        read: Reads an input; raises as the reader does.
        change: Makes another input of one.
        sound: Gives the sound files that it starts from.
    """

    read: Callable[[bytes], object]
    change: Change
    sound: Callable[[], Iterable[seeds.Seed]]


@cache
def _folder() -> Path:
    """Return a folder of this process's own, in memory where there is such a place."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))


def _read_text(data: bytes) -> object:
    return it.load_text(data, name="<fuzz>", base_dir=_folder())


def _from_file(suffix: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Let a reader of files read bytes; no file has a name twice, since those that have been read are remembered."""
    numbers = count()

    def read_bytes(data: bytes) -> object:
        path = _folder() / f"{next(numbers)}{suffix}"
        path.write_bytes(data)
        try:
            return read(path)
        finally:
            path.unlink()

    return read_bytes


def _read_mesh(path: Path) -> object:
    return read_mesh(Mesh(path.name, path=str(path)))


def _change_xml(data: bytes, random: Random) -> bytes:
    return damaged_xml(data, data, random)


def _robots(mark: bytes) -> Callable[[], Iterable[seeds.Seed]]:
    """Return what gives small robots whose root element is called so."""
    return lambda: (one for one in seeds.robots() if len(one.data) <= LARGEST_SEED and mark in one.data)


def _meshes(suffix: str) -> Callable[[], Iterable[seeds.Seed]]:
    def sound() -> Iterable[seeds.Seed]:
        for one in seeds.meshes():
            if one.suffix == suffix and len(one.data) <= 4 * LARGEST_SEED:
                yield one

    return sound


def _stages(is_text: bool) -> Callable[[], Iterable[seeds.Seed]]:
    def sound() -> Iterable[seeds.Seed]:
        for one in seeds.stages():
            if len(one.data) <= 4 * LARGEST_SEED and one.data.startswith(b"#usda") == is_text:
                yield one

    return sound


def _mesh_reader(suffix: str) -> Reader:
    def change(data: bytes, random: Random) -> bytes:
        return damaged_mesh(data, suffix, random)

    return Reader(_from_file(suffix, _read_mesh), change, _meshes(suffix))


READERS: dict[str, Reader] = {
    "urdf": Reader(_read_text, _change_xml, _robots(b"<robot")),
    "sdf": Reader(_read_text, _change_xml, _robots(b"<sdf")),
    "mjcf": Reader(_read_text, _change_xml, _robots(b"<mujoco")),
    "stl": _mesh_reader(".stl"),
    "obj": _mesh_reader(".obj"),
    "dae": _mesh_reader(".dae"),
    "ply": _mesh_reader(".ply"),
    "off": _mesh_reader(".off"),
    "glb": _mesh_reader(".glb"),
    "gltf": _mesh_reader(".gltf"),
    "msh": _mesh_reader(".msh"),
    "usda": Reader(_read_text, damaged_stage, _stages(True)),
    "usdc": Reader(_from_file(".usdc", it.load), damaged_stage, _stages(False)),
}
"""The readers by name."""
