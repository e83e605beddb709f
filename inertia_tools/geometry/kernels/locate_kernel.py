# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of points relative to a surface with holes, as a Warp kernel."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS

wp.set_module_options(MODULE_OPTIONS)

ACCURACY = wp.constant(1.25)
"""Clusters of triangles farther away than this many of their radii count as one dipole.

The error of winding numbers is then up to 0.02, a tenth of the band over which the doubt about holes is measured; with
1 it is half of that band, and 2 takes twice the time.
"""

REACH = wp.constant(10.0)
"""Distance beyond which the nearest point is not searched; the surface is scaled to a unit box [-]."""


@wp.kernel
def locate_points(
    mesh: wp.uint64,
    point: wp.array(dtype=wp.vec3),
    threshold: float,
    inside: wp.array(dtype=wp.int8),
    to_surface: wp.array(dtype=wp.vec3),
) -> None:
    """Write which points have a winding number above the threshold, and the vector from each to the surface."""
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
