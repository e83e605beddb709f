# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Choice of the solver for the constraints of an island: free bodies, jointed bodies, or sweeps."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.free_bodies import free_body_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.jointed_bodies import jointed_body_functions
from inertia_tools.sim.solve.mobility import mobility_functions
from inertia_tools.sim.solve.swept_islands import swept_island_functions
from inertia_tools.sim.solve.working_set import working_set_functions


@lru_cache(maxsize=2)
def constraint_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    begin_working_set = working_set_functions(p).begin_working_set
    begin_contacts = island_solve_functions(p).begin_contacts
    solve_free_bodies = free_body_functions(p).solve_free_bodies
    solve_jointed_bodies = jointed_body_functions(p).solve_jointed_bodies
    swept, update_mobility = swept_island_functions(p), mobility_functions(p).update_mobility
    sweep_island, sweep_large_island = swept.sweep_island, swept.sweep_large_island

    @wp.func(inline=False)
    def solve_constraints(scene: Scene, n: int) -> int:
        """Solve the constraints of an island.

        Return 1 if the last outer iterate has moved bodies, 0 if it found no error to correct.
        """
        if scene.options[n].sweeps == 1:
            sweep_island(scene, n)
            return int(1)
        first, moved = scene.islands.first_row[n], int(1)
        has_rows, on_joints = scene.islands.end_row[n] > first, scene.islands.jointed[n] == 1
        begin_working_set(scene, n, scene.options[n].h)
        if has_rows and scene.rows.row[scene.islands.row[first]].is_direct == 0:
            sweep_large_island(scene, n)
        elif has_rows or on_joints:
            begin_contacts(scene, n, first)
            if on_joints:
                moved = solve_jointed_bodies(scene, n)
            else:
                solve_free_bodies(scene, n)
        else:
            update_mobility(scene, n, False)
        return moved

    return SimpleNamespace(solve_constraints=solve_constraints)
