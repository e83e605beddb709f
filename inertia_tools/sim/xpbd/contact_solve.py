# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts that are solved directly, with the joints and with each other.

A contact enters as a stiff spring with a multiplier, and as friction (`contact_bracing`). What bodies make of it is
found by elimination (`contact_elimination`), and looked at before the next pass (`contact_verdict`).

Bodies that no joint holds are carried: each by at most one other body that moves, whatever else it touches, so that
those that carry each other make a forest. Contacts with what stays, and those between a body and its carrier, are
solved without error in one elimination from the leaves to the roots, whose cost grows with the number of bodies: a
light box under a heavy one feels the weight at once. Contacts between two bodies on joints come in when the trees of
joints are solved (`tree_contacts`). What is left, where contacts close a ring, is swept.

Springs, what they pull at, and what is eliminated are in double precision whatever that of the scene: contacts that
share a load are a hundred thousand times as stiff as what they carry, and what rounding makes of that would shake it.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_bracing import LATE as LATE
from inertia_tools.sim.xpbd.contact_bracing import bracing_functions
from inertia_tools.sim.xpbd.contact_elimination import elimination_functions
from inertia_tools.sim.xpbd.contact_verdict import verdict_functions


@lru_cache(maxsize=2)
def solve_functions(p: Precision) -> Any:
    """Return the device functions of one precision that passes call."""
    parts = (bracing_functions(p), elimination_functions(p), verdict_functions(p))
    return SimpleNamespace(**{name: function for part in parts for name, function in vars(part).items()})
