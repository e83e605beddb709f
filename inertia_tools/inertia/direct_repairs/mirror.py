# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mirroring the inertials of one side of a robot to the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from inertia_tools.errors import NothingToRepairError, UndecidedOptionError
from inertia_tools.inertia.causes.evidence import REFLECTIONS
from inertia_tools.inertia.direct_repairs.subject import Subject
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.repair import Repair
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import Array

OPTION = "--mirror"

Plane = Literal["xz", "yz", "xy"]
NORMALS: Mapping[Plane, int] = {"xz": 1, "yz": 0, "xy": 2}
"""Planes of the robot at joint positions zero, the likeliest first, and the axis that is normal to each."""

CONGRUENT = 0.1
"""Largest misfit of the mirrored geometry, over its size, at which it counts as the twin's."""

EQUAL = 0.01
"""Mirrors whose misfits differ by less fit equally well; the first of them is used."""

IN_PLACE = 1e-3
"""Largest misfit, over the distance between the twins, if only the places of the links decide."""


@dataclass(frozen=True, eq=False)
class Image:
    """A rigid map from the axes of a link to those of its twin, with or without reflection.

    Attributes:
        words: Its description.
        turn: Orthogonal matrix, shape (3, 3).
        offset: Image of the origin [m], shape (3,).
    """

    words: str
    turn: Array
    offset: Array

    def of(self, inertial: Inertial) -> Inertial:
        """Return the image of mass properties."""
        return Inertial(
            inertial.mass, self.turn @ inertial.com + self.offset, rotate_tensor(self.turn, inertial.inertia)
        )


@dataclass(frozen=True)
class Mirror:
    """Gives the links of one side the mirror image of their twins' inertials.

    Attributes:
        source: Part of the names of the links with the right values.
        target: Its replacement in the names of the links that receive the image.
        plane: The mirror plane, through the middle between the twins, at joint positions zero; None finds the mirror
            that maps the geometry of a link, and its joints, to those of its twin.
    """

    source: str
    target: str
    plane: Plane | None = None

    def plan(self, subject: Subject) -> Mapping[str, Repair]:
        """Mirror every pair.

        Raises:
            NothingToRepairError: No two links are twins by these names.
            UndecidedOptionError: The mirror of a pair is undecided.
        """
        found = {}
        for name, twin in self._pairs(subject):
            own = subject.inertial(name)
            if own is None or twin not in subject.touched:
                continue
            image = self._image(subject, name, twin)
            found[twin] = subject.repair(
                twin, image.of(own), f"the mirror image of {name!r}, {image.words}", keeps_axes=False
            )
        if not found:
            why = (
                f"no link with {self.source!r} in its name has both an inertial and a twin with "
                f"{self.target!r} in the same place"
            )
            raise NothingToRepairError(OPTION, why)
        return found

    def _pairs(self, subject: Subject) -> Iterator[tuple[str, str]]:
        """Yield each link of the source's side with its twin."""
        if not self.source or self.source == self.target:
            return
        for name in subject.robot.links:
            twin = self._twin(name, subject)
            if twin is not None:
                yield name, twin

    def _twin(self, name: str, subject: Subject) -> str | None:
        """Return the link whose name has the target for the source, everywhere or in one place."""
        starts = [place for place in range(len(name)) if name.startswith(self.source, place)]
        single = (name[:place] + self.target + name[place + len(self.source) :] for place in starts)
        return next(
            (
                one
                for one in (name.replace(self.source, self.target), *single)
                if one != name and one in subject.robot.links
            ),
            None,
        )

    def _image(self, subject: Subject, name: str, twin: str) -> Image:
        """Return the map from a link to its twin.

        Raises:
            UndecidedOptionError: The mirror is undecided.
        """
        if self.plane is not None:
            return _in_plane(subject, name, twin, self.plane)
        images = [*(_in_plane(subject, name, twin, plane) for plane in NORMALS), *_IN_LINK_AXES]
        misfits = [self._misfit(subject, name, twin, image) for image in images]
        if None in misfits:
            distance = float(
                np.linalg.norm(subject.robot.link_poses[name].position - subject.robot.link_poses[twin].position)
            )
            image = images[0]
            if distance and float(np.linalg.norm(image.offset)) <= IN_PLACE * distance:
                return image
            why = f"{twin!r} has no geometry and is not at the mirrored position of {name!r}"
        else:
            known = np.array(misfits, dtype=np.float64)
            best = float(known.min())
            if best <= CONGRUENT:
                return images[int(np.flatnonzero(known <= best + EQUAL)[0])]
            why = (
                f"no mirror plane maps {name!r} onto {twin!r}: the geometry differs by at least {best:.0%} of its size"
            )
        raise UndecidedOptionError("--mirror-plane", NORMALS, why)

    def _misfit(self, subject: Subject, name: str, twin: str, image: Image) -> float | None:
        """Return the difference of a link's mirrored geometry and joints from its twin's, over its size."""
        one, other = (_at_one_kilogram(subject.computed.get(link)) for link in (name, twin))
        places = list(self._joints(subject, name, twin))
        if one is None or other is None:
            return None
        size = float(np.sqrt(np.trace(other.inertia)))
        moved = image.of(one)
        apart = [np.linalg.norm(moved.com - other.com) / size]
        apart.append(np.linalg.norm(moved.inertia - other.inertia) / size**2)
        apart += [np.linalg.norm(image.turn @ own + image.offset - theirs) / size for own, theirs in places]
        return float(max(apart))

    def _joints(self, subject: Subject, name: str, twin: str) -> Iterator[tuple[Array, Array]]:
        """Yield the places of a link's child and of the twin's matching child."""
        robot = subject.robot
        places = {joint.child: joint.pose_parent_child.position for joint in robot.child_joints[twin]}
        for joint in robot.child_joints[name]:
            other = self._twin(joint.child, subject)
            if other in places:
                yield joint.pose_parent_child.position, places[other]


def _in_plane(subject: Subject, name: str, twin: str, plane: Plane) -> Image:
    """Return the mirror in a plane of the robot, halfway between two links, as a map between the axes of the two."""
    own, other = (subject.robot.link_poses[link] for link in (name, twin))
    normal = np.eye(3)[NORMALS[plane]]
    mirror = np.eye(3) - 2.0 * np.outer(normal, normal)
    moved = mirror @ own.position + normal * float(normal @ (own.position + other.position))
    back = other.inverse()
    turn = np.asarray(back.rotation @ mirror @ own.rotation)
    return Image(f"in the robot's {plane} plane", turn, back.transform_points(moved))


def _axes_times(signs: Array) -> str:
    return "its x, y, z times " + ", ".join(f"{sign:+g}" for sign in signs)


_IN_LINK_AXES = tuple(
    Image(_axes_times(np.diag(one)), one, np.zeros(3))
    for one in sorted(REFLECTIONS, key=lambda one: (np.linalg.det(one) > 0.0, -np.trace(one), one[1, 1]))
)
"""Mirrors, then half turns, in link axes; the mirror for a frame with the same orientation as its twin's is first."""


def _at_one_kilogram(value: LinkInertial | None) -> Inertial | None:
    """Return the mass properties of a geometry per kilogram; None without a geometry."""
    whole = None if value is None or value.lacks_mesh else value.inertial
    return None if whole is None or not whole.mass > 0.0 else whole.scaled_to_mass(1.0)
