# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Can a rigid body have this tensor? Ratios are to the largest principal moment."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.validity import (
    DEFINITE_TOLERANCE,
    TRIANGLE_IMPOSSIBLE,
    TRIANGLE_ROUNDING,
    smallest_ratio,
    triangle_excess,
)


def not_positive_definite(view: LinkView) -> Iterator[Finding]:
    """Report a principal moment that is negative or zero."""
    moments = view.moments
    if moments is None or view.largest_moment == 0.0:
        return
    ratio = smallest_ratio(moments)
    listed = _listed(view)
    if ratio <= -DEFINITE_TOLERANCE:
        yield view.error("not-positive-definite", f"the tensor is not positive definite: {listed}")
    elif ratio < DEFINITE_TOLERANCE:
        yield view.error("singular-inertia", f"the body has no inertia about one axis: {listed}")


def triangle_inequality(view: LinkView) -> Iterator[Finding]:
    """Report a largest moment above the sum of the other two: no distribution of mass gives that."""
    moments = view.moments
    if moments is None or view.largest_moment == 0.0:
        return
    violation = triangle_excess(moments)
    if violation > TRIANGLE_IMPOSSIBLE:
        message = f"the largest moment exceeds the sum of the other two by {violation:.2%}: {_listed(view)}"
        yield view.error("triangle-inequality", message)
    elif violation > TRIANGLE_ROUNDING:
        message = (
            f"the largest moment exceeds the sum of the other two by {violation:.2g} of itself, a rounding error; "
            f"MuJoCo refuses it: {_listed(view)}"
        )
        yield view.finding(Severity.WARNING, "triangle-rounding", message)


def _listed(view: LinkView) -> str:
    assert view.moments is not None
    return "principal moments " + ", ".join(f"{moment:.6g}" for moment in view.moments) + " kg m^2"


POSSIBLE = (not_positive_definite, triangle_inequality)
"""Checks that do not exclude one another."""
