# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Filling closed surfaces with tetrahedra, by fTetWild; what it has found is kept by the content of the surface.

Method: Hu, Schneider, Wang, Zorin, Panozzo 2020, fast tetrahedral meshing in the wild. Two runs of it differ, which is
why the result is kept: a scene that is built again has the same mesh.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.errors import MissingDependencyError, SimulationError
from inertia_tools.sim.scene import fill_surface
from inertia_tools.sim.scene.array_cache import content_key, keep_arrays, kept_arrays
from inertia_tools.sim.scene.fill_surface import SURFACE, TETRAHEDRA
from inertia_tools.sim.scene.soft_arguments import as_indices, as_points, as_positive
from inertia_tools.sim.scene.soft_rest import rest_of_triangles
from inertia_tools.sim.scene.soft_topology import BOUNDARY, edges_of_triangles
from inertia_tools.spatial import Array

LOG = logging.getLogger(__name__)

KIND = "tetrahedra"
"""Folder of the user's caches in which meshes are kept."""

EDGE = 0.1
"""Length of edges over the diagonal of the bounding box: a sphere becomes some thousand tetrahedra."""

ENVELOPE = 1e-3
"""Distance over that diagonal that the new surface may have from the given one; the default of fTetWild."""


def tetrahedralise(vertices: Any, indices: Any, edge_length: float | None = None) -> tuple[Array, np.ndarray]:
    """Fill a closed surface with tetrahedra.

    The surface of the result lies within 1e-3 of the diagonal of the bounding box from the one that is given.

    Args:
        vertices: Vertex positions [m], shape (n, 3).
        indices: Three vertices a triangle, flat or shape (m, 3).
        edge_length: Target edge length [m]; by default a tenth of the diagonal of the bounding box.

    Returns:
        Vertices [m], shape (k, 3), and tetrahedra of positive volume, shape (l, 4).

    Raises:
        OptionError: A number is out of range, or an index is not a vertex.
        SimulationError: A triangle has no area, the surface is not closed, or fTetWild fails.
        MissingDependencyError: pytetwild is not installed.
    """
    points = as_points("vertices", vertices)
    triangles = as_indices("indices", indices, 3, len(points))
    _require_closed(points, triangles)
    diagonal = float(np.linalg.norm(np.ptp(points[triangles.ravel()], axis=0)))
    edge = EDGE if edge_length is None else as_positive("edge_length", edge_length, "m") / diagonal
    key = content_key(f"fTetWild {edge} {ENVELOPE} {len(points)}", points, triangles)
    kept = kept_arrays(KIND, key)
    if kept is None:
        kept = _filled(points, triangles, min(edge, 1.0))
        keep_arrays(KIND, key, kept)
    return kept[0], kept[1]


def _require_closed(points: Array, triangles: np.ndarray) -> None:
    """Raise `SimulationError` for a surface that bounds no solid."""
    rest_of_triangles(points[triangles], triangles)
    edges = edges_of_triangles(triangles)
    is_open = edges[:, 1] == BOUNDARY
    if is_open.any() or not len(edges):
        where = ""
        if len(edges):
            k, end = edges[np.nonzero(is_open)[0][0], 2:].tolist()
            where = f": the edge between vertices {k} and {end} has a single triangle"
        raise SimulationError(f"the surface is not closed{where}; fill its holes, or merge vertices that coincide")


def _filled(points: Array, triangles: np.ndarray, edge: float) -> tuple[Array, np.ndarray]:
    """Return vertices and tetrahedra that fill a closed surface."""
    if importlib.util.find_spec("pytetwild") is None:
        raise MissingDependencyError(
            "pytetwild", "filling a surface with tetrahedra", 'pip install "pytetwild>=0.2,<0.3"'
        )
    LOG.warning("filling a surface of %d triangles with tetrahedra; later runs read it from a cache", len(triangles))
    vertices, tetrahedra = _run(vertices=points, triangles=triangles, edge=np.array(edge), envelope=np.array(ENVELOPE))
    if not len(tetrahedra):
        raise SimulationError("no tetrahedron fits into the surface; look for parts thinner than 1e-3 of its size")
    corner = vertices[tetrahedra]
    inverted = np.linalg.det(corner[:, 1:] - corner[:, :1]) < 0.0  # fTetWild counts corners the other way
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 2, 1, 3]]
    used, renumbered = np.unique(tetrahedra, return_inverse=True)
    return vertices[used], renumbered.reshape(-1, 4).astype(np.int32)


def _run(**surface: np.ndarray) -> tuple[Array, np.ndarray]:
    """Return what fTetWild makes of a surface, in a process of its own; see `fill_surface`.

    Raises:
        SimulationError: It fails.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, SURFACE), **surface)  # type: ignore[arg-type]
        done = subprocess.run(
            [sys.executable, fill_surface.__file__], cwd=folder, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            why = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
            raise SimulationError(f"fTetWild cannot fill the surface: {why}")
        with np.load(Path(folder, TETRAHEDRA)) as filled:
            return np.asarray(filled["vertices"], dtype=np.float64), np.asarray(filled["tetrahedra"], dtype=np.int32)
