# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts as a substep begins: each is measured where free motion leads, or where forces are left out."""

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
    open_row, forced = contact_row_functions(p).open_row, forced_functions(p)
    goes_far, goes_off, leave_out = forced.goes_far, forced.goes_off, forced.leave_out
    hold_back, put_back, is_static = forced.hold_back, forced.put_back, motion_functions(p).is_static
    velocity_at, passable = point_functions(p).velocity_at, impact_time_functions(p).passable

    @wp.func
    def leave_out_forces(scene: Scene, n: int, far: bool) -> bool:
        """Put bodies where they go without forces that carry them far, or off their corners; tell whether any went."""
        h, any_out = scene.options[n].h, bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            goes = goes_off(scene.bodies, scene.body[b], b, h)
            if far:
                goes = goes_far(scene.bodies, scene.body[b], b, h)
            if goes:
                if scene.options[n].sweeps == 0 and scene.bodies.is_free_body[b] == 0:
                    hold_back(scene.bodies, scene.body[b], b, h)
                else:
                    leave_out(scene.body[b], h)
                    any_out = True
        return any_out

    @wp.func
    def put_all_back(scene: Scene, n: int):
        """Put bodies where free motion leads."""
        h = scene.options[n].h
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            if goes_far(scene.bodies, scene.body[b], b, h) or goes_off(scene.bodies, scene.body[b], b, h):
                put_back(scene.body[b])

    @wp.func
    def is_slow(scene: Scene, row: Row, b: int, support: int, h: scalar) -> bool:
        """Tell whether a body does not move past what bears it, or through it, in the substep."""
        omega, v = scene.body[b].inv_tensor * scene.body[b].spin_before, vec3()
        if support >= 0:
            v = velocity_at(scene.body[support], support, scene.body[b].x0 - scene.body[support].x0, h)
        v = scene.body[b].v_before - v
        return h * (wp.length(v) + scene.bodies.extent[b] * wp.length(omega)) <= passable(scene.shapes, row)

    @wp.func
    def is_support(scene: Scene, row: Row, h: scalar) -> bool:
        """Tell whether a contact is with what does not answer to forces, and slow."""
        a, b = row.body_a, row.body_b
        if is_static(scene.bodies, a):
            return is_slow(scene, row, b, a, h)
        return is_static(scene.bodies, b) and is_slow(scene, row, a, b, h)

    @wp.func
    def open_rows(scene: Scene, n: int):
        """Measure the contacts of an island."""
        h, first, end = scene.options[n].h, scene.islands.first_row[n], scene.islands.end_row[n]
        if first == end:
            return
        any_out = leave_out_forces(scene, n, True)
        for i in range(first, end):
            k = scene.islands.row[i]
            if not is_support(scene, scene.rows.row[k], h):
                open_row(scene, scene.rows.row[k], h, h)
        if leave_out_forces(scene, n, False):
            any_out = True
        for i in range(first, end):
            k = scene.islands.row[i]
            if is_support(scene, scene.rows.row[k], h):
                open_row(scene, scene.rows.row[k], h, h)
        if any_out:
            put_all_back(scene, n)

    return SimpleNamespace(open_rows=open_rows)
