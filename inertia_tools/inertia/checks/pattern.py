# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Do the numbers look like those of a body, or like a placeholder?"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from inertia_tools.inertia.checks.view import ALIKE, LinkView
from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.spatial import Array

CONFIRMED = 0.01
"""Geometry whose moments differ by less than this ratio confirms the stated ones."""

NEARLY_ISOTROPIC = 0.1
"""Moments of the geometry that differ by less than this ratio are like those of a ball or a cube."""

UNTURNED = 1e-6
"""A rotation matrix this close to the identity counts as the identity."""


def placeholder(view: LinkView, computed: LinkInertial) -> Iterator[Finding]:
    """Report a power of ten times the identity, unless the geometry has that tensor."""
    if view.declared is None or view.declared.defaulted or not _is_power_of_ten(view) or _confirmed(view, computed):
        return
    message = f"the tensor is {view.largest_moment:g} times the identity, a common placeholder"
    yield view.warning("placeholder-inertia", message)


def isotropic(view: LinkView, computed: LinkInertial) -> Iterator[Finding]:
    """Report three equal moments of a link whose geometry is not like a ball or a cube."""
    moments = _moments(computed)
    if moments is None or not view.is_isotropic or _is_power_of_ten(view):
        return
    if moments[0] < (1.0 - NEARLY_ISOTROPIC) * moments[2]:
        message = f"the three moments are equal, {view.largest_moment:.4g} kg m^2, but those of the geometry are not"
        yield view.finding(Severity.INFO, "isotropic-inertia", message)


def rotated_diagonal(view: LinkView, _: LinkInertial) -> Iterator[Finding]:
    """Report a diagonal tensor in a rotated frame, which some readers take for one in link axes."""
    declared = view.declared
    if declared is None or declared.inertia is None or view.sound is None:
        return
    if view.robot.format.traits.states_principal_axes:
        return
    off = np.abs(declared.inertia - np.diag(np.diag(declared.inertia))).max()
    turn = declared.pose_link_inertial.rotation
    if off > ALIKE * view.largest_moment or np.abs(turn - np.eye(3)).max() < UNTURNED:
        return
    if not view.is_isotropic:
        message = (
            "the tensor is diagonal in a frame that is rotated relative to the link; readers that "
            "ignore the rotation are wrong"
        )
        yield view.finding(Severity.INFO, "rotated-diagonal", message)


def _is_power_of_ten(view: LinkView) -> bool:
    """Return whether the tensor is a power of ten times the identity."""
    if not view.is_isotropic:
        return False
    exponent = math.log10(view.largest_moment)
    return abs(exponent - round(exponent)) < ALIKE


def _confirmed(view: LinkView, computed: LinkInertial) -> bool:
    """Return whether the geometry has the stated moments at the stated mass."""
    unit = _moments(computed)
    if unit is None or view.sound is None or computed.inertial is None:
        return False
    expected = unit * (view.sound.mass / computed.inertial.mass)
    return bool(np.abs(expected / view.largest_moment - 1.0).max() < CONFIRMED)


def _moments(computed: LinkInertial) -> Array | None:
    """Return the principal moments of the geometry, ascending [kg m^2]; None without any."""
    if computed.inertial is None or not computed.inertial.mass > 0.0:
        return None
    return np.asarray(np.linalg.eigvalsh(computed.inertial.inertia))


PATTERNS = (placeholder, isotropic, rotated_diagonal)
"""Checks that do not exclude one another."""
