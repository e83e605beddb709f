# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Why a robot is unstable in simulation: reasons, the likeliest first, and the effect of a correction."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from inertia_tools.description.types import Description
from inertia_tools.diagnosis.contact_reasons import self_contact_reasons
from inertia_tools.diagnosis.drop_tests import DropTest, drop_tests
from inertia_tools.diagnosis.effort_reasons import effort_reasons
from inertia_tools.diagnosis.inertial_reasons import inertial_reasons
from inertia_tools.diagnosis.limit_reasons import limit_reasons
from inertia_tools.diagnosis.loop_reasons import loop_reasons
from inertia_tools.diagnosis.reason import Reason, ranked
from inertia_tools.diagnosis.stated_step import StatedStep, stated_step
from inertia_tools.diagnosis.step_reasons import ControllerGains, StepStudy, step_reasons, study_step
from inertia_tools.diagnosis.support_reasons import NEAR, NEAR_SHARE, support_reasons
from inertia_tools.errors import InertiaToolsError, OptionError
from inertia_tools.geometry.mesh.batch import Progress
from inertia_tools.inertia.correct import fix
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.given import require_description
from inertia_tools.sim.importing.articulation import LOG as IMPORTER_LOG
from inertia_tools.sim.scene.given import as_number
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.settle import AVERAGING_TIME
from inertia_tools.sim.simulation import Simulation
from inertia_tools.sim.start_contacts import start_of

DEFAULT_SECONDS = 2.0
"""Simulated time of each settle test [s]."""


@dataclass(frozen=True, eq=False)
class InstabilityReport:
    """Why a robot may be unstable, and the effect of a correction.

    Attributes:
        robot: The description.
        reasons: The reasons, the most important first.
        step: The time step examined, and its source.
        study: The bounds of the step; None if the robot cannot be simulated even after correction.
        before: The settle test of the robot as it is; None if it was not requested.
        after: The settle test after `fix`.
        correction: The changes of `fix`.
        unsimulated: Why the robot as it is cannot be simulated; empty if it can.
    """

    robot: Description
    reasons: tuple[Reason, ...]
    step: StatedStep
    study: StepStudy | None
    before: DropTest | None
    after: DropTest | None
    correction: Correction
    unsimulated: str = ""

    @property
    def suggested_step(self) -> float | None:
        """Suggested time step [s]; None if unknown."""
        return None if self.study is None else self.study.suggested

    @property
    def is_stable(self) -> bool:
        """No reason is more than an info, and the robot can be simulated and stands after the settle test."""
        calm = all(reason.severity is Severity.INFO for reason in self.reasons)
        return calm and not self.unsimulated and (self.before is None or self.before.stands)


@contextmanager
def _each_notice_once() -> Iterator[None]:
    """Let the importer log each notice once: a diagnosis imports one robot up to three times."""
    said: set[str] = set()

    def is_new(record: logging.LogRecord) -> bool:
        before = len(said)
        said.add(record.getMessage())
        return len(said) > before

    IMPORTER_LOG.addFilter(is_new)
    try:
        yield
    finally:
        IMPORTER_LOG.removeFilter(is_new)


@_each_notice_once()
def diagnose(
    robot: Description,
    *,
    step: float | None = None,
    stiffness: float = 0.0,
    damping: float = 0.0,
    fixed_base: bool = False,
    settle: bool = True,
    seconds: float = DEFAULT_SECONDS,
    progress: Progress | None = None,
) -> InstabilityReport:
    """Rank the reasons why a robot may be unstable in simulation.

    Args:
        robot: The description.
        step: Time step of the simulation [s]; by default that of the file, else its simulator's default.
        stiffness: Position gain of a controller, for joints whose drives the file does not state [N m/rad or N/m].
        damping: Velocity gain of the controller [N m s/rad or N s/m].
        fixed_base: The root is bolted to the world.
        settle: Also run the settle test, before and after `fix`.
        seconds: Simulated time of each of these tests [s].
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: A number is out of range.
    """
    require_description(robot)
    if step is not None:
        _require("step", step, least=0.0, is_more=True)
    _require("stiffness", stiffness, least=0.0)
    _require("damping", damping, least=0.0)
    _require("seconds", seconds, least=AVERAGING_TIME, is_more=True)
    asked = stated_step(robot) if step is None else StatedStep(step, "asked for")
    correction = fix(robot, progress=progress)
    wider = fix(robot, "implausible", progress=progress)
    simulation, refusal = _simulation(robot, fixed_base)
    reasons = [
        *inertial_reasons(correction.report, correction, wider, is_refused=bool(refusal)),
        *limit_reasons(correction.report),
        *loop_reasons(robot),
    ]
    simulated = robot
    if simulation is None and correction.changes:
        simulation, _ = _simulation(correction.corrected, fixed_base)
        simulated = correction.corrected
    study = None
    if simulation is not None:
        study = study_step(robot, simulation, asked.seconds, ControllerGains(stiffness, damping))
        start = start_of(simulated, near=NEAR, near_share=NEAR_SHARE, fixed_base=fixed_base)
        reasons += [*step_reasons(robot, study), *self_contact_reasons(robot, start), *support_reasons(robot, start)]
    before: DropTest | None = None
    after: DropTest | None = None
    if settle:
        before, after = drop_tests(correction, seconds=seconds, fixed_base=fixed_base)
        reasons += _at_rest(robot, (before, after))
    return InstabilityReport(robot, ranked(reasons), asked, study, before, after, correction, refusal)


def _at_rest(robot: Description, tests: Iterable[DropTest]) -> list[Reason]:
    """Return the reasons that show in the first of some drop tests in which the robot stands."""
    results = (test.result for test in tests if test.stands)
    first = next(results, None)
    return [] if first is None else list(effort_reasons(robot, first))


def _require(name: str, value: Any, *, least: float, is_more: bool = False) -> None:
    """Refuse a number that is out of range.

    Raises:
        OptionError: It is out of range.
    """
    number = as_number(value)
    if not math.isfinite(number) or number < least or (is_more and number == least):
        raise OptionError(name, value, f"a number {'above' if is_more else 'of at least'} {least:g}")


def _simulation(robot: Description, fixed_base: bool) -> tuple[Simulation | None, str]:
    """Build a simulation without making a step; or None, and the reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SceneWarning)
            return Simulation(robot, fixed_base=fixed_base, dtype="float64"), ""
    except InertiaToolsError as error:
        return None, str(error)
