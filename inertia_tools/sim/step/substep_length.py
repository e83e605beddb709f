# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How long the next substep of an island is: as asked for, or shorter where joints or corners turn fast.

What joints hold is linear in the displacements of a substep. A limp arm that turns by half a radian in one is thrown
apart by what the linear system leaves out, and so is a thin body whose corner swings by more than its thickness while
it touches. The free rotation of a body goes by parts likewise (`kernels/motion.py`).
Momenta are those of the middle of substeps, whatever their lengths: forces change them from there to the middle of the
next one (`Body.kick`), as in velocity Verlet, whose steps may each have their own length.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision

PARTS = 64
"""A substep that is asked for is made in so many parts at most; lengths are powers of two of one."""

FARTHEST = 0.5
"""Way by which turning bends the course of a free body's corner in a substep, over the half thickness of its shape:
twice what contacts leave out. Rods of 18 x 1 x 1 cm that turned by 0.3 to 0.6 rad were thrown at 1500 times their
energy; with this they turn by 0.17 rad. Cubes may turn by 0.6 rad, and balls as far as they like."""

FLATTEST = 0.01
"""Half thickness of a shape over the distance of its corner, at least."""

SLOW = 0.1
"""Turn in a substep, at most, up to which a body is not looked at [rad]."""


@lru_cache(maxsize=2)
def length_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, motion = p.scalar, motion_functions(p)
    rate, is_static = motion.rate, motion.is_static
    Bodies, Contacts, Rows, Work, Options = p.references("Bodies", "Contacts", "Rows", "Work", "Options")
    (Shapes,) = p.references("Shapes")
    Islands = wp.ref[island_types(p).Islands]
    parts, of_one = wp.constant(PARTS), wp.constant(scalar(1.0 / PARTS))
    farthest, flattest = wp.constant(scalar(FARTHEST)), wp.constant(scalar(FLATTEST))
    slow = wp.constant(scalar(SLOW * SLOW))

    @wp.func
    def fastest(bodies: Bodies, islands: Islands, work: Work, n: int):
        """Return the greatest angular velocity, and angular acceleration, of a body on a joint [rad/s, rad/s^2]."""
        velocity, acceleration = scalar(0.0), scalar(0.0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 0:
                r, between = work.body[b].r, scalar(0.5) * (work.body[b].h + work.body[b].h_before)
                gained = wp.length(rate(bodies, b, r, work.body[b].spin - work.body[b].spin_before)) / between
                now = wp.length(rate(bodies, b, r, work.body[b].spin)) + scalar(0.5) * work.body[b].h * gained
                velocity = wp.max(velocity, now)
                acceleration = wp.max(acceleration, gained)
        return velocity, acceleration

    @wp.func
    def turns_far(bodies: Bodies, islands: Islands, work: Work, n: int, h: scalar) -> bool:
        """Tell whether a free body of an island may turn so far in a substep that it is to be looked at."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 1:
                inverse = bodies.inv_inertia[b]
                most = h * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2])
                if most * most * wp.dot(work.body[b].spin, work.body[b].spin) > slow:
                    return True
        return False

    @wp.func(inline=False)
    def swing_of_features(bodies: Bodies, shapes: Shapes, rows: Rows, islands: Islands, work: Work, n: int) -> scalar:
        """Return the greatest |w| |w x f| of features f of free bodies, over half thicknesses [rad^2/s^2]."""
        most = scalar(0.0)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            b, shape = rows.row[k].body_a, rows.row[k].shape
            if not is_static(bodies, b) and bodies.is_free_body[b] == 1:
                at = shapes.point[shape]
                if shapes.feature_count[shape] > 0:
                    which = wp.min(rows.row[k].feature, shapes.feature_count[shape] - 1)
                    feature = shapes.feature[shapes.first_feature[shape] + which]
                    at = at + wp.quat_rotate(shapes.frame[shape], feature)
                omega = bodies.inv_inertia[b] * wp.quat_rotate_inv(work.body[b].r, work.body[b].spin)
                way = wp.length(omega) * wp.length(wp.cross(omega, at))
                most = wp.max(most, way / wp.max(shapes.half_thickness[shape], flattest * wp.length(at)))
        return most

    @wp.func
    def choose_length(
        bodies: Bodies, shapes: Shapes, rows: Rows, islands: Islands, work: Work, options: Options, n: int, at: int
    ) -> int:  # fmt: skip
        """Return of how many parts the next substep of an island is to be, `at` of them being over in this step."""
        length = int(parts)
        limit = options.joint_turn_limit
        if options.sweeps == 0 and islands.end_joint[n] > islands.first_joint[n] and not wp.isinf(limit):
            velocity, acceleration = fastest(bodies, islands, work, n)
            h = options.dt / scalar(options.least_substeps)
            while length > 1 and h * (velocity + h * acceleration) > limit:
                length = length // 2
                h = scalar(0.5) * h
        if options.sweeps == 0 and islands.end_row[n] > islands.first_row[n]:
            h = (options.dt / scalar(options.least_substeps)) * (of_one * scalar(length))
            if turns_far(bodies, islands, work, n, h):
                swing = swing_of_features(bodies, shapes, rows, islands, work, n)
                while length > 1 and h * h * swing > farthest:
                    length = length // 2
                    h = scalar(0.5) * h
        while at % length != 0:
            length = length // 2
        return length

    @wp.func
    def unit_of_load(h: scalar, h_before: scalar) -> scalar:
        """Return a multiplier for a unit force, but for a factor [s^2]."""
        return h * (h + h_before)

    @wp.func
    def rescale_loads(bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, n: int, h: scalar):
        """Express what contacts gave in the last substep as multipliers of one of length h."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            b = rows.row[k].body_a
            if is_static(bodies, b):
                b = rows.row[k].body_b
            before, now = unit_of_load(work.body[b].h, work.body[b].h_before), unit_of_load(h, work.body[b].h)
            if now != before:
                slot = rows.row[k].slot
                contacts.load[slot] = (now / before) * contacts.load[slot]
                contacts.lambda_t[slot] = (now / before) * contacts.lambda_t[slot]

    @wp.func
    def set_length(
        bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, options: Options, n: int, at: int,
        length: int,
    ):  # fmt: skip
        """Give the next substep of an island such a length."""
        left = parts * options.least_substeps - at
        options.left = left // length
        options.h = (options.dt / scalar(options.least_substeps)) * (of_one * scalar(length))
        rescale_loads(bodies, contacts, rows, islands, work, n, options.h)

    return SimpleNamespace(choose_length=choose_length, set_length=set_length)
