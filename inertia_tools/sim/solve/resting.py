# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Still islands: the multipliers of the last substep balance them again, so that no solve is necessary.

These multipliers are applied, and the natural residual shows whether they satisfy Coulomb's law. If not, they are
undone, and the island is solved as any other. Joints have no multipliers to start from, so this is for free bodies.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import FIRST_ITERATES, SLOW_SPEED, STILL_SPEED
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.contact_iterates import iterate_functions
from inertia_tools.sim.solve.island_solve import island_solve_functions
from inertia_tools.sim.solve.newton import newton_functions


@lru_cache(maxsize=2)
def resting_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    wide = precision("float64")
    wide_vec3, wide_vec6 = wide.vec3, wide.vec6
    (Row,) = p.references("Row")
    motion = motion_functions(p)
    restore_free_motion, keep_start_pose = motion.restore_free_motion, motion.keep_start_pose
    apply_impulse_exactly = motion.apply_impulse_exactly
    is_static, square_of_speed = motion.is_static, motion.square_of_speed
    solve, newton = island_solve_functions(p), newton_functions(p)
    begin_contacts, measure_contacts, end_iterate = solve.begin_contacts, solve.measure_contacts, solve.end_iterate
    apply_start, apply_twist_start = iterate_functions(p).apply_start, iterate_functions(p).apply_twist_start
    load_contact, axes = newton.load_contact, axes_functions(wide)
    linear, angular = axes.linear, axes.angular
    still_speed, slow_speed = wp.constant(wp.float64(STILL_SPEED[p.name])), wp.constant(scalar(SLOW_SPEED))
    zero = wp.constant(wp.float64(0.0))
    one, first_iterates = wp.constant(wp.float64(1.0)), wp.constant(FIRST_ITERATES)

    @wp.func
    def was_slow(scene: Scene, n: int) -> bool:
        """Return whether bodies hardly moved in the last substep, relative to free motion."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            v = scene.body[b].v_free
            before = square_of_speed(scene.bodies, scene.body[b], b, scene.body[b].v_before, scene.body[b].spin_before)
            if not before <= slow_speed * slow_speed * wp.dot(v, v):
                return False
        return True

    @wp.func
    def store_displacement(scene: Scene, row: Row, b: int):
        """Store the largest displacement of a body by a contact."""
        if not is_static(scene.bodies, b):
            most = wp.float64(scene.bodies.inv_mass[b]) * wp.length(row.applied)
            scene.system.step[b] = wide_vec6(wp.max(scene.system.step[b][0], most), zero, zero, zero, zero, zero)

    @wp.func
    def is_still(scene: Scene, n: int, h: scalar) -> bool:
        """Return whether the applied multipliers leave each body at rest, to the accuracy of solves."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.step[scene.islands.body[i]] = wide_vec6()
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            store_displacement(scene, scene.rows.row[k], scene.rows.row[k].body_a)
            store_displacement(scene, scene.rows.row[k], scene.rows.row[k].body_b)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            most = still_speed * scene.system.step[b][0] / wp.float64(h)
            now = square_of_speed(scene.bodies, scene.body[b], b, scene.body[b].v, scene.body[b].spin)
            if not wp.float64(now) <= most * most:
                return False
        return True

    @wp.func
    def load_start_multipliers(scene: Scene, row: Row, has_twists: int):
        """Apply the multipliers at the start of an iterate to the loads of a contact's bodies."""
        moment = wide_vec3()
        apply_start(row)
        if has_twists == 1:
            moment = apply_twist_start(row)
        load_contact(scene, row, row.applied, moment)

    @wp.func
    def apply_loads(scene: Scene, n: int, h: scalar):
        """Move the free bodies of an island by their loads."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            apply_impulse_exactly(
                scene.bodies,
                scene.body[b],
                b,
                linear(scene.system.node[b].load),
                angular(scene.system.node[b].load),
                h,
            )

    @wp.func
    def apply_start_multipliers(scene: Scene, n: int, h: scalar):
        """Move the bodies of an island by the multipliers of the last substep."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            load_start_multipliers(scene, scene.rows.row[scene.islands.working_row[i]], scene.rows.has_twists)
        apply_loads(scene, n, h)

    @wp.func(inline=False)
    def holds_last_multipliers(scene: Scene, n: int, h: scalar) -> bool:
        """Apply the multipliers of the last substep if they keep an island still; return whether they do.

        Contacts have begun the substep. They begin it again if not.
        """
        if not was_slow(scene, n):
            return False
        measure_contacts(scene, n, h, scene.islands.first_row[n])
        apply_start_multipliers(scene, n, h)
        if is_still(scene, n, h):
            for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
                keep_start_pose(scene.body[scene.islands.body[i]])
            if end_iterate(scene, n, h, first_iterates) <= one:
                for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
                    scene.rows.row[scene.islands.working_row[i]].slip_incompatible = int(
                        0
                    )  # keep the slip that a slow belt adds
                return True
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            restore_free_motion(scene.body[scene.islands.body[i]])
        begin_contacts(scene, n, scene.islands.first_row[n])
        return False

    return SimpleNamespace(
        holds_last_multipliers=holds_last_multipliers,
        load_start_multipliers=load_start_multipliers,
        apply_loads=apply_loads,
    )
