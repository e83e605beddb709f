# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Articulations of a model that look alike, read and written as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError
from inertia_tools.sim.dynamics.kinematics import eval_fk
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.given import as_optional_list, need
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.selection.labels import Pattern, last_part, matching
from inertia_tools.sim.selection.layout import FrequencyLayout, layout_of
from inertia_tools.sim.selection.names import SelectionNames
from inertia_tools.sim.selection.roots import Roots
from inertia_tools.sim.selection.rows import SelectedRows, frequency_of, holder, owners_of
from inertia_tools.sim.selection.writing import chosen_by, values_for, write

OF_ARTICULATIONS = (
    AttributeFrequency.ARTICULATION,
    AttributeFrequency.JOINT,
    AttributeFrequency.JOINT_DOF,
    AttributeFrequency.JOINT_COORD,
    AttributeFrequency.BODY,
    AttributeFrequency.SHAPE,
)
"""What articulations have entries of."""


class ArticulationView(SelectionNames):
    """Articulations of a model that look alike: the same joints and links in each.

    Arrays that it returns are copies, made through the host, of shape (worlds, articulations a world, entries); where
    an entry is a vector or a pose, that is the type of the array. What is changed in one is written back by the setter.

    Attributes:
        model: The model.
        world_count: Number of worlds that have one.
        count_per_world: Number of them in each.
    """

    def __init__(
        self,
        model: Model,
        pattern: Pattern,
        *,
        include_joints: Pattern | None = None,
        exclude_joints: Pattern | None = None,
        include_links: Pattern | None = None,
        exclude_links: Pattern | None = None,
        include_joint_types: Sequence[int] | None = None,
        exclude_joint_types: Sequence[int] | None = None,
        include_loop_closing_joints: bool = False,
        verbose: bool | None = None,
    ) -> None:
        """Select articulations by label, and some of their joints and links.

        Args:
            model: The model.
            pattern: Labels of articulations: a pattern with * and ?, several, a regular expression for the whole label,
                or indices.
            include_joints: Joints to keep, likewise, by the last part of their labels or by number in the articulation;
                None for all.
            exclude_joints: Joints to leave out.
            include_links: Links to keep; None for all.
            exclude_links: Links to leave out.
            include_joint_types: Kinds of joints to keep, of `JointType`; None for all.
            exclude_joint_types: Kinds of joints to leave out.
            include_loop_closing_joints: Keep those joints, too, whose child hangs on another one.
            verbose: As in Newton; nothing is printed.

        Raises:
            OptionError: Nothing matches, worlds have different numbers of articulations, or these have different
                numbers of joints or links.
        """
        self.model = need("model", model, Model, "finalize()")
        self._ids = _by_world(model, matching("pattern", model.articulation_label, pattern))
        owned = [_joints_of(model, one, include_loop_closing_joints) for one in self._ids.ravel()]
        links = [_links_of(model, own) for own in owned]
        for what, own in (("joints", owned), ("links", links)):
            if len({len(one) for one in own}) > 1:
                raise OptionError("pattern", pattern, f"articulations with the same number of {what}")
        names = [last_part(model.joint_label[joint]) for joint in owned[0]]
        kept = _filtered("joints", names, include_joints, exclude_joints)
        types = [model.built_joints[joint].kind for joint in owned[0]]
        wanted = as_optional_list("include_joint_types", include_joint_types, "kinds of joints")
        unwanted = as_optional_list("exclude_joint_types", exclude_joint_types, "kinds of joints")
        kept = [n for n in kept if include_joint_types is None or types[n] in wanted]
        kept = [n for n in kept if types[n] not in unwanted]
        bodies = [last_part(model.body_label[body]) for body in links[0]]
        shown = _filtered("links", bodies, include_links, exclude_links)
        roots = [next((j for j in own if not model.built_joints[j].closes_loop), own[0]) for own in owned]
        self._roots = Roots(model, np.reshape(roots, self._ids.shape))
        self._rows = SelectedRows(
            model, self._ids, [[own[n] for n in kept] for own in owned], [[own[n] for n in shown] for own in links]
        )

    @property
    def world_count(self) -> int:
        """Number of worlds that have articulations of the selection."""
        return int(self._ids.shape[0])

    @property
    def count_per_world(self) -> int:
        """Number of articulations in each."""
        return int(self._ids.shape[1])

    @property
    def count(self) -> int:
        """Number of all articulations."""
        return int(self._ids.size)

    @property
    def articulation_ids(self) -> Any:
        """Indices of the articulations, Warp array of int32, shape (worlds, articulations a world)."""
        return wp.array(self._ids.astype(np.int32), dtype=wp.int32, ndim=2, device=self.model.device)

    @property
    def joint_count(self) -> int:
        """Number of joints of each articulation that are selected."""
        return int(self._rows.of(AttributeFrequency.JOINT).shape[2])

    @property
    def link_count(self) -> int:
        """Number of links of each that are selected."""
        return int(self._rows.of(AttributeFrequency.BODY).shape[2])

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of the joints that are selected."""
        return int(self._rows.of(AttributeFrequency.JOINT_DOF).shape[2])

    @property
    def joint_coord_count(self) -> int:
        """Number of their coordinates."""
        return int(self._rows.of(AttributeFrequency.JOINT_COORD).shape[2])

    @property
    def shape_count(self) -> int:
        """Number of shapes on the links that are selected."""
        return int(self._rows.of(AttributeFrequency.SHAPE).shape[2])

    @property
    def root_joint_type(self) -> JointKind:
        """Kind of the first joint of the first articulation."""
        return self._roots.kind

    @property
    def is_floating_base(self) -> bool:
        """Whether that is a free joint."""
        return self.root_joint_type is JointKind.FREE

    @property
    def is_fixed_base(self) -> bool:
        """Whether that is a fixed joint."""
        return self.root_joint_type is JointKind.FIXED

    @cached_property
    def custom_frequency_counts(self) -> dict[str, int]:
        """Number of rows that each has of the tables of users' own that say whose their rows are, by key."""
        return {key: int(self._rows.of(key).shape[2]) for key in self.model.custom_frequency_articulation}

    @cached_property
    def frequency_layouts(self) -> dict[AttributeFrequency | str, FrequencyLayout]:
        """Where the entries of each frequency stand in arrays of the model, the tables of users' own by key.

        What the articulations have none of, or not at equal distances, is left out; `get_attribute` finds it all the
        same.
        """
        asked: tuple[AttributeFrequency | str, ...] = (*OF_ARTICULATIONS, *self.model.custom_frequency_articulation)
        found = {frequency: layout_of(self._rows.of(frequency)) for frequency in asked}
        return {frequency: layout for frequency, layout in found.items() if layout is not None}

    def get_attribute(self, name: str, source: Any) -> Any:
        """Return the values of an array of a model, state or control.

        Args:
            name: Its name; of one in a namespace with a dot between.
            source: What has it.

        Returns:
            A Warp array of its type, shape (worlds, articulations a world, entries).

        Raises:
            OptionError: It has no values for parts of articulations, or these have different numbers of them.
            AttributeError: There is no such array.
        """
        rows, array = self._rows.of(frequency_of(self.model, name)), _array_of("source", source, name)
        return self._on_device(array.numpy()[rows], array.dtype)

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Write values to an array of a model, state or control; see `get_attribute`.

        Args:
            name: Its name.
            target: What has it.
            values: An array, or what NumPy makes one of, that can be spread to the shape of `get_attribute`.
            mask: Worlds, shape (worlds,), or articulations, shape (worlds, articulations a world), that are written
                to; None for all.

        Raises:
            OptionError: As for `get_attribute`; or the values are no numbers, or they or the mask have another shape.
            AttributeError: There is no such array.
        """
        self._write(name, target, values, mask, may_be_endless=True)

    def _write(self, name: str, target: Any, values: Any, mask: Any, *, may_be_endless: bool) -> None:
        rows, array = self._rows.of(frequency_of(self.model, name)), _array_of("target", target, name)
        shape = (*rows.shape, *array.numpy().shape[1:])
        given = values_for(name, values, shape, None if self._is_custom(name) else may_be_endless)
        write(array, rows, given, chosen_by(mask, self._roots.shape))

    def _is_custom(self, name: str) -> bool:
        return name.replace(".", ":") in self.model.scene.custom_attributes

    def get_root_transforms(self, source: Any) -> Any:
        """Return the pose of the root of each, Warp array of transforms, shape (worlds, articulations a world).

        That of a free joint is in the coordinates of the source. That of another one is the frame of the joint on its
        parent, in the world where it has none, which the model has: `joint_X_p`.

        Raises:
            OptionError: The roots of some articulations move freely, those of others do not.
        """
        return self._on_device(self._roots.poses(source), self.model.precision.transform)

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        """Put each somewhere else; `eval_fk` then moves the bodies.

        The pose of a free joint is written to `joint_q` of the target. Other joints get a new frame on their parents,
        which is one of the model and holds for all states: an arm is bolted down elsewhere. Bodies that rest in the
        target are stepped again; with the model as the target, those of all states. A joint that closes a loop stays
        where it is, and pulls at bodies that were put away from it.

        Args:
            target: A state, or the model.
            values: Positions [m] and quaternions x, y, z, w, shape (worlds, articulations a world, 7), or what spreads
                to it.
            mask: See `set_attribute`.

        Raises:
            OptionError: The values are not poses, or they or the mask have another shape; or the roots of some
                articulations move freely, those of others do not.
        """
        self._roots.place(target, values, mask)

    def get_root_velocities(self, source: Any) -> Any:
        """Return the rates of the free joint of each, linear before angular, shape (worlds, articulations a world).

        Where roots do not move freely, there are none, and this is None.

        Raises:
            OptionError: The roots of some articulations move freely, those of others do not.
        """
        rates = self._roots.twists(source)
        return None if rates is None else self._on_device(rates, self.model.precision.vec6)

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write the rates of the free joint of each; where roots do not move freely, they can only be zero.

        Raises:
            OptionError: The values are not finite, or they or the mask have another shape; or they are not zero where
                roots do not move freely.
        """
        self._roots.set_twists(target, values, mask)

    def get_link_transforms(self, source: Any) -> Any:
        """Return the poses of the links; see `get_attribute`."""
        return self.get_attribute("body_q", source)

    def get_link_velocities(self, source: Any) -> Any:
        """Return the velocities of the links; see `get_attribute`."""
        return self.get_attribute("body_qd", source)

    def get_dof_positions(self, source: Any) -> Any:
        """Return the coordinates of the joints; see `get_attribute`."""
        return self.get_attribute("joint_q", source)

    def set_dof_positions(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write the coordinates of the joints, finite ones; see `set_attribute`."""
        self._write("joint_q", target, values, mask, may_be_endless=False)

    def get_dof_velocities(self, source: Any) -> Any:
        """Return the rates of the degrees of freedom; see `get_attribute`."""
        return self.get_attribute("joint_qd", source)

    def set_dof_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write the rates of the degrees of freedom, finite ones; see `set_attribute`."""
        self._write("joint_qd", target, values, mask, may_be_endless=False)

    def get_dof_forces(self, source: Any) -> Any:
        """Return the efforts on the degrees of freedom; see `get_attribute`."""
        return self.get_attribute("joint_f", source)

    def set_dof_forces(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write the efforts on the degrees of freedom, finite ones; see `set_attribute`."""
        self._write("joint_f", target, values, mask, may_be_endless=False)

    def get_model_articulation_mask(self, mask: Any = None) -> Any:
        """Return a truth value for each articulation of the model, Warp array, true of those of the selection.

        Raises:
            OptionError: The mask has another shape; see `set_attribute`.
        """
        chosen = np.zeros(self.model.articulation_count, dtype=bool)
        chosen[self._ids[chosen_by(mask, self._roots.shape)]] = True
        return wp.array(chosen, dtype=wp.bool, device=self.model.device)

    @property
    def articulation_mask(self) -> Any:
        """The same for all articulations of the selection."""
        return self.get_model_articulation_mask()

    @property
    def full_mask(self) -> Any:
        """A mask for all worlds of the selection, Warp array of truth values."""
        return wp.full(self.world_count, True, dtype=wp.bool, device=self.model.device)

    def eval_fk(self, target: Any, mask: Any = None) -> None:
        """Move the bodies to where the coordinates and rates of a state have them; see `inertia_tools.eval_fk`."""
        holder("target", target)
        which = self.get_model_articulation_mask(mask)
        eval_fk(self.model, target.joint_q, target.joint_qd, target, mask=which)

    def _on_device(self, values: np.ndarray, dtype: Any) -> Any:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self.model.device)

    @cached_property
    def custom_frequency_labels(self) -> dict[str, list[str]]:
        """Last parts of the labels of those rows of the first articulation, by key; empty where they have none."""
        found = {}
        for key in self.custom_frequency_counts:
            label = self.model.scene.custom_frequencies[key].label_attribute
            own = np.flatnonzero(owners_of(self.model, key) == self._ids.flat[0])
            texts = [] if label is None else _attribute(self.model, label.split(":"))
            found[key] = [last_part(texts[row]) for row in own.tolist()] if texts else []
        return found


def _by_world(model: Model, found: Sequence[int]) -> np.ndarray:
    """Return the indices of articulations, shape (worlds, articulations a world)."""
    worlds, own = model.articulation_world.numpy(), max(model.scene.articulation_count, 1)
    groups: dict[tuple[int, int], list[int]] = {}
    for index in found:
        groups.setdefault((index // own, int(worlds[index])), []).append(index)
    if not groups:
        known = ", ".join(sorted(set(model.articulation_label)))
        raise OptionError("pattern", "no label of an articulation", f"one of {known}")
    counts = sorted({len(group) for group in groups.values()})
    if len(counts) > 1:
        raise OptionError("pattern", f"worlds with {counts} articulations", "as many in each")
    return np.array([groups[key] for key in sorted(groups)], dtype=np.int64)


def _joints_of(model: Model, articulation: int, with_loops: bool) -> list[int]:
    """Return the joints of an articulation."""
    owners = np.flatnonzero(model.joint_articulation.numpy() == articulation).tolist()
    return [joint for joint in owners if with_loops or not model.built_joints[joint].closes_loop]


def _links_of(model: Model, joints: Sequence[int]) -> list[int]:
    """Return the bodies that joints carry."""
    children = model.joint_child.numpy()
    return list(dict.fromkeys(int(children[joint]) for joint in joints))


def _filtered(what: str, names: Sequence[str], included: Pattern | None, excluded: Pattern | None) -> list[int]:
    """Return the numbers of the names that stay."""
    kept = range(len(names)) if included is None else matching(f"include_{what}", names, included)
    out = () if excluded is None else matching(f"exclude_{what}", names, excluded)
    return [number for number in kept if number not in out]


def _array_of(argument: str, source: Any, name: str) -> Any:
    return _attribute(holder(argument, source), name.split("."))


def _attribute(source: Any, parts: Sequence[str]) -> Any:
    for part in parts:
        source = getattr(source, part)
    return source
