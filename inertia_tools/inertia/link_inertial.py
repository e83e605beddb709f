# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of one link, and their source."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.method import Method
from inertia_tools.inertial import Inertial

MISSING_MESH = "missing-mesh"
"""Code of the finding about a mesh that was not found or cannot be read."""


@dataclass(frozen=True, eq=False)
class LinkInertial:
    """Mass properties of one link and their source.

    Attributes:
        link: The link's name.
        inertial: The value in link axes; None if there is nothing to compute it from.
        method: Its source; `Method.NONE` if there is no value.
        volume: Integrated volume [m^3]; None if nothing was integrated.
        density: Mass over volume [kg/m^3]; None if there is no volume.
        error_estimate: Likely relative error of the volume, and of the moments over the largest; None when nothing was
            integrated.
        notes: Findings made on the way.
    """

    link: str
    inertial: Inertial | None
    method: Method
    volume: float | None = None
    density: float | None = None
    error_estimate: float | None = None
    notes: tuple[Finding, ...] = ()

    @property
    def lacks_mesh(self) -> bool:
        """A mesh that would contribute was not found or cannot be read, so the geometry is incomplete."""
        return any(note.code == MISSING_MESH for note in self.notes)
