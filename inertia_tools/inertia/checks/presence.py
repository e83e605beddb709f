# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Is there a usable inertial at all? These checks exclude one another: the first finding decides."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.description.link import DIAGONAL_AND_MASS
from inertia_tools.inertia.checks.view import SMALLEST_GYRATION_RADIUS, LinkView
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.spatial import are_usable


def non_finite(view: LinkView) -> Iterator[Finding]:
    """Report numbers that are not finite."""
    declared = view.declared
    if declared is None:
        return
    names = []
    if declared.mass is not None and not are_usable(declared.mass):
        names.append("mass")
    if declared.inertia is not None and not are_usable(declared.inertia):
        names.append("inertia")
    pose = declared.pose_link_inertial
    if not (are_usable(pose.position) and are_usable(pose.rotation)):
        names.append("origin")
    if names:
        yield view.error("non-finite", f"values of the inertial that are not finite numbers: {', '.join(names)}")


def missing_inertial(view: LinkView) -> Iterator[Finding]:
    """Report links without `<inertial>`; for a mere frame as an info only."""
    if view.declared is not None:
        return
    if view.needs_mass:
        yield view.error("missing-inertial", f"no inertial is declared, although {view.why_it_needs_mass}")
    else:
        message = "no inertial is declared; harmless, the link is a frame without geometry that no joint moves"
        yield view.finding(Severity.INFO, "frame-without-inertial", message)


def missing_mass(view: LinkView) -> Iterator[Finding]:
    """Report inertials that state no mass."""
    if view.declared is not None and view.declared.mass is None:
        yield view.error("missing-mass", "the inertial states no mass")


def negative_mass(view: LinkView) -> Iterator[Finding]:
    """Report masses below zero."""
    if view.declared is not None and view.declared.mass is not None and view.declared.mass < 0.0:
        yield view.error("negative-mass", f"the mass is {view.declared.mass:g} kg; write a positive mass")


def zero_mass(view: LinkView) -> Iterator[Finding]:
    """Report masses of zero; for a mere frame as an info only."""
    if view.declared is None or view.declared.mass != 0.0:
        return
    if view.needs_mass:
        yield view.error("zero-mass", f"the mass is zero, although {view.why_it_needs_mass}")
        return
    support = view.massless_support
    message = (
        "the mass is zero; harmless, the link is a frame without geometry that no joint moves"
        if support is None
        else f"the mass is zero, and so is that of {support!r}, to which it is fixed: Gazebo computes their "
        "centre of mass as 0/0 and refuses the file; remove the <inertial>, or run fix --target gazebo"
    )
    yield view.finding(Severity.INFO, "massless-frame", message)


def missing_tensor(view: LinkView) -> Iterator[Finding]:
    """Report tensors that are absent, or lack some of their six numbers."""
    if view.declared is not None and view.declared.inertia is None:
        absent = ", ".join(view.declared.absent)
        yield view.error("missing-tensor", f"the inertial has an incomplete tensor; missing: {absent}")


def zero_inertia(view: LinkView) -> Iterator[Finding]:
    """Report tensors that are negligible for their mass."""
    if view.declared is None or view.declared.mass is None or view.moments is None or not view.declared.mass > 0.0:
        return
    radius = view.gyration_radius
    if radius < SMALLEST_GYRATION_RADIUS:
        message = (
            f"the tensor is zero or nearly zero: with {view.declared.mass:g} kg the largest moment "
            f"{view.largest_moment:g} kg m^2 means a radius of gyration of {radius:.2g} m"
        )
        yield view.error("zero-inertia", message)


def default_inertial(view: LinkView) -> Iterator[Finding]:
    """Report links with SDFormat's default inertial, which hardly any real body has."""
    declared = view.declared
    if declared is None or DIAGONAL_AND_MASS.isdisjoint(declared.defaulted) or not view.needs_mass:
        return
    absent = [name for name in ("mass", "ixx", "iyy", "izz") if name in declared.defaulted]
    message = (
        f"the file states no {', '.join(absent)}, so the link has the default of 1 for each; state them, or use auto"
    )
    yield view.finding(Severity.WARNING, "default-inertial", message)


EXCLUSIVE = (non_finite, missing_inertial, missing_mass, negative_mass, zero_mass, missing_tensor, zero_inertia)
"""The checks in their order."""
