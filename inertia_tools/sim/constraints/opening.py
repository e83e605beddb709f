# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts as a substep begins: each is measured where free motion leads, or where forces are left out."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.forced_motion import forced_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def opening_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    open_row, forced = contact_row_functions(p).open_row, forced_functions(p)
    goes_far, leave_out, hold_back = forced.goes_far, forced.leave_out, forced.hold_back
    put_back = forced.put_back

    @wp.func
    def leave_out_forces(scene: Scene, n: int) -> bool:
        """Put the bodies that forces carry far where they go without; tell whether any is to be put back."""
        h, any_far = scene.options[n].h, bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            if goes_far(scene.bodies, scene.body[b], b, h):
                if scene.options[n].sweeps == 0 and scene.bodies.is_free_body[b] == 0:
                    hold_back(scene.bodies, scene.body[b], b, h)
                else:
                    leave_out(scene.body[b], h)
                    any_far = True
        return any_far

    @wp.func
    def open_rows(scene: Scene, n: int):
        """Measure the contacts of an island."""
        h, first, end = scene.options[n].h, scene.islands.first_row[n], scene.islands.end_row[n]
        if first == end:
            return
        any_far = leave_out_forces(scene, n)
        for i in range(first, end):
            open_row(scene, scene.rows.row[scene.islands.row[i]], h, h)
        if any_far:
            for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
                b = nonnegative_index(scene.islands.body[i])
                if goes_far(scene.bodies, scene.body[b], b, h):
                    put_back(scene.body[b])

    return SimpleNamespace(open_rows=open_rows)
