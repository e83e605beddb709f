# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which links a correction changes, depending on their findings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.mass_model import MassModel
from inertia_tools.inertia.repair import DEFAULTED, IMPLAUSIBLE, IMPOSSIBLE, OF_MUJOCO, UNUSABLE, inertial_faults
from inertia_tools.inertia.report import LinkReport

INERTIAL = "/inertial"
"""Part of the path of a finding that MuJoCo refuses an inertial."""

Scope = Literal["invalid", "implausible", "all"]
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
    has_geometry = computed is not None and computed.inertial is not None and not computed.lacks_mesh
    return has_geometry and any(finding.code in IMPLAUSIBLE for finding in entry.findings)


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
