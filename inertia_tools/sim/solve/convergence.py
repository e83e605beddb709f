# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is counted of the solves of islands: those that have not settled always, and a log where it is asked for.

The log has two parts: substeps with a new contact, and all others. Each counts, for the solve of an island in a
substep, its Newton steps, and the decade of the natural residual of Coulomb's law [m] over g h^2.
"""

import math
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.work_types import LEAST_DECADE, RESIDUAL_BINS, SOLVE_BINS


@lru_cache(maxsize=2)
def convergence_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar = p.scalar
    Bodies, Contacts, Rows = p.references("Bodies", "Contacts", "Rows")
    Islands = wp.ref[island_types(p).Islands]
    solve_bins, residual_bins = wp.constant(SOLVE_BINS), wp.constant(RESIDUAL_BINS)
    least_decade, per_decade = wp.constant(LEAST_DECADE), wp.constant(wp.float64(1.0 / math.log(10.0)))

    @wp.func
    def sets_in(contacts: Contacts, rows: Rows, islands: Islands, n: int) -> bool:
        """Tell whether a contact of an island presses that did not in the last substep."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.row[k].lambda_n > scalar(0.0) and contacts.load[rows.row[k].slot] == scalar(0.0):
                return True
        return False

    @wp.func(inline=False)
    def log_solve(bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, n: int, h: scalar, solves: int):
        """Log the solve of an island in a substep."""
        part = 2 * n
        if sets_in(contacts, rows, islands, n):
            part += 1
        place = part * solve_bins + wp.min(solves, solve_bins - 1)
        rows.solve_log[place] = rows.solve_log[place] + 1
        fall = wp.float64(bodies.strongest[0]) * wp.float64(h) * wp.float64(h)
        if islands.end_row[n] > islands.first_row[n] and fall > wp.float64(0.0):
            ratio = rows.residual[n] / fall
            decade = int(0)
            if ratio > wp.float64(0.0):
                decade = wp.clamp(int(wp.floor(per_decade * wp.log(ratio))) - least_decade, 0, residual_bins - 1)
            rows.residual_log[part * residual_bins + decade] = rows.residual_log[part * residual_bins + decade] + 1

    return SimpleNamespace(log_solve=log_solve)
