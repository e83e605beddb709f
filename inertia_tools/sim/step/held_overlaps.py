# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Deep overlaps of jointed bodies, which their joints may not let them leave.

Links of a robot often overlap around a common joint, or a drawer overlaps its cabinet. The joints take up the forces of
such a contact, or turn a small rest of them into fast rotation: with w the inverse effective mass of the contact on its
joints, and w_n that of its bodies without joints, a recovery at the speed v has the energy v^2 / 2w.

The recovery therefore has sqrt(w / w_n) of the speed that it has without joints, which makes the energies equal. A
contact with a far smaller w, whose overlap only a rotation by more than a radian would take back, is open.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.point_motion import point_functions
from inertia_tools.sim.impacts.impulse_response import response_functions
from inertia_tools.sim.kernels.constants import DEEP_OVERLAP, HELD_MOBILITY, HELD_WHOLLY
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def held_overlap_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    (Row,) = p.references("Row")
    response, is_on_joint = response_functions(p), point_functions(p).is_on_joint
    lock_joint, factor_masses, respond_at = response.lock_joint, response.factor_masses, response.respond_at
    passable, angular = impact_time_functions(p).passable, axes_functions(p).angular
    deep, held, held_wholly = (wp.constant(scalar(value)) for value in (DEEP_OVERLAP, HELD_MOBILITY, HELD_WHOLLY))
    zero, one, endless = (wp.constant(scalar(value)) for value in (0.0, 1.0, float("inf")))

    @wp.func
    def is_deep(scene: Scene, row: Row) -> bool:
        """Return whether a contact of a jointed body recovers a deep overlap."""
        if row.recovery <= wp.float64(0.0) or row.gap > -deep * passable(scene.shapes, row):
            return False
        return is_on_joint(scene.bodies, row.body_a) or is_on_joint(scene.bodies, row.body_b)

    @wp.func
    def has_deep_rows(scene: Scene, n: int) -> bool:
        """Return whether a contact of an island is deep."""
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            if is_deep(scene, scene.rows.row[scene.islands.row[i]]):
                return True
        return False

    @wp.func
    def rotation_of(twists: wp.array(dtype=vec6), b: int) -> vec3:
        """Return the angular velocity of a body; zero for the world."""
        if b < 0:
            return vec3()
        return angular(twists[b])

    @wp.func
    def is_held(row: Row, w: scalar, turn: scalar) -> bool:
        """Return whether joints hold a contact of mobility `w` [1/kg] and rotation `turn` per impulse [1/(kg m)]."""
        return w < held_wholly * row.w_n or (w < held * row.w_n and w < -row.gap * turn)

    @wp.func
    def open_row(scene: Scene, row: Row):
        """Leave a contact out of this substep."""
        row.gap = endless
        row.gap_error = wp.float64(-endless)
        row.recovery = wp.float64(0.0)
        scene.contacts.lambda_n[row.slot] = zero

    @wp.func
    def limit_recovery(row: Row, w: scalar):
        """Reduce the recovery of a contact of mobility `w` [1/kg] to the energy that it has without joints."""
        excess = row.recovery * wp.float64(one - wp.sqrt(wp.min(one, w / row.w_n)))
        row.recovery = row.recovery - excess
        row.gap_error = row.gap_error - excess

    @wp.func(inline=False)
    def limit_held_overlaps(scene: Scene, n: int):
        """Open the contacts that joints hold in deep overlap, and limit the recovery of other deep ones."""
        if scene.options[n].sweeps == 1 or not has_deep_rows(scene, n):
            return
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            lock_joint(scene, scene.islands.joint[i])
        factor_masses(scene, n)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if is_deep(scene, scene.rows.row[k]):
                a, b = scene.rows.row[k].body_a, scene.rows.row[k].body_b
                w = respond_at(scene, scene.rows.row[k], n, scene.rows.row[k].normal)
                turn = wp.length(rotation_of(scene.response, a) - rotation_of(scene.response, b))
                if is_held(scene.rows.row[k], w, turn):
                    open_row(scene, scene.rows.row[k])
                else:
                    limit_recovery(scene.rows.row[k], w)

    return SimpleNamespace(limit_held_overlaps=limit_held_overlaps)
