# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A mesh with hollows as convex parts, which coacd finds; what it has found is kept by the content of the mesh.

Method: Wei, Liu, Ling, Su 2022, approximate convex decomposition by a collision-aware concavity.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import warnings
import zipfile
from pathlib import Path

import numpy as np

from inertia_tools.errors import WriteError
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.spatial import Array
from inertia_tools.write.whole import write_whole

LOG = logging.getLogger(__name__)

CONCAVITY = 0.05
"""Concavity that a part may keep, over the size of the mesh; the default of coacd."""

INSTALL = "a mesh that is to collide as convex parts collides as its hull: coacd is not installed; pip install coacd"

_FOUND: dict[str, tuple[Array, ...]] = {}
"""Parts of the meshes that this process has divided, by their content."""


def convex_parts(vertices: Array, triangles: np.ndarray) -> tuple[Array, ...]:
    """Divide a mesh into convex parts.

    Args:
        vertices: Corners [m], shape (n, 3).
        triangles: Three of them each, shape (m, 3).

    Returns:
        The corners of each part [m], shape (k, 3); of the whole mesh, with a warning, where coacd is not installed.
    """
    key = content_key(vertices, triangles)
    if key not in _FOUND:
        parts = _read(key)
        if parts is None:
            parts = _divide(vertices, triangles)
            if parts is None:
                return (vertices[np.unique(triangles)],)
            _write(key, parts)
        _FOUND[key] = parts
    return _FOUND[key]


def content_key(vertices: Array, triangles: np.ndarray) -> str:
    """Name a mesh, and how it is divided, by content."""
    digest = hashlib.sha256(f"{CONCAVITY} {len(vertices)}".encode())
    digest.update(np.ascontiguousarray(vertices, dtype=np.float64).tobytes())
    digest.update(np.ascontiguousarray(triangles, dtype=np.int64).tobytes())
    return digest.hexdigest()


def cache_folder() -> Path:
    """Return where parts are kept from run to run: `inertia_tools/convex_parts` in the user's folder of caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inertia_tools" / "convex_parts"


def _divide(vertices: Array, triangles: np.ndarray) -> tuple[Array, ...] | None:
    """Divide a mesh; None without coacd."""
    try:
        import coacd
    except ImportError:
        warnings.warn(INSTALL, SceneWarning, stacklevel=2)
        return None
    LOG.warning("dividing a mesh of %d triangles into convex parts; later runs find them in a cache", len(triangles))
    coacd.set_log_level("error")
    found = coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=CONCAVITY, seed=0)
    return tuple(np.asarray(corners, dtype=np.float64) for corners, _ in found)


def _read(key: str) -> tuple[Array, ...] | None:
    """Read parts that an earlier run has found; None for none, or for a file that is damaged."""
    try:
        with np.load(cache_folder() / f"{key}.npz") as kept:
            return tuple(kept[name] for name in kept.files)
    except (OSError, ValueError, zipfile.BadZipFile):
        return None


def _write(key: str, parts: tuple[Array, ...]) -> None:
    """Keep parts for later runs, whole or not at all; a folder that cannot be written to keeps nothing."""
    content = io.BytesIO()
    np.savez(content, *parts)
    try:
        write_whole(cache_folder() / f"{key}.npz", content.getvalue(), make_folder=True)
    except WriteError as error:
        LOG.info("convex parts are not kept: %s", error)
