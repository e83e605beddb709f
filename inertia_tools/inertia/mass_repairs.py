# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bringing the masses of a robot with sound inertials to the known ones: scaling links, and adding payloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from inertia_tools.description.types import Description
from inertia_tools.errors import NothingToRepairError
from inertia_tools.inertia.effective import is_ignored
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.mass_balance import balanced
from inertia_tools.inertia.mass_model import MassModel, Payload
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.repair import Repair, assumed_sphere, mass_in_force
from inertia_tools.inertia.writable import changeable
from inertia_tools.inertial import Inertial


def masses_after(robot: Description, changes: Mapping[str, Repair]) -> dict[str, float]:
    """Return the mass of every link that has one [kg]."""
    counted = {name: link for name, link in robot.links.items() if not is_ignored(robot, link)}
    known = {name: mass for name, link in counted.items() if (mass := mass_in_force(link)) is not None}
    return known | {name: repair.after.mass for name, repair in changes.items()}


def refuse_masses_of_others(robot: Description, masses: MassModel) -> None:
    """Refuse a new mass for a link that cannot be changed.

    Args:
        robot: The robot, with the inertials in force.
        masses: Known masses and densities.

    Raises:
        NothingToRepairError: There is such a link.
    """
    before, able = masses_after(robot, {}), changeable(robot)
    for name, mass in masses.link_mass.items():
        if name not in able and before.get(name) != mass:
            raise NothingToRepairError("--link-mass", f"{name!r} is static or is in another file")


def with_known_masses(
    robot: Description,
    changes: Mapping[str, Repair],
    masses: MassModel,
    computed: Mapping[str, LinkInertial],
    touched: frozenset[str],
) -> dict[str, Repair]:
    """Scale links to the known masses, and add their payloads.

    Args:
        robot: The robot, with the inertials in force.
        changes: Repairs so far.
        masses: Known masses and densities.
        computed: Mass properties from the geometry of links, at their densities.
        touched: Links that may be changed.

    Raises:
        MassContradictionError: The known masses contradict each other.
        NothingToRepairError: A link with a payload cannot be changed.
    """
    if not masses.says_masses:
        return dict(changes)
    before = masses_after(robot, changes)
    given = {name: mass for name, mass in masses.link_mass.items() if name in touched}
    masses = replace(masses, link_mass=given)
    known = given | before | dict(_by_density(masses, computed, before, touched))
    targets = balanced(known, list(masses.entries(known, frozenset(known) - touched)))
    found = dict(changes)
    for name, mass in targets.items():
        if name in touched and before.get(name) != mass:
            found[name] = _scaled(robot, name, found.get(name), mass, masses)
    for payload in masses.payloads:
        if payload.link not in touched:
            why = f"{payload.link!r} is static, is not among --links, or is in another file"
            raise NothingToRepairError("--add-mass", why)
        found[payload.link] = _loaded(robot, found.get(payload.link), payload)
    return found


def _by_density(
    masses: MassModel, computed: Mapping[str, LinkInertial], known: Mapping[str, float], touched: frozenset[str]
) -> Iterator[tuple[str, float]]:
    """Yield the masses that follow from given densities."""
    for name in masses.link_density.keys() - masses.link_mass.keys():
        value = computed.get(name)
        if value is None or value.inertial is None or value.lacks_mesh:
            continue
        if name in known and name in touched:
            yield name, value.inertial.mass


def _scaled(robot: Description, name: str, old: Repair | None, mass: float, masses: MassModel) -> Repair:
    """Return the repair that gives a link another mass."""
    inertial = robot.links[name].inertial if old is None else old.after
    if inertial is None or not inertial.mass > 0.0:
        reason = f"no inertial: a solid sphere of {mass:g} kg is assumed"
        return assumed_sphere(robot.links[name], mass, reason)
    after = inertial.scaled_to_mass(mass)
    reason = _reason(name, mass / inertial.mass, masses)
    if old is None:
        return Repair(name, after, Method.DECLARED, f"the declared tensor {reason}", keeps_axes=True)
    return replace(old, after=after, reason=f"{old.reason}; {reason}", parts=old.parts | {"mass", "tensor"})


def _reason(name: str, factor: float, masses: MassModel) -> str:
    """Return the reason for changing a mass by a factor."""
    if name in masses.link_mass:
        return f"scaled to the given {masses.link_mass[name]:g} kg"
    whole = [] if masses.total_mass is None else [f"the total mass is {masses.total_mass:g} kg"]
    groups = [f"the mass of group {one.name} is {one.mass:g} kg" for one in masses.groups if name in one.links]
    if name in masses.link_density and name not in masses.estimated:
        return f"scaled by {factor:.6g}, to {masses.link_density[name]:g} kg/m^3"
    return f"scaled by {factor:.6g} so that {' and '.join([*whole, *groups])}"


def _loaded(robot: Description, old: Repair | None, payload: Payload) -> Repair:
    """Return the repair that adds a payload to a link."""
    link = robot.links[payload.link]
    inertial, part = (link.inertial if old is None else old.after), payload.inertial
    if inertial is None or not inertial.mass > 0.0:
        sphere = assumed_sphere(link, part.mass, f"no inertial except {payload.name}, which is taken as a sphere")
        tensor = part.inertia if part.inertia.any() else sphere.after.inertia
        return replace(sphere, after=Inertial(part.mass, part.com, tensor))
    placed = Inertial(part.mass, inertial.com, part.inertia) if payload.is_at_com else part
    after = inertial + placed
    where = ", ".join(f"{value:g}" for value in placed.com)
    reason = f"{payload.name} of {part.mass:g} kg added at {where}"
    if old is None:
        return Repair(payload.link, after, Method.DECLARED, reason)
    return replace(old, after=after, reason=f"{old.reason}; {reason}", keeps_axes=False)
