# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A mesh with hollows as convex parts, which coacd finds; what it has found is kept by the content of the mesh.

Method: Wei, Liu, Ling, Su 2022, approximate convex decomposition by a collision-aware concavity.
"""

from __future__ import annotations

import logging
import warnings

import numpy as np

from inertia_tools.sim.scene.array_cache import content_key, keep_arrays, kept_arrays
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.spatial import Array

LOG = logging.getLogger(__name__)

CONCAVITY = 0.05
"""Concavity that a part may keep, over the size of the mesh; the default of coacd."""

KIND = "convex_parts"
"""Folder of the user's caches in which parts are kept."""

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
    key = content_key(f"{CONCAVITY} {len(vertices)}", vertices, triangles)
    if key not in _FOUND:
        parts = kept_arrays(KIND, key)
        if parts is None:
            parts = _divide(vertices, triangles)
            if parts is None:
                return (vertices[np.unique(triangles)],)
            keep_arrays(KIND, key, parts)
        _FOUND[key] = parts
    return _FOUND[key]


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
