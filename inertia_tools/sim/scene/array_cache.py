# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cache of arrays that take long to compute, in the user's cache folder, keyed by the content that they derive from."""

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
    """Return the key of data derived from a mesh: a hash of its content and of the method."""
    digest = hashlib.sha256(settings.encode())
    digest.update(np.ascontiguousarray(vertices, dtype=np.float64).tobytes())
    digest.update(np.ascontiguousarray(triangles, dtype=np.int64).tobytes())
    return digest.hexdigest()


def cache_folder(kind: str) -> Path:
    """Return the folder of arrays of one kind: `inertia_tools/KIND` in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inertia_tools" / kind


def kept_arrays(kind: str, key: str) -> tuple[np.ndarray, ...] | None:
    """Return the arrays that an earlier run stored; None if there are none or the file is damaged."""
    try:
        with np.load(cache_folder(kind) / f"{key}.npz") as kept:
            return tuple(kept[name] for name in kept.files)
    except (OSError, ValueError, zipfile.BadZipFile):
        return None


def keep_arrays(kind: str, key: str, arrays: tuple[np.ndarray, ...]) -> None:
    """Store arrays for later runs, atomically; a read-only folder is ignored."""
    content = io.BytesIO()
    np.savez(content, *arrays)
    try:
        store(cache_folder(kind) / f"{key}.npz", content.getvalue())
    except WriteError as error:
        LOG.info("%s are not cached: %s", kind.replace("_", " "), error)
