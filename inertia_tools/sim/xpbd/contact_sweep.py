# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts one after the other (Gauss-Seidel): impulses that keep features out of solids, with Coulomb friction.

Impulses act equal and opposite at one point, so that momentum is kept. Friction takes back the tangential
displacement that a contact has made since it began to stick, also what an earlier substep left over; so a body that
sticks does not creep. The friction disc is isotropic.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions


@lru_cache(maxsize=2)
def touch_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Contacts, Rows, Work, Options = p.references("Bodies", "Contacts", "Rows", "Work", "Options")
    Islands = wp.ref[island_types(p).Islands]
    motion, row = motion_functions(p), row_functions(p)
    push, mobility, is_static = motion.push, motion.mobility, motion.is_static
    pushed, slipped = row.pushed, row.slipped
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded

    @wp.func
    def push_both(bodies: Bodies, rows: Rows, work: Work, k: int, impulse: vec3, h: scalar):
        push(bodies, work, rows.body_a[k], impulse, wp.cross(rows.arm_a[k], impulse), h)
        push(bodies, work, rows.body_b[k], -impulse, -wp.cross(rows.arm_b[k], impulse), h)

    @wp.func
    def count_on(bodies: Bodies, rows: Rows, work: Work, k: int, b: int):
        if not is_static(bodies, b) and rows.gap[k] < scalar(0.0):
            work.touching[b] = work.touching[b] + 1

    @wp.func
    def count_touching(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int):
        """Count the contacts of each body of an island that overlap where free motion takes it; see `share`."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.touching[islands.body[i]] = int(0)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            count_on(bodies, rows, work, k, rows.body_a[k])
            count_on(bodies, rows, work, k, rows.body_b[k])

    @wp.func
    def share(bodies: Bodies, rows: Rows, work: Work, options: Options, k: int) -> scalar:
        """Return the ratio of a contact's multiplier that a pass applies, the same for both bodies."""
        if options.sweeps == 0:
            return scalar(1.0)
        ratio = options.contact_relaxation
        if options.contact_weighting == 1:
            count, sides = int(0), int(0)
            if not is_static(bodies, rows.body_a[k]):
                count += work.touching[rows.body_a[k]]
                sides += 1
            if not is_static(bodies, rows.body_b[k]):
                count += work.touching[rows.body_b[k]]
                sides += 1
            ratio = ratio * scalar(sides) / scalar(wp.max(count, sides))
        return ratio

    @wp.func
    def rub(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, ratio: scalar, h: scalar):
        """Take back the slip of a contact, as far as Coulomb's law allows."""
        slip = rounded(slipped(contacts, rows, k, pushed(bodies, rows, work, k, h)))
        size = wp.length(slip)
        if size > scalar(0.0):
            n, t = rows.normal[k], slip / size
            w_t = mobility(bodies, work, rows.body_a[k], rows.arm_a[k], t)
            w_t = w_t + mobility(bodies, work, rows.body_b[k], rows.arm_b[k], t)
            held = rows.lambda_t[k]
            impulse = held - (ratio / w_t) * slip
            impulse = impulse - wp.dot(impulse, n) * n
            most = rows.mu[k] * rows.lambda_n[k]
            asked = wp.length(impulse)
            rows.slides[k] = int(0)
            if asked > most:
                impulse = (most / asked) * impulse
                rows.slides[k] = int(1)
            push_both(bodies, rows, work, k, impulse - held, h)
            rows.lambda_t[k] = impulse

    @wp.func
    def touch(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, options: Options, k: int, h: scalar):
        """Resolve one contact."""
        n = rows.normal[k]
        moved = wp.dot(exact(n), pushed(bodies, rows, work, k, h))
        held = rows.lambda_n[k]
        if rows.gap[k] + scalar(moved) < scalar(0.0) or held != scalar(0.0):
            ratio = share(bodies, rows, work, options, k)
            impulse = wp.max(held + ratio * scalar(rows.to_goal[k] - moved) / rows.w_n[k], scalar(0.0))
            push_both(bodies, rows, work, k, (impulse - held) * n, h)
            rows.lambda_n[k] = impulse
            rub(bodies, contacts, rows, work, k, ratio, h)

    return SimpleNamespace(touch=touch, share=share, count_touching=count_touching)
