# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Custom tables of a scene: rows of attributes, and their references when scenes are combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.custom_attributes import (
    OF_JOINTS,
    AttributeFrequency,
    CustomAttribute,
    CustomAttributes,
    key_of,
)
from inertia_tools.sim.scene.given import as_keyed, as_list, need

WORLD_REFERENCE = "world"
"""What a row refers to that belongs to the world which has been begun, where nothing else is said."""


@dataclass(frozen=True, eq=False)
class CustomFrequency:
    """A user-defined table: attributes of this frequency have one value for each row.

    Attributes:
        name: Its name.
        namespace: Prefix of the name; None for none.
        usd_prim_filter: Tells of a prim of a stage whether it has a row, also by what it is shown besides: a dictionary
            with the prim, the `builder` and the `result` of `add_usd`.
        usd_entry_expander: Returns the rows of such a prim, each a dictionary of values by key of the attribute, of the
            same arguments; by default one row with what the prim states.
        articulation_owner_attribute: Attribute of this frequency that says which articulation a row belongs to; it is
            called as the frequency with `_articulation` behind it.
        articulation_owner_resolver: Returns the articulation of each row, of the scene, before it is built.
        label_attribute: Attribute of this frequency with the names of rows; called so with `_label` behind it.
    """

    name: str
    namespace: str | None = None
    usd_prim_filter: Callable[..., bool] | None = None
    usd_entry_expander: Callable[..., Iterable[Any]] | None = None
    articulation_owner_attribute: str | None = None
    articulation_owner_resolver: Callable[[Any], Sequence[int]] | None = None
    label_attribute: str | None = None

    def __post_init__(self) -> None:
        for option, ending in (("articulation_owner_attribute", "articulation"), ("label_attribute", "label")):
            given, wanted = getattr(self, option), f"{self.key}_{ending}"
            if given not in (None, wanted):
                raise OptionError(option, given, f"{wanted!r}, or omitted")

    @property
    def key(self) -> str:
        """Its namespace and name with a colon between, or the name alone."""
        return key_of(self.namespace, self.name)


@dataclass
class SceneTables(CustomAttributes):
    """Tables of users' own.

    Attributes:
        custom_frequencies: Those that were declared, by key.
    """

    custom_frequencies: dict[str, CustomFrequency] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    def add_custom_frequency(self, frequency: CustomFrequency) -> None:
        """Declare a table; declaring it again changes nothing."""
        self.custom_frequencies.setdefault(frequency.key, frequency)
        self._rows.setdefault(frequency.key, 0)

    def add_custom_attribute(self, attribute: CustomAttribute) -> None:
        """Declare an attribute; declaring the same one again changes nothing.

        Raises:
            OptionError: One of the same key says something else, its table is not declared, or it is no attribute.
        """
        need("attribute", attribute, CustomAttribute, "ModelBuilder.CustomAttribute")
        if attribute.is_custom_frequency and attribute.frequency not in self.custom_frequencies:
            known = ", ".join(one.name.lower() for one in AttributeFrequency)
            allowed = f"one of {known}, or a table that add_custom_frequency has registered"
            raise OptionError("frequency", attribute.frequency, allowed)
        super().add_custom_attribute(attribute)
        if attribute.is_custom_frequency:
            rows = len(attribute.values)
            self._rows[attribute.frequency] = max(self._rows[attribute.frequency], rows)

    def get_custom_attributes_by_frequency(self, frequencies: Iterable[Any]) -> list[CustomAttribute]:
        """List the attributes of some frequencies, by member, name or key."""
        listed = as_list("frequencies", frequencies, "frequencies")
        wanted = {CustomAttribute("x", float, frequency).frequency for frequency in listed}
        return [attribute for attribute in self.custom_attributes.values() if attribute.frequency in wanted]

    def get_custom_frequency_keys(self) -> set[str]:
        """Return the keys of all tables."""
        return set(self.custom_frequencies)

    def custom_row_count(self, key: str) -> int:
        """Return the number of rows of a table."""
        return self._rows.get(key, 0)

    def add_custom_values(self, **values: Any) -> dict[str, int]:
        """Add a row to each table that an attribute of is given, and return the index of the row by attribute.

        Args:
            values: Values by key of the attribute. What refers to a world and is not given refers to the one that has
                been begun.

        Raises:
            OptionError: There is no such attribute.
            TypeError: It is none of a custom frequency.
        """
        tables: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            attribute = self.custom_attributes.get(key)
            if attribute is None:
                raise OptionError(
                    "custom attribute", key, f"declared ({', '.join(self.custom_attributes) or 'none is'})"
                )
            if not attribute.is_custom_frequency:
                raise TypeError(
                    f"{key!r} is not an attribute of a custom frequency; give its value where its owner is added"
                )
            tables.setdefault(attribute.frequency, {})[key] = value
        return {key: row for table, given in tables.items() for key, row in self.add_custom_row(table, given).items()}

    def add_custom_row(self, table: str, values: Mapping[str, Any]) -> dict[str, int]:
        """Add a row to one table, and return its index by attribute; what is not given has its default.

        Args:
            table: Key of the table.
            values: Values by key of the attribute. What refers to a world and is not given refers to the one that has
                been begun.

        Raises:
            OptionError: The table has no such attribute.
        """
        own = {attribute.key: attribute for attribute in self.get_custom_attributes_by_frequency([table])}
        for key in values.keys() - own.keys():
            raise OptionError("custom attribute", key, f"one of the table {table}: {', '.join(own) or 'none'}")
        row, given = self._rows[table], dict(values)
        self._rows[table] = row + 1
        for key, attribute in own.items():
            if attribute.references == WORLD_REFERENCE and given.get(key) is None:
                given[key] = self.current_world  # type: ignore[attr-defined]
            if given.get(key) is not None:
                attribute.values[row] = given[key]
        return dict.fromkeys(given, row)

    def add_custom_values_batch(self, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
        """Add several rows; see `add_custom_values`."""
        rows = [as_keyed("entries", entry) for entry in as_list("entries", entries, "mappings from keys to values")]
        return [self.add_custom_values(**row) for row in rows]

    def add_tables_of(
        self,
        other: SceneTables,
        first: Mapping[Any, int],
        world: Callable[[int], int],
        named: Callable[[str], str] = str,
    ) -> None:
        """Declare what another scene declares, and add its values behind those that there are.

        Args:
            other: The other scene.
            first: Index that the first element of each frequency gets here.
            world: Returns the number that a world of the other scene gets here.
            named: Returns the name that what has one there gets here.

        Raises:
            OptionError: An attribute is declared otherwise here, or refers to what there is not.
        """
        for frequency in other.custom_frequencies.values():
            self.add_custom_frequency(frequency)
        starts: dict[Any, int] = {**first, **{key: self._rows[key] for key in other.custom_frequencies}}
        labels = {frequency.label_attribute for frequency in other.custom_frequencies.values()}
        for attribute in other.custom_attributes.values():
            values = _referring(attribute, other, starts, world, getattr(self, "current_world", -1))
            if attribute.frequency is AttributeFrequency.ONCE and attribute.key in self.custom_attributes:
                values = {index: value for index, value in values.items() if index in attribute.stated}
            if attribute.key in labels:
                values = {index: named(str(value)) for index, value in values.items()}
            self.add_custom_attribute(replace(attribute, values={}))
            owner = AttributeFrequency.JOINT if attribute.frequency in OF_JOINTS else attribute.frequency
            mine, start = self.custom_attributes[attribute.key], starts.get(owner, 0)
            for index, value in values.items():
                there = (index[0] + start, index[1]) if isinstance(index, tuple) else index + start
                mine.values[there] = value
        for key, count in other._rows.items():
            self._rows[key] += count


def _referring(
    attribute: CustomAttribute, other: SceneTables, starts: Mapping[Any, int], world: Callable[[int], int], into: int
) -> dict[Any, Any]:
    """Return the values of an attribute of another scene, referring to the same things in this one."""
    if attribute.reference_value_transformer is not None:
        return _transformed(attribute, other, starts, into)
    if attribute.references is None:
        return attribute.stated
    if attribute.references == WORLD_REFERENCE:
        return {index: world(int(value)) for index, value in attribute.stated.items()}
    names = {**{one.name.lower(): one for one in AttributeFrequency}, **{key: key for key in other.custom_frequencies}}
    rows = other.custom_row_count(attribute.frequency) if attribute.is_custom_frequency else 0
    is_of_one_world = attribute.frequency is AttributeFrequency.WORLD and into >= 0
    rows = 1 if attribute.frequency is AttributeFrequency.ONCE or is_of_one_world else rows
    if attribute.is_custom_frequency and not rows and not attribute.values:
        return {}
    if attribute.references not in names:
        raise OptionError(
            attribute.key,
            attribute.references,
            f"Unknown references value {attribute.references!r}: one of {', '.join(names)}",
        )
    shift = starts.get(names[attribute.references], 0)
    stated = {**dict.fromkeys(range(rows), attribute.default), **attribute.stated}
    return {index: _shifted(value, shift) for index, value in stated.items()}


def _shifted(value: Any, shift: int) -> Any:
    """Return what refers so much further on; negative numbers refer to nothing."""
    numbers = np.asarray(value)
    return np.where(numbers >= 0, numbers + shift, numbers)


def _transformed(
    attribute: CustomAttribute, other: SceneTables, starts: Mapping[Any, int], into: int
) -> dict[Any, Any]:
    """Return the values of an attribute as its own function lets them refer."""
    assert attribute.reference_value_transformer is not None
    rows = (
        list(range(other.custom_row_count(attribute.frequency)))
        if attribute.is_custom_frequency
        else sorted(attribute.stated)
    )
    offsets = {one.name.lower(): starts.get(one, 0) for one in AttributeFrequency}
    offsets |= {key: start for key, start in starts.items() if isinstance(key, str) and key in other.custom_frequencies}
    context = {"builder": other, "row_indices": rows, "world": into, "entity_offsets": offsets}
    stated = attribute.stated
    found = attribute.reference_value_transformer([stated.get(row) for row in rows], context)
    if len(found) != len(rows):
        raise OptionError(
            attribute.key,
            attribute.references,
            f"a function of as many values; it returned {len(found)} values, expected {len(rows)}",
        )
    return {row: value for row, value in zip(rows, found, strict=True) if value is not None}
