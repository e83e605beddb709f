# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Batched access to equal articulations of a model."""

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
"""Frequencies with entries per articulation."""


class ArticulationView(SelectionNames):
    """Batched access to articulations with equal joints and links.

    Returned arrays are copies, made on the host, of shape (worlds, articulations per world, entries); the data type is
    that of an entry, such as a vector or a transform. A setter writes changed values back.

    Attributes:
        model: The model.
        world_count: Number of worlds with selected articulations.
        count_per_world: Number of selected articulations in each of these worlds.
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
        """Select articulations by label, and optionally subsets of their joints and links.

        Args:
            model: The model.
            pattern: Labels of articulations: a pattern with * and ?, a list of patterns, a compiled regular expression
                that must match the whole label, or indices.
            include_joints: Joints to include, as a pattern for the last part of their labels, or indices within the
                articulation; None for all.
            exclude_joints: Joints to exclude, likewise.
            include_links: Links to include, likewise; None for all.
            exclude_links: Links to exclude, likewise.
            include_joint_types: Values of `JointType` to include; None for all.
            exclude_joint_types: Values of `JointType` to exclude.
            include_loop_closing_joints: Whether to include joints whose child already has another parent joint.
            verbose: Accepted for compatibility with Newton; nothing is printed.

        Raises:
            OptionError: No label matches, worlds have different numbers of articulations, or articulations have
                different numbers of joints or links.
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
        """Number of worlds with selected articulations."""
        return int(self._ids.shape[0])

    @property
    def count_per_world(self) -> int:
        """Number of selected articulations in each world."""
        return int(self._ids.shape[1])

    @property
    def count(self) -> int:
        """Total number of selected articulations."""
        return int(self._ids.size)

    @property
    def articulation_ids(self) -> Any:
        """Indices of the articulations, Warp array of int32, shape (worlds, articulations per world)."""
        return wp.array(self._ids.astype(np.int32), dtype=wp.int32, ndim=2, device=self.model.device)

    @property
    def joint_count(self) -> int:
        """Number of selected joints per articulation."""
        return int(self._rows.of(AttributeFrequency.JOINT).shape[2])

    @property
    def link_count(self) -> int:
        """Number of selected links per articulation."""
        return int(self._rows.of(AttributeFrequency.BODY).shape[2])

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of the selected joints per articulation."""
        return int(self._rows.of(AttributeFrequency.JOINT_DOF).shape[2])

    @property
    def joint_coord_count(self) -> int:
        """Number of coordinates of the selected joints per articulation."""
        return int(self._rows.of(AttributeFrequency.JOINT_COORD).shape[2])

    @property
    def shape_count(self) -> int:
        """Number of shapes on the selected links per articulation."""
        return int(self._rows.of(AttributeFrequency.SHAPE).shape[2])

    @property
    def root_joint_type(self) -> JointKind:
        """Type of the first joint of the first articulation."""
        return self._roots.kind

    @property
    def is_floating_base(self) -> bool:
        """Whether the root joint is a free joint."""
        return self.root_joint_type is JointKind.FREE

    @property
    def is_fixed_base(self) -> bool:
        """Whether the root joint is a fixed joint."""
        return self.root_joint_type is JointKind.FIXED

    @cached_property
    def custom_frequency_counts(self) -> dict[str, int]:
        """Number of rows per articulation in each custom table whose rows name their articulation, by key."""
        return {key: int(self._rows.of(key).shape[2]) for key in self.model.custom_frequency_articulation}

    @cached_property
    def frequency_layouts(self) -> dict[AttributeFrequency | str, FrequencyLayout]:
        """Layout of the entries of each frequency in arrays of the model; those of custom tables by key.

        Frequencies without entries or with irregular strides are omitted; `get_attribute` supports irregular strides
        nevertheless.
        """
        asked: tuple[AttributeFrequency | str, ...] = (*OF_ARTICULATIONS, *self.model.custom_frequency_articulation)
        found = {frequency: layout_of(self._rows.of(frequency)) for frequency in asked}
        return {frequency: layout for frequency, layout in found.items() if layout is not None}

    def get_attribute(self, name: str, source: Any) -> Any:
        """Return the values of an array of a model, state or control.

        Args:
            name: Name of the array, with a dot after its namespace if it has one.
            source: The model, a state or a control.

        Returns:
            A Warp array of the same data type, shape (worlds, articulations per world, entries).

        Raises:
            OptionError: The array has no entries per articulation, or the articulations have different numbers of them.
            OptionTypeError: `source` is not a model, a state or a control.
            AttributeError: There is no such array.
        """
        rows, array = self._rows.of(frequency_of(self.model, name)), _array_of("source", source, name)
        return self._on_device(array.numpy()[rows], array.dtype)

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Write values to an array of a model, state or control; see `get_attribute`.

        Args:
            name: Name of the array.
            target: The model, a state or a control.
            values: Values that broadcast to the shape of `get_attribute`: a Warp array, or anything that NumPy accepts.
            mask: Booleans that select worlds, shape (worlds,), or articulations, shape (worlds, articulations per
                world); None for all.

        Raises:
            OptionError: See `get_attribute`; or the values are not numbers, or the values or the mask have another
                shape.
            OptionTypeError: `target` is not a model, a state or a control.
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
        """Return the root poses, Warp array of transforms, shape (worlds, articulations per world).

        The pose of a free root is read from `joint_q` of the source. That of any other root is its joint's frame in the
        parent or the world, `joint_X_p` of the model.

        Raises:
            OptionError: Some roots are free and others are not.
        """
        return self._on_device(self._roots.poses(source), self.model.precision.transform)

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        """Set the root poses; call `eval_fk` to move the bodies.

        The pose of a free root is written to `joint_q` of the target. Any other root gets a new parent frame in the
        model, which applies to all states, as if an arm were bolted down elsewhere. Bodies at rest in the target are
        woken; with the model as target, those in all states. Loop-closing joints keep their frames, and pull bodies
        that were moved away back.

        Args:
            target: A state or the model.
            values: Positions [m] and quaternions (x, y, z, w) that broadcast to shape (worlds, articulations per world,
                7).
            mask: See `set_attribute`.

        Raises:
            OptionError: The values are not poses, the values or the mask have another shape, or some roots are free and
                others are not.
        """
        self._roots.place(target, values, mask)

    def get_root_velocities(self, source: Any) -> Any:
        """Return the velocities of free roots, linear before angular, shape (worlds, articulations per world).

        For roots that are not free it returns None.

        Raises:
            OptionError: Some roots are free and others are not.
        """
        rates = self._roots.twists(source)
        return None if rates is None else self._on_device(rates, self.model.precision.vec6)

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Set the velocities of free roots; for other roots all values must be zero.

        Raises:
            OptionError: The values are not finite, the values or the mask have another shape, or the roots are not free
                and the values not zero.
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
        """Set the coordinates of the joints, which must be finite; see `set_attribute`."""
        self._write("joint_q", target, values, mask, may_be_endless=False)

    def get_dof_velocities(self, source: Any) -> Any:
        """Return the velocities of the degrees of freedom; see `get_attribute`."""
        return self.get_attribute("joint_qd", source)

    def set_dof_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Set the velocities of the degrees of freedom, which must be finite; see `set_attribute`."""
        self._write("joint_qd", target, values, mask, may_be_endless=False)

    def get_dof_forces(self, source: Any) -> Any:
        """Return the efforts on the degrees of freedom; see `get_attribute`."""
        return self.get_attribute("joint_f", source)

    def set_dof_forces(self, target: Any, values: Any, mask: Any = None) -> None:
        """Set the efforts on the degrees of freedom, which must be finite; see `set_attribute`."""
        self._write("joint_f", target, values, mask, may_be_endless=False)

    def get_model_articulation_mask(self, mask: Any = None) -> Any:
        """Return a mask over all articulations of the model, Warp array of booleans, true for the selected ones.

        Raises:
            OptionError: The mask has another shape; see `set_attribute`.
        """
        chosen = np.zeros(self.model.articulation_count, dtype=bool)
        chosen[self._ids[chosen_by(mask, self._roots.shape)]] = True
        return wp.array(chosen, dtype=wp.bool, device=self.model.device)

    @property
    def articulation_mask(self) -> Any:
        """Mask over all articulations of the model, true for all selected ones."""
        return self.get_model_articulation_mask()

    @property
    def full_mask(self) -> Any:
        """Mask over all worlds of the selection, Warp array of booleans, all true."""
        return wp.full(self.world_count, True, dtype=wp.bool, device=self.model.device)

    def eval_fk(self, target: Any, mask: Any = None) -> None:
        """Compute poses and velocities of bodies from joint coordinates and velocities; see `inertia_tools.eval_fk`."""
        holder("target", target)
        which = self.get_model_articulation_mask(mask)
        eval_fk(self.model, target.joint_q, target.joint_qd, target, mask=which)

    def _on_device(self, values: np.ndarray, dtype: Any) -> Any:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self.model.device)

    @cached_property
    def custom_frequency_labels(self) -> dict[str, list[str]]:
        """Last parts of the row labels of the first articulation in custom tables, by key; empty without labels."""
        found = {}
        for key in self.custom_frequency_counts:
            label = self.model.scene.custom_frequencies[key].label_attribute
            own = np.flatnonzero(owners_of(self.model, key) == self._ids.flat[0])
            texts = [] if label is None else _attribute(self.model, label.split(":"))
            found[key] = [last_part(texts[row]) for row in own.tolist()] if texts else []
        return found


def _by_world(model: Model, found: Sequence[int]) -> np.ndarray:
    """Return the indices of articulations, shape (worlds, articulations per world)."""
    worlds, own = model.articulation_world.numpy(), max(model.scene.articulation_count, 1)
    groups: dict[tuple[int, int], list[int]] = {}
    for index in found:
        groups.setdefault((index // own, int(worlds[index])), []).append(index)
    if not groups:
        known = ", ".join(sorted(set(model.articulation_label)))
        raise OptionError("pattern", "no label of an articulation", f"one of {known}")
    counts = sorted({len(group) for group in groups.values()})
    if len(counts) > 1:
        raise OptionError("pattern", f"worlds with {counts} articulations", "worlds with as many articulations each")
    return np.array([groups[key] for key in sorted(groups)], dtype=np.int64)


def _joints_of(model: Model, articulation: int, with_loops: bool) -> list[int]:
    """Return the joints of an articulation."""
    owners = np.flatnonzero(model.joint_articulation.numpy() == articulation).tolist()
    return [joint for joint in owners if with_loops or not model.built_joints[joint].closes_loop]


def _links_of(model: Model, joints: Sequence[int]) -> list[int]:
    """Return the child bodies of joints."""
    children = model.joint_child.numpy()
    return list(dict.fromkeys(int(children[joint]) for joint in joints))


def _filtered(what: str, names: Sequence[str], included: Pattern | None, excluded: Pattern | None) -> list[int]:
    """Return the indices of the names that pass the filters."""
    kept = range(len(names)) if included is None else matching(f"include_{what}", names, included)
    out = () if excluded is None else matching(f"exclude_{what}", names, excluded)
    return [number for number in kept if number not in out]


def _array_of(argument: str, source: Any, name: str) -> Any:
    return _attribute(holder(argument, source), name.split("."))


def _attribute(source: Any, parts: Sequence[str]) -> Any:
    for part in parts:
        source = getattr(source, part)
    return source
