# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Free bodies jammed by their own friction, as in a wedge (Painlevé 1895).

No friction bound is consistent with the slip of such a body: multipliers of both sides grow from iterate to iterate,
and their remainder throws it out as it rotates. Without friction the substep always has a solution.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import JAMMING_RATIO
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.contact_iterates import iterate_functions
from inertia_tools.sim.solve.working_set import working_set_functions


@lru_cache(maxsize=2)
def jam_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    contact, displacement_bound = iterate_functions(p), working_set_functions(p).displacement_bound
    jammed = wp.constant(wp.float64(JAMMING_RATIO))

    @wp.func
    def is_jammed(scene: Scene, n: int, h: scalar) -> bool:
        """Return whether a contact displaces bodies by many times the largest free displacement or gap."""
        most, free_way = wp.float64(0.0), wp.float64(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            most = wp.max(most, contact.displacement_by_contact(scene.rows.row[k]))
            free_way = wp.max(free_way, wp.abs(scene.rows.row[k].gap_error))
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            free_way = wp.max(free_way, wp.float64(displacement_bound(scene, scene.islands.body[i], h)))
        return most > jammed * free_way

    @wp.func
    def clear_friction(scene: Scene, n: int):
        """Start the next iterate without multipliers and without friction."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            contact.reset_multipliers(scene.rows.row[scene.islands.working_row[i]])
            contact.clear_bounds(scene.rows.row[scene.islands.working_row[i]])

    return SimpleNamespace(is_jammed=is_jammed, clear_friction=clear_friction)
