# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence about one link: its declared inertial, its geometry, and links with the same geometry."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np

from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.nearest import nearest_within_small_change
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, Pose
from inertia_tools.validity import Validity

REFLECTIONS = np.array([np.diag(signs) for signs in product((1.0, -1.0), repeat=3)])
"""Transformations between two links of the same shape: identity, mirrors and half turns; shape (8, 3, 3)."""

COPIED_DIGITS = 1e-9
"""Numbers that differ by less than this ratio count as equal."""

ROUNDING = 1e-9
"""Relative rounding of sums over other links, where copies of a robot stand at other places in a world."""


SAME_SHAPE = 0.01
"""Relative difference of volumes and of principal moments below which two links have one shape."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Mass properties from the geometry of a link.

    Attributes:
        com: Centre of mass of the geometry in link axes [m], shape (3,).
        gyration: Tensor about that centre per kilogram [m^2], shape (3, 3).
        volume: Volume [m^3].
        extent: Diagonal of the box around the geometry [m].
        error: Likely relative error of the moments.
    """

    com: Array
    gyration: Array
    volume: float
    extent: float
    error: float = 0.0

    @classmethod
    def of(cls, computed: LinkInertial, extent: float) -> Reference | None:
        """Return the reference from computed mass properties; None if they are invalid or lack part of the geometry.

        Args:
            computed: Mass properties of all geometry of a link.
            extent: Diagonal of the box around the geometry [m].
        """
        inertial, volume = computed.inertial, computed.volume
        if inertial is None or not (inertial.mass > 0.0 and extent > 0.0) or computed.lacks_mesh:
            return None
        if not (volume and volume > 0.0 and inertial.is_valid()):
            return None
        return cls(inertial.com, inertial.inertia / inertial.mass, volume, extent, computed.error_estimate or 0.0)

    @cached_property
    def trace(self) -> float:
        """Trace of the gyration tensor [m^2]."""
        return float(np.trace(self.gyration))

    @cached_property
    def digits(self) -> Hashable:
        """All its numbers."""
        return self.com.tobytes(), self.gyration.tobytes(), self.volume, self.extent, self.error

    @cached_property
    def form(self) -> Hashable:
        """The numbers that `is_like` compares."""
        return self.volume, self.principal_gyration.tobytes()

    @cached_property
    def principal_gyration(self) -> Array:
        """Principal moments of the gyration tensor, ascending [m^2], shape (3,)."""
        return np.asarray(np.linalg.eigvalsh(self.gyration), dtype=np.float64)

    def is_like(self, other: Reference) -> bool:
        """Return whether volume and principal moments agree, wherever the two are and however they are turned."""
        apart = np.abs(self.principal_gyration - other.principal_gyration).max() / max(self.trace, other.trace)
        return bool(apart < SAME_SHAPE) and abs(math.log(self.volume / other.volume)) < SAME_SHAPE

    def at_mass(self, mass: float) -> Inertial:
        """Return the mass properties of the geometry at a mass [kg]."""
        return Inertial(mass, self.com, self.gyration * mass)


class Visible(Protocol):
    """Visual geometry, integrated on demand."""

    @property
    def digits(self) -> Hashable:
        """Values by which two links are compared for the same look."""

    def beside(self, geometry: Reference) -> Reference | None:
        """Return the reference of the visual geometry; None if it is open or far from the size of the collisions."""


@dataclass(frozen=True, eq=False)
class Sibling:
    """A link of the same robot with the same or mirrored geometry, such as the other of a pair.

    Attributes:
        link: Its name.
        inertial: Its declared inertial, in its own axes.
        weights: Probability that each of `REFLECTIONS` maps its geometry onto this link's, shape (8,).
    """

    link: str
    inertial: Inertial
    weights: Array


@dataclass(frozen=True, eq=False)
class Assembly:
    """A set of other links whose mass a link may include besides its own.

    Attributes:
        placed: Their sum, in the document's frame.
        to_link: The document's frame, seen from the link.
    """

    placed: Inertial
    to_link: Pose

    @property
    def mass(self) -> float:
        """Mass of the set [kg]."""
        return self.placed.mass

    @cached_property
    def inertial(self) -> Inertial:
        """Their sum in the link's axes; most sets are too heavy to be included in it, and are never moved there."""
        return self.placed.transform(self.to_link)


@dataclass(frozen=True, eq=False)
class Crowd:
    """The declared inertials of all links of a robot.

    Attributes:
        inertials: Mass properties in their own axes, by name.
        shapes: References of the links that have a shape, by name. A link without one may state the inertial of any
            other body.
    """

    inertials: Mapping[str, Inertial] = field(default_factory=dict)
    shapes: Mapping[str, Reference] = field(default_factory=dict)

    @cached_property
    def _by_trace(self) -> tuple[list[int], Array, Array, Array]:
        """Indices of the links in the order of their tensors' traces; then these traces, the masses and the tensors."""
        values = list(self.inertials.values())
        tensors = np.array([one.inertia for one in values]).reshape(-1, 3, 3)
        traces = np.trace(tensors, axis1=1, axis2=2)
        order = np.argsort(traces, kind="stable")
        return order.tolist(), traces[order], np.array([one.mass for one in values])[order], tensors[order]

    @cached_property
    def _names(self) -> list[str]:
        return list(self.inertials)

    @cached_property
    def _found(self) -> dict[Hashable, list[str]]:
        return {}

    def with_numbers_of(self, inertial: Inertial) -> list[str]:
        """Return the links that declare the same mass and tensor, to `COPIED_DIGITS`."""
        key = inertial.digits
        if key not in self._found:
            self._found[key] = self._search(inertial)
        return self._found[key]

    def forms_with_numbers_of(self, inertial: Inertial) -> Collection[list[str]]:
        """Return those of these links that have a shape; links of equal shape in one list, so that one is compared."""
        key = inertial.digits
        if key not in self._forms:
            groups: dict[Hashable, list[str]] = {}
            for name in self.with_numbers_of(inertial):
                if name in self.shapes:
                    groups.setdefault(self.shapes[name].form, []).append(name)
            self._forms[key] = groups.values()
        return self._forms[key]

    @cached_property
    def _forms(self) -> dict[Hashable, Collection[list[str]]]:
        return {}

    def _search(self, inertial: Inertial) -> list[str]:
        order, traces, masses, tensors = self._by_trace
        size, trace = COPIED_DIGITS * np.abs(inertial.inertia).max(), np.trace(inertial.inertia)
        low, high = map(int, np.searchsorted(traces, [trace - 4.0 * size, trace + 4.0 * size]))
        same = np.abs(masses[low:high] - inertial.mass) <= COPIED_DIGITS * inertial.mass
        same &= np.abs(tensors[low:high] - inertial.inertia).max(axis=(1, 2), initial=0.0) <= size
        return [self._names[place] for place in sorted(order[low + int(one)] for one in np.flatnonzero(same))]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence for and against explanations of one link's numbers.

    Attributes:
        link: The link's name.
        declared: The declared inertial in link axes, physically possible or not.
        turn: Axes of the inertial frame seen from the link, shape (3, 3).
        geometry: Mass properties from the geometry.
        siblings: Links with the same or mirrored geometry.
        others: The declared inertials of all links of the robot.
        assemblies: Sets of other links whose mass this link may include besides its own, by a description of the set.
        rotations: Rotations between frames of this link in which a tensor may be stated by mistake, by name; each maps
            the wrong axes to the right ones, shapes (3, 3).
        appearance: Its visual geometry, if that is other shapes and has not been integrated yet.
        seen: Mass properties from the visual geometry, once it is integrated.
        degrees: Axes of the inertial frame if its angles are degrees, shape (3, 3); None where they look like radians.
    """

    link: str
    declared: Inertial
    turn: Array
    geometry: Reference
    siblings: tuple[Sibling, ...] = ()
    others: Crowd = field(default_factory=Crowd)
    assemblies: Mapping[str, Assembly] = field(default_factory=dict)
    rotations: Mapping[str, Array] = field(default_factory=dict)
    appearance: Visible | None = None
    seen: Reference | None = None
    degrees: Array | None = None

    @cached_property
    def meant(self) -> Inertial:
        """The declared inertial, with the nearest valid tensor where that is close to an impossible one."""
        declared = self.declared
        if declared.validity() is not Validity.INVALID:
            return declared
        return Inertial(declared.mass, declared.com, nearest_within_small_change(declared.inertia))

    @cached_property
    def witnesses(self) -> tuple[Reference, ...]:
        """The reference of the geometry, and that of the visual geometry if it was integrated."""
        return (self.geometry,) if self.seen is None else (self.geometry, self.seen)

    def with_a_second_look(self) -> Evidence | None:
        """Return the evidence with the visual geometry integrated; None if there is none beside the collisions."""
        seen = None if self.appearance is None or self.seen is not None else self.appearance.beside(self.geometry)
        return None if seen is None else replace(self, seen=seen)

    @cached_property
    def copy_of(self) -> str | None:
        """Name of a link of another shape that declares the same mass and tensor; None without one."""
        alike, shapes = {self.link, *(sibling.link for sibling in self.siblings)}, self.others.shapes
        forms = self.others.forms_with_numbers_of(self.declared)
        unlike = (names for names in forms if not shapes[names[0]].is_like(self.geometry))
        return next((name for names in unlike for name in names if name not in alike), None)

    @cached_property
    def digits(self) -> Hashable:
        """All numbers for and against explanations: links with equal ones have the same cause.

        Names are left out, and so are assemblies that are too heavy to be included in this link.
        """
        lighter = [one.inertial for one in self.assemblies.values() if one.mass < self.declared.mass]
        return (
            self.declared.digits,
            self.turn.tobytes(),
            self.geometry.digits,
            tuple((sibling.inertial.digits, sibling.weights.tobytes()) for sibling in self.siblings),
            self.copy_of is None,
            tuple(_rounded(one, self.geometry.extent) for one in lighter),
            tuple(turn.tobytes() for turn in self.rotations.values()),
            None if self.appearance is None else self.appearance.digits,
            None if self.degrees is None else self.degrees.tobytes(),
        )

    @cached_property
    def written(self) -> Array:
        """The tensor in the axes of the inertial frame, as in the file [kg m^2], shape (3, 3)."""
        return self.turn.T @ self.declared.inertia @ self.turn

    @cached_property
    def likenesses(self) -> tuple[Array, Array, Array, Array]:
        """The declared inertials of the siblings, mapped onto this link by every reflection.

        Returns:
            Masses [kg], shape (n,); centres [m], shape (n, 3); tensors [kg m^2], shape (n, 3, 3); logarithms of the
            probabilities of each reflection, shape (n,).
        """
        count = len(REFLECTIONS)
        masses = np.repeat([sibling.inertial.mass for sibling in self.siblings], count)
        coms = [REFLECTIONS @ sibling.inertial.com for sibling in self.siblings]
        tensors = [REFLECTIONS @ sibling.inertial.inertia @ REFLECTIONS for sibling in self.siblings]
        weights = [sibling.weights / len(self.siblings) for sibling in self.siblings]
        return masses, np.concatenate(coms), np.concatenate(tensors), np.log(np.concatenate(weights))

    @cached_property
    def expected_coms(self) -> Array:
        """Centres of mass of the geometries and of the siblings, in link axes [m], shape (n, 3)."""
        own = np.stack([one.com for one in self.witnesses])
        return np.concatenate([own, self.likenesses[1]]) if self.siblings else own

    @cached_property
    def expected_tensors(self) -> Array:
        """Tensors of the geometries and of the siblings at the link's mass, in the inertial frame, shape (n, 3, 3)."""
        found = np.stack([one.gyration for one in self.witnesses])
        if self.siblings:
            masses, _, tensors, _ = self.likenesses
            found = np.concatenate([found, tensors / masses[:, np.newaxis, np.newaxis]])
        return np.asarray(self.turn.T @ found @ self.turn * self.declared.mass)


def _rounded(inertial: Inertial, extent: float) -> tuple[Hashable, ...]:
    """Return the numbers of an inertial without the digits that depend on the place in the world of the sum."""
    com = np.round(inertial.com / (ROUNDING * extent)) + 0.0
    tensor = np.round(inertial.inertia / (ROUNDING * inertial.mass * extent**2)) + 0.0
    return f"{inertial.mass:.9g}", com.tobytes(), tensor.tobytes()
