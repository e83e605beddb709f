# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of friction for the next outer iterate, extrapolated from those of the last ones (Anderson 1965).

With the errors F_i of the bounds B_i, newest first, the combination of differences that leaves least of F_0 is taken
from B_0 + F_0.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.island_types import island_types

REMEMBERED = 6
"""Outer iterates whose bounds of friction are extrapolated from."""

UNBOUNDED = 1e30
"""Bound of friction at which a contact sticks whatever it takes."""

JAMS_FROM = 1.1
"""Ratio of the normal force of a contact to that of its bound, from which it may jam; less is what
rounding moves between the corners of a body."""

REGULAR = 1e-12
"""Ratio of its trace that is added to the diagonal of the normal equations."""


@lru_cache(maxsize=2)
def extrapolation_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    wide = precision("float64")
    wide_vec6, wide_mat66 = wide.vec6, wide.mat66
    Rows, Row = p.references("Rows", "Row")
    Islands = wp.ref[island_types(p).Islands]
    remembered, regular = wp.constant(REMEMBERED), wp.constant(wp.float64(REGULAR))
    jams_from, unbounded = wp.constant(wp.float64(JAMS_FROM)), wp.constant(wp.float64(UNBOUNDED))
    zero = wp.constant(wp.float64(0.0))

    @wp.func
    def difference(v: wide_vec6, i: int) -> wp.float64:
        return v[i] - v[i + 1]

    @wp.func
    def runs_away(bounds: wide_vec6, images: wide_vec6) -> bool:
        """Tell whether friction that is granted more presses a contact together by more than that."""
        more = difference(bounds, 0)
        return images[0] > jams_from * bounds[0] and difference(images, 0) * more > more * more

    @wp.func
    def solve_small(a: wide_mat66, y: wide_vec6, count: int) -> wide_vec6:
        """Solve the first rows of a symmetric positive definite system (Cholesky)."""
        low, x = a, y
        for i in range(count):
            for j in range(i + 1):
                s = low[i, j]
                for k in range(j):
                    s -= low[i, k] * low[j, k]
                if i == j:
                    low[i, i] = wp.sqrt(wp.max(s, regular * a[i, i]))
                else:
                    low[i, j] = s / low[j, j]
        for i in range(count):
            s = x[i]
            for k in range(i):
                s -= low[i, k] * x[k]
            x[i] = s / low[i, i]
        for r in range(count):
            i = count - 1 - r
            s = x[i]
            for k in range(i + 1, count):
                s -= low[k, i] * x[k]
            x[i] = s / low[i, i]
        return x

    @wp.func
    def sum_normal_equations(rows: Rows, islands: Islands, n: int, known: int):
        """Return the normal equations of the least squares problem: their matrix, and their right-hand side."""
        a, y = wide_mat66(), wide_vec6()
        for r in range(islands.first_row[n], islands.end_row[n]):
            e = rows.row[islands.row[r]].bound_errors
            for i in range(known):
                y[i] = y[i] + difference(e, i) * e[0]
                for j in range(known):
                    a[i, j] = a[i, j] + difference(e, i) * difference(e, j)
        return a, y

    @wp.func
    def take_bound(row: Row, share: wide_vec6, known: int, early: bool) -> bool:
        """Give a contact its bound; return whether it jams instead, and must stick."""
        images = row.bounds + row.bound_errors
        bound = images[0]
        for i in range(known):
            bound -= share[i] * difference(images, i)
        jams = early and bound < zero and row.jammed == 0 and runs_away(row.bounds, images)
        if jams:
            bound = unbounded
            row.jammed = int(1)
        row.bound = wp.max(zero, bound)
        return jams

    @wp.func(inline=False)
    def extrapolate(rows: Rows, islands: Islands, n: int, known: int, early: bool) -> bool:
        """Find the bounds of the next outer iterate from those of so many, and the last one.

        Return whether a contact jams instead: friction presses it together by more than it takes (Painleve 1895), no
        bound is right at which it slides, and it must stick.
        """
        jams = bool(False)
        known = wp.min(known, remembered - 1)
        if known > 0:
            a, y = sum_normal_equations(rows, islands, n, known)
            trace = wp.float64(0.0)
            for i in range(known):
                trace += a[i, i]
            if trace > zero:
                for i in range(known):
                    a[i, i] = a[i, i] + regular * trace
                share = solve_small(a, y, known)
                for r in range(islands.first_row[n], islands.end_row[n]):
                    jams = take_bound(rows.row[islands.row[r]], share, known, early) or jams
        return jams

    return SimpleNamespace(extrapolate=extrapolate)
