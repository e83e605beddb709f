# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Repair of a link with an impossible inertial: the repair table, one function per row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.mjcf.inertial import SMALL_MOMENT
from inertia_tools.description.mjcf_bodies import REFUSES
from inertia_tools.description.types import Description, Link
from inertia_tools.inertia.causes import Cause
from inertia_tools.inertia.checks.units import WrongUnits
from inertia_tools.inertia.compute import VISUAL_FALLBACK, WATER, LinkInertial, scale_to_mass
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.mjcf_mass.bodies import tensor_excess
from inertia_tools.inertia.nearest import SMALL_CHANGE, nearest_valid_tensor, relative_change
from inertia_tools.inertia.sdf_mass import UNRESOLVED
from inertia_tools.inertia.simulators.codes import REFUSED, WEIGHTLESS
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import are_usable
from inertia_tools.validity import DEFINITE_TOLERANCE, smallest_ratio

NEIGHBOUR_FRACTION = 1e-3
"""Mass of a movable frame without any data, as a ratio of its lighter neighbour's mass."""

LAST_RESORT_MASS = 1e-3
"""Mass [kg] of a movable frame in a robot without any mass."""

DEFAULTED = "default-inertial"
"""Code of the finding about default numbers, which are replaced on request."""

UNUSABLE = frozenset(
    {"non-finite", "missing-inertial", "missing-mass", "negative-mass", "zero-mass", "missing-tensor", "zero-inertia"}
    | UNRESOLVED
    | {DEFAULTED, WEIGHTLESS}
)
"""Findings after which the tensor or mass is unusable."""

IMPOSSIBLE = frozenset(
    {"not-positive-definite", "singular-inertia", "triangle-inequality", "triangle-rounding"}
    | {"missing-origin", "two-tensors", SMALL_MOMENT, REFUSED}
)
"""Findings about a tensor that no body can have, by little or by much."""

OF_MUJOCO = frozenset({REFUSES})
"""Code of the finding about joints, geoms and much else, besides tensors that break the triangle inequality."""

IMPLAUSIBLE = frozenset(
    {"placeholder-inertia", "exceeds-geometry", "oversized-inertia", "undersized-inertia", "com-outside-geometry"}
    | {"copied-inertial"}
)
"""Findings about a possible but implausible inertial; geometry replaces it on request."""


PARTS = frozenset({"mass", "com", "tensor"})
"""Components of an inertial."""


@dataclass(frozen=True, eq=False)
class Repair:
    """The new inertial of a link.

    Attributes:
        link: The link's name.
        after: The new mass properties in link axes.
        method: Their source.
        reason: One sentence.
        from_geometry: Details of the computation, if geometry was used.
        keeps_axes: The axes of the declared inertial frame can stay.
        parts: Which of mass, com and tensor are written; the others stay as they are in the file.
        is_asked: The user requested these exact numbers, so that even an impossible tensor is written.
    """

    link: str
    after: Inertial
    method: Method
    reason: str
    from_geometry: LinkInertial | None = None
    keeps_axes: bool = False
    parts: frozenset[str] = PARTS
    is_asked: bool = False

    @property
    def is_assumed(self) -> bool:
        """The values are an assumption, not from the file or the geometry."""
        return self.method is Method.ASSUMED


def inertial_faults(findings: Iterable[Finding], effective: LinkInertial | None) -> list[Finding]:
    """List the findings for which a link gets another inertial.

    Args:
        findings: All findings about the link.
        effective: Its inertial in force.
    """
    inertial = None if effective is None else effective.inertial
    is_refused = inertial is not None and tensor_excess(inertial.inertia) > 0.0
    codes = UNUSABLE | IMPOSSIBLE | (OF_MUJOCO if is_refused else frozenset())
    return [finding for finding in findings if finding.code in codes]


def repair_link(link: Link, codes: Iterable[str], computed: LinkInertial, mass: float | None) -> Repair | None:
    """Repair one link by the table; None when it needs a neighbour's mass.

    Args:
        link: The link.
        codes: Codes of its findings, at least one of those that `inertial_faults` lists.
        computed: Mass properties from its geometry at the density to use.
        mass: Its mass, when that is known [kg].
    """
    if UNUSABLE.isdisjoint(codes) and _has_tensor_and_mass(link, mass):
        return _impossible_tensor(link, computed, mass)
    if _only_origin_is_bad(link):
        return _bad_origin(link, computed)
    if computed.inertial is not None:
        return repair_from_geometry(link, computed, mass)
    if mass is not None:
        return assumed_sphere(
            link, mass, f"no usable geometry: a solid sphere of this mass at {WATER:g} kg/m^3 is assumed"
        )
    return None


def nearest_reason(change: float) -> str:
    """Return the reason for a nearest valid tensor, which changes the moments by up to that ratio of the largest."""
    return f"the nearest valid tensor, which changes no moment by more than {change:.2%} of the largest"


def needs_geometry(link: Link, codes: Iterable[str], mass: float | None) -> bool:
    """Return whether a repair depends on the geometry, or on its absence; arguments as in `repair_link`."""
    found = set(codes)
    return bool(found) and not (UNUSABLE.isdisjoint(found) and _has_tensor_and_mass(link, mass))


def repair_from_geometry(link: Link, computed: LinkInertial, mass: float | None) -> Repair:
    """Take tensor and centre of mass from geometry, at the mass if it is known, else at the density."""
    value = computed if mass is None else scale_to_mass(computed, mass, link.place)
    assert value.inertial is not None
    basis = f"at the density {computed.density:g} kg/m^3" if mass is None else f"at the mass {mass:g} kg"
    shapes = "visuals" if any(note.code == VISUAL_FALLBACK for note in computed.notes) else "geometry"
    after = _thickened(value.inertial)
    return Repair(link.name, after, value.method, f"centre of mass and tensor from {shapes} {basis}", value)


def _thickened(inertial: Inertial) -> Inertial:
    """Return a wire-thin geometry's inertial with the least moment about its axis that solvers tolerate."""
    if not smallest_ratio(np.asarray(np.linalg.eigvalsh(inertial.inertia), dtype=np.float64)) < DEFINITE_TOLERANCE:
        return inertial
    return Inertial(inertial.mass, inertial.com, nearest_valid_tensor(inertial.inertia))


def repair_units(link: Link, units: WrongUnits) -> Repair | None:
    """Divide the numbers in another unit by its factor; None if only the geometry is in another unit."""
    inertial = link.inertial
    if inertial is None or units.mass_factor == units.tensor_factor == units.com_factor == 1.0:
        return None
    after = Inertial(
        inertial.mass / units.mass_factor, inertial.com / units.com_factor, inertial.inertia / units.tensor_factor
    )
    factors = {"mass": units.mass_factor, "tensor": units.tensor_factor, "centre of mass": units.com_factor}
    done = " and ".join(f"the {name} divided by {factor:g}" for name, factor in factors.items() if factor != 1.0)
    return Repair(link.name, after, Method.DECLARED, f"{done}: {units.said}", keeps_axes=True)


def repair_from_cause(link: Link, cause: Cause, computed: LinkInertial, mass: float | None) -> Repair | None:
    """Undo the mistake of the cause, else take the geometry's value for lost numbers; None if neither is possible.

    Args:
        link: The link.
        cause: Why its numbers are wrong.
        computed: Mass properties from its geometry.
        mass: Its mass, when that is known [kg].
    """
    if cause.after is None:
        return None
    if not cause.restores:
        return repair_from_geometry(link, computed, mass) if computed.inertial is not None else None
    com = None if link.inertial is None else link.inertial.com
    keeps_axes = com is not None and np.array_equal(com, cause.after.com)
    return Repair(link.name, cause.after, Method.DECLARED, f"{cause.code}: {cause.change}", keeps_axes=keeps_axes)


def repair_from_neighbour(link: Link, neighbour: str | None, masses: Mapping[str, float]) -> Repair:
    """Give a frame without any data a small fraction of its lighter neighbour's mass.

    Args:
        link: The frame.
        neighbour: Name of that neighbour, as in `lighter_neighbours`; None if no link has a mass.
        masses: The mass of every link that has one [kg].
    """
    if neighbour is None:
        reason = f"no geometry, no mass, no link with a mass: {LAST_RESORT_MASS:g} kg is assumed"
        return assumed_sphere(link, LAST_RESORT_MASS, reason)
    mass = NEIGHBOUR_FRACTION * masses[neighbour]
    reason = (
        f"no geometry and no mass: {NEIGHBOUR_FRACTION:g} of the mass of its lighter neighbour {neighbour!r} is assumed"
    )
    return assumed_sphere(link, mass, reason)


def lighter_neighbours(robot: Description, masses: Mapping[str, float]) -> dict[str, str]:
    """Return, for each link that joints connect with a mass, the lightest of the nearest links that have one.

    The search starts at all masses at once, so that its cost is linear in the number of links.

    Args:
        robot: The description.
        masses: The mass of every link that has one [kg].
    """
    found = {name: name for name in robot.links if masses.get(name, 0.0) > 0.0}
    ring = found
    while ring:
        reached: dict[str, str] = {}
        for link, source in ring.items():
            for near in _joined(robot, link):
                if near not in found and (near not in reached or masses[source] < masses[reached[near]]):
                    reached[near] = source
        found |= reached
        ring = reached
    return found


def usable_mass(link: Link) -> float | None:
    """Return the mass that the file states if it is valid [kg]; a default does not count."""
    return None if link.declared is None or "mass" in link.declared.defaulted else mass_in_force(link)


def mass_in_force(link: Link) -> float | None:
    """Return the mass of a link if it is valid [kg], including the default of its format."""
    mass = None if link.declared is None else link.declared.mass
    return mass if mass is not None and mass > 0.0 and are_usable(mass) else None


def _has_tensor_and_mass(link: Link, mass: float | None) -> bool:
    """Return whether a tensor and a mass exist; a file may be refused for a body that has neither."""
    tensor = None if link.declared is None else link.declared.inertia
    return tensor is not None and bool(tensor.any()) and (mass is not None or mass_in_force(link) is not None)


def _impossible_tensor(link: Link, computed: LinkInertial, mass: float | None) -> Repair:
    """Take the nearest valid tensor if it is close, else geometry, else the nearest one in any case."""
    declared = link.declared
    assert declared is not None and declared.inertia is not None
    nearest = nearest_valid_tensor(declared.inertia)
    change = relative_change(declared.inertia, nearest)
    if change > SMALL_CHANGE and computed.inertial is not None:
        return repair_from_geometry(link, computed, mass)
    pose, own_mass = declared.pose_link_inertial, mass if mass is not None else mass_in_force(link)
    assert own_mass is not None
    after = Inertial(own_mass, pose.position, rotate_tensor(pose.rotation, nearest))
    return Repair(link.name, after, Method.DECLARED, nearest_reason(change), keeps_axes=True)


def _only_origin_is_bad(link: Link) -> bool:
    """Return whether mass and tensor are sound and only the position of the centre of mass is not finite."""
    declared = link.declared
    if declared is None or declared.inertia is None or usable_mass(link) is None:
        return False
    pose = declared.pose_link_inertial
    finite = are_usable(pose.position) and are_usable(pose.rotation)
    return not finite and Inertial(1.0, inertia=declared.inertia).is_valid()


def _bad_origin(link: Link, computed: LinkInertial) -> Repair:
    declared = link.declared
    mass = usable_mass(link)
    assert declared is not None and mass is not None
    if computed.inertial is not None:
        after = Inertial(mass, computed.inertial.com, declared.inertia)
        return Repair(
            link.name, after, computed.method, "centre of mass from geometry; mass and tensor unchanged", computed
        )
    reason = "no usable geometry: the link's origin is assumed as the centre of mass; mass and tensor unchanged"
    return Repair(link.name, Inertial(mass, inertia=declared.inertia), Method.ASSUMED, reason)


def assumed_sphere(link: Link, mass: float, reason: str) -> Repair:
    """Take a solid sphere of water's density where only the mass [kg] is known."""
    radius = (3.0 * mass / (4.0 * math.pi * WATER)) ** (1.0 / 3.0)
    sphere = Inertial(mass, inertia=np.eye(3) * (0.4 * mass * radius**2))
    position = np.zeros(3) if link.declared is None else link.declared.pose_link_inertial.position
    com = position if are_usable(position) else np.zeros(3)
    return Repair(link.name, sphere.shift(com), Method.ASSUMED, reason)


def _joined(robot: Description, name: str) -> list[str]:
    """Return the links that joints connect with a link, without the world."""
    parent = robot.parent_joint.get(name)
    children = [joint.child for joint in robot.child_joints[name]]
    return children if parent is None or parent.parent not in robot.links else [parent.parent, *children]
