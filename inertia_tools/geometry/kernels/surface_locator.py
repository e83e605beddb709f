# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where points lie with respect to a surface with holes, as a Warp kernel on the CPU or a CUDA device."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import warp as wp

from inertia_tools.geometry.cores import own_cores
from inertia_tools.kernel_loading import MODULE_OPTIONS, load, start_warp

wp.set_module_options(MODULE_OPTIONS)

ACCURACY = wp.constant(1.25)
"""Clusters of triangles farther away than this many of their radii count as one dipole. Winding numbers are off by up
to 0.02 then, a tenth of the band that the doubt about holes is measured over; with 1 it is half of that band, and 2
takes twice the time."""

REACH = wp.constant(10.0)
"""Distance beyond which the nearest point is not looked for; the surface is scaled to a unit box [-]."""


WORTH_A_THREAD = 1_000
"""Points that a further thread is started for; they take some milliseconds."""


@wp.kernel
def _locate(
    mesh: wp.uint64,
    point: wp.array(dtype=wp.vec3),
    threshold: float,
    inside: wp.array(dtype=wp.int8),
    to_surface: wp.array(dtype=wp.vec3),
):
    thread = wp.tid()
    p = point[thread]
    found = wp.mesh_query_point_sign_winding_number(mesh, p, REACH, ACCURACY, threshold)
    nearest = p
    is_inside = wp.int8(0)
    if found.result:
        nearest = wp.mesh_eval_position(mesh, found.face, found.u, found.v)
        if found.sign < 0.0:
            is_inside = wp.int8(1)
    inside[thread] = is_inside
    to_surface[thread] = nearest - p


class SurfaceLocator:
    """A surface on a device, in a tree of boxes."""

    def __init__(self, vertices: npt.NDArray[np.float64], triangles: npt.NDArray[np.int64], device: str) -> None:
        """Put a surface on a device; it must lie in the unit box about the origin, for its numbers are float32."""
        start_warp()
        self.device = device
        points = wp.array(vertices.astype(np.float32), dtype=wp.vec3, device=device)
        corners = wp.array(triangles.astype(np.int32).reshape(-1), dtype=wp.int32, device=device)
        self.mesh = wp.Mesh(points, corners, support_winding_number=True)

    def locate(
        self, points: npt.NDArray[np.float64], threshold: float
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """Tell which points have a winding number over the threshold, and the way from each to the surface."""
        load((_locate,), self.device)
        parts = list(map(self._arrays, self._parts(points)))
        with ThreadPoolExecutor(len(parts)) as pool:
            for done in [pool.submit(self._launch, float(threshold), *part) for part in parts]:
                done.result()
        inside, to_surface = (np.concatenate([part[place].numpy() for part in parts]) for place in (1, 2))
        return inside.astype(bool), to_surface.astype(np.float64)

    def _parts(self, points: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float32]]:
        """Deal points out, a part a thread: of the processor's cores Warp runs a kernel on one."""
        is_cpu = wp.get_device(self.device).is_cpu
        threads = min(own_cores(), 1 + len(points) // WORTH_A_THREAD) if is_cpu else 1
        return np.array_split(points.astype(np.float32), threads)

    def _arrays(self, points: npt.NDArray[np.float32]) -> tuple[Any, Any, Any]:
        """Return points on the device, and where what is found of them goes."""
        at = wp.array(points, dtype=wp.vec3, device=self.device)
        return at, wp.empty(len(points), wp.int8, self.device), wp.empty(len(points), wp.vec3, self.device)

    def _launch(self, threshold: float, at: Any, inside: Any, to_surface: Any) -> None:
        wp.launch(_locate, len(at), [self.mesh.id, at, threshold], [inside, to_surface], device=self.device)
