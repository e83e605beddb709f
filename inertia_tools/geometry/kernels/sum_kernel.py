# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The sums over tetrahedra of `polyhedron` as a Warp kernel, in float64."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS

wp.set_module_options(MODULE_OPTIONS)

CHUNK = 1024
"""Triangles per thread; small enough to fill a GPU, large enough to keep the number of partial sums small."""

COLUMNS = 11


@wp.kernel
def sum_tetrahedra(
    vertex: wp.array(dtype=wp.vec3d),
    corner: wp.array(dtype=wp.int32),
    apex: wp.vec3d,
    triangle_count: int,
    out: wp.array2d(dtype=wp.float64),
) -> None:
    """Sum over the tetrahedra between an apex and the triangles of a chunk."""
    thread = wp.tid()
    begin = thread * wp.static(CHUNK)
    end = wp.min(begin + wp.static(CHUNK), triangle_count)
    determinant = wp.float64(0.0)
    size = wp.float64(0.0)
    first = wp.vec3d()
    xx = wp.float64(0.0)
    yy = wp.float64(0.0)
    zz = wp.float64(0.0)
    xy = wp.float64(0.0)
    xz = wp.float64(0.0)
    yz = wp.float64(0.0)
    for triangle in range(begin, end):
        a = vertex[corner[3 * triangle]] - apex
        b = vertex[corner[3 * triangle + 1]] - apex
        c = vertex[corner[3 * triangle + 2]] - apex
        d = wp.dot(a, wp.cross(b, c))
        s = a + b + c
        determinant += d
        size += wp.abs(d)
        first += d * s
        xx += d * (a[0] * a[0] + b[0] * b[0] + c[0] * c[0] + s[0] * s[0])
        yy += d * (a[1] * a[1] + b[1] * b[1] + c[1] * c[1] + s[1] * s[1])
        zz += d * (a[2] * a[2] + b[2] * b[2] + c[2] * c[2] + s[2] * s[2])
        xy += d * (a[0] * a[1] + b[0] * b[1] + c[0] * c[1] + s[0] * s[1])
        xz += d * (a[0] * a[2] + b[0] * b[2] + c[0] * c[2] + s[0] * s[2])
        yz += d * (a[1] * a[2] + b[1] * b[2] + c[1] * c[2] + s[1] * s[2])
    out[thread, 0] = determinant
    out[thread, 1] = size
    out[thread, 2] = first[0]
    out[thread, 3] = first[1]
    out[thread, 4] = first[2]
    out[thread, 5] = xx
    out[thread, 6] = yy
    out[thread, 7] = zz
    out[thread, 8] = xy
    out[thread, 9] = xz
    out[thread, 10] = yz
