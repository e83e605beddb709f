# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Differences of the mass properties of two robots, link by link, independent of formats and frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.description.types import Description, JointType
from inertia_tools.errors import OptionError
from inertia_tools.inertia.effective import effective, is_ignored
from inertia_tools.inertia.given import require_description
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

ALL = "all links"
"""Name of the totals."""

DISTINCT = 0.01
"""Principal moments that differ by less, over the largest, have no axes to compare."""


@dataclass(frozen=True)
class Tolerances:
    """Differences that count as zero.

    Attributes:
        mass: Difference of masses over the larger.
        com: Distance between centres of mass [m].
        inertia: Difference of tensors: Frobenius norm over that of the larger.
    """

    mass: float = 1e-6
    com: float = 1e-6
    inertia: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("mass", "com", "inertia"):
            if not getattr(self, name) >= 0.0:
                raise OptionError(f"{name} tolerance", getattr(self, name), "zero or a positive number")


@dataclass(frozen=True, eq=False)
class LinkDifference:
    """One link of both robots, or of only one.

    Attributes:
        link: Its name in the first robot, or in the second if only that has it.
        before: Its inertial in the first robot, in link axes or in the frame of the robot; None without one.
        after: Its inertial in the second.
        lumped: Links that one robot has separately and the other as a part of this one.
        tolerances: Differences that count as zero.
    """

    link: str
    before: Inertial | None
    after: Inertial | None
    lumped: tuple[str, ...] = ()
    tolerances: Tolerances = field(default_factory=Tolerances)

    @property
    def is_in_both(self) -> bool:
        """Both robots have mass properties for it."""
        return self.before is not None and self.after is not None

    @property
    def differs(self) -> bool:
        """A difference exceeds its tolerance, or only one robot has the link."""
        if not self.is_in_both:
            return True
        parts = (
            (self.mass, self.tolerances.mass),
            (self.com, self.tolerances.com),
            (self.inertia, self.tolerances.inertia),
        )
        return any(not apart <= allowed for apart, allowed in parts)

    @property
    def mass(self) -> float:
        """Difference of the masses over the larger."""
        return abs(self.mass_change)

    @property
    def mass_change(self) -> float:
        """Mass of the second less that of the first, over the larger."""
        one, other = self._both
        return _over(other.mass - one.mass, max(abs(one.mass), abs(other.mass)))

    @property
    def com(self) -> float:
        """Distance between the centres of mass [m]."""
        one, other = self._both
        return float(np.linalg.norm(one.com - other.com))

    @property
    def inertia(self) -> float:
        """Frobenius norm of the difference of the tensors over that of the larger."""
        one, other = self._both
        size = max(float(np.linalg.norm(one.inertia)), float(np.linalg.norm(other.inertia)))
        return _over(float(np.linalg.norm(one.inertia - other.inertia)), size)

    @property
    def moments(self) -> float:
        """Largest difference of principal moments over the largest moment; independent of the frame."""
        one, other = (_moments(inertial) for inertial in self._both)
        return _over(float(np.abs(one - other).max()), max(float(np.abs(one).max()), float(np.abs(other).max())))

    @property
    def axes(self) -> float | None:
        """Largest angle between principal axes of the same rank [rad]; None when no two moments are distinct."""
        one, other = self._both
        if not (one.is_finite() and other.is_finite()):
            return None
        told = np.logical_and(*(_is_distinct(inertial.principal_moments) for inertial in (one, other)))
        cosines = np.abs(np.sum(one.principal_axes * other.principal_axes, axis=0))
        sines = np.linalg.norm(np.cross(one.principal_axes.T, other.principal_axes.T), axis=1)
        return float(np.arctan2(sines, cosines)[told].max()) if told.any() else None

    @property
    def _both(self) -> tuple[Inertial, Inertial]:
        assert self.before is not None and self.after is not None
        return self.before, self.after


@dataclass(frozen=True, eq=False)
class Difference:
    """How two robots differ.

    Attributes:
        links: Every link that has mass properties in either robot, those of the first in its order.
        total: All links together, at joint positions zero, in the frame of the robot.
    """

    links: tuple[LinkDifference, ...]
    total: LinkDifference

    @property
    def differing(self) -> tuple[LinkDifference, ...]:
        """The links that differ."""
        return tuple(one for one in self.links if one.differs)

    @property
    def differs(self) -> bool:
        """A link differs, or the totals do, as when a joint places a link elsewhere."""
        return bool(self.differing) or self.total.differs


def diff(
    before: Description, after: Description, *, tolerances: Tolerances | None = None, in_robot_frame: bool = False
) -> Difference:
    """Compare the mass properties that the links of two robots have under the rules of their formats.

    Links are matched by name; of nested names such as `model::link` and `/robot/link` the last part is used where that
    is unique. A link that has mass in only one robot, where a fixed joint holds it, counts as a part of the link that
    it is fixed to.

    Args:
        before: The first robot.
        after: The second.
        tolerances: Differences that count as zero.
        in_robot_frame: Compare links in the frame of the robot, at joint positions zero, instead of in link axes; for
            robots whose links have different frames.
    """
    require_description(before, "before")
    require_description(after, "after")
    allowed = tolerances or Tolerances()
    ours, theirs = _values(before), _values(after)
    names = _matched(before, after)
    lumped: dict[str, list[str]] = {}
    theirs_lumped: dict[str, list[str]] = {}
    in_both = {name: other for name, other in names.items() if name in ours and other in theirs}
    ours = _lumped(before, ours, set(in_both), lumped)
    theirs = _lumped(after, theirs, set(in_both.values()), theirs_lumped)
    first, second = (_placed(before, ours), _placed(after, theirs))
    total = LinkDifference(ALL, _sum(first), _sum(second), (), _added_up(allowed, first))
    if in_robot_frame:
        ours, theirs = first, second
    rows = []
    for name in before.links:
        other = names.get(name, "")
        if name in ours or other in theirs:
            parts = (*lumped.get(name, ()), *theirs_lumped.get(other, ()))
            rows.append(LinkDifference(name, ours.get(name), theirs.get(other), parts, allowed))
    known = set(names.values())
    rows += [LinkDifference(name, None, theirs[name], (), allowed) for name in theirs if name not in known]
    return Difference(tuple(rows), total)


def _values(robot: Description) -> dict[str, Inertial]:
    """Return the inertial in force of each link, by name; links without mass and tensor are left out."""
    found = {}
    for name, value in effective(robot).items():
        inertial = None if value.value is None else value.value.inertial
        if inertial is None or is_ignored(robot, robot.links[name]):
            continue
        if inertial.mass or inertial.inertia.any():
            found[name] = inertial
    return found


def _matched(before: Description, after: Description) -> dict[str, str]:
    """Return the name in the second robot of each link that both have."""
    exact = {name: name for name in before.links if name in after.links}
    ours, theirs = (_by_last_part(robot, set(exact)) for robot in (before, after))
    return exact | {ours[part]: theirs[part] for part in ours if part in theirs}


def _by_last_part(robot: Description, known: set[str]) -> dict[str, str]:
    """Return links by the last part of their names, where that is unique."""
    found: dict[str, list[str]] = {}
    for name in robot.links:
        found.setdefault(name.replace("::", "/").rsplit("/", 1)[-1], []).append(name)
    return {part: names[0] for part, names in found.items() if len(names) == 1 and names[0] not in known}


def _lumped(
    robot: Description, values: Mapping[str, Inertial], kept: set[str], lumped: dict[str, list[str]]
) -> dict[str, Inertial]:
    """Add unmatched links that fixed joints hold to the link that they are fixed to."""
    found = dict(values)
    for name in reversed(robot.depth_first):
        joint = robot.parent_joint.get(name)
        if name in kept or name not in found or joint is None or joint.type is not JointType.FIXED:
            continue
        if joint.parent in robot.links:
            part = found.pop(name).transform(joint.pose_parent_child)
            found[joint.parent] = found[joint.parent] + part if joint.parent in found else part
            lumped.setdefault(joint.parent, []).extend([name, *lumped.pop(name, ())])
    return found


def _placed(robot: Description, values: Mapping[str, Inertial]) -> dict[str, Inertial]:
    """Express the inertials in the frame of the robot, at joint positions zero."""
    return {name: inertial.transform(robot.link_poses[name]) for name, inertial in values.items()}


def _sum(values: Mapping[str, Inertial]) -> Inertial:
    return Inertial.sum(value for value in values.values() if value.is_finite() and value.mass > 0.0)


def _added_up(tolerances: Tolerances, placed: Mapping[str, Inertial]) -> Tolerances:
    """Return tolerances of the totals that hold if each link is within its own."""
    total = _sum(placed)
    coms = [one.com for one in placed.values() if one.is_finite()]
    reach = max((float(np.linalg.norm(com - total.com)) for com in coms), default=0.0)
    com = tolerances.com + tolerances.mass * reach
    radius = float(np.sqrt(np.trace(total.inertia) / total.mass)) if total.mass > 0.0 else 0.0
    inertia = tolerances.inertia + tolerances.mass + (4.0 * com / radius if radius > 0.0 else 0.0)
    return Tolerances(tolerances.mass, com, inertia)


def _moments(inertial: Inertial) -> Array:
    return inertial.principal_moments if inertial.is_finite() else np.full(3, np.nan)


def _is_distinct(moments: Array) -> Array:
    """Return for each principal moment, in ascending order, whether it is distinct from the others."""
    gaps = np.diff(moments) > DISTINCT * float(np.abs(moments).max())
    return np.array([gaps[0], gaps[0] and gaps[1], gaps[1]])


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
