# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Points of OBJ files that have no faces, which MuJoCo takes for the hull of the points."""

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
    """Return the points of an OBJ file that has no face [m], shape (n, 3); None where it has one, or no points.

    Args:
        path: The file.
        stamp: What tells a changed file from the one read before.
    """
    try:
        data = Path(path).read_bytes()
        if FACE.search(data):
            return None
        points = np.array([[float(word) for word in found.groups()] for found in POINT.finditer(data)])
    except (OSError, ValueError):  # whoever reads the whole file says what is wrong
        return None
    return read_only(points, points.shape) if len(points) else None
