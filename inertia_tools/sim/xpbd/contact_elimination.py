# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Masses of bodies where impacts are solved along the trees of joints."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions


@lru_cache(maxsize=2)
def elimination_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, _vec3, _vec6, mat66 = p.scalar, p.vec3, p.vec6, p.mat66
    wide = precision("float64")
    _wide_vec3, wide_vec6, _wide_mat33, wide_mat66 = wide.vec3, wide.vec6, wide.mat33, wide.mat66
    Bodies, Rows, Work = p.references("Bodies", "Rows", "Work")
    stays = motion_functions(p).stays
    rounding = rounding_functions(p)
    _exact, _exact_six, _rounded = rounding.exact, rounding.exact_six, rounding.rounded
    _rounded_six, _rounded_block, exact_block = rounding.rounded_six, rounding.rounded_block, rounding.exact_block
    wp.constant(wp.float64(1.0))

    @wp.func
    def mark_body(bodies: Bodies, rows: Rows, work: Work, k: int, b: int):
        if not stays(bodies, b):
            if rows.gap[k] < scalar(0.0):
                work.touching[b] = work.touching[b] + 1
            if rows.direct[k] == 1:
                work.busy[b] = int(1)

    @wp.func
    def mark_busy(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Note which bodies the direct solve is about, and count the contacts of each."""
        mark_body(bodies, rows, work, k, rows.body_a[k])
        mark_body(bodies, rows, work, k, rows.body_b[k])

    @wp.func
    def begin_body(bodies: Bodies, work: Work, b: int):
        """Begin a solve with a body's own mass; what contacts do comes on top, in double precision."""
        if stays(bodies, b):
            return
        is_lone, is_busy = bodies.lone[b] == 1, work.busy[b] == 1
        if is_lone and not is_busy:
            work.braced_move[b] = wide_vec6()
            return
        own = mat66()
        tensor = work.tensor[b]
        for i in range(3):
            own[i, i] = bodies.mass[b]
            for j in range(3):
                own[i + 3, j + 3] = tensor[i, j]
        m = wide_mat66()
        if is_lone:
            m = exact_block(own)
        else:
            work.mass_matrix[b] = own
            work.braced_move[b] = wide_vec6()
        if is_busy:
            work.braced_matrix[b] = m
            work.braced_load[b] = wide_vec6()

    return SimpleNamespace(mark_busy=mark_busy, begin_body=begin_body)
