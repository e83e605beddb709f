# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Custom attributes that users add to a scene, as arrays on the device."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, UnknownAttributeError
from inertia_tools.sim.scene.custom_attributes import (
    AttributeAssignment,
    AttributeFrequency,
    CustomAttribute,
    flat_values,
)
from inertia_tools.sim.scene.custom_counts import SEVERAL_OF_A_JOINT, counts_of
from inertia_tools.sim.scene.known_names import KnownAttributes, public_names
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.scene import Scene

TYPES: Mapping[str, Any] = {
    "float32": wp.float32,
    "int32": wp.int32,
    "int64": wp.int64,
    "bool": wp.bool,
    "quatf": wp.quat,
    "transformf": wp.transform,
}
SCALARS: Mapping[str, Any] = {"f": wp.float32, "i": wp.int32}


def _warp_type(name: str) -> Any:
    """Return the Warp type of an attribute's values."""
    if name.startswith("vec"):
        return getattr(wp, name, None) or wp.types.vector(int(name[3:-1]), SCALARS[name[-1]])
    return TYPES[name]


OF_ALL_WORLDS = frozenset({AttributeFrequency.ONCE, AttributeFrequency.WORLD})
"""Frequencies whose values are stored for all worlds from the start."""


@dataclass(frozen=True, eq=False)
class CustomArray:
    """Values of a custom attribute on the host.

    Attributes:
        attribute: The attribute.
        values: All its values, shape (n, width).
    """

    attribute: CustomAttribute
    values: np.ndarray

    def on(self, device: str) -> Any:
        """Return the values as a new Warp array."""
        width = self.values.shape[1]
        if self.attribute.type == "str":
            return [str(value) for value in self.values[:, 0]]
        flat = self.values[:, 0] if width == 1 else self.values
        kind = _warp_type(self.attribute.type)
        return wp.array(np.ascontiguousarray(flat), dtype=kind, device=device, shape=(len(flat),))

    def copied(self, count: int) -> CustomArray:
        """Return the values of `count` copies of the scene; values of worlds and of the model are not repeated."""
        if self.attribute.frequency in OF_ALL_WORLDS:
            return self
        return replace(self, values=np.tile(self.values, (count, 1)))


class HoldsCustomAttributes(KnownAttributes):
    """Base of objects with custom attributes, which are attributes of the object or of a namespace in it.

    Attributes:
        custom: Arrays, and namespaces of arrays, by name.
    """

    custom: dict[str, Any]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an existing attribute, which may be a custom one."""
        custom = self.__dict__.get("custom", {})
        if name in custom:
            custom[name] = value
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        """Delete a custom attribute."""
        if name in self.__dict__.get("custom", {}):
            del self.custom[name]
        else:
            super().__delattr__(name)

    def __getattr__(self, name: str) -> Any:
        """Return a custom attribute."""
        custom = self.__dict__.get("custom", {})
        if name in custom:
            return custom[name]
        known = [] if name.startswith("_") else [*public_names(type(self)), *custom]
        raise UnknownAttributeError(type(self).__name__, name, known)


def custom_arrays(builder: Scene) -> tuple[CustomArray, ...]:
    """Return the values of all attributes of a scene, except those of tables without rows.

    A world without a value has that of the first world.

    Raises:
        OptionError: A value does not fit its attribute.
    """
    counts = counts_of(builder)
    told = [
        attribute
        for attribute in builder.custom_attributes.values()
        if not attribute.is_custom_frequency or builder.custom_row_count(attribute.frequency)
    ]
    return tuple(
        CustomArray(
            attribute,
            flat_values(
                _for_each_world(attribute),
                _rows_of(builder, attribute, counts),
                attribute.frequency in SEVERAL_OF_A_JOINT,
            ),
        )
        for attribute in told
    )


def _rows_of(builder: Scene, attribute: CustomAttribute, counts: Mapping[Any, Sequence[int]]) -> Sequence[int]:
    """Return the number of values of an attribute; for a table, rows without a value are reported."""
    if not attribute.is_custom_frequency:
        return counts[attribute.frequency]
    rows = builder.custom_row_count(attribute.frequency)
    stated = len(attribute.stated)
    if 0 < stated < rows:
        lacking = rows - stated
        message = (
            f"{attribute.key} has missing values in {lacking} of {rows} rows, which are {attribute.default.tolist()}"
        )
        warnings.warn(message, SceneWarning, stacklevel=5)
    owner = builder.custom_frequencies[attribute.frequency]
    if owner.articulation_owner_resolver is not None and attribute.key == owner.articulation_owner_attribute:
        found = owner.articulation_owner_resolver(builder)
        if len(found) != rows:
            raise OptionError(
                attribute.key, len(found), f"one articulation a row; it returned {len(found)} values, expected {rows}"
            )
        attribute.values = dict(enumerate(found))
    return (rows,)


def _for_each_world(attribute: CustomAttribute) -> CustomAttribute:
    """Return an attribute of worlds with the first value in all worlds that have none; others unchanged."""
    if attribute.frequency is not AttributeFrequency.WORLD or 0 not in attribute.values:
        return attribute
    return replace(attribute, default=attribute.values[0])


def arrays_of(
    arrays: Sequence[CustomArray], assignment: AttributeAssignment, device: str, holder: type
) -> dict[str, Any]:
    """Return the attributes of one kind of object as arrays on the device.

    Args:
        arrays: All attributes.
        assignment: The kind of object.
        device: Name of the Warp device.
        holder: Class of the object, whose own names are reserved.

    Raises:
        OptionError: The object already has an attribute of this name.
    """
    found: dict[str, Any] = {}
    for one in arrays:
        attribute = one.attribute
        if attribute.assignment is not assignment:
            continue
        outer = attribute.namespace or attribute.name
        if outer in dir(holder) or outer in getattr(holder, "__dataclass_fields__", {}):
            raise OptionError("custom attribute", attribute.key, f"named otherwise: {holder.__name__} has {outer!r}")
        if attribute.namespace is None:
            found[attribute.name] = one.on(device)
        else:
            setattr(found.setdefault(attribute.namespace, SimpleNamespace()), attribute.name, one.on(device))
    return found


def add_row_counts(found: dict[str, Any], builder: Scene) -> None:
    """Add the number of rows of each table with a namespace to that namespace, as `name_count`."""
    for frequency in builder.custom_frequencies.values():
        holder = found.get(frequency.namespace or "")
        if isinstance(holder, SimpleNamespace):
            setattr(holder, f"{frequency.name}_count", builder.custom_row_count(frequency.key))


def each_array(custom: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Iterate over all arrays by key, including those in namespaces."""
    for name, value in custom.items():
        if isinstance(value, SimpleNamespace):
            yield from each_array(vars(value), f"{prefix}{name}:")
        else:
            yield f"{prefix}{name}", value


def carry_over(source: Mapping[str, Any], target: Mapping[str, Any]) -> None:
    """Copy the custom attributes of one object to another of the same scene.

    Raises:
        OptionError: One of the two does not have an attribute of the other.
    """
    here, there = dict(each_array(source)), dict(each_array(target))
    for key in here.keys() ^ there.keys():
        raise OptionError(f"custom attribute {key}", "missing in one of them", "in both, or in neither")
    for key, array in here.items():
        wp.copy(there[key], array)
