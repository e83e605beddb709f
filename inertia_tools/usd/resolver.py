# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A schema resolver: a table from keys to the attributes of one solver's schemas."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from inertia_tools.description.usd.attributes import authored, beginning
from inertia_tools.usd.prim_type import PrimType


@dataclass(frozen=True)
class SchemaAttribute:
    """An attribute in a solver's schema, and its conversion.

    Attributes:
        name: Attribute of the prim.
        default: Default of the schema if the attribute is not authored; None without one.
        usd_value_transformer: Converts the authored value, and the default. If it returns None, nothing is authored.
        usd_value_getter: Reads the value from a prim, if it depends on several attributes; it takes precedence over
            `name`, and if it returns None, nothing is authored.
        attribute_names: The attributes that the getter reads, for the collection; `name` alone by default.
        superseded_by: The attribute to write instead of `name`, which is reported if `name` is authored.
    """

    name: str
    default: Any | None = None
    usd_value_transformer: Callable[[Any], Any] | None = None
    usd_value_getter: Callable[[Any], Any] | None = None
    attribute_names: Sequence[str] = ()
    superseded_by: str = ""

    def read(self, prim: Any) -> Any | None:
        """Return the converted value of a prim; None if nothing is authored."""
        if self.superseded_by and authored(prim, self.name) is not None:
            message = f"{prim.GetPath()}: {self.name} is superseded; write {self.superseded_by} instead"
            warnings.warn(message, DeprecationWarning, stacklevel=4)
        value = authored(prim, self.name) if self.usd_value_getter is None else self.usd_value_getter(prim)
        return self._transformed(value)

    def schema_default(self) -> Any | None:
        """Return the converted default of the schema; None if it has none."""
        return self._transformed(self.default)

    def _transformed(self, value: Any | None) -> Any | None:
        if value is None or self.usd_value_transformer is None:
            return value
        return self.usd_value_transformer(value)


Row = SchemaAttribute
"""The same class under a name that the class attribute of `SchemaResolver` does not hide."""


class SchemaResolver:
    """Maps the attributes of one solver's schemas to the values that an importer needs.

    A custom resolver is a subclass with a name and a table:

        class SchemaResolverMine(SchemaResolver):
            name = "mine"
            mapping = {PrimType.JOINT: {"armature": SchemaResolver.SchemaAttribute("mine:rotorInertia", 0.0)}}

    Attributes:
        name: The solver; attributes that start with it and a colon are collected.
        extra_attr_namespaces: Further prefixes of attributes that are collected, with or without a trailing colon.
        mapping: Attribute of the schema by type of prim and by key.
    """

    SchemaAttribute: ClassVar[type[SchemaAttribute]] = SchemaAttribute

    name: ClassVar[str] = ""
    extra_attr_namespaces: ClassVar[Sequence[str]] = ()
    mapping: ClassVar[Mapping[PrimType, Mapping[str, Row]]] = {}

    def get_value(self, prim: Any, prim_type: PrimType, key: str) -> Any | None:
        """Return the value of a prim for a key; None if nothing is authored."""
        attribute = None if prim is None else self.attribute(prim_type, key)
        return None if attribute is None else attribute.read(prim)

    def attribute(self, prim_type: PrimType, key: str) -> Row | None:
        """Return the entry of the table; None if the solver has none."""
        return self.mapping.get(prim_type, {}).get(key)

    def collect_prim_attrs(self, prim: Any) -> dict[str, Any]:
        """Return the authored attributes of a prim that belong to the solver, by name.

        Those are the attributes with the prefix of one of its namespaces, and those in its table.
        """
        if prim is None:
            return {}
        beginnings = tuple(f"{name.rstrip(':')}:" for name in (self.name, *self.extra_attr_namespaces) if name)
        named = self._named
        return {
            attribute.GetName(): attribute.Get(beginning())
            for attribute in prim.GetAuthoredAttributes()
            if attribute.HasAuthoredValue()
            and (attribute.GetName().startswith(beginnings) or attribute.GetName() in named)
        }

    @cached_property
    def _named(self) -> frozenset[str]:
        rows = [row for table in self.mapping.values() for row in table.values()]
        return frozenset(name for row in rows for name in (row.attribute_names or (row.name,)))
