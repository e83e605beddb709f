# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be said of a contact after a direct solve: whether it asks for another pass, and whether it is wrong."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_bracing import OWN_WEIGHT, UNCHANGED, bracing_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions

WRONG_BY = 1.01
"""Friction over what Coulomb grants that is not left so."""

BEARABLE = 0.05
"""Pull, and friction beyond what Coulomb grants, that contacts in rings may be left with, over the bodies' weight."""

RESIDUE = 2.5e-3
"""Distance from the gap to aim at that needs no other pass, over the fall in a substep.

A pass leaves one part in `JOINTED_BRACING` of what a body bears, over its own weight: a whole number of such parts
would let rounding decide whether what rests on another takes one pass or two, and shake it.
"""

FIRST_RESIDUE = 3e-5
"""The same after the first pass: a contact whose load has not changed is far closer than that."""


@lru_cache(maxsize=2)
def verdict_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Contacts, Rows, Work = p.references("Bodies", "Contacts", "Rows", "Work")
    stays, go_back = motion_functions(p).stays, motion_functions(p).go_back
    pushed, slipped, is_free = row_functions(p).pushed, row_functions(p).slipped, bracing_functions(p).is_free
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    own_weight, unchanged = wp.constant(scalar(OWN_WEIGHT)), wp.constant(scalar(UNCHANGED))
    wrong_by, bearable = wp.constant(scalar(WRONG_BY)), wp.constant(scalar(BEARABLE))
    residue, first_residue = wp.constant(scalar(RESIDUE)), wp.constant(scalar(FIRST_RESIDUE))

    @wp.func
    def is_unsettled(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar, turn: int) -> bool:
        """Tell whether a contact asks for another pass: it sets in, pulls, or rubs other than it should."""
        n = rows.normal[k]
        pressed = rows.pressed[k]
        way = pushed(bodies, rows, work, k, h)
        was_braced = rows.braced[k] == 1
        rows.braced[k] = int(0)
        if was_braced and pressed != scalar(0.0):
            if pressed < scalar(0.0):
                return True
            are_free = is_free(bodies, rows.body_a[k]) and is_free(bodies, rows.body_b[k])
            if (turn == 0 or not are_free) and contacts.load[rows.slot[k]] == scalar(0.0):
                return True
            enough = residue
            if turn == 0 and not are_free:
                enough = first_residue
            if scalar(wp.abs(rows.to_goal[k] - wp.dot(exact(n), way))) > enough * own_weight * h * h:
                return True
            most = rows.mu[k] * pressed
            rubbed = wp.length(rows.rubbed[k])
            if rows.mu[k] == scalar(0.0):
                return False
            if rows.hold[k] >= scalar(0.0):
                return rubbed > wrong_by * most
            if rows.slides[k] == 1:
                back = wp.dot(rounded(slipped(contacts, rows, k, way)), rows.heading[k]) <= scalar(0.0)
                return back or wp.abs(most - rubbed) > unchanged * most
            return rubbed > most * (scalar(1.0) + unchanged)
        if rows.barred[k] == 1:
            return False
        return rows.gap[k] + scalar(wp.dot(exact(n), way)) < -unchanged * own_weight * h * h

    @wp.func
    def is_wrong(bodies: Bodies, rows: Rows, work: Work, k: int, h: scalar) -> bool:
        """Tell whether a contact that was solved directly was left pulling, open, or rubbing far more than it may.

        Rings may leave a little, as bricks that just touch each other's sides: it is taken for what it is over weights.
        """
        pressed = rows.pressed[k]
        if rows.direct[k] == 0:
            return False
        if pressed == scalar(0.0) and rows.barred[k] == 0:
            moved = scalar(wp.dot(exact(rows.normal[k]), pushed(bodies, rows, work, k, h)))
            return wp.min(-rows.gap[k], scalar(rows.to_goal[k])) - moved > own_weight * h * h
        leave = scalar(0.0)
        if rows.ringed[k] == 1:
            leave = bearable * own_weight * h * h / rows.give[k]
        return pressed < -leave or wp.length(rows.rubbed[k]) > wrong_by * rows.mu[k] * pressed + leave

    @wp.func
    def give_up(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Leave a contact of free bodies to sweeps, as when bodies are wedged and the direct solve finds no end."""
        a, b = rows.body_a[k], rows.body_b[k]
        if is_free(bodies, a) and is_free(bodies, b):
            rows.pressed[k] = scalar(0.0)
            rows.rubbed[k] = vec3()
            rows.twisted[k] = vec3()
            rows.grip[k] = scalar(0.0)
            rows.direct[k] = int(0)
            if not stays(bodies, a):
                go_back(work, a)
            if not stays(bodies, b):
                go_back(work, b)

    return SimpleNamespace(is_unsettled=is_unsettled, is_wrong=is_wrong, give_up=give_up)
