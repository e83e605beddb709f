# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of one link, and where they came from."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.method import Method
from inertia_tools.inertial import Inertial

MISSING_MESH = "missing-mesh"
"""Code of the note about a mesh that was not found or cannot be read."""


@dataclass(frozen=True, eq=False)
class LinkInertial:
    """Mass properties of one link and where they came from.

    Attributes:
        link: The link's name.
        inertial: The value in link axes; None when there is nothing to compute it from.
        method: How it was found; `Method.NONE` goes with None.
        volume: Integrated volume [m^3]; None when nothing was integrated.
        density: Mass over volume [kg/m^3]; None when there is no volume.
        error_estimate: Likely relative error of the volume, and of the moments over the largest; None when nothing was
            integrated.
        notes: What was noticed on the way.
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
        """A mesh that would count was not found or cannot be read, so this is not all of the geometry."""
        return any(note.code == MISSING_MESH for note in self.notes)
