# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cached results of a mesh file: its integral and the corners of its hull.

Records are kept in memory, and on disk in the folder named by the environment variable INERTIA_TOOLS_CACHE. The key is
the content of the file with all options that affect the result, so a changed file never gets an old record.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError, WriteError
from inertia_tools.geometry.hull import hull_corners
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.geometry.mesh.file import companions, file_stamp, read_mesh
from inertia_tools.geometry.mesh.integral import MeshIntegral, MeshOptions, Rung
from inertia_tools.geometry.mesh.integrate import integrate_mesh, needs_no_voxels
from inertia_tools.inertial import Inertial, six_of_tensor, tensor_from_six
from inertia_tools.spatial import Array
from inertia_tools.wording import not_opened
from inertia_tools.write.stored import store

CACHE_VARIABLE = "INERTIA_TOOLS_CACHE"
"""Environment variable for the folder of records on disk; without it none are kept there."""

FORMAT = "5"
"""Part of every key: increase it when integrals change."""

MOST_RECORDS = 4096
"""Records kept in memory; a robot has some tens of meshes, a record some kilobytes."""


Record = MeshIntegral | Array
"""Mass properties of a mesh, or the corners of its hull [m], shape (k, 3)."""


class _Memory:
    """The most recent records, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: OrderedDict[str, Record] = OrderedDict()

    def get(self, key: str) -> Record | None:
        with self._lock:
            record = self._records.get(key)
            if record is not None:
                self._records.move_to_end(key)
            return record

    def put(self, key: str, record: Record) -> None:
        with self._lock:
            self._records[key] = record
            while len(self._records) > MOST_RECORDS:
                self._records.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._records.clear()


_MEMORY = _Memory()


def mesh_integral(geometry: Mesh, options: MeshOptions) -> MeshIntegral:
    """Return the mass properties of a mesh file, cached or integrated now.

    Raises:
        MeshError: The file is missing or cannot be read.
        OptionError: The options do not suit the mesh.
        InertiaError: The wall is thicker than the part somewhere.
    """
    key, record = known(geometry, options)
    if not isinstance(record, MeshIntegral):
        record = integrate_mesh(read_mesh(geometry), options, _without_voxels(geometry, options))
        remember(key, record)
    return record


def mesh_hull(geometry: Mesh) -> Array:
    """Return the corners of the hull of a mesh file [m], shape (k, 3), cached or computed now.

    Raises:
        MeshError: The file is missing or cannot be read.
    """
    key, record = known(geometry, None)
    if not isinstance(record, np.ndarray):
        record = hull_corners(read_mesh(geometry).used_vertices)
        remember(key, record)
    return record


def known(geometry: Mesh, options: MeshOptions | None) -> tuple[str, Record | None]:
    """Return the key of a mesh and its existing record, or None; see `record_key` for the arguments.

    A record made without voxels is also valid if voxels are permitted and would not be used.

    Raises:
        MeshError: The file is missing.
    """
    key = record_key(geometry, options)
    record = remembered(key)
    if record is None and options is not None and options.may_load_warp:
        quick = _without_voxels(geometry, options)
        if quick is not None and needs_no_voxels(quick):
            record = quick
            remember(key, record)
    return key, record


def _without_voxels(geometry: Mesh, options: MeshOptions) -> MeshIntegral | None:
    """Return the record of a mesh that was made without voxels, if there is one."""
    record = remembered(record_key(geometry, replace(options, may_load_warp=False)))
    return record if isinstance(record, MeshIntegral) else None


def record_key(geometry: Mesh, options: MeshOptions | None) -> str:
    """Return the key of a mesh: a hash of its file's content and of everything else that affects the result.

    Args:
        geometry: The mesh.
        options: How it is integrated; None for its hull.

    Raises:
        MeshError: The file is missing.
    """
    words = [FORMAT, *_content_of(geometry)]
    words += [repr(geometry.scale), repr(geometry.submesh), repr(geometry.center), repr(geometry.points_have_hull)]
    if geometry.reference is not None:
        words.append(repr(geometry.reference))
    if geometry.hull_limit is not None:
        words.append(f"at most {geometry.hull_limit} corners")
    words.append("hull" if options is None else _words_of(options))
    return hashlib.blake2b("|".join(words).encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=64)
def _words_of(options: MeshOptions) -> str:
    """Return options as text; few are in use, and each is needed thousands of times."""
    return repr(sorted(asdict(options).items()))


def _content_of(geometry: Mesh) -> tuple[str, str]:
    """Return the hash of a mesh's content and the kind of its file.

    Raises:
        MeshError: The file is missing, or reading it fails.
    """
    if geometry.inline is not None:
        return geometry.inline.digest, "inline"
    if geometry.path is None:
        read_mesh(geometry)  # raises with the reason
    path = str(geometry.path)
    try:
        return _file_hash(path, file_stamp(path)), os.path.splitext(path)[1].lower()
    except OSError as error:
        raise MeshError(geometry.uri, f"{path} {not_opened(error)}") from error


@lru_cache(maxsize=4096)
def _file_hash(path: str, stamp: tuple[int, ...]) -> str:
    """Hash a file, and the files beside it that a glTF may refer to; the stamp is part of the key."""
    content = hashlib.sha256(Path(path).read_bytes())  # processors have instructions for it: twice as fast as blake2b
    for companion in companions(path):
        content.update(companion.read_bytes())
    return content.hexdigest()


def remembered(key: str) -> Record | None:
    """Return the record of a key from memory or disk; None for an unknown key."""
    record = _MEMORY.get(key)
    if record is None and (path := _on_disk(key)) is not None and path.is_file():
        try:
            record = decoded(json.loads(path.read_text()))
        except (OSError, ValueError, KeyError, TypeError):  # truncated or of another format: as if missing
            return None
        _MEMORY.put(key, record)
    return record


def remember(key: str, record: Record) -> None:
    """Keep a record in memory, and on disk if there is a folder for it."""
    _MEMORY.put(key, record)
    path = _on_disk(key)
    if path is None:
        return
    with suppress(WriteError):  # a full or read-only disk costs time, not the result
        store(path, json.dumps(encoded(record)).encode())


def forget() -> None:
    """Delete all records in memory."""
    _MEMORY.clear()


def _on_disk(key: str) -> Path | None:
    folder = os.environ.get(CACHE_VARIABLE)
    return Path(folder).expanduser() / f"{key}.json" if folder else None


def encoded(record: Record) -> dict[str, Any]:
    """Return a record as JSON; every number is restored to the last digit."""
    if isinstance(record, np.ndarray):
        return {"hull": record.tolist()}
    unit = record.unit
    return {
        "unit": None if unit is None else [unit.mass, *unit.com.tolist(), *six_of_tensor(unit.inertia).tolist()],
        "rung": record.rung.value,
        "error_estimate": record.error_estimate,
        "faults": [fault.value for fault in record.faults],
        "reason": record.reason,
        "rungs": [encoded(rung) for rung in record.rungs],
    }


def decoded(entry: dict[str, Any]) -> Record:
    """Return the record in JSON.

    Raises:
        KeyError, ValueError, TypeError: It is not a record.
    """
    if "hull" in entry:
        return np.array(entry["hull"], dtype=np.float64).reshape(-1, 3)
    return _decoded_integral(entry)


def _decoded_integral(entry: dict[str, Any]) -> MeshIntegral:
    numbers = entry["unit"]
    return MeshIntegral(
        None if numbers is None else Inertial(numbers[0], numbers[1:4], tensor_from_six(numbers[4:])),
        Rung(entry["rung"]),
        float(entry["error_estimate"]),
        tuple(MeshFault(fault) for fault in entry["faults"]),
        str(entry["reason"]),
        tuple(_decoded_integral(rung) for rung in entry["rungs"]),
    )
