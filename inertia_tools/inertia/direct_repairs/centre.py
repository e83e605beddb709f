# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Centres of mass that the user gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import NothingToRepairError, OptionError
from inertia_tools.inertia.direct_repairs.subject import Subject
from inertia_tools.inertia.repair import PARTS, Repair
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import ArrayLike, are_usable

OPTION = "--com"


@dataclass(frozen=True)
class SetCom:
    """Moves the centre of mass of links; mass and the tensor about that centre stay the same.

    Attributes:
        com: New centre of mass by link, in link axes from the link's origin [m], shape (3,) each.
    """

    com: Mapping[str, ArrayLike]

    def plan(self, subject: Subject) -> Mapping[str, Repair]:
        """Set each centre of mass.

        Raises:
            NothingToRepairError: A link has no inertial, or cannot be changed.
            OptionError: A coordinate is not a number.
            UnknownLinkError: The robot has no such link.
        """
        found = {}
        for name, place in self.com.items():
            subject.robot.link(name)
            com, before = np.asarray(place, dtype=np.float64), subject.inertial(name)
            said = f"{name}={','.join(f'{value:g}' for value in np.ravel(com))}"
            if com.shape != (3,) or not are_usable(com):
                raise OptionError(OPTION, said, "of the form LINK=x,y,z, in metres")
            if before is None:
                raise NothingToRepairError(
                    OPTION, f"{name!r} declares no complete inertial; run fix without this option first"
                )
            if name not in subject.touched:
                raise NothingToRepairError(OPTION, f"{name!r} is static, is not among --links, or is in another file")
            new, is_stated = Inertial(before.mass, com, before.inertia), bool(subject.stated_parts(name) - {"mass"})
            parts = frozenset({"com"}) if is_stated else PARTS  # computed or default values have to be stated now
            found[name] = subject.repair(name, new, "centre of mass as given", parts=parts, keeps_axes=is_stated)
        return found
