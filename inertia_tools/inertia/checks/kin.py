# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What links say about each other: copies, left and right twins, and masses on both sides of a joint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from inertia_tools.description.types import Description, JointType
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
"""Ratio of the largest by which moments for each kilogram may differ."""

MASS_RATIO = 1000.0
"""Ratio of masses across a joint that solvers have trouble with."""

_SIDES = {
    "left": "right",
    "l": "r",
    **{f"{part}l": f"{part}r" for part in "fbrh"},  # front, back, rear, hind
    **{f"l{part}": f"r{part}" for part in "fbrh"},
}
_WORD = re.compile(r"[A-Za-z]+?(?=[A-Z][a-z]|[^A-Za-z]|$)")


def check_kin(robot: Description, views: Mapping[str, LinkView]) -> Iterator[Finding]:
    """Run every check that looks at several links.

    Args:
        robot: The description.
        views: Its links that are judged, by name.
    """
    yield from copies(views.values())
    for left, right in twins(views):
        yield from _differ(views[left], views[right])
    yield from mass_ratios(robot, views)


def copies(views: Iterable[LinkView]) -> Iterator[Finding]:
    """Report links that share mass and moments with one whose size is another."""
    sized = [view for view in views if view.sound is not None and view.size > 0.0]
    sized.sort(key=lambda view: view.sound.mass if view.sound is not None else 0.0)
    for group in _runs(sized):
        for view in group:
            other = max(group, key=lambda one: max(one.size / view.size, view.size / one.size))
            if max(other.size / view.size, view.size / other.size) > COPY_SIZE:
                message = (
                    f"mass and moments are those of link {other.link.name!r} too, whose geometry measures "
                    f"{other.size:.3g} m across, and this one's {view.size:.3g} m"
                )
                yield view.warning("copied-inertial", message)


def _runs(views: list[LinkView]) -> Iterator[list[LinkView]]:
    """Group views, in the order of their masses, that have the same mass and moments."""
    waiting = list(views)
    while waiting:
        first = waiting[0]
        same: list[LinkView] = []
        rest: list[LinkView] = []
        for index, view in enumerate(waiting):
            if not _same_mass(first, view):
                rest.extend(waiting[index:])
                break
            (same if _same_moments(first, view) else rest).append(view)
        waiting = rest
        if len(same) > 1:
            yield same


def _same_mass(one: LinkView, other: LinkView) -> bool:
    assert one.sound is not None
    assert other.sound is not None
    return bool(np.isclose(one.sound.mass, other.sound.mass, rtol=SAME, atol=0.0))


def _same_moments(one: LinkView, other: LinkView) -> bool:
    assert one.moments is not None
    assert other.moments is not None
    return bool(np.abs(one.moments - other.moments).max() <= SAME * one.largest_moment)


def twins(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pair the names that differ in left and right only: `left_arm`, `l_arm`, `FL_hip`, `LF_HIP`, `kneeLeft`."""
    known = set(names)
    for name in known:
        for other in dict.fromkeys(_mirrored(name)):
            if other in known and other != name:
                yield name, other
                break


def _mirrored(name: str) -> Iterator[str]:
    """Make the names that a left link's right twin may have."""
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
    """Report twins of one size whose masses, or moments for each kilogram, are not the same."""
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
    """Report a joint that moves with far more mass on one side than on the other; fixed joints make one side."""
    carrier: dict[str, str] = {}
    mass: dict[str, float] = {}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        is_carried = joint is not None and joint.type is JointType.FIXED and joint.parent in carrier
        carrier[name] = carrier[joint.parent] if is_carried and joint is not None else name
        own = views[name].sound if name in views else None
        mass[carrier[name]] = mass.get(carrier[name], 0.0) + (0.0 if own is None else own.mass)
    for joint in robot.joints.values():
        if joint.type is JointType.FIXED or joint.parent not in carrier or joint.child not in views:
            continue
        below, above = mass[joint.child], mass[carrier[joint.parent]]
        if not (below > 0.0 and above > 0.0) or max(below, above) <= MASS_RATIO * min(below, above):
            continue
        lighter = joint.child if below < above else carrier[joint.parent]
        if lighter in views:
            message = (
                f"{min(below, above):.4g} kg on one side of joint {joint.name!r} and {max(below, above):.4g} kg on "
                f"the other: {max(below, above) / min(below, above):.3g} to 1, which solvers have trouble with"
            )
            yield views[lighter].warning("mass-ratio", message)
