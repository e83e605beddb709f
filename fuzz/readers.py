# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One target of the guided fuzzer for each reader: what it reads, what it starts from, how inputs are changed."""

from __future__ import annotations

import re
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
from fuzz.structure.crate import changed_crate
from fuzz.structure.gltf import changed_gltf
from fuzz.structure.msh import changed_msh
from fuzz.structure.ply_changes import changed_ply
from fuzz.xml_damage import damaged_xml
from inertia_tools.description.geometry import Mesh
from inertia_tools.geometry.mesh.file import read_mesh

LARGEST_SEED = 3000
"""Larger sound files are left out: what is small is read often [B]."""

DIGIT_SHARE = 0.45
"""Of changes of text that put one digit in the place of another, most of which a reader takes."""

WHOLE_SHARE = 0.9
"""Of changes of binary files that keep their headers and lengths in agreement with the rest."""

DIGIT = re.compile(rb"[0-9]")

Change = Callable[[bytes, Random], bytes]
"""Returns a document with some mutations."""


@dataclass(frozen=True)
class Reader:
    """A reader, and inputs for it.

    Attributes:
        read: Reads an input; raises as the reader does.
        change: Makes another input of one.
        sound: Gives the sound files that it starts from.
        modules: The modules whose branches are its own, as paths in the package; a folder stands for all in it.
    """

    read: Callable[[bytes], object]
    change: Change
    sound: Callable[[], Iterable[seeds.Seed]]
    modules: tuple[str, ...]


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


def _digit_or(change: Change) -> Change:
    """Change one digit of a text now and then, else more."""

    def changed(data: bytes, random: Random) -> bytes:
        places = [one.start() for one in DIGIT.finditer(data)] if random.random() < DIGIT_SHARE else []
        if not places:
            return change(data, random)
        at = random.choice(places)
        return data[:at] + b"%d" % random.randrange(10) + data[at + 1 :]

    return changed


def _whole_or(whole: Change, change: Change) -> Change:
    """Keep a file whole mostly, else change any byte."""

    def changed(data: bytes, random: Random) -> bytes:
        return (whole if random.random() < WHOLE_SHARE else change)(data, random)

    return changed


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


def _mesh_reader(suffix: str, modules: tuple[str, ...], whole: Change | None = None) -> Reader:
    def change(data: bytes, random: Random) -> bytes:
        return damaged_mesh(data, suffix, random)

    changes = _digit_or(change) if whole is None else _whole_or(whole, change)
    return Reader(_from_file(suffix, _read_mesh), changes, _meshes(suffix), modules)


_MESHES = "geometry/mesh/"
_BY_TRIMESH = (f"{_MESHES}library.py", f"{_MESHES}part.py")
_GLTF = (f"{_MESHES}gltf.py", f"{_MESHES}gltf_numbers.py")
_XML = ("description/xml.py",)

READERS: dict[str, Reader] = {
    "urdf": Reader(
        _read_text,
        _digit_or(_change_xml),
        _robots(b"<robot"),
        ("description/urdf.py", "description/urdf_parser.py", *_XML),
    ),
    "sdf": Reader(_read_text, _digit_or(_change_xml), _robots(b"<sdf"), ("description/sdf/", *_XML)),
    "mjcf": Reader(_read_text, _digit_or(_change_xml), _robots(b"<mujoco"), ("description/mjcf/", *_XML)),
    "stl": _mesh_reader(".stl", (f"{_MESHES}stl.py",)),
    "obj": _mesh_reader(".obj", (f"{_MESHES}obj.py",)),
    "dae": _mesh_reader(
        ".dae", (f"{_MESHES}collada.py", f"{_MESHES}collada_geometry.py", f"{_MESHES}collada_transform.py")
    ),
    "ply": _mesh_reader(".ply", (f"{_MESHES}ply.py",), changed_ply),
    "off": _mesh_reader(".off", _BY_TRIMESH),
    "glb": _mesh_reader(".glb", _GLTF, changed_gltf),
    "gltf": _mesh_reader(".gltf", _GLTF, changed_gltf),
    "msh": _mesh_reader(".msh", (f"{_MESHES}msh.py",), changed_msh),
    "usda": Reader(_read_text, _digit_or(damaged_stage), _stages(True), ("description/usd/",)),
    "usdc": Reader(
        _from_file(".usdc", it.load), _whole_or(changed_crate, damaged_stage), _stages(False), ("description/usd/",)
    ),
}
"""The readers by name."""
