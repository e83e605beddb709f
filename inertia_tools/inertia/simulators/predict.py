# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Prediction of how every simulator treats every link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from inertia_tools.description.types import Description, Format
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.simulators.codes import REFUSED, WEIGHTLESS
from inertia_tools.inertia.simulators.rules import Effect, Rule, Simulator
from inertia_tools.inertia.simulators.state import Fault, LinkState, link_states
from inertia_tools.inertia.simulators.table import SIMULATORS


@dataclass(frozen=True)
class Outcome:
    """How a simulator treats a link.

    Attributes:
        effect: The kind of effect.
        says: A sentence about it.
    """

    effect: Effect
    says: str


def predict(
    robot: Description, simulators: Iterable[Simulator] | None = None
) -> Mapping[str, Mapping[str, Outcome | None]]:
    """Predict how simulators treat every link.

    Args:
        robot: The description.
        simulators: The simulators; all by default.

    Returns:
        Outcomes by link and name of the simulator; None for simulators that do not read the format.
    """
    chosen = list(SIMULATORS.values() if simulators is None else simulators)
    states = {name: state for name, state in link_states(robot).items() if not state.is_static}
    format_ = Format.URDF if robot.format.traits.is_urdf else robot.format
    return {
        name: {one.name: _outcome(one.rule_for(state, format_), state) for one in chosen}
        for name, state in states.items()
    }


def _outcome(rule: Rule | None, state: LinkState) -> Outcome | None:
    if rule is None:
        return None
    if state.is_world:
        return Outcome(Effect.AS_STATED, "the world")
    words = rule.says.format(mass=state.mass, carried=state.carried, parent=state.parent, below=state.below)
    return Outcome(rule.effect, words)


def target_findings(robot: Description, targets: Iterable[Simulator]) -> Iterator[Finding]:
    """Report the links that a target does not take as stated, and would take with other numbers."""
    chosen = list(targets)
    states = link_states(robot)
    for name, outcomes in predict(robot, chosen).items():
        lost = [(one, outcome) for one in chosen if (outcome := outcomes[one.name]) and outcome.effect.is_loss]
        if lost:
            code = REFUSED if states[name].fault is Fault.IMPOSSIBLE else WEIGHTLESS
            message = "; ".join(f"{one.title}: {outcome.says}" for one, outcome in lost)
            link = robot.links[name]
            place = link.place if link.declared is None else link.declared.place
            yield Finding.at(Severity.ERROR, code, name, message, place)
