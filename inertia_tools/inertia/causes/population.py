# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence about every link of a robot, and how well its links match their geometry in general."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from inertia_tools.description.types import Description, JointType
from inertia_tools.inertia.causes.appearance import Appearance, differs
from inertia_tools.inertia.causes.evidence import REFLECTIONS, Assembly, Crowd, Evidence, Reference, Sibling
from inertia_tools.inertia.causes.noise import CONFIRMED, Noise, Values, against_own_geometry
from inertia_tools.inertia.checks.kin import twins
from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, are_usable

CONGRUENT = 0.01
"""Largest difference of two equal geometries: in shape, and in the centre over the extent."""

ALIKE_VOLUME = 1.03
"""Largest ratio of the volumes of two equal geometries."""

TWIN_VOLUME = 1.3
"""The same for links whose names form a left and right pair."""

MOST_CHILDREN = 6
"""Most carried links for which the inclusion of each one alone is tested."""

SAME_SET = 1e-9
"""Sets of links whose masses differ by less than this ratio are the same set."""

MOST_SIBLINGS = 4
"""Most siblings that are used."""

STRIPPED = 1e-3
"""Products below this ratio of the trace count as zero."""

NOTHING = Inertial.zero()

WITHOUT_VOXELS = AutoInertiaParams(may_load_warp=False)
"""Integration parameters where the user asks for no values."""

UNTURNED = 1e-9
"""Rotation matrices this close to the identity count as the identity."""


@dataclass(frozen=True, eq=False)
class Population:
    """The links of a robot among which causes are searched.

    Attributes:
        robot: The description.
        views: The links whose inertials are checked, by name.
        computed: Mass properties from their geometry.
        params: Integration parameters of shapes that are integrated only for a diagnosis.
    """

    robot: Description
    views: Mapping[str, LinkView]
    computed: Mapping[str, LinkInertial]
    params: AutoInertiaParams = WITHOUT_VOXELS

    @cached_property
    def declared(self) -> dict[str, Inertial]:
        """Declared inertials that are complete and finite with a positive mass, by name."""
        found = {}
        for name, view in self.views.items():
            inertial = view.link.inertial
            if inertial is None or not (inertial.mass > 0.0 and inertial.inertia.any()):
                continue
            if are_usable(inertial.mass) and are_usable(inertial.com) and are_usable(inertial.inertia):
                found[name] = inertial
        return found

    @cached_property
    def geometry(self) -> dict[str, Reference]:
        """References of the links whose geometry can be integrated, by name."""
        found = {}
        for name, view in self.views.items():
            value = self.computed.get(name)
            known = None if value is None or view.missing_meshes else Reference.of(value, view.size)
            if known is not None:
                found[name] = known
        return found

    @cached_property
    def noise(self) -> Noise:
        """How far links deviate from their geometry."""
        return Noise.of_robot(np.array(list(self._blocks.values())).reshape(-1, 5))

    @cached_property
    def _blocks(self) -> dict[str, Array]:
        """Deviation of every link from its geometry, by name."""
        one_of_each = {kind: name for name, kind in self.kinds.items() if self.declared[name].is_valid()}
        if not one_of_each:
            return {}
        names = one_of_each.values()
        values = Values.of([self.declared[name] for name in names])
        blocks = against_own_geometry(values, [self.geometry[name] for name in names])
        of_kinds = dict(zip(one_of_each, blocks, strict=True))
        return {name: of_kinds[kind] for name, kind in self.kinds.items() if kind in of_kinds}

    @cached_property
    def is_apart(self) -> frozenset[str]:
        """Names of the links whose numbers deviate from their geometry, so that there may be a cause."""
        return frozenset(
            name for name in self.geometry if name not in self._blocks or (np.abs(self._blocks[name]) > CONFIRMED).any()
        )

    @cached_property
    def _twins(self) -> dict[str, str]:
        pairs = list(twins(self.geometry))
        return {right: left for left, right in pairs} | dict(pairs)

    @cached_property
    def _by_volume(self) -> tuple[list[str], Array]:
        """Names of links in the order of their volumes, and those [m^3]."""
        names = sorted(self.geometry, key=lambda name: self.geometry[name].volume)
        return names, np.array([self.geometry[name].volume for name in names])

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._by_volume[0])}

    @cached_property
    def _crowd(self) -> Crowd:
        return Crowd(self.declared, self.geometry)

    @cached_property
    def _below(self) -> tuple[dict[str, Inertial], dict[str, Inertial]]:
        """Sum of the links fixed to each, and of all links below it, in the document's frame."""
        fixed, moved = {}, {}
        for name in reversed(self.robot.depth_first):
            fixed[name] = moved[name] = NOTHING
            for joint in self.robot.child_joints[name]:
                child = joint.child
                own = self._placed(child)
                moved[name] = moved[name] + moved[child] + own
                if joint.type is JointType.FIXED:
                    fixed[name] = fixed[name] + fixed[child] + own
        return fixed, moved

    @cached_property
    def _in_document(self) -> dict[str, Inertial]:
        """Declared inertials, in the document's frame."""
        return {name: own.transform(self.robot.link_poses[name]) for name, own in self.declared.items()}

    def _placed(self, name: str) -> Inertial:
        """Return the declared inertial of a link in the document's frame; zero if it is unusable."""
        return self._in_document.get(name, NOTHING)

    @cached_property
    def _whole(self) -> Inertial:
        return Inertial.sum(self._in_document.values())

    def evidence(self, name: str) -> Evidence | None:
        """Return the evidence about a link; None when its numbers or its geometry are unusable."""
        if name not in self.declared or name not in self.geometry:
            return None
        view = self.views[name]
        assert view.declared is not None
        return Evidence(
            link=name,
            declared=self.declared[name],
            turn=view.declared.pose_link_inertial.rotation,
            geometry=self.geometry[name],
            siblings=tuple(islice(self._siblings(name), MOST_SIBLINGS)),
            others=self._crowd,
            assemblies=dict(self._assemblies(name)),
            rotations=self._rotations(name),
            appearance=self._appearance(name),
            degrees=view.declared.rotation_in_degrees,
        )

    def _appearance(self, name: str) -> Appearance | None:
        """Return the visual geometry of a link, one object for equal links; None if it is that of the collisions."""
        view = self.views[name]
        if not differs(view.link):
            return None
        appearance = Appearance(view.link, self.geometry[name].extent, self.params)
        return self._looks.setdefault(appearance.digits, appearance)

    @cached_property
    def _looks(self) -> dict[Hashable, Appearance]:
        return {}

    def _siblings(self, name: str) -> Iterator[Sibling]:
        twin, own = self._twins.get(name), self.geometry[name]
        for other in dict.fromkeys([*([twin] if twin else []), *self._of_like_volume(name)]):
            if other not in self.declared or _sizes_apart(own, self.geometry[other]) >= 10.0 * CONGRUENT:
                continue
            pair = self.kinds[name], self.kinds[other], other == twin
            if pair not in self._alike:
                self._alike[pair] = self._weights(name, other, is_twin=other == twin)
            weights = self._alike[pair]
            if weights is not None:
                yield Sibling(other, self.declared[other], weights)

    @cached_property
    def _alike(self) -> dict[tuple[int, int, bool], Array | None]:
        """Weights of the reflections between links of two compared kinds; None for kinds that differ."""
        return {}

    @cached_property
    def kinds(self) -> dict[str, int]:
        """Index of the kind of each link with numbers and geometry, by name; links of one kind are equal in both."""
        numbers: dict[Hashable, int] = {}
        return {
            name: numbers.setdefault(self._digits(name), len(numbers))
            for name in self.geometry
            if name in self.declared
        }

    def _digits(self, name: str) -> Hashable:
        """Return the values that define the kind of a link: declared inertial, geometry, and places of its joints."""
        box = self.views[name].box
        ends = () if box is None else (box[0].tobytes(), box[1].tobytes())
        return self.declared[name].digits, self.geometry[name].digits, ends, self._joints_at(name).tobytes()

    def _weights(self, name: str, other: str, *, is_twin: bool) -> Array | None:
        """Return the probability that each of `REFLECTIONS` maps another link onto this one; None if the two differ."""
        own, reference = self.geometry[name], self.geometry[other]
        ratio = max(own.volume / reference.volume, reference.volume / own.volume)
        apart = _differences(own, reference)
        if float(apart.min()) >= 10.0 * CONGRUENT:
            return None
        apart = apart + self._frames_apart(name, other)
        is_congruent = ratio <= ALIKE_VOLUME and float(apart.min()) < CONGRUENT
        if not (is_congruent or (is_twin and ratio <= TWIN_VOLUME and float(apart.min()) < 10.0 * CONGRUENT)):
            return None
        if self._is_stripped(other, name):
            return None
        scale = max(CONGRUENT / 3.0, float(apart.min()))
        weights = np.exp(-0.5 * (apart / scale) ** 2) + 1e-4
        return np.asarray(weights / weights.sum())

    def _is_stripped(self, other: str, name: str) -> bool:
        """Return whether another link lost its products, so that it is no evidence for those of this one."""
        own, like = self.declared[name].inertia, self.declared[other].inertia
        products, lost = _products_over_trace(own), _products_over_trace(like)
        return lost < STRIPPED * products and products > STRIPPED

    def _frames_apart(self, name: str, other: str) -> Array:
        """Return the distance between the boxes and joints of two links under each reflection, shape (8,).

        Siblings have their neighbours at equal places; that identifies a mirror where the shape alone is symmetric.
        """
        own_box, box = self.views[name].box, self.views[other].box
        extent = self.geometry[name].extent
        found = np.zeros(len(REFLECTIONS))
        if own_box is not None and box is not None:
            middle, own_middle = np.add(*box) / 2.0, np.add(*own_box) / 2.0
            found += np.linalg.norm(REFLECTIONS @ middle - own_middle, axis=1) / extent
        joints, own_joints = self._joints_at(other), self._joints_at(name)
        if len(joints) == len(own_joints) and len(joints):
            moved = np.einsum("sij,nj->sni", REFLECTIONS, joints)
            distances = np.linalg.norm(moved[:, :, np.newaxis] - own_joints, axis=3)
            found += np.maximum(distances.min(axis=1).max(axis=1), distances.min(axis=2).max(axis=1)) / extent
        return found

    def _joints_at(self, name: str) -> Array:
        places = [joint.pose_parent_child.position for joint in self.robot.child_joints[name]]
        return np.array(places).reshape(-1, 3)

    def _of_like_volume(self, name: str) -> list[str]:
        names, volumes = self._by_volume
        volume, place = self.geometry[name].volume, self._rank[name]
        low, high = np.searchsorted(volumes, [volume / ALIKE_VOLUME, volume * ALIKE_VOLUME])
        reach = 2 * MOST_SIBLINGS
        near = names[max(int(low), place - reach) : min(int(high), place + reach + 1)]
        return sorted((one for one in near if one != name), key=lambda one: abs(self._rank[one] - place))

    def _assemblies(self, name: str) -> Iterator[tuple[str, Assembly]]:
        fixed, moved = self._below
        to_link = self.robot.link_poses[name].inverse()
        sets = {"the links fixed to it": fixed[name], "the links below it": moved[name]}
        own = self._placed(name)
        if self._whole.mass > own.mass:
            sets["the rest"] = self._whole - own
        for joint in self.robot.child_joints[name][:MOST_CHILDREN]:
            sets[repr(joint.child)] = self._placed(joint.child)
        seen: list[float] = []
        for said, rest in sets.items():
            if rest.mass > 0.0 and all(abs(rest.mass - mass) > SAME_SET * mass for mass in seen):
                seen.append(rest.mass)
                yield said, Assembly(rest, to_link)

    def _rotations(self, name: str) -> Mapping[str, Array]:
        """Return the rotations between frames of a link, by the name of the frame."""
        known = self._frames(name)
        key = tuple((said, turn.tobytes()) for said, turn in known.items())
        if key not in self._turns:
            self._turns[key] = dict(_distinct(known))
        return self._turns[key]

    @cached_property
    def _turns(self) -> dict[Hashable, Mapping[str, Array]]:
        """Cache of distinct rotations of frames."""
        return {}

    def _frames(self, name: str) -> dict[str, Array]:
        """Return the axes of the frames of a link, each seen from it or the other way round."""
        view = self.views[name]
        assert view.declared is not None
        known = {
            "the frame of the inertial, whose rotation must be removed": view.declared.pose_link_inertial.rotation.T,
            "a frame that the inertial's rotation must be applied to": view.declared.pose_link_inertial.rotation,
        }
        for shape in view.link.shapes:
            known[f"the frame of its shape {shape.name!r}" if shape.name else "the frame of its shape"] = (
                shape.pose_link_shape.rotation
            )
        joint = self.robot.parent_joint.get(name)
        if joint is not None:
            known["the frame of its parent"] = joint.pose_parent_child.rotation.T
        return known


def _distinct(known: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """Yield rotations other than the identity, in both directions, without duplicates."""
    seen: list[Array] = [np.eye(3)]
    for said, turn in known.items():
        for words, one in ((said, turn), (f"{said}, rotated the other way", turn.T)):
            if all(np.abs(one - other).max() > UNTURNED for other in seen):
                seen.append(one)
                yield words, one


def _products_over_trace(tensor: Array) -> float:
    return float(np.linalg.norm(tensor - np.diag(np.diag(tensor))) / np.trace(tensor))


def _differences(one: Reference, other: Reference) -> Array:
    """Return the difference of two geometries under each of `REFLECTIONS`, shape (8,)."""
    tensors = REFLECTIONS @ other.gyration @ REFLECTIONS / other.trace - one.gyration / one.trace
    apart = np.linalg.norm(REFLECTIONS @ other.com - one.com, axis=1) / one.extent
    return np.asarray(np.linalg.norm(tensors, axis=(1, 2)) + apart + _sizes_apart(one, other))


def _sizes_apart(one: Reference, other: Reference) -> float:
    return abs(math.log(other.trace / one.trace))
