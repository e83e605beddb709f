# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of points relative to a surface with holes, computed on the CPU or a CUDA device."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import warp as wp

from inertia_tools.geometry.cores import own_cores
from inertia_tools.geometry.kernels.locate_kernel import locate_points
from inertia_tools.kernel_loading import load, start_warp

WORTH_A_THREAD = 1_000
"""Number of points for each further thread; they take some milliseconds."""


class SurfaceLocator:
    """A surface on a device, in a tree of boxes."""

    def __init__(self, vertices: npt.NDArray[np.float64], triangles: npt.NDArray[np.int64], device: str) -> None:
        """Copy a surface to a device; it must be in the unit box about the origin, since its numbers are float32."""
        start_warp()
        self.device = device
        points: Any = wp.array(vertices.astype(np.float32), dtype=wp.vec3, device=device)
        corners: Any = wp.array(triangles.astype(np.int32).reshape(-1), dtype=wp.int32, device=device)
        self.mesh = wp.Mesh(points, corners, support_winding_number=True)

    def locate(
        self, points: npt.NDArray[np.float64], threshold: float
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """Return which points have a winding number above the threshold, and the vector from each to the surface."""
        load((locate_points,), self.device)
        parts = list(map(self._arrays, self._parts(points)))
        with ThreadPoolExecutor(len(parts)) as pool:
            for done in [pool.submit(self._launch, float(threshold), *part) for part in parts]:
                done.result()
        inside, to_surface = (np.concatenate([part[place].numpy() for part in parts]) for place in (1, 2))
        return inside.astype(bool), to_surface.astype(np.float64)

    def _parts(self, points: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float32]]:
        """Split points among threads: Warp runs a kernel on a single core of the processor."""
        is_cpu = wp.get_device(self.device).is_cpu
        threads = min(own_cores(), 1 + len(points) // WORTH_A_THREAD) if is_cpu else 1
        return np.array_split(points.astype(np.float32), threads)

    def _arrays(self, points: npt.NDArray[np.float32]) -> tuple[Any, Any, Any]:
        """Return points on the device, and arrays for their results."""
        at: Any = wp.array(points, dtype=wp.vec3, device=self.device)
        return at, wp.empty(len(points), wp.int8, self.device), wp.empty(len(points), wp.vec3, self.device)

    def _launch(self, threshold: float, at: Any, inside: Any, to_surface: Any) -> None:
        wp.launch(locate_points, len(at), [self.mesh.id, at, threshold], [inside, to_surface], device=self.device)
