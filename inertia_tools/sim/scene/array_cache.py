# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays that take long to compute, kept from run to run in the user's folder of caches by what they were made of."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import zipfile
from pathlib import Path

import numpy as np

from inertia_tools.errors import WriteError
from inertia_tools.spatial import Array
from inertia_tools.write.stored import store

LOG = logging.getLogger(__name__)


def content_key(settings: str, vertices: Array, triangles: np.ndarray) -> str:
    """Name what was made of a mesh by the content of the mesh and how it was made."""
    digest = hashlib.sha256(settings.encode())
    digest.update(np.ascontiguousarray(vertices, dtype=np.float64).tobytes())
    digest.update(np.ascontiguousarray(triangles, dtype=np.int64).tobytes())
    return digest.hexdigest()


def cache_folder(kind: str) -> Path:
    """Return where arrays of one kind are kept: `inertia_tools/KIND` in the user's folder of caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inertia_tools" / kind


def kept_arrays(kind: str, key: str) -> tuple[np.ndarray, ...] | None:
    """Read arrays that an earlier run has made; None for none, or for a file that is damaged."""
    try:
        with np.load(cache_folder(kind) / f"{key}.npz") as kept:
            return tuple(kept[name] for name in kept.files)
    except (OSError, ValueError, zipfile.BadZipFile):
        return None


def keep_arrays(kind: str, key: str, arrays: tuple[np.ndarray, ...]) -> None:
    """Keep arrays for later runs, whole or not at all; a folder that cannot be written to keeps nothing."""
    content = io.BytesIO()
    np.savez(content, *arrays)
    try:
        store(cache_folder(kind) / f"{key}.npz", content.getvalue())
    except WriteError as error:
        LOG.info("%s are not kept: %s", kind.replace("_", " "), error)
