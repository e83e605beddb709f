# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Working set of a solve: the contact rows that carry a load or may close in this substep.

Rows are found once a step for everything that may come close in it, so most stay open in any one substep. A solve
considers the rows of its working set only; when it has converged, rows that its displacements have closed are added,
and it goes on.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.contact_finding import SAME_NORMAL
from inertia_tools.sim.kernels.constants import WORKING_SET_REACH
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.contact_iterates import iterate_functions


@lru_cache(maxsize=2)
def working_set_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    (Row,) = p.references("Row")
    same_normal = wp.constant(scalar(SAME_NORMAL))
    gap_residual, reach_ratio = iterate_functions(p).gap_residual, wp.constant(scalar(WORKING_SET_REACH))

    @wp.func
    def displacement_bound(scene: Scene, b: int, h: scalar) -> scalar:
        """Return a bound of the displacement of a body's points by free motion in a substep [m]."""
        if b < 0:
            return scalar(0.0)
        return h * (wp.length(scene.body[b].v_free) + scene.bodies.extent[b] * wp.length(scene.body[b].omega_free))

    @wp.func
    def rotation_bound(scene: Scene, b: int, h: scalar) -> scalar:
        """Return a bound of the rotation of a body in a substep, if it is stopped at one of its points [rad]."""
        angle = scalar(0.0)
        if b >= 0:
            angle = h * wp.length(scene.body[b].omega_free)
            if scene.bodies.extent[b] > scalar(0.0):
                angle = angle + h * wp.length(scene.body[b].v_free) / scene.bodies.extent[b]
        return angle

    @wp.func
    def may_close(scene: Scene, row: Row, lowest: Row, h: scalar) -> bool:
        """Return whether a contact carries a load, or might close if one of its bodies were stopped.

        `lowest` is the contact of the same two shapes that has closed most. Where the two have the same normal, only a
        rotation can close this one by more than that.
        """
        if scene.contacts.lambda_n[row.slot] > scalar(0.0):
            return True
        reach = wp.max(displacement_bound(scene, row.body_a, h), displacement_bound(scene, row.body_b, h))
        if row.gap_error + wp.float64(reach_ratio * reach) < wp.float64(0.0):
            return False
        if row.pair < 0 or wp.dot(row.normal, lowest.normal) < same_normal:
            return True
        angle = rotation_bound(scene, row.body_a, h) + rotation_bound(scene, row.body_b, h)
        apart = wp.length(row.point - lowest.point)
        return lowest.gap_error - row.gap_error <= wp.float64(reach_ratio * angle * apart)

    @wp.func
    def lowest_of_pair(scene: Scene, n: int, first: int) -> int:
        """Return the row with the least gap of those with the same pair of shapes, which begin at an index."""
        lowest = scene.islands.row[first]
        pair = scene.rows.row[lowest].pair
        for i in range(first + 1, scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if scene.rows.row[k].pair != pair:
                return lowest
            if scene.rows.row[k].gap_error > scene.rows.row[lowest].gap_error:
                lowest = k
        return lowest

    @wp.func
    def begin_working_set(scene: Scene, n: int, h: scalar):
        """List the rows of the initial working set of an island; rows have been measured."""
        end = int(scene.islands.first_row[n])
        pair, lowest = int(-2), int(0)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if scene.rows.row[k].pair != pair:
                pair = scene.rows.row[k].pair
                lowest = lowest_of_pair(scene, n, i)
            scene.rows.row[k].in_working_set = int(0)
            if may_close(scene, scene.rows.row[k], scene.rows.row[lowest], h):
                scene.rows.row[k].in_working_set = int(1)
                scene.islands.working_row[end] = k
                end = end + 1
        scene.islands.end_working[n] = end

    @wp.func(inline=False)
    def extend_working_set(scene: Scene, n: int, h: scalar) -> int:
        """Add the rows closed by the impulses applied so far; return the index of the first one added."""
        end = int(scene.islands.end_working[n])
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if scene.rows.row[k].in_working_set == 0:
                if gap_residual(scene, scene.rows.row[k], h) > wp.float64(0.0):
                    scene.rows.row[k].in_working_set = int(1)
                    scene.islands.working_row[end] = k
                    end = end + 1
        first_added = scene.islands.end_working[n]
        scene.islands.end_working[n] = end
        return first_added

    return SimpleNamespace(
        displacement_bound=displacement_bound,
        begin_working_set=begin_working_set,
        extend_working_set=extend_working_set,
    )
