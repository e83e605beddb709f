# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Properties of a link on which its treatment by simulators depends: its stated inertial, and its joints."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Description, JointType, Link
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array
from inertia_tools.validity import smallest_ratio, triangle_excess


class Fault(enum.Enum):
    """The fault of a stated inertial; the first that holds."""

    AUTO = "left to the simulator"
    NO_INERTIAL = "no inertial"
    NO_MASS = "no mass"
    NO_TENSOR = "no tensor"
    NOT_FINITE = "no finite numbers"
    NEGATIVE_MASS = "a negative mass"
    NOTHING = "mass and tensor zero"
    ZERO_MASS = "zero mass"
    ZERO_TENSOR = "a tensor of zero"
    IMPOSSIBLE = "a tensor that no body has"
    NONE = "sound"


class Seat(enum.Enum):
    """How a link is attached to the others."""

    ROOT = "root"
    MOVED = "moved"
    FIXED = "fixed"


STRICT = 1e-12
"""Ratio by which the largest moment may exceed the sum of the others: readers test to the last digits."""

DIAGONAL = frozenset({"ixx", "iyy", "izz"})


@dataclass(frozen=True)
class LinkState:
    """A link as the rules of simulators see it.

    Attributes:
        link: Its name.
        fault: The fault of its inertial.
        lumped_fault: The fault of its sum with all links that fixed joints hold on it.
        seat: How it is attached to the others.
        has_geometry: It has a collision, or in formats where visuals count, a visual.
        mass: The stated mass [kg]; zero if none.
        carried: The same, including all links that fixed joints hold on it [kg].
        parent: Name of the link that carries it; empty for a root.
        adds_to_nothing: It states an inertial, and a link that is fixed itself adds up to no mass with it.
        below: Links that joints move, below it or below links that fixed joints hold on it.
        is_world: It is a root named world, which stands for the world.
        is_static: Nothing uses its mass properties.
    """

    link: str
    fault: Fault
    lumped_fault: Fault
    seat: Seat
    has_geometry: bool
    mass: float
    carried: float
    parent: str
    adds_to_nothing: bool
    below: int
    is_world: bool
    is_static: bool

    @property
    def is_loaded(self) -> bool:
        """Fixed joints hold a mass on it."""
        return self.carried > self.mass


def link_states(robot: Description) -> dict[str, LinkState]:
    """Return the state of every link, in document order."""
    lumped = {name: _counted(link) for name, link in robot.links.items()}
    below, parts = dict.fromkeys(lumped, 0), dict.fromkeys(lumped, 1)
    everything = dict.fromkeys(lumped, 0)
    for name in reversed(robot.depth_first):
        for joint in robot.child_joints[name]:
            child = joint.child
            everything[name] += 1 + everything[child]
            if joint.type is JointType.FIXED:
                lumped[name] = lumped[name] + lumped[child].transform(joint.pose_parent_child)
                parts[name] += parts[child]
                below[name] += below[child]
            else:
                below[name] += 1 + everything[child]
    return {
        name: _state(robot, link, lumped[name] if parts[name] > 1 else None, below[name])
        for name, link in robot.links.items()
    }


def _state(robot: Description, link: Link, lumped: Inertial | None, below: int) -> LinkState:
    joint = robot.parent_joint.get(link.name)
    seat = _seat(robot, link.name)
    parent = "" if joint is None or seat is Seat.ROOT else joint.parent
    own, fault = _counted(link).mass, fault_of(link)
    carried = own if lumped is None else lumped.mass
    is_fixed_twice = seat is Seat.FIXED and _seat(robot, parent) is Seat.FIXED
    return LinkState(
        link=link.name,
        fault=fault,
        lumped_fault=fault if lumped is None else _fault_of_numbers(lumped.mass, lumped.inertia),
        seat=seat,
        has_geometry=bool(link.collisions),
        mass=own,
        carried=carried,
        parent=parent,
        adds_to_nothing=is_fixed_twice
        and fault is not Fault.NO_INERTIAL
        and _counted(robot.links[parent]).mass + carried == 0.0,
        below=below,
        is_world=seat is Seat.ROOT and link.name == "world",
        is_static=link.is_static,
    )


def _seat(robot: Description, link: str) -> Seat:
    joint = robot.parent_joint.get(link)
    if joint is None or joint.parent not in robot.links:
        return Seat.ROOT
    return Seat.FIXED if joint.type is JointType.FIXED else Seat.MOVED


def _counted(link: Link) -> Inertial:
    """Return the inertial that a parser adds up for a link: the stated one if it can be read, else zero."""
    declared = link.declared
    if declared is None or declared.mass is None or "mass" in declared.defaulted or not np.isfinite(declared.mass):
        return Inertial.zero()
    inertial = declared.inertial or Inertial(declared.mass, declared.pose_link_inertial.position)
    return inertial if inertial.is_finite() else Inertial.zero()


def fault_of(link: Link) -> Fault:
    """Return the fault of the inertial that the file states for a link."""
    declared = link.declared
    if declared is None:
        return Fault.NO_INERTIAL
    if declared.auto:
        return Fault.AUTO
    if declared.mass is None or "mass" in declared.defaulted:
        return Fault.NO_MASS
    if declared.inertia is None or not DIAGONAL.isdisjoint(declared.defaulted):
        return Fault.NO_TENSOR
    return _fault_of_numbers(declared.mass, declared.inertia)


def _fault_of_numbers(mass: float, tensor: Array) -> Fault:
    if not (np.isfinite(mass) and np.isfinite(tensor).all()):
        return Fault.NOT_FINITE
    if mass < 0.0:
        return Fault.NEGATIVE_MASS
    if not tensor.any():
        return Fault.ZERO_TENSOR if mass else Fault.NOTHING
    if not mass:
        return Fault.ZERO_MASS
    moments = np.asarray(np.linalg.eigvalsh(tensor), dtype=np.float64)
    is_possible = smallest_ratio(moments) > 0.0 and triangle_excess(moments) <= STRICT
    return Fault.NONE if is_possible else Fault.IMPOSSIBLE
