# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The checks: small functions that inspect one link, or several, and yield findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inertia_tools.inertia.checks.density import DensityRange, density, out_of_range
from inertia_tools.inertia.checks.joint_units import check_joint_units as check_joint_units
from inertia_tools.inertia.checks.kin import check_kin as check_kin
from inertia_tools.inertia.checks.limits import check_limits as check_limits
from inertia_tools.inertia.checks.pattern import PATTERNS
from inertia_tools.inertia.checks.plausible import PLAUSIBLE, com_outside_geometry
from inertia_tools.inertia.checks.presence import EXCLUSIVE, default_inertial
from inertia_tools.inertia.checks.tensor import POSSIBLE
from inertia_tools.inertia.checks.units import units
from inertia_tools.inertia.checks.view import LinkView as LinkView
from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding
from inertia_tools.wording import listed

SETTLES_THE_TENSOR = ("zero-inertia", "massless-frame")
"""Findings after which the tensor needs no check: it is zero, or nothing uses it."""


def check_link(view: LinkView) -> Iterator[Finding]:
    """Run every check of a declared inertial that needs no geometry."""
    verdict = next((finding for check in EXCLUSIVE for finding in check(view)), None)
    if verdict is not None:
        yield verdict
    else:
        yield from default_inertial(view)
    follows = verdict is not None and view.is_automatic  # automatic: the tensor was scaled to the mass, right or wrong
    if verdict is None or not (follows or verdict.code in SETTLES_THE_TENSOR):
        for check in POSSIBLE:
            yield from check(view)


def check_against_geometry(view: LinkView, computed: LinkInertial, allowed: DensityRange) -> Iterator[Finding]:
    """Compare the declared inertial of a link with its geometry."""
    value = out_of_range(view, computed, allowed)
    yield from density(view, value, allowed)
    for check in PATTERNS:
        yield from check(view, computed)
    for bound in PLAUSIBLE:
        yield from bound(view)
    yield from units(view, computed, value)


def check_bounded(
    typed: LinkView, made: LinkView, computed: LinkInertial, allowed: DensityRange, bounds: Sequence[str]
) -> Iterator[Finding]:
    """Check a link whose inertial the compiler changes from that in the file.

    Patterns and plausibility are checked on the numbers of the file, physical possibility on those in force; where the
    numbers of the file would pass, the settings of the compiler are the cause.

    Args:
        typed: The link with the numbers of the file.
        made: The link with the inertial in force.
        computed: Mass properties from its geometry.
        allowed: Densities that pass.
        bounds: The settings, as they are written.
    """
    usual = {one.code for one in _against_body(typed, computed, allowed)}
    for finding in _against_body(made, computed, allowed):
        cause = f"; the cause is {listed(bounds)} of <compiler>; lower or remove it"
        yield finding if finding.code in usual else replace(finding, message=finding.message + cause)
    for check in PATTERNS:
        yield from check(typed, computed)
    yield from units(typed, computed, out_of_range(typed, computed, allowed))


def _against_body(view: LinkView, computed: LinkInertial, allowed: DensityRange) -> Iterator[Finding]:
    """Check whether a body that fills the link's geometry can have the inertial."""
    yield from density(view, out_of_range(view, computed, allowed), allowed)
    for bound in PLAUSIBLE:
        yield from bound(view)


def check_own_geometry(view: LinkView, computed: LinkInertial, allowed: DensityRange) -> Iterator[Finding]:
    """Check a link whose inertial comes from its geometry: the stated densities, and a centre that may be stated."""
    value = out_of_range(view, computed, allowed)
    yield from density(view, value, allowed)
    yield from com_outside_geometry(view)
    yield from units(view, computed, value)
