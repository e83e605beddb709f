# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of simulators: the kind of link, its treatment, and the source."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.state import Fault, LinkState, Seat


class Effect(enum.Enum):
    """Treatment of a link, the worst first."""

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
        """The simulator's inertial is not the one intended, and the loss is not by design."""
        return self in LOSSES


LOSSES = frozenset({Effect.REFUSES, Effect.DROPS, Effect.ZEROES, Effect.DEFAULTS, Effect.SUBSTITUTES})

ANY_FAULT = frozenset(Fault)
ANY_SEAT = frozenset(Seat)


@dataclass(frozen=True)
class Rule:
    """The treatment of links of one kind by a simulator.

    Attributes:
        effect: Their treatment.
        says: The same in words; {mass}, {carried}, {parent} and {below} are those of the link.
        faults: Faults of their inertials.
        seats: How they are attached.
        has_geometry: They have collisions, or none; None for both.
        lightest: Upper bound of the mass that they carry [kg]; None for any.
        below: Joints move links below them; None for both.
        is_loaded: Fixed joints hold a mass on them; None for both.
        is_lumped: The faults are those of the sum with the links that fixed joints hold on them.
        adds_to_nothing: They are fixed links with stated inertials whose sum with that of a fixed parent has no mass.
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
        """Return whether a link is of this kind."""
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
        name: Its name in options.
        title: Its full name.
        rules: Rules by format, of which the first that holds applies; without one, the link is taken as stated. Formats
            without an entry are not read.
        source: The version that was run to find the rules, or the document that states them.
    """

    name: str
    title: str
    rules: Mapping[Format, tuple[Rule, ...]]
    source: str

    def rule_for(self, state: LinkState, format_: Format) -> Rule | None:
        """Return how it treats a link; None if it does not read the format."""
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
