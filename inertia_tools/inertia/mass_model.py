# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Known masses of a robot: of links, groups and the whole, densities, locked masses and payloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError
from inertia_tools.inertia.compute import WATER
from inertia_tools.inertia.given import require_positive
from inertia_tools.inertia.mass_balance import MassEntry
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import are_usable

TOTAL = "total mass"


@dataclass(frozen=True)
class GroupMass:
    """The mass of several links together, including their payloads.

    Attributes:
        name: The group's name.
        links: Names of its links.
        mass: Mass [kg].
    """

    name: str
    links: tuple[str, ...]
    mass: float


@dataclass(frozen=True, eq=False)
class Payload:
    """A part that the geometry of a link does not include, such as a motor or a battery.

    Attributes:
        link: Name of the link that carries it.
        inertial: Its mass properties in link axes; a tensor of zero is that of a point.
        name: Its name.
        is_at_com: It sits at the centre of mass of the link, wherever that is.
    """

    link: str
    inertial: Inertial
    name: str = "payload"
    is_at_com: bool = False


@dataclass(frozen=True)
class MassModel:
    """Known masses and densities.

    All entries hold at once; where they leave masses open, the masses change as little as possible, those of a group by
    one factor.

    Attributes:
        density: Density for links without another entry [kg/m^3].
        link_density: Density of single links [kg/m^3].
        link_mass: Mass of single links [kg], without payloads; it overrides the declared mass, and a density.
        total_mass: Mass of the whole robot with its payloads [kg].
        groups: Masses of several links together.
        locked: Links that keep their mass.
        payloads: Parts added to links.
        estimated: Links whose density is an estimate, which masses of groups and of the whole may override.
        sources: Where each entry was given, by link or name of group, for messages.
    """

    density: float = WATER
    link_density: Mapping[str, float] = field(default_factory=dict)
    link_mass: Mapping[str, float] = field(default_factory=dict)
    total_mass: float | None = None
    groups: tuple[GroupMass, ...] = ()
    locked: frozenset[str] = frozenset()
    payloads: tuple[Payload, ...] = ()
    estimated: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)

    def validate(self, robot: Description) -> None:
        """Check the numbers and the names.

        Raises:
            OptionError: A mass or density is not positive, or a group is empty.
            UnknownLinkError: The robot has no such link.
        """
        grouped = [link for group in self.groups for link in group.links]
        for name in (*self.link_density, *self.link_mass, *self.locked, *grouped, *(p.link for p in self.payloads)):
            robot.link(name)
        for option, value in self._numbers():
            require_positive(option, value)
        for group in self.groups:
            if not group.links:
                raise OptionError(f"group {group.name}", "without links", "one with links")
        for payload in self.payloads:
            if not (payload.inertial.is_finite() and are_usable(payload.inertial.com)):
                raise OptionError(payload.name, payload.inertial.com.tolist(), "three finite numbers in metres")

    def _numbers(self) -> Iterator[tuple[str, float]]:
        yield "density", self.density
        yield from ((f"density of {link}", value) for link, value in self.link_density.items())
        yield from ((f"mass of {link}", value) for link, value in self.link_mass.items())
        yield from ((f"mass of group {group.name}", group.mass) for group in self.groups)
        yield from ((f"mass of {one.name} on {one.link}", one.inertial.mass) for one in self.payloads)
        if self.total_mass is not None:
            yield TOTAL, self.total_mass

    @property
    def says_masses(self) -> bool:
        """Anything beyond the default density is known."""
        return bool(self.total_mass is not None or self.link_mass or self.link_density or self.groups or self.payloads)

    @property
    def is_balanced(self) -> bool:
        """No entry covers several links at once."""
        return self.total_mass is None and not self.groups

    def density_of(self, link: str) -> float:
        """Return the density of a link [kg/m^3]."""
        return self.link_density.get(link, self.density)

    def entries(self, known: Mapping[str, float], untouched: frozenset[str]) -> Iterator[MassEntry]:
        """Yield the known masses without payloads, as sums over links.

        Args:
            known: The mass of each link that has one, by its density where that is given [kg].
            untouched: Links whose mass cannot change.
        """
        for link, mass in self.link_mass.items():
            yield MassEntry(self._said(f"mass of {link} = {mass:g} kg", link), (link,), mass)
        for link, mass in known.items():
            if link in self.link_mass:
                continue
            if link in self.locked:
                yield MassEntry(f"{link} is locked at {mass:g} kg", (link,), mass)
            elif link in untouched:
                yield MassEntry(f"{link} stays at {mass:g} kg", (link,), mass)
            elif link in self.link_density and link not in self.estimated:
                said = f"density of {link} = {self.link_density[link]:g} kg/m^3, which are {mass:g} kg"
                yield MassEntry(self._said(said, link), (link,), mass)
        groups = [*self.groups, *([GroupMass(TOTAL, tuple(known), self.total_mass)] if self.total_mass else [])]
        for group in groups:
            links = tuple(link for link in dict.fromkeys(group.links) if link in known)
            added = sum(one.inertial.mass for one in self.payloads if one.link in group.links or group.name == TOTAL)
            name = group.name if group.name == TOTAL else f"mass of group {group.name}"
            said = f"{name} = {group.mass:g} kg" + (f", {added:g} kg of which are added" if added else "")
            yield MassEntry(self._said(said, group.name), links, group.mass - added)

    def _said(self, words: str, key: str) -> str:
        source = self.sources.get(key)
        return f"{words} ({source})" if source else words
