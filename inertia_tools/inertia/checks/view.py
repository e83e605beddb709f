# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a check looks at: one link with its surroundings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertia_tools.description.types import DeclaredInertial, Description, Link
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.spatial import Array, are_usable


@dataclass(frozen=True, eq=False)
class LinkView:
    """One link of a robot, with the facts that several checks ask for."""

    robot: Description
    link: Link

    @property
    def declared(self) -> DeclaredInertial | None:
        """What the file states."""
        return self.link.declared

    @cached_property
    def needs_mass(self) -> bool:
        """The link has geometry, or may move; otherwise it is a mere frame."""
        if self.link.is_static:
            return False
        return bool(self.link.shapes) or self.robot.is_moved(self.link.name)

    @cached_property
    def why_it_needs_mass(self) -> str:
        """The reason, for messages."""
        joint = self.robot.parent_joint.get(self.link.name)
        if self.robot.is_moved(self.link.name) and joint is not None:
            return f"the {joint.type.value} joint {joint.name!r} moves it"
        return "nothing holds it" if joint is None and not self.link.shapes else "it has geometry"

    @cached_property
    def moments(self) -> Array | None:
        """Principal moments of the declared tensor, ascending [kg m^2]; None when absent or not finite."""
        tensor = None if self.declared is None else self.declared.inertia
        if tensor is None or not are_usable(tensor):
            return None
        return np.asarray(np.linalg.eigvalsh(tensor), dtype=np.float64)

    @property
    def largest_moment(self) -> float:
        """Largest size of a principal moment [kg m^2]; zero when there is no tensor."""
        return 0.0 if self.moments is None else float(np.abs(self.moments).max())

    def finding(self, severity: Severity, code: str, message: str) -> Finding:
        """Build a finding at the link's inertial, or at the link when it has none."""
        place = self.link.place if self.declared is None else self.declared.place
        return Finding(severity, code, self.link.name, message, place.file, place.line)

    def error(self, code: str, message: str) -> Finding:
        """Build an error."""
        return self.finding(Severity.ERROR, code, message)
