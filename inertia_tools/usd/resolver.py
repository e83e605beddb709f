# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A schema resolver: which attributes of one solver's schemas mean what, by a table."""

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
    """Where a value stands in a solver's schema, and what it becomes.

    Attributes:
        name: Attribute of the prim.
        default: What the schema has where the attribute is not authored; None where it has nothing.
        usd_value_transformer: Turns the authored value, and the default, into what is wanted. None from it means that
            nothing is authored.
        usd_value_getter: Reads the value from a prim, for those that come from several attributes; it goes before
            `name`, and None from it means that nothing is authored.
        attribute_names: The attributes that the getter reads, for the collection; `name` alone by default.
        superseded_by: The attribute that is to be written instead of `name`, which is said where that is authored.
    """

    name: str
    default: Any | None = None
    usd_value_transformer: Callable[[Any], Any] | None = None
    usd_value_getter: Callable[[Any], Any] | None = None
    attribute_names: Sequence[str] = ()
    superseded_by: str = ""

    def read(self, prim: Any) -> Any | None:
        """Return what a prim states, transformed; None where nothing is authored."""
        if self.superseded_by and authored(prim, self.name) is not None:
            message = f"{prim.GetPath()}: {self.name} is superseded; write {self.superseded_by} instead"
            warnings.warn(message, DeprecationWarning, stacklevel=4)
        value = authored(prim, self.name) if self.usd_value_getter is None else self.usd_value_getter(prim)
        return self._transformed(value)

    def schema_default(self) -> Any | None:
        """Return the default of the schema, transformed; None where it has none."""
        return self._transformed(self.default)

    def _transformed(self, value: Any | None) -> Any | None:
        if value is None or self.usd_value_transformer is None:
            return value
        return self.usd_value_transformer(value)


Row = SchemaAttribute
"""The same class under a name that the class attribute of `SchemaResolver` does not hide."""


class SchemaResolver:
    """Maps the attributes of one solver's schemas to the values that an importer asks for.

    A resolver of one's own is a subclass with a name and a table:

        class SchemaResolverMine(SchemaResolver):
            name = "mine"
            mapping = {PrimType.JOINT: {"armature": SchemaResolver.SchemaAttribute("mine:rotorInertia", 0.0)}}

    Attributes:
        name: The solver; attributes that begin with it and a colon are collected.
        extra_attr_namespaces: Further beginnings of attributes that are collected, with or without a colon behind.
        mapping: Attribute of the schema by kind of prim and by key.
    """

    SchemaAttribute: ClassVar[type[SchemaAttribute]] = SchemaAttribute

    name: ClassVar[str] = ""
    extra_attr_namespaces: ClassVar[Sequence[str]] = ()
    mapping: ClassVar[Mapping[PrimType, Mapping[str, Row]]] = {}

    def get_value(self, prim: Any, prim_type: PrimType, key: str) -> Any | None:
        """Return the value that a prim states for a key; None where nothing is authored."""
        attribute = None if prim is None else self.attribute(prim_type, key)
        return None if attribute is None else attribute.read(prim)

    def attribute(self, prim_type: PrimType, key: str) -> Row | None:
        """Return the entry of the table; None where the solver has no such thing."""
        return self.mapping.get(prim_type, {}).get(key)

    def collect_prim_attrs(self, prim: Any) -> dict[str, Any]:
        """Return the authored attributes of a prim that belong to the solver, by name.

        Those are the ones that begin with one of its namespaces, and those that its table names.
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
