# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands solved by Gauss-Seidel sweeps.

With `joint_solver="sweeps"` these are all islands. Otherwise only the contacts of an island that is too large to be
factorised with them are swept, alternating with iterates over its joints.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import MERIT_LAWS_FROM, MOST_ITERATES, SWEEPS_OF_ITERATION
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.contact_sweep import touch_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.jointed_bodies import ITERATE, RESTART, jointed_body_functions
from inertia_tools.sim.solve.mobility import mobility_functions
from inertia_tools.sim.solve.outer_iterates import outer_iterate_functions
from inertia_tools.sim.solve.sweeps import sweep_functions


@lru_cache(maxsize=2)
def swept_island_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    sweeps, contact, jointed = sweep_functions(p), touch_functions(p), jointed_body_functions(p)
    sweep_joint, sweep_coupling = sweeps.sweep_joint, sweeps.sweep_coupling
    sweep_contact, sweep_twist, count_touching = contact.sweep_contact, contact.sweep_twist, contact.count_touching
    prepare_iterate, iterate = jointed.prepare_iterate, jointed.iterate
    needs_joint_impulses = jointed.needs_joint_impulses
    release_compliant_rows = island_solve_functions(p).release_compliant_rows
    add_joint_impulses = island_solve_functions(p).add_joint_impulses
    update_mobility, restart_substep = mobility_functions(p).update_mobility, outer_iterate_functions(p).restart_substep
    late, most_iterates = wp.constant(MERIT_LAWS_FROM), wp.constant(MOST_ITERATES)
    sweeps_of_iteration, another_iterate = wp.constant(SWEEPS_OF_ITERATION), wp.constant(ITERATE)
    restart = wp.constant(RESTART)

    @wp.func
    def sweep_contacts(scene: Scene, n: int):
        """Sweep contacts once."""
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            sweep_contact(scene, scene.rows.row[k], scene.options[n])
            if scene.rows.has_twists == 1:
                sweep_twist(scene, scene.rows.row[k], scene.options[n])

    @wp.func
    def sweep_joints(scene: Scene, n: int, iteration: int):
        """Sweep joints once, then couplings."""
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            sweep_joint(scene, scene.options[n], scene.islands.joint[i], iteration)
        for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[i]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                sweep_coupling(scene, k, scene.options[n].h, scene.options[n].linear_relaxation)

    @wp.func(inline=False)
    def sweep_island(scene: Scene, n: int):
        """Sweep contacts and joints, as often as requested."""
        count_touching(scene, n)
        for iteration in range(scene.options[n].iterations):
            sweep_contacts(scene, n)
            sweep_joints(scene, n, wp.min(iteration, late - 1))

    @wp.func
    def iterate_joints(scene: Scene, n: int, count: int) -> int:
        """Make an iterate over joints without contacts; return its Newton steps, or -1 to restart."""
        has_loops = scene.islands.end_group[n] > scene.islands.first_group[n]
        if prepare_iterate(scene, n, count, another_iterate, has_loops) == restart:
            return -1
        release_compliant_rows(scene, n)
        newton_steps, _ = iterate(scene, n, scene.options[n].h, count, False)
        if needs_joint_impulses(scene, n):
            add_joint_impulses(scene, n)
        return newton_steps

    @wp.func(inline=False)
    def sweep_large_island(scene: Scene, n: int):
        """Sweep the contacts of an island too large to be factorised with them; it counts as not converged."""
        scene.islands.end_working[n] = scene.islands.first_row[n]
        count, end, solves = int(0), wp.min(most_iterates, sweeps_of_iteration * scene.options[n].iterations), int(0)
        while count < end:
            sweep_contacts(scene, n)
            newton_steps = int(0)
            if scene.islands.jointed[n] == 1:
                newton_steps = iterate_joints(scene, n, count)
            if newton_steps < 0:
                restart_substep(scene, n)
                count = 0
            else:
                solves += newton_steps
                count += 1
        scene.rows.unsettled[n] = scene.rows.unsettled[n] + 1
        update_mobility(scene, n, solves > 0)

    return SimpleNamespace(sweep_island=sweep_island, sweep_large_island=sweep_large_island)
