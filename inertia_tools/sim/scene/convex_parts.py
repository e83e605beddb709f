# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Convex decomposition of a concave mesh by coacd; results are cached by the content of the mesh.

Method: Wei, Liu, Ling, Su 2022, approximate convex decomposition by a collision-aware concavity.
"""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.scene.array_cache import content_key, keep_arrays, kept_arrays
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.spatial import Array

LOG = logging.getLogger(__name__)

CONCAVITY = 0.05
"""Greatest concavity of a part, relative to the size of the mesh; the default of coacd."""

FINEST = 0.01
"""Least concavity that coacd accepts."""

KIND = "convex_parts"
"""Folder of the user's caches in which parts are kept."""

INSTALL = "the convex hull of a mesh is used in place of its convex parts: coacd is not installed; pip install coacd"


@dataclass
class MeshApproximationConfig:
    """Default settings for the division of meshes into convex parts.

    Attributes:
        coacd_threshold: Allowed concavity of a part relative to the mesh size, 0.01 to 1; less makes more parts.
    """

    coacd_threshold: float = CONCAVITY


_FOUND: dict[str, tuple[Array, ...]] = {}
"""Parts of the meshes that this process has decomposed, by content."""


def convex_parts(
    vertices: Array, triangles: np.ndarray, most: int | None = None, concavity: float = CONCAVITY
) -> tuple[Array, ...]:
    """Divide a mesh into convex parts.

    Args:
        vertices: Corners [m], shape (n, 3).
        triangles: Three of them each, shape (m, 3).
        most: Largest number of parts, at least one for each connected piece; None: as the concavity requires.
        concavity: Allowed concavity of a part relative to the mesh size.

    Returns:
        The corners of each part [m], shape (k, 3); of the whole mesh, with a warning, where coacd is not installed.
    """
    limit = -1 if most is None else max(most, _piece_count(vertices, triangles))
    settings = f"{concavity} {len(vertices)}" + ("" if most is None else f" {limit}")
    key = content_key(settings, vertices, triangles)
    if key not in _FOUND:
        parts = kept_arrays(KIND, key)
        if parts is None:
            parts = _divide(vertices, triangles, limit, concavity)
            if parts is None:
                return (vertices[np.unique(triangles)],)
            keep_arrays(KIND, key, parts)
        _FOUND[key] = parts
    return _FOUND[key]


def _piece_count(vertices: Array, triangles: np.ndarray) -> int:
    """Return the number of pieces of a mesh that share no corner."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    _, place = np.unique(vertices, axis=0, return_inverse=True)
    corners = np.unique(place.reshape(-1)[triangles].ravel(), return_inverse=True)[1].reshape(-1, 3)
    count = int(corners.max()) + 1
    ends = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]]).T
    links = coo_matrix((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(count, count))
    return int(connected_components(links, directed=False)[0])


def _divide(vertices: Array, triangles: np.ndarray, limit: int, concavity: float) -> tuple[Array, ...] | None:
    """Divide a mesh into no more parts than a limit, -1 for none; None without coacd."""
    try:
        import coacd
    except ImportError:
        warnings.warn(INSTALL, SceneWarning, stacklevel=2)
        return None
    LOG.warning("dividing a mesh of %d triangles into convex parts; later runs read it from a cache", len(triangles))
    coacd.set_log_level("error")
    found = coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=concavity, max_convex_hull=limit, seed=0)
    return tuple(np.asarray(corners, dtype=np.float64) for corners, _ in found)
