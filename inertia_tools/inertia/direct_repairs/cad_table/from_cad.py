# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links that take their mass properties from a CAD program's table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inertia_tools.errors import NothingToRepairError
from inertia_tools.inertia.direct_repairs.cad_table.conventions import Stated, judge
from inertia_tools.inertia.direct_repairs.cad_table.part import CadPart
from inertia_tools.inertia.direct_repairs.subject import Subject
from inertia_tools.inertia.repair import Repair

OPTION = "--from-cad"

INSTANCE = re.compile(r"[-:<]\d+>?$|\.(?:sldprt|sldasm|ipt|f3d)$", re.IGNORECASE)
"""Suffixes that CAD programs add to the name of a part: the number of an instance, or a file extension."""


@dataclass(frozen=True, eq=False)
class FromCad:
    """Gives links the mass, centre of mass and tensor of the parts with the same names.

    The table's coordinate system has to be the frame of the link.

    Attributes:
        parts: The parts of the table.
        stated: The convention that the user gives.
        link: The link of the only part in the table; None matches parts and links by name.
    """

    parts: Sequence[CadPart]
    stated: Stated = field(default_factory=Stated)
    link: str | None = None

    def plan(self, subject: Subject) -> Mapping[str, Repair]:
        """Give each link the values of its part.

        Raises:
            NothingToRepairError: No part has the name of a link.
            UndecidedOptionError: The convention of the numbers is undecided.
        """
        named = dict(self._links(subject))
        if not named:
            shown = ", ".join(part.name for part in self.parts[:6])
            links = ", ".join(list(subject.robot.links)[:6])
            raise NothingToRepairError(OPTION, f"no part ({shown}) has the name of a link ({links}); use LINK=FILE")
        parts = [part for part in self.parts if part.name in named]
        geometry = {
            part.name: subject.computed[named[part.name]] for part in parts if named[part.name] in subject.computed
        }
        judgement = judge(parts, geometry, self.stated)
        found = {}
        for part in parts:
            after = judgement.convention.inertial(part)
            assert after is not None
            reason = f"from the table's part {part.name!r}: {judgement.words}"
            found[named[part.name]] = subject.repair(named[part.name], after, reason, keeps_axes=False)
        return found

    def _links(self, subject: Subject) -> Iterator[tuple[str, str]]:
        """Yield the name of each part with that of its link.

        Raises:
            UnknownLinkError: The robot has no link of the given name.
        """
        if self.link is not None and len(self.parts) == 1:
            yield self.parts[0].name, subject.robot.link(self.link).name
            return
        links = {_plain(name): name for name in subject.robot.links if name in subject.touched}
        for part in self.parts:
            plain = _plain(part.name)
            link = links.get(plain) or links.get(f"{plain}link")
            if link is not None:
                yield part.name, link


def _plain(name: str) -> str:
    """Return a name in lower case without blanks and suffix."""
    return re.sub(r"[^a-z0-9]", "", INSTANCE.sub("", name.strip()).lower())
