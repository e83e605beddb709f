# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes as compact text: corners on a grid of 65536 steps per side, deflated, in base64.

A mesh is its corners, three unsigned 16-bit numbers each, then its triangles, three indices each of 16 or 32 bits; both
start at a multiple of four bytes. All is little-endian, as the typed arrays of browsers are.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.geometry.mesh.triangles import TriangleMesh

STEPS = 65535
"""Steps along each side of a mesh's bounding box; half a step of a robot of 2 m is 15 um."""

ALIGNMENT = 4
"""Alignment in bytes of typed arrays of 32-bit numbers."""


@dataclass
class MeshPack:
    """Meshes in sequence in one block of bytes."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    _data: bytearray = field(default_factory=bytearray)

    def add(self, mesh: TriangleMesh) -> int:
        """Add a mesh, and return its index; coincident corners are merged, triangles without area dropped."""
        corners = mesh.vertices[mesh.triangles].reshape(-1, 3)
        low = corners.min(axis=0) if len(corners) else np.zeros(3)
        step = (corners.max(axis=0) - low) / STEPS if len(corners) else np.ones(3)
        x, y, z = np.rint((corners - low) / np.where(step > 0.0, step, 1.0)).astype(np.int64).T
        keys, number = np.unique(x << 32 | y << 16 | z, return_inverse=True)
        vertices = np.stack([keys >> 32, keys >> 16 & STEPS, keys & STEPS], axis=1)
        triangles = number.reshape(-1, 3)
        a, b, c = triangles.T
        triangles = triangles[(a != b) & (b != c) & (c != a)]
        is_wide = len(vertices) > STEPS
        self.entries.append(
            {
                "low": low.tolist(),
                "step": step.tolist(),
                "vertices": [self._append(vertices.astype("<u2")), len(vertices)],
                "triangles": [self._append(triangles.astype("<u4" if is_wide else "<u2")), len(triangles)],
                "wide": is_wide,
            }
        )
        return len(self.entries) - 1

    @property
    def text(self) -> str:
        """All bytes, deflated by zlib, in base64."""
        return base64.b64encode(zlib.compress(bytes(self._data), 9)).decode()

    def _append(self, numbers: np.ndarray) -> int:
        """Append numbers, and return their byte offset."""
        start = len(self._data)
        self._data += numbers.tobytes()
        self._data += bytes(-len(self._data) % ALIGNMENT)
        return start
