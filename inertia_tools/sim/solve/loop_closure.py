# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows outside the elimination tree: joints that close loops, and couplings of two degrees of freedom.

Their multipliers solve a dense Schur complement, whose columns are the island's responses to a unit impulse on a row.
Rows of one group of loops are solved together; groups that only touch each other converge along with Newton's method.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.loops import loop_functions
from inertia_tools.sim.kernels.constants import (
    LARGEST_LOOP_DAMPING,
    LEAST_LOOP_DAMPING,
    LOOP_DAMPING_GROWTH,
    LOOP_OPEN_RATIO,
    LOOP_ROUNDING,
    LOOP_STEP_TURN,
    LOOP_TURNED_RATIO,
)
from inertia_tools.sim.kernels.linear_algebra import algebra_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.energy_gain import energy_functions
from inertia_tools.sim.solve.factorisation import factor_functions


@lru_cache(maxsize=2)
def closure_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec6, wide_vec6 = p.scalar, p.vec6, precision("float64").vec6
    (System,) = p.references("System")
    loop = loop_functions(p)
    assemble_row, free_mobility, solve_dense = loop.assemble_row, loop.free_mobility, algebra_functions(p).solve_dense
    exact_six, solve_loads = rounding_functions(p).exact_six, factor_functions(p).solve_loads
    gains_energy = energy_functions(p).gains_energy
    open_ratio, loop_rounding = wp.constant(scalar(LOOP_OPEN_RATIO)), wp.constant(scalar(LOOP_ROUNDING[p.name]))
    step_turn, turned_ratio = wp.constant(wp.float64(LOOP_STEP_TURN)), wp.constant(scalar(LOOP_TURNED_RATIO))
    least_loop_damping = wp.constant(scalar(LEAST_LOOP_DAMPING))
    damping_growth = wp.constant(scalar(LOOP_DAMPING_GROWTH))
    largest_damping = wp.constant(scalar(LARGEST_LOOP_DAMPING))

    @wp.func
    def clear_loads(scene: Scene, n: int):
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].load = wide_vec6()

    @wp.func
    def load_row(system: System, k: int, impulse: scalar):
        """Apply the impulse of a row to the loads of its bodies."""
        for e in range(4):
            b = system.loop_body[4 * k + e]
            if b >= 0:
                system.node[b].load = system.node[b].load + wp.float64(impulse) * exact_six(
                    system.loop_jacobian[4 * k + e]
                )

    @wp.func
    def row_displacement(system: System, moves: wp.array(dtype=wide_vec6), k: int) -> scalar:
        """Return J d of a row."""
        total = wp.float64(0.0)
        for e in range(4):
            b = system.loop_body[4 * k + e]
            if b >= 0:
                total += wp.dot(exact_six(system.loop_jacobian[4 * k + e]), moves[b])
        return scalar(total)

    @wp.func
    def assemble_schur(scene: Scene, n: int, group: int):
        """Assemble the Schur complement J H^-1 J^T + damping + compliance of a group; `System.step` is overwritten."""
        first, rows, at = scene.loops.first_row[group], scene.loops.row_count[group], scene.loops.first_entry[group]
        for i in range(rows):
            k = first + i
            if scene.system.loop_active[k] == 1:
                clear_loads(scene, n)
                load_row(scene.system, k, scalar(1.0))
                solve_loads(scene, n)
            for m in range(rows):
                entry = scalar(0.0)
                if scene.system.loop_active[k] == 1 and scene.system.loop_active[first + m] == 1:
                    entry = row_displacement(scene.system, scene.system.step, first + m)
                scene.system.loop_matrix[at + m * rows + i] = entry
            own = at + i * rows + i
            scene.system.loop_matrix[own] = (
                scene.system.loop_matrix[own]
                + scene.system.loop_damping[group] * free_mobility(scene, k)
                + scene.system.loop_compliance[k]
            )
            if scene.system.loop_active[k] == 0:
                scene.system.loop_matrix[own] = scalar(1.0)

    @wp.func
    def assemble_error(scene: Scene, group: int):
        """Write the errors of a group's rows that its impulses have to remove, with the open-loop step."""
        first = scene.loops.first_row[group]
        for k in range(first, first + scene.loops.row_count[group]):
            if scene.system.loop_active[k] == 1:
                scene.system.loop_error[k] = -(
                    scene.system.loop_error[k]
                    + row_displacement(scene.system, scene.system.displacement, k)
                    + row_displacement(scene.system, scene.system.open_loop_step, k)
                )
                scene.system.loop_gap[group] = wp.max(scene.system.loop_gap[group], wp.abs(scene.system.loop_error[k]))

    @wp.func(inline=False)
    def close_group(scene: Scene, n: int, group: int, error_share: scalar):
        """Correct a Newton step, `System.step`, so that the loops of a group close; store the impulses.

        Couplings remove `error_share` of their error: all of it, or none where velocities are solved for.
        """
        first, rows, at = scene.loops.first_row[group], scene.loops.row_count[group], scene.loops.first_entry[group]
        for i in range(rows):
            assemble_row(scene, first + i, error_share)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.open_loop_step[b] = scene.system.step[b]
        assemble_schur(scene, n, group)
        assemble_error(scene, group)
        solve_dense(scene.system.loop_matrix, at, rows, scene.system.loop_error, first)
        clear_loads(scene, n)
        for i in range(rows):
            k = first + i
            scene.system.loop_step_impulse[k] = scalar(0.0)
            if scene.system.loop_active[k] == 1:
                scene.system.loop_step_impulse[k] = scene.system.loop_error[k]
                load_row(scene.system, k, scene.system.loop_error[k])
        solve_loads(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.step[b] = scene.system.step[b] + scene.system.open_loop_step[b]

    @wp.func
    def close_island(scene: Scene, n: int, error_share: scalar):
        """Correct a Newton step so that all loops of an island close."""
        for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            close_group(scene, n, scene.islands.group[i], error_share)

    @wp.func
    def blend_impulses(scene: Scene, n: int, t: wp.float64):
        """Update the impulses of an outer iterate after a part t of a Newton step, which found them in full."""
        for g in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[g]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                step = scene.system.loop_step_impulse[k] - scene.system.loop_iterate_impulse[k]
                scene.system.loop_iterate_impulse[k] = scene.system.loop_iterate_impulse[k] + scalar(t) * step

    @wp.func
    def take_impulses(scene: Scene, n: int):
        """End an outer iterate: add its impulses to the rows and to the loads of the bodies."""
        for g in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[g]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                impulse = scene.system.loop_iterate_impulse[k]
                scene.system.loop_impulse[k] = scene.system.loop_impulse[k] + impulse
                if scene.loops.row_dof[k] < 0:
                    j = scene.loops.row_joint[k]
                    given = scene.joint[j].impulse
                    given[scene.loops.row_index[k]] = given[scene.loops.row_index[k]] + impulse
                    scene.joint[j].impulse = given
                for e in range(4):
                    b = scene.system.loop_body[4 * k + e]
                    if b >= 0 and impulse != scalar(0.0):
                        scene.system.loop_load[b] = (
                            scene.system.loop_load[b] + impulse * scene.system.loop_jacobian[4 * k + e]
                        )

    @wp.func
    def has_joints(scene: Scene, group: int) -> bool:
        """Return whether joints close loops of a group."""
        for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
            if scene.loops.row_dof[k] < 0:
                return True
        return False

    @wp.func
    def turn_by_step(scene: Scene, k: int) -> wp.float64:
        """Return the largest rotation of the bodies of a row by the last iterate [rad]."""
        most = wp.float64(0.0)
        for e in range(4):
            b = scene.system.loop_body[4 * k + e]
            if b >= 0:
                d = scene.system.displacement[b]
                most = wp.max(most, wp.length(wp.vec3d(d[3], d[4], d[5])))
        return most

    @wp.func
    def is_open(scene: Scene, group: int) -> bool:
        """Return whether joints of a group have larger errors than steps that close it may leave.

        Couplings may: they have no singularity, and converge in later iterates.
        """
        most, turn = -loop_rounding, wp.float64(0.0)
        for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
            if scene.loops.row_dof[k] < 0:
                assemble_row(scene, k, scalar(1.0))
                most = wp.max(most, wp.abs(scene.system.loop_error[k]) - loop_rounding)
                turn = wp.max(turn, turn_by_step(scene, k))
        ratio = wp.where(turn <= step_turn, turned_ratio, open_ratio)
        return most > ratio * scene.system.loop_gap[group]

    @wp.func(inline=False)
    def damp_open_loops(scene: Scene, n: int) -> bool:
        """Raise the damping of loops that are open, or whose closing throws bodies; return whether there are any.

        Couplings alone are not damped: they have no singularity.
        """
        changes, throws = bool(False), gains_energy(scene, n)
        for g in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[g]
            damping, must_damp = scene.system.loop_damping[group], throws and has_joints(scene, group)
            if damping < scalar(1.0) and (must_damp or is_open(scene, group)):
                scene.system.loop_damping[group] = wp.clamp(damping_growth * damping, least_loop_damping, scalar(1.0))
                changes = True
            elif damping < largest_damping and must_damp:
                scene.system.loop_damping[group] = damping_growth * damping
                changes = True
        return changes

    @wp.func
    def clear_impulses(scene: Scene, n: int):
        """Start an outer iterate: clear the impulses and loads of loops."""
        for g in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[g]
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                scene.system.loop_iterate_impulse[k] = scalar(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.loop_load[scene.islands.body[i]] = vec6()

    return SimpleNamespace(
        close_island=close_island, blend_impulses=blend_impulses, take_impulses=take_impulses,
        clear_impulses=clear_impulses, damp_open_loops=damp_open_loops,
    )  # fmt: skip
