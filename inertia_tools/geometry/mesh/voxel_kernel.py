# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where points lie with respect to a surface with holes, as a Warp kernel on the CPU or a CUDA device."""

import numpy as np
import numpy.typing as npt
import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS, launch, start_warp

wp.set_module_options(MODULE_OPTIONS)

ACCURACY = wp.constant(2.0)
"""Clusters of triangles farther away than this many of their radii count as one dipole."""

REACH = wp.constant(10.0)
"""Distance beyond which the nearest point is not looked for; the surface is scaled to a unit box [-]."""


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
        count = len(points)
        inside = wp.empty(count, dtype=wp.int8, device=self.device)
        to_surface = wp.empty(count, dtype=wp.vec3, device=self.device)
        at = wp.array(points.astype(np.float32), dtype=wp.vec3, device=self.device)
        inputs = [self.mesh.id, at, float(threshold)]
        launch(_locate, count, inputs, [inside, to_surface], self.device)
        return inside.numpy().astype(bool), to_surface.numpy().astype(np.float64)
