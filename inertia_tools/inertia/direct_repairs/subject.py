# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The robot to which direct repairs are applied, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.repair import PARTS, Repair
from inertia_tools.inertial import Inertial

DIAGONAL = frozenset({"ixx", "iyy", "izz"})
"""Numbers without which a tensor is not stated."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A robot under repair.

    Attributes:
        robot: The description as its file states it.
        in_force: The same, with the inertial in force of each link as its declaration.
        computed: Mass properties from the geometry of each link.
        touched: Names of the links that may be changed.
        changes: Repairs made so far, by link.
    """

    robot: Description
    in_force: Description
    computed: Mapping[str, LinkInertial]
    touched: frozenset[str]
    changes: Mapping[str, Repair]

    def inertial(self, link: str) -> Inertial | None:
        """Return the inertial of a link after the repairs so far; None without a complete one."""
        change, before = self.changes.get(link), self.in_force.links[link].inertial
        is_complete = change is not None and (before is not None or change.parts == PARTS)
        return change.after if change is not None and is_complete else before

    def stated_parts(self, link: str) -> frozenset[str]:
        """Return which of mass, com and tensor the file states for a link."""
        declared = self.robot.links[link].declared
        if declared is None:
            return frozenset()
        has_tensor = declared.inertia is not None and not declared.auto and DIAGONAL.isdisjoint(declared.defaulted)
        has_com = not declared.auto and bool(np.any(declared.pose_link_inertial.position))
        has_mass = declared.stated_mass is not None
        return frozenset(part for part, has in (("tensor", has_tensor), ("com", has_com), ("mass", has_mass)) if has)

    def repair(
        self, link: str, after: Inertial, reason: str, *, parts: frozenset[str] = PARTS, keeps_axes: bool = True
    ) -> Repair:
        """Return a requested repair of a link, on top of those made so far."""
        earlier = self.changes.get(link)
        if earlier is None:
            return Repair(link, after, Method.DECLARED, reason, keeps_axes=keeps_axes, parts=parts, is_asked=True)
        return replace(
            earlier,
            after=after,
            reason=f"{earlier.reason}; {reason}",
            keeps_axes=earlier.keeps_axes and keeps_axes,
            parts=earlier.parts | parts,
            is_asked=True,
        )

    def repaired(self, repairs: Iterable[DirectRepair]) -> dict[str, Repair]:
        """Return all changes after applying each of the repairs."""
        subject = self
        for one in repairs:
            subject = replace(subject, changes={**subject.changes, **one.plan(subject)})
        return dict(subject.changes)


class DirectRepair(Protocol):
    """A repair that a user requests by name."""

    def plan(self, subject: Subject) -> Mapping[str, Repair]:
        """Return the changes to make, by link.

        Raises:
            NothingToRepairError: No link can take the repair.
            OptionError: The user's values are invalid.
        """
