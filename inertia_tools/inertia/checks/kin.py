# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Comparisons between links: copies, left and right twins, and masses on the two sides of a joint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.finding import Finding
from inertia_tools.spatial import Array

COPY_SIZE = 2.0
"""Ratio of sizes above which two links cannot both have the same inertial."""

SAME = 1e-9
"""Numbers that differ by less than this ratio are copies."""

TWIN_SIZE = 1.1
"""Ratio of sizes up to which two links can be twins."""

TWIN_MASS = 0.01
"""Ratio by which the masses of twins may differ."""

TWIN_MOMENTS = 0.05
"""Difference of the moments per kilogram that twins may have, over the largest."""

MASS_RATIO = 1000.0
"""Ratio of masses across a joint above which solvers have trouble."""

_SIDES = {
    "left": "right",
    "l": "r",
    **{f"{part}l": f"{part}r" for part in "fbrh"},  # front, back, rear, hind
    **{f"l{part}": f"r{part}" for part in "fbrh"},
}
_WORD = re.compile(r"[A-Za-z]+?(?=[A-Z][a-z]|[^A-Za-z]|$)")


def check_kin(robot: Description, views: Mapping[str, LinkView]) -> Iterator[Finding]:
    """Run every check that compares links.

    Args:
        robot: The description.
        views: Its links that are checked, by name.
    """
    yield from copies(views.values())
    for left, right in twins(views):
        yield from _differ(views[left], views[right])
    yield from mass_ratios(robot, views)


def copies(views: Iterable[LinkView]) -> Iterator[Finding]:
    """Report links that share mass and moments with a link of another size."""
    for group in _alike([view for view in views if view.sound is not None and view.size > 0.0]):
        smallest, largest = min(group, key=_size), max(group, key=_size)
        for view in group:
            other = largest if largest.size * smallest.size >= view.size**2 else smallest
            if max(other.size / view.size, view.size / other.size) > COPY_SIZE:
                message = (
                    f"mass and moments equal those of link {other.link.name!r}, whose geometry measures "
                    f"{other.size:.3g} m across, and this one's {view.size:.3g} m"
                )
                yield view.warning("copied-inertial", message)


def _alike(views: list[LinkView]) -> list[list[LinkView]]:
    """Group views with the same mass and moments; the cost grows little faster than their number."""
    groups = [views]
    for measure in range(4):
        groups = [part for group in groups if len(group) > 1 for part in _parted(group, measure)]
    return [group for group in groups if len(group) > 1]


def _parted(views: list[LinkView], measure: int) -> Iterator[list[LinkView]]:
    """Split views, sorted by one of their measures, wherever two neighbours differ in it."""
    values = sorted(((*_measured(view, measure), number) for number, view in enumerate(views)), key=lambda one: one[0])
    part, before = [views[values[0][2]]], values[0][0]
    for value, scale, number in values[1:]:
        if value - before > SAME * scale:
            yield part
            part = []
        part.append(views[number])
        before = value
    yield part


def _measured(view: LinkView, measure: int) -> tuple[float, float]:
    """Return the mass or a moment of a view, and the value that differences of it are relative to."""
    assert view.sound is not None and view.moments is not None
    if measure == 0:
        return view.sound.mass, view.sound.mass
    return float(view.moments[3 - measure]), view.largest_moment


def _size(view: LinkView) -> float:
    return view.size


def twins(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pair the names that differ in left and right only: `left_arm`, `l_arm`, `FL_hip`, `LF_HIP`, `kneeLeft`."""
    known = set(names)
    for name in known:
        for other in dict.fromkeys(_mirrored(name)):
            if other in known and other != name:
                yield name, other
                break


def _mirrored(name: str) -> Iterator[str]:
    """Yield the names that the right twin of a left link may have."""
    words = [match for match in _WORD.finditer(name) if match.group().lower() in _SIDES]
    for match in words:
        yield name[: match.start()] + _in_case_of(match.group()) + name[match.end() :]
    if len(words) > 1:
        yield _WORD.sub(lambda m: _in_case_of(m.group()) if m.group().lower() in _SIDES else m.group(), name)
    if "left" in name.lower():
        yield re.sub("left", lambda m: _in_case_of(m.group()), name, flags=re.IGNORECASE)


def _in_case_of(word: str) -> str:
    other = _SIDES[word.lower()]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def _differ(left: LinkView, right: LinkView) -> Iterator[Finding]:
    """Report twins of equal size whose masses, or moments per kilogram, differ."""
    if left.sound is None or right.sound is None or left.moments is None or right.moments is None:
        return
    sizes = sorted((left.size, right.size))
    if sizes[1] > TWIN_SIZE * sizes[0]:
        return
    masses = left.sound.mass, right.sound.mass
    apart = abs(masses[0] - masses[1]) / max(masses)
    per_mass: tuple[Array, Array] = (left.moments / masses[0], right.moments / masses[1])
    turned = float(np.abs(per_mass[0] - per_mass[1]).max() / max(per_mass[0][2], per_mass[1][2]))
    for view, twin in ((left, right), (right, left)):
        assert view.sound is not None
        assert twin.sound is not None
        if apart > TWIN_MASS:
            message = f"{view.sound.mass:g} kg, and its twin {twin.link.name!r} has {twin.sound.mass:g} kg"
            yield view.warning("mirror-mass", message)
        if turned > TWIN_MOMENTS:
            message = f"moments {_listed(view)} kg m^2, and its twin {twin.link.name!r} has {_listed(twin)}"
            yield view.warning("mirror-inertia", message)


def _listed(view: LinkView) -> str:
    return ", ".join(f"{moment:.4g}" for moment in (() if view.moments is None else view.moments))


def mass_ratios(robot: Description, views: Mapping[str, LinkView]) -> Iterator[Finding]:
    """Report a movable joint with far more mass on one side than the other; fixed joints merge links into one side."""
    masses = {name: 0.0 if view.sound is None else view.sound.mass for name, view in views.items()}
    for across in masses_across_joints(robot, masses):
        if across.joint.child in views and across.lighter in views and across.ratio > MASS_RATIO:
            message = (
                f"{across.mass:.4g} kg on one side of joint {across.joint.name!r} and {across.ratio * across.mass:.4g} "
                f"kg on the other: {across.ratio:.3g} to 1; solvers converge slowly at such ratios"
            )
            yield views[across.lighter].warning("mass-ratio", message)


@dataclass(frozen=True)
class MassesAcross:
    """The masses on the two sides of a movable joint.

    Attributes:
        joint: The joint.
        lighter: Name of the link on the lighter side; of links on fixed joints, the one that carries the others.
        heavier: Name of that on the heavier side.
        mass: Mass of that side [kg].
        ratio: Mass of the heavier side over that of the lighter.
    """

    joint: Joint
    lighter: str
    heavier: str
    mass: float
    ratio: float


def masses_across_joints(robot: Description, masses: Mapping[str, float]) -> Iterator[MassesAcross]:
    """Compare the masses on the two sides of movable joints; fixed joints merge links into one side.

    Args:
        robot: The description.
        masses: Mass of each link [kg]; links not named have none. Joints with a massless side are left out.
    """
    carrier = carriers(robot)
    mass: dict[str, float] = {}
    for name, carries in carrier.items():
        mass[carries] = mass.get(carries, 0.0) + masses.get(name, 0.0)
    for joint in robot.joints.values():
        if joint.type is JointType.FIXED or joint.parent not in carrier:
            continue
        below, above = mass[joint.child], mass[carrier[joint.parent]]
        if below > 0.0 and above > 0.0:
            sides = sorted([(below, joint.child), (above, carrier[joint.parent])], key=lambda side: side[0])
            (mass_of_lighter, lighter), (mass_of_heavier, heavier) = sides
            yield MassesAcross(joint, lighter, heavier, mass_of_lighter, mass_of_heavier / mass_of_lighter)


def carriers(robot: Description) -> dict[str, str]:
    """Return, for each link, the first of the links that fixed joints connect to it, parents before children."""
    carrier: dict[str, str] = {}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        is_carried = joint is not None and joint.type is JointType.FIXED and joint.parent in carrier
        carrier[name] = carrier[joint.parent] if is_carried and joint is not None else name
    return carrier
