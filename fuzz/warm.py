# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Compile what is compiled once a machine, so that no case is charged with it: `python -m fuzz.warm`."""

from __future__ import annotations

import numpy as np

from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.mesh.voxel import count_voxels


def main() -> None:
    """Count the voxels of a tetrahedron."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    count_voxels(Surface(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])), 0.5)


if __name__ == "__main__":
    main()
