# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The sound files that cases are made of: those that lie in the test environment, and small ones made here."""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import inertia_tools as it
from fuzz.mjcf_models import ModelMaker
from fuzz.structure.crate import crate_of
from inertia_tools.errors import InertiaToolsError

ROOT = Path(__file__).parents[1]

MOST_BYTES = 60_000
"""Larger files cost more time a case and have nothing in them that smaller ones lack."""

RANDOM_MODELS = 60
"""Random MJCF models among the seeds."""

MESH_FORMATS = ("stl", "stl_ascii", "obj", "ply", "off", "dae", "glb", "gltf")
"""What the generated meshes are written as, by trimesh's names."""


@dataclass(frozen=True)
class Seed:
    """A sound file.

    Attributes:
        name: Where it comes from, the same on every machine.
        suffix: Of the file, with its dot.
        data: Its content.
    """

    name: str
    suffix: str
    data: bytes


def folders() -> list[Path]:
    """Return the folders to look for files in: those of wheels, of the checkout, and the shared models."""
    wheels = Path(sysconfig.get_paths()["purelib"])
    places = (
        wheels / "cmeel.prefix/share/example-robot-data/robots",
        wheels / "mujoco/testdata",
        wheels / "warp/examples/assets",
        wheels / "warp/tests/assets",
        ROOT / "examples",
        ROOT.parent / "shared/models",
    )
    return [place for place in places if place.is_dir()]


@lru_cache(maxsize=1)
def robots() -> tuple[Seed, ...]:
    """Return robots in URDF, SDFormat and MJCF."""
    found = [seed for seed in _files(".urdf", ".sdf", ".xml", ".world") if b"<" in seed.data]
    cases = json.loads((ROOT / "test/description/sdf_cases.json").read_text())
    found += [Seed(f"sdf_cases/{case['id']}", ".sdf", case["file"].encode()) for case in cases if "file" in case]
    found += [Seed(f"random_mjcf/{n}", ".xml", ModelMaker(n).text().encode()) for n in range(RANDOM_MODELS)]
    return tuple(found)


@lru_cache(maxsize=1)
def meshes() -> tuple[Seed, ...]:
    """Return meshes in every format that is read."""
    found = list(_files(".stl", ".obj", ".dae", ".ply", ".glb", ".off", ".msh"))
    return (*found, *_made_meshes())


@lru_cache(maxsize=1)
def stages() -> tuple[Seed, ...]:
    """Return stages in USD: text, crate and package.

    Another process makes some: a process in which OpenUSD has been at work has threads, and may not be forked any more.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        made = process.submit(_made_stages).result()
    return (*_files(".usd", ".usda", ".usdc", ".usdz"), *made)


def _files(*suffixes: str) -> Iterator[Seed]:
    for place in folders():
        for path in sorted(place.rglob("*")):
            if path.suffix.lower() in suffixes and path.stat().st_size <= MOST_BYTES:
                yield Seed(f"{place.name}/{path.relative_to(place)}", path.suffix.lower(), path.read_bytes())


def _made_meshes() -> Iterator[Seed]:
    """Write three solids in every format: one that closes, one with a hole, one of two pieces."""
    import trimesh

    box, ball = trimesh.creation.box((0.1, 0.2, 0.3)), trimesh.creation.icosphere(subdivisions=1, radius=0.2)
    open_ball = ball.copy()
    open_ball.update_faces(ball.face_normals[:, 2] < 0.7)
    pair = trimesh.util.concatenate([box, ball.copy().apply_translation((0.1, 0.0, 0.0))])
    for name, solid in (("box", box), ("open_ball", open_ball), ("pair", pair)):
        for kind in MESH_FORMATS:
            data = solid.export(None, file_type=kind) if kind != "gltf" else _gltf_in_one(solid)
            suffix = ".stl" if kind == "stl_ascii" else f".{kind}"
            yield Seed(f"made/{name}.{kind}", suffix, data.encode() if isinstance(data, str) else data)
        yield Seed(f"made/{name}.msh", ".msh", _mujoco_mesh(solid))


def _mujoco_mesh(solid: Any) -> bytes:
    """Write a mesh in MuJoCo's own format: four counts, corners, faces."""
    counts = np.array([len(solid.vertices), 0, 0, len(solid.faces)], "<i4")
    return bytes(counts.tobytes() + solid.vertices.astype("<f4").tobytes() + solid.faces.astype("<i4").tobytes())


def _gltf_in_one(solid: Any) -> bytes:
    """Write a glTF whose numbers stand in it, as a data URI."""
    import base64

    files = solid.export(file_type="gltf")
    text: str = files["model.gltf"].decode()
    for name, data in files.items():
        if name != "model.gltf":
            text = text.replace(
                f'"{name}"', f'"data:application/octet-stream;base64,{base64.b64encode(data).decode()}"'
            )
    return text.encode()


def _made_stages() -> list[Seed]:
    """Convert small robots to stages, as text and as crate."""
    made = []
    for seed in robots()[::4]:
        if len(seed.data) > MOST_BYTES // 6:
            continue
        try:
            text = it.convert(it.load_text(seed.data, name=seed.name), format="usd").data
        except InertiaToolsError:
            continue
        made.append(Seed(f"{seed.name}.usda", ".usda", text))
        made.append(Seed(f"{seed.name}.usdc", ".usdc", crate_of(text) or b""))
    return made
