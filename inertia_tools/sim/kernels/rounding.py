# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between the precision of a scene and double precision; in double precision they change nothing."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision, precision


@lru_cache(maxsize=2)
def rounding_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, quat, mat33 = p.scalar, p.vec3, p.vec6, p.quat, p.mat33
    wide = precision("float64")
    wide_vec3, wide_vec6 = wide.vec3, wide.vec6

    @wp.func
    def exact(v: vec3) -> wide_vec3:
        return wide_vec3(wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]))

    @wp.func
    def exact_quat(q: quat) -> wp.quatd:
        return wp.quatd(wp.float64(q[0]), wp.float64(q[1]), wp.float64(q[2]), wp.float64(q[3]))

    @wp.func
    def exact_six(v: vec6) -> wide_vec6:
        return wide_vec6(
            wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]), wp.float64(v[3]), wp.float64(v[4]), wp.float64(v[5])
        )

    @wp.func
    def rounded(v: wide_vec3) -> vec3:
        return vec3(scalar(v[0]), scalar(v[1]), scalar(v[2]))

    @wp.func
    def rounded_six(v: wide_vec6) -> vec6:
        return vec6(scalar(v[0]), scalar(v[1]), scalar(v[2]), scalar(v[3]), scalar(v[4]), scalar(v[5]))

    @wp.func
    def rounded_quat(q: wp.quatd) -> quat:
        return quat(scalar(q[0]), scalar(q[1]), scalar(q[2]), scalar(q[3]))

    @wp.func
    def rounded_axes(m: wp.mat33d) -> mat33:
        return mat33(
            scalar(m[0, 0]), scalar(m[0, 1]), scalar(m[0, 2]),
            scalar(m[1, 0]), scalar(m[1, 1]), scalar(m[1, 2]),
            scalar(m[2, 0]), scalar(m[2, 1]), scalar(m[2, 2]),
        )  # fmt: skip

    return SimpleNamespace(
        exact=exact,
        exact_quat=exact_quat,
        exact_six=exact_six,
        rounded=rounded,
        rounded_six=rounded_six,
        rounded_quat=rounded_quat,
        rounded_axes=rounded_axes,
    )
