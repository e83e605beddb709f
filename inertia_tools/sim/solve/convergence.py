# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Convergence statistics: the number of solves that have not converged, and an optional log of solves.

The log has two parts: substeps with a new contact, and all others. Each counts, for the solve of an island in a
substep, its Newton steps, and the decade of its natural residual of Coulomb's law [m] over g h^2.
"""

import math
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import ACCEPTED_RESIDUAL, JOINT_TOLERANCE_IN_CONTACT
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import LEAST_DECADE, RESIDUAL_BINS, SOLVE_BINS


@lru_cache(maxsize=2)
def convergence_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    solve_bins, residual_bins = wp.constant(SOLVE_BINS), wp.constant(RESIDUAL_BINS)
    accepted, zero = wp.constant(wp.float64(ACCEPTED_RESIDUAL)), wp.constant(wp.float64(0.0))
    exact_in_contact = wp.constant(wp.float64(JOINT_TOLERANCE_IN_CONTACT[p.name]))
    least_decade, per_decade = wp.constant(LEAST_DECADE), wp.constant(wp.float64(1.0 / math.log(10.0)))

    @wp.func
    def has_new_contact(scene: Scene, n: int) -> bool:
        """Return whether a contact of an island carries a load that had none in the last substep."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            if scene.rows.row[k].lambda_n > scalar(0.0) and scene.contacts.lambda_n[scene.rows.row[k].slot] == scalar(
                0.0
            ):
                return True
        return False

    @wp.func
    def displacement_by_gravity(scene: Scene, h: scalar) -> wp.float64:
        """Return the displacement by gravity in a substep, g h^2 [m]."""
        return wp.float64(scene.bodies.max_gravity[0]) * wp.float64(h) * wp.float64(h)

    @wp.func
    def accepted_residual(scene: Scene, n: int, h: scalar) -> wp.float64:
        """Return the residual that is accepted [m]; for contacts on joints it is no less than the joints' error.

        Without gravity there is no scale for it, and it is zero.
        """
        most = accepted * displacement_by_gravity(scene, h)
        if most > zero and scene.islands.jointed[n] == 1:
            most = wp.max(most, exact_in_contact)
        return most

    @wp.func(inline=False)
    def log_solve(scene: Scene, n: int, h: scalar, solves: int):
        """Log the solve of an island in a substep, which took `solves` Newton steps."""
        part = 2 * n
        if has_new_contact(scene, n):
            part += 1
        place = part * solve_bins + wp.min(solves, solve_bins - 1)
        scene.rows.solve_log[place] = scene.rows.solve_log[place] + 1
        fall = displacement_by_gravity(scene, h)
        if scene.islands.end_row[n] > scene.islands.first_row[n] and fall > wp.float64(0.0):
            ratio = scene.rows.residual[n] / fall
            decade = int(0)
            if ratio > wp.float64(0.0):
                decade = wp.clamp(int(wp.floor(per_decade * wp.log(ratio))) - least_decade, 0, residual_bins - 1)
            scene.rows.residual_log[part * residual_bins + decade] = (
                scene.rows.residual_log[part * residual_bins + decade] + 1
            )

    return SimpleNamespace(
        displacement_by_gravity=displacement_by_gravity, accepted_residual=accepted_residual, log_solve=log_solve
    )
