# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which links a correction changes, depending on their findings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np

from inertia_tools.inertia.checks.units import SAME_SIZE
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.mass_model import MassModel
from inertia_tools.inertia.repair import DEFAULTED, IMPLAUSIBLE, IMPOSSIBLE, OF_MUJOCO, UNUSABLE, inertial_faults
from inertia_tools.inertia.report import LinkReport
from inertia_tools.inertial import Inertial

INERTIAL = "/inertial"
"""Part of the path of a finding that MuJoCo refuses an inertial."""

Scope = Literal["invalid", "implausible", "all"]
COPIED = "copied-inertial"
"""Warning about each of some links of other sizes that share an inertial, one of which it may belong to."""

SCOPES = ("invalid", "implausible", "all")


def is_in_scope(entry: LinkReport, scope: Scope, masses: MassModel) -> bool:
    """Return whether a correction of a scope changes a link."""
    if entry.link in masses.link_mass or entry.link in masses.link_density or scope == "all":
        return True
    lowest = Severity.ERROR if scope == "invalid" else Severity.WARNING
    is_doubtful = scope == "implausible" and (is_implausible(entry) or _has_warned_cause(entry))
    return bool(inertial_codes(entry, lowest)) or is_doubtful


def _has_warned_cause(entry: LinkReport) -> bool:
    """Return whether the cause of a link is proven, and reported as a warning at least."""
    cause = entry.proven_cause
    if cause is None:
        return False
    return any(
        one.severity >= Severity.WARNING and cause.code in (one.code, one.explained_by) for one in entry.findings
    )


def is_implausible(entry: LinkReport) -> bool:
    """Return whether the inertial of a link does not match its geometry, and the geometry can replace it."""
    computed = entry.computed
    if computed is None or computed.inertial is None or computed.lacks_mesh:
        return False
    codes = IMPLAUSIBLE & {finding.code for finding in entry.findings}
    return bool(codes) and not (codes == {COPIED} and _is_original(entry, computed.inertial))


def _is_original(entry: LinkReport, computed: Inertial) -> bool:
    """Return whether a tensor that links of other sizes share has the size of this link's geometry.

    Of links whose sizes differ by a factor of 2, whose tensors differ by 4, no two have it.
    """
    stated = None if entry.effective is None else entry.effective.inertial
    if stated is None or not (stated.mass > 0.0 and computed.mass > 0.0):
        return False
    own = float(np.trace(computed.inertia)) * stated.mass / computed.mass
    return own / SAME_SIZE <= float(np.trace(stated.inertia)) <= own * SAME_SIZE


def is_mended(finding: Finding, lacking: Collection[str]) -> bool:
    """Return whether a correction may repair a finding.

    Args:
        finding: The finding.
        lacking: Names of links whose geometry is unknown, so that it cannot replace an inertial.
    """
    is_of_inertial = finding.code in UNUSABLE | IMPOSSIBLE or (finding.code in OF_MUJOCO and INERTIAL in finding.path)
    return is_of_inertial and not (finding.code in UNUSABLE and finding.link in lacking)


def inertial_codes(entry: LinkReport, lowest: Severity) -> set[str]:
    """Return the codes of findings about the declared inertial; those about shapes are not."""
    codes = {one.code for one in inertial_faults(entry.findings, entry.effective) if one.severity >= lowest}
    return codes if codes == {DEFAULTED} else codes - {DEFAULTED}
