# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A reason why a robot may be unstable in a simulation, and how reasons are ranked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from inertia_tools.description.source import Place
from inertia_tools.inertia.finding import Severity

FIND_MESHES = "name the folder that holds the package of its meshes with --package-path"
"""Remedy for meshes that were not found."""


@dataclass(frozen=True)
class Reason:
    """One reason why a robot may be unstable.

    Attributes:
        severity: ERROR: the robot cannot be simulated as it is. WARNING: it has an effect whenever its value exceeds
            the bound. INFO: it has an effect in some simulators, or depends on how the robot is started.
        code: Stable identifier in kebab-case.
        score: How far the value exceeds its bound, from 0 at the bound to 1; 0.99 is a hundred times the bound.
        link: Name of the link; empty for a joint or the whole robot.
        joint: Name of the joint; empty if it is about none.
        message: What is wrong, with the numbers.
        remedy: The remedy.
        value: The value that exceeds its bound, in the unit that the message states; None if there is none.
        bound: The bound.
        file: The file that it refers to.
        line: Line there, counted from 1; None when unknown.
    """

    severity: Severity
    code: str
    score: float
    link: str
    joint: str
    message: str
    remedy: str
    value: float | None
    bound: float | None
    file: str
    line: int | None

    def __str__(self) -> str:
        """Write it as compilers do."""
        place = Place(self.file, self.line)
        subject = self.link or self.joint
        about = f"{subject}: " if subject else ""
        return f"{place}: {self.severity.label}: {about}{self.message} [{self.code}]"


def reason_at(
    place: Place,
    severity: Severity,
    code: str,
    message: str,
    remedy: str,
    *,
    score: float,
    link: str = "",
    joint: str = "",
    value: float | None = None,
    bound: float | None = None,
) -> Reason:
    """Make a reason about an element; in an expanded xacro, about the source of that element."""
    written = place.origin or place
    return Reason(
        severity,
        code,
        score,
        link,
        joint,
        message,
        remedy,
        _finite(value),
        _finite(bound),
        written.file,
        written.line,
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def score_beyond(value: float, bound: float) -> float:
    """Return how far a value exceeds its bound: 0 at the bound, 1/2 at twice the bound, 0.99 at a hundred times."""
    return max(0.0, 1.0 - bound / value) if value > 0.0 else 0.0


WRONG_PLACES = frozenset({"origin-in-millimetres", "unit-suspect"})
"""Reasons that move whole links away from where they belong."""

OF_POSES = frozenset({"com-outside-support", "foot-off-ground", "starts-in-ground", "self-contact"})
"""Reasons about where links and masses are at the start, which follow if one is misplaced."""


def ranked(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Order reasons by severity, then by descending score; equal ones keep their order.

    Within one severity, a reason that explains others comes before them, whatever its score.
    """
    found = list(reasons)

    def key(one: Reason) -> tuple[int, float, bool]:
        explains = one.code in WRONG_PLACES
        scores = [other.score for other in found if other.code in OF_POSES and other.severity is one.severity]
        return -one.severity, -max([one.score, *scores] if explains else [one.score]), not explains

    return tuple(sorted(found, key=key))
