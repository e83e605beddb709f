# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Points of OBJ files without faces, which represent the hull of the points in MuJoCo."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from inertia_tools.spatial import Array, read_only

FACE = re.compile(rb"^[ \t]*f[ \t]", re.MULTILINE)
POINT = re.compile(rb"^[ \t]*v[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.MULTILINE)


@lru_cache(maxsize=64)
def points_without_faces(path: str, stamp: tuple[int, ...]) -> Array | None:
    """Return the points of an OBJ file without faces [m], shape (n, 3); None if it has faces, or no points.

    Args:
        path: The file.
        stamp: Values that identify a version of the file.
    """
    try:
        data = Path(path).read_bytes()
        if FACE.search(data):
            return None
        points = np.array([[float(word) for word in found.groups()] for found in POINT.finditer(data)])
    except (OSError, ValueError):  # the reader of the whole file reports the error
        return None
    return read_only(points, points.shape) if len(points) else None
