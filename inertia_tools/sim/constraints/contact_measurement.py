# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Measurement of the contacts of an island at the start of a substep: after free motion, or without applied forces."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.forced_motion import forced_functions
from inertia_tools.sim.constraints.point_motion import point_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def contact_measurement_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Scene = wp.ref[scene_type(p)]
    (Row,) = p.references("Row")
    measure_row, forced = contact_row_functions(p).measure_row, forced_functions(p)
    moves_far, moves_off_corners, omit_forces = forced.moves_far, forced.moves_off_corners, forced.omit_forces
    defer_forces, restore_forced_motion = forced.defer_forces, forced.restore_forced_motion
    is_static = motion_functions(p).is_static
    velocity_at, passable = point_functions(p).velocity_at, impact_time_functions(p).passable

    @wp.func
    def omit_forces_of_bodies(scene: Scene, n: int, far: bool) -> bool:
        """Omit forces that carry bodies `far`, or else off their corners; return whether any body was moved so."""
        h, any_omitted = scene.options[n].h, bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            omits = moves_off_corners(scene.bodies, scene.body[b], b, h)
            if far:
                omits = moves_far(scene.bodies, scene.body[b], b, h)
            if omits:
                if scene.options[n].sweeps == 0 and scene.bodies.is_free_body[b] == 0:
                    defer_forces(scene.bodies, scene.body[b], b, h)
                else:
                    omit_forces(scene.body[b], h)
                    any_omitted = True
        return any_omitted

    @wp.func
    def restore_forces_of_bodies(scene: Scene, n: int):
        """Move bodies to their poses after free motion."""
        h = scene.options[n].h
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            if moves_far(scene.bodies, scene.body[b], b, h) or moves_off_corners(scene.bodies, scene.body[b], b, h):
                restore_forced_motion(scene.body[b])

    @wp.func
    def is_slow(scene: Scene, row: Row, b: int, support: int, h: scalar) -> bool:
        """Return whether a body does not move past, or through, its support in the substep."""
        omega, v = scene.body[b].inv_tensor * scene.body[b].spin_before, vec3()
        if support >= 0:
            v = velocity_at(scene.body[support], support, scene.body[b].x0 - scene.body[support].x0, h)
        v = scene.body[b].v_before - v
        return h * (wp.length(v) + scene.bodies.extent[b] * wp.length(omega)) <= passable(scene.shapes, row)

    @wp.func
    def is_support(scene: Scene, row: Row, h: scalar) -> bool:
        """Return whether a contact is a slow one with a static or kinematic body."""
        a, b = row.body_a, row.body_b
        if is_static(scene.bodies, a):
            return is_slow(scene, row, b, a, h)
        return is_static(scene.bodies, b) and is_slow(scene, row, a, b, h)

    @wp.func
    def measure_rows(scene: Scene, n: int):
        """Measure the contacts of an island."""
        h, first, end = scene.options[n].h, scene.islands.first_row[n], scene.islands.end_row[n]
        if first == end:
            return
        any_omitted = omit_forces_of_bodies(scene, n, True)
        for i in range(first, end):
            k = scene.islands.row[i]
            if not is_support(scene, scene.rows.row[k], h):
                measure_row(scene, scene.rows.row[k], h, h)
        if omit_forces_of_bodies(scene, n, False):
            any_omitted = True
        for i in range(first, end):
            k = scene.islands.row[i]
            if is_support(scene, scene.rows.row[k], h):
                measure_row(scene, scene.rows.row[k], h, h)
        if any_omitted:
            restore_forces_of_bodies(scene, n)

    return SimpleNamespace(measure_rows=measure_rows)
