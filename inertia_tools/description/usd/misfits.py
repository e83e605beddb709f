# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values of a wrong type for their schema, or unknown keywords: errors that name the attribute."""

from __future__ import annotations

from typing import Any

from inertia_tools.description.usd.lines import Lines
from inertia_tools.errors import InertiaToolsError, ParseError


class naming_misfits:
    """Name the responsible attribute when reading a prim fails.

    Raises:
        ParseError: A value does not have the type of the schema.
    """

    def __init__(self, prim: Any, lines: Lines) -> None:
        self._prim, self._lines = prim, lines

    def __enter__(self) -> None:
        """Begin to read the prim."""

    def __exit__(self, kind: Any, error: BaseException | None, _trace: Any) -> None:
        """Raise an error that names the attribute, if one is responsible."""
        if not isinstance(error, Exception) or isinstance(error, InertiaToolsError):
            return
        fault = _misfit(self._prim)
        if fault is not None:
            place = self._lines.place(self._prim)
            raise ParseError(fault, place.file, place.line) from error


def _misfit(prim: Any) -> str | None:
    """Find an authored value that its schema does not permit; None for none."""
    definition = prim.GetPrimDefinition()
    for name in definition.GetPropertyNames():
        is_link = definition.GetSchemaRelationshipSpec(name) is not None
        if is_link and any(hasattr(spec, "typeName") for spec in prim.GetProperty(name).GetPropertyStack()):
            return f"{prim.GetPath()}.{name} is an attribute; write rel {name} = <path of a prim>"
    for attribute in prim.GetAuthoredAttributes():
        name = attribute.GetName()
        spec = definition.GetSchemaAttributeSpec(name)
        if spec is None:
            continue
        stated = {str(layer.typeName) for layer in attribute.GetPropertyStack()} - {str(spec.typeName)}
        if stated:
            return f"{attribute.GetPath()} is of type {' and '.join(sorted(stated))}; write a {spec.typeName}"
        known, value = spec.GetInfo("allowedTokens"), attribute.Get()
        if known and value is not None and str(value) not in [str(word) for word in known]:
            return f"{attribute.GetPath()} is {value!r}; write one of {', '.join(str(word) for word in known)}"
    return None
