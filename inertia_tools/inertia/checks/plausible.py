# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Could a body that fills the link's geometry have this inertial? Each check is one independent bound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.finding import Finding, Severity

OVERSIZED = 3.0
"""Trace of the tensor over that of the solid box of the same extents, above which the tensor is too large for it."""

UNDERSIZED = 0.01
"""The same, below which it is too small."""

COM_OUTSIDE = 0.2
"""How far the centre of mass may lie outside the box around the geometry, as a ratio of the box's extent there."""

THIN = 0.1
"""An extent counts as at least this ratio of the largest one, so that a sheet is not judged by its thickness."""

ROUNDING = 1e-6
"""Ratio by which decimals may exceed a bound that is exact."""


def exceeds_geometry(view: LinkView) -> Iterator[Finding]:
    """Report a moment above the mass times the squared distance of the geometry's farthest point from the centre."""
    if view.sound is None or view.box is None:
        return
    arms = np.linalg.norm(view.points - view.sound.com, axis=1)
    bound = view.sound.mass * float(arms.max()) ** 2
    if view.largest_moment > bound * (1.0 + ROUNDING):
        message = (
            f"a moment of {view.largest_moment:.4g} kg m^2 is impossible for {view.sound.mass:g} kg in the link's "
            f"geometry, whose farthest point is {arms.max():.4g} m from the centre of mass: the maximum is {bound:.4g}"
        )
        yield view.warning("exceeds-geometry", message)


def out_of_proportion(view: LinkView) -> Iterator[Finding]:
    """Report tensors that are far larger, or far smaller, than that of the solid box of the same extents."""
    ratio = view.trace_ratio
    if ratio is None:
        return
    said = f"the tensor is {ratio:.3g} times that of a solid box of the link's extents and mass"
    if ratio > OVERSIZED:
        yield view.warning("oversized-inertia", f"{said}, over {OVERSIZED:g}")
    elif ratio < UNDERSIZED:
        yield view.warning("undersized-inertia", f"{said}, under {UNDERSIZED:g}")


def com_outside_geometry(view: LinkView) -> Iterator[Finding]:
    """Report a centre of mass well outside the box around the geometry."""
    if view.centre is None or view.box is None:
        return
    low, high = view.box
    extent = high - low
    beyond = np.maximum(low - view.centre, view.centre - high)
    ratio = beyond / np.maximum(extent, THIN * extent.max())
    axis = int(ratio.argmax())
    if ratio[axis] > COM_OUTSIDE:
        message = (
            f"the centre of mass lies {beyond[axis]:.4g} m outside the link's geometry along {'xyz'[axis]}, where "
            f"that reaches from {low[axis]:.4g} to {high[axis]:.4g} m"
        )
        yield view.finding(Severity.WARNING, "com-outside-geometry", message)


PLAUSIBLE = (exceeds_geometry, out_of_proportion, com_outside_geometry)
"""Checks that do not exclude one another."""
