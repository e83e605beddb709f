# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers in other units than kilograms and metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import NothingToRepairError
from inertia_tools.inertia.direct_repairs.subject import Subject
from inertia_tools.inertia.repair import PARTS, Repair
from inertia_tools.inertia.unit_table import Units
from inertia_tools.inertial import Inertial

OPTION = "--convert-units"


@dataclass(frozen=True)
class ConvertUnits:
    """Converts the inertials that a file states to kilograms and metres.

    Attributes:
        units: The units of the numbers in the file.
        parts: Which of mass, com and tensor are in them.
    """

    units: Units
    parts: frozenset[str] = PARTS

    def plan(self, subject: Subject) -> Mapping[str, Repair]:
        """Multiply the stated values of each link by the size of their unit; defaults of the format stay.

        Raises:
            NothingToRepairError: No link states any of the parts.
        """
        found = {}
        for name in subject.robot.links:
            parts = self.parts & subject.stated_parts(name) if name in subject.touched else frozenset()
            if parts:
                reason = f"{_listed(parts)} converted from {self.units}"
                found[name] = subject.repair(name, self._converted(subject, name, parts), reason, parts=parts)
        if not found:
            raise NothingToRepairError(OPTION, "no link has values to convert")
        return found

    def _converted(self, subject: Subject, name: str, parts: frozenset[str]) -> Inertial:
        before = subject.inertial(name) or _incomplete(subject, name)
        mass = before.mass * (self.units.kilograms if "mass" in parts else 1.0)
        com = before.com * (self.units.metres if "com" in parts else 1.0)
        is_auto = "tensor" not in subject.stated_parts(name) and "mass" in parts and before.mass != 0.0
        declared = subject.robot.links[name].declared
        if "tensor" in parts:
            tensor = before.inertia * self.units.moment
        elif is_auto and declared is not None and declared.auto:
            tensor = before.inertia * (mass / before.mass)
        else:
            tensor = before.inertia
        return Inertial(mass, com, tensor)


def _incomplete(subject: Subject, name: str) -> Inertial:
    """Return the stated values of a link, with zeros for missing ones."""
    declared = subject.in_force.links[name].declared
    assert declared is not None
    return Inertial(declared.mass or 0.0, declared.pose_link_inertial.position, np.zeros((3, 3)))


def _listed(parts: frozenset[str]) -> str:
    return "the inertial" if parts == PARTS else " and ".join(sorted(parts))
