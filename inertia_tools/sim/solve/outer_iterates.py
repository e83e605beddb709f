# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Control of the outer iterates of all islands: convergence, the friction bounds of the next one, restart, end."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.constants import (
    BOUND_PERIOD,
    FIXED_POINT_ITERATES,
    MOST_NEWTON_STEPS,
    NEAR_RESIDUAL,
    NEARLY_SETTLED,
    PATIENCE,
)
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.convergence import convergence_functions
from inertia_tools.sim.solve.friction_bounds import bound_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.mobility import mobility_functions
from inertia_tools.sim.solve.working_set import working_set_functions


@lru_cache(maxsize=2)
def outer_iterate_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    solve, bounds = island_solve_functions(p), bound_functions(p)
    begin_contacts, measure_contacts, end_contacts = solve.begin_contacts, solve.measure_contacts, solve.end_contacts
    reset_multipliers, reset_friction = solve.reset_multipliers, solve.reset_friction
    find_bounds, damp_bounds = bounds.find_bounds, bounds.damp_bounds
    motion, restart_joint = motion_functions(p), joint_functions(p).restart_joint
    is_static, restore_free_motion, move_to_start = motion.is_static, motion.restore_free_motion, motion.move_to_start
    extend_working_set = working_set_functions(p).extend_working_set
    update_mobility = mobility_functions(p).update_mobility
    accepted_residual, log_solve = convergence_functions(p).accepted_residual, convergence_functions(p).log_solve
    nearly = wp.constant(wp.float64(NEARLY_SETTLED))
    patience, most_steps = wp.constant(PATIENCE), wp.constant(MOST_NEWTON_STEPS)
    fixed_point_iterates, period = wp.constant(FIXED_POINT_ITERATES), wp.constant(BOUND_PERIOD)
    near_residual = wp.constant(wp.float64(NEAR_RESIDUAL))
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))

    @wp.func
    def exceeds_accepted_residual(scene: Scene, n: int, h: scalar) -> bool:
        """Return whether an iterate has left a residual above `accepted_residual`."""
        most = accepted_residual(scene, n, h)
        return most > zero and scene.rows.residual[n] > most

    @wp.func
    def is_settled(scene: Scene, n: int, h: scalar, residual: wp.float64, count: int) -> bool:
        """Return whether an iterate has converged; `residual` is its residual over the tolerance."""
        return residual <= wp.where(count < patience, one, nearly) and not exceeds_accepted_residual(scene, n, h)

    @wp.func
    def choose_bounds(scene: Scene, n: int, count: int, newton_steps: int, residual: wp.float64):
        """Choose the friction bounds of the next iterate; see `FIXED_POINT_ITERATES`.

        Multipliers of a minimum that was not found, after more Newton steps than allowed, are not used.
        """
        if newton_steps > most_steps:
            reset_multipliers(scene, n)
            reset_friction(scene, n)
        elif scene.islands.end_group[n] == scene.islands.first_group[n]:
            if residual < near_residual or (count >= fixed_point_iterates and count % period == period - 1):
                find_bounds(scene, n)
            elif count >= fixed_point_iterates:
                damp_bounds(scene, n)

    @wp.func
    def add_closed_rows(scene: Scene, n: int) -> bool:
        """Add closed rows to the working set, and measure them; return whether there are any."""
        first = extend_working_set(scene, n, scene.options[n].h)
        if first == scene.islands.end_working[n]:
            return False
        begin_contacts(scene, n, first)
        measure_contacts(scene, n, scene.options[n].h, first)
        return True

    @wp.func(inline=False)
    def restart_substep(scene: Scene, n: int):
        """Undo all impulses of the substep; joints are measured again at its start."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            if not is_static(scene.bodies, scene.islands.body[i]):
                move_to_start(scene.body[scene.islands.body[i]])
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            restart_joint(scene, scene.islands.joint[i])
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            if not is_static(scene.bodies, scene.islands.body[i]):
                restore_free_motion(scene.body[scene.islands.body[i]])
        for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[i]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                scene.system.loop_impulse[k] = scalar(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            scene.rows.row[k].lambda_n = scalar(0.0)
            scene.rows.row[k].lambda_t = vec3()
            if scene.rows.has_twists == 1:
                scene.rows.row[k].lambda_r = vec3()

    @wp.func
    def restart_solve(scene: Scene, n: int):
        """Undo all impulses of the substep, and start its contacts again."""
        restart_substep(scene, n)
        begin_contacts(scene, n, scene.islands.first_row[n])

    @wp.func
    def end_solve(scene: Scene, n: int, settled: bool, solves: int):
        """Store the multipliers of contacts, and count the solve, which took `solves` Newton steps."""
        end_contacts(scene, n)
        if not settled:
            scene.rows.unsettled[n] = scene.rows.unsettled[n] + 1
        update_mobility(scene, n, solves > 0)
        if scene.rows.logs == 1:
            log_solve(scene, n, scene.options[n].h, solves)

    return SimpleNamespace(
        exceeds_accepted_residual=exceeds_accepted_residual, is_settled=is_settled, choose_bounds=choose_bounds,
        add_closed_rows=add_closed_rows, restart_solve=restart_solve, end_solve=end_solve,
        restart_substep=restart_substep,
    )  # fmt: skip
