# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The sums of `polyhedron` by a Warp kernel in float64, on the CPU or a CUDA device."""

from typing import Any

import numpy as np
import numpy.typing as npt
import warp as wp

from inertia_tools.geometry.kernels.sum_kernel import CHUNK, COLUMNS, sum_tetrahedra
from inertia_tools.kernel_loading import launch, start_warp


def tetrahedron_sums(
    vertices: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.integer],
    apex: npt.NDArray[np.float64],
    device: str = "cpu",
) -> tuple[float, float, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the four sums of `polyhedron.VolumeSums`; arguments as for `volume_sums`, and a Warp device name."""
    start_warp()
    threads = -(-len(triangles) // CHUNK)
    corner = np.ascontiguousarray(triangles, dtype=np.int32).reshape(-1)
    vertex: Any = wp.array(np.ascontiguousarray(vertices), dtype=wp.vec3d, device=device, copy=False)
    out = wp.empty((threads, COLUMNS), dtype=wp.float64, device=device)
    inputs = [vertex, wp.array(corner, dtype=wp.int32, device=device, copy=False), wp.vec3d(*apex), len(triangles)]
    launch(sum_tetrahedra, threads, inputs, [out], device)
    determinant, size, x, y, z, xx, yy, zz, xy, xz, yz = out.numpy().sum(axis=0)
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return float(determinant), float(size), np.array([x, y, z]), second
