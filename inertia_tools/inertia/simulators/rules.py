# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of simulators: for links of what kind, what becomes of them, and where that is known from."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.state import Fault, LinkState, Seat


class Effect(enum.Enum):
    """What becomes of a link, the worst first."""

    REFUSES = "refuses"
    DROPS = "drops"
    ZEROES = "zeroes"
    DEFAULTS = "default"
    SUBSTITUTES = "substitutes"
    GEOMETRY = "geometry"
    IGNORES = "ignores"
    LUMPS = "lumps"
    AS_STATED = "as stated"

    @property
    def is_loss(self) -> bool:
        """The simulator does not have what the file means, and nobody says so by intent."""
        return self in LOSSES


LOSSES = frozenset({Effect.REFUSES, Effect.DROPS, Effect.ZEROES, Effect.DEFAULTS, Effect.SUBSTITUTES})

ANY_FAULT = frozenset(Fault)
ANY_SEAT = frozenset(Seat)


@dataclass(frozen=True)
class Rule:
    """What a simulator does with links of a kind.

    Attributes:
        effect: What becomes of them.
        says: The same in words; {mass}, {carried}, {parent} and {below} are those of the link.
        faults: What is the matter with their inertials.
        seats: How they hang.
        has_geometry: They have collisions, or none; None for both.
        lightest: The mass that they carry has to be at most this [kg]; None for any.
        below: Joints move links below them; None for both.
        is_loaded: Fixed joints hold a mass on them; None for both.
        is_lumped: The faults are those of the sum with what fixed joints hold on them.
        adds_to_nothing: They state inertials that add up to no mass with those of their parents, which are fixed, too.
    """

    effect: Effect
    says: str
    faults: frozenset[Fault] = ANY_FAULT
    seats: frozenset[Seat] = ANY_SEAT
    has_geometry: bool | None = None
    lightest: float | None = None
    below: bool | None = None
    is_loaded: bool | None = None
    is_lumped: bool = False
    adds_to_nothing: bool = False

    def holds(self, state: LinkState) -> bool:
        """Tell whether a link is of the kind."""
        return (
            (state.lumped_fault if self.is_lumped else state.fault) in self.faults
            and state.seat in self.seats
            and self.has_geometry in (None, state.has_geometry)
            and (self.lightest is None or abs(state.carried) <= self.lightest)
            and self.below in (None, state.below > 0)
            and self.is_loaded in (None, state.is_loaded)
            and (state.adds_to_nothing or not self.adds_to_nothing)
        )


AS_STATED = Rule(Effect.AS_STATED, "as the file states it")


@dataclass(frozen=True)
class Simulator:
    """A simulator, or another reader of descriptions.

    Attributes:
        name: What options call it.
        title: What people call it.
        rules: Rules by format, of which the first that holds counts, else the link is taken as it is stated; formats
            that are not there are not read.
        source: Version that was run to find them, or the document that states them.
    """

    name: str
    title: str
    rules: Mapping[Format, tuple[Rule, ...]]
    source: str

    def rule_for(self, state: LinkState, format_: Format) -> Rule | None:
        """Return what it does with a link; None when it does not read the format."""
        if format_ not in self.rules:
            return None
        return next((rule for rule in self.rules[format_] if rule.holds(state)), AS_STATED)


def faults(*those: Fault) -> frozenset[Fault]:
    """Return faults as a set."""
    return frozenset(those)


ROOT, MOVED, FIXED = (frozenset({seat}) for seat in (Seat.ROOT, Seat.MOVED, Seat.FIXED))
UNSTATED = faults(Fault.NO_INERTIAL, Fault.NO_MASS, Fault.NO_TENSOR)
MASSLESS = faults(Fault.NO_INERTIAL, Fault.NO_MASS, Fault.ZERO_MASS, Fault.NOTHING, Fault.NOT_FINITE)
WRONG = faults(Fault.NEGATIVE_MASS, Fault.IMPOSSIBLE)
