# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Several resolvers in order of priority."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inertia_tools.errors import OptionError
from inertia_tools.usd.prim_type import PrimType
from inertia_tools.usd.resolver import SchemaResolver


class SchemaResolverManager:
    """Finds values in the first of three layers that has one, and stores the solvers' attributes of prims.

    1. The authored value, from the first resolver that has one.
    2. The importer's default, if it has one.
    3. The default of the schema, from the first resolver that has one.

    Attributes:
        resolvers: The resolvers in order of priority.
        schema_attrs: The collected attributes: solver, path of the prim, name of the attribute, value.
    """

    def __init__(self, resolvers: Sequence[SchemaResolver]) -> None:
        """Store the resolvers, the first with the highest priority.

        Raises:
            OptionError: They are not a list, or one is not a resolver, as when a class is given for an instance.
        """
        wanted = "a list of instances of SchemaResolver, such as [SchemaResolverMjc()]"
        if not isinstance(resolvers, Sequence):
            raise OptionError("schema_resolvers", resolvers, wanted)
        for resolver in resolvers:
            if not isinstance(resolver, SchemaResolver):
                raise OptionError("schema_resolvers", resolver, wanted)
        self.resolvers = tuple(resolvers)
        self.schema_attrs: dict[str, dict[str, dict[str, Any]]] = {one.name: {} for one in self.resolvers}
        self._silent: dict[str, set[int]] = {}

    def get_value(self, prim: Any, prim_type: PrimType, key: str, default: Any = None) -> Any | None:
        """Return a value from the three layers; None if none has it.

        Args:
            prim: The prim; None has no authored values.
            prim_type: Its type.
            key: The key.
            default: The importer's default; None for none.
        """
        found = self.authored(prim, prim_type, key)
        if found is not None:
            return found
        return default if default is not None else self.schema_default(prim_type, key)

    def authored(self, prim: Any, prim_type: PrimType, key: str) -> Any | None:
        """Return the authored value from the first resolver that has one; None for none."""
        silent = None if prim is None else self._silent.get(str(prim.GetPath()))
        for index, one in enumerate(self.resolvers):
            if silent is not None and index in silent and _reads_names_only(one, prim_type, key):
                continue
            value = one.get_value(prim, prim_type, key)
            if value is not None:
                return value
        return None

    def schema_default(self, prim_type: PrimType, key: str) -> Any | None:
        """Return the default of the first schema that has one; None for none."""
        rows = [row for one in self.resolvers if (row := one.attribute(prim_type, key)) is not None]
        return next((value for row in rows if (value := row.schema_default()) is not None), None)

    def collect_prim_attrs(self, prim: Any) -> None:
        """Store the solvers' attributes of a prim; a prim without any gets no entry."""
        path = str(prim.GetPath())
        if path in self._silent:
            return
        silent = self._silent.setdefault(path, set())
        for index, resolver in enumerate(self.resolvers):
            stated = resolver.collect_prim_attrs(prim)
            if stated:
                self.schema_attrs[resolver.name].setdefault(path, stated)
            else:
                silent.add(index)


def _reads_names_only(resolver: SchemaResolver, prim_type: PrimType, key: str) -> bool:
    """Return whether a value comes from one of the collected attributes, so that none of them means no value."""
    row = resolver.attribute(prim_type, key)
    is_own = type(resolver).get_value is not SchemaResolver.get_value
    return not is_own and (row is None or row.usd_value_getter is None)
