# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Errors with suggestions for unknown attributes and keywords."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_args, get_type_hints

from inertia_tools.errors import UnknownAttributeError, UnknownOptionError

Class = TypeVar("Class", bound=type)


class KnownAttributes:
    """Base of objects without arbitrary attributes: assigning to a misspelt one is an error."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an existing attribute.

        Raises:
            UnknownAttributeError: There is none of that name.
        """
        kind: Any = type(self)
        if not name.startswith("_") and not hasattr(kind, name) and name not in all_fields(kind):
            raise UnknownAttributeError(kind.__name__, name, public_names(kind))
        super().__setattr__(name, value)


@functools.cache
def all_fields(kind: type) -> frozenset[str]:
    """Return the names of the fields that a class and its bases declare."""
    return frozenset(name for base in kind.__mro__ for name in getattr(base, "__annotations__", {}))


def public_names(kind: type) -> list[str]:
    """Return the public attributes of a class and its instances."""
    return sorted(name for name in {*dir(kind), *all_fields(kind)} if not name.startswith("_"))


def with_known_keywords(kind: Class) -> Class:
    """Make the public methods and the constructor of a class suggest the right name for a misspelt keyword."""
    for base in reversed(kind.__mro__[:-1]):
        for name, function in list(vars(base).items()):
            if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
                owner = kind.__name__ if name == "__init__" else f"{kind.__name__}.{name}"
                setattr(base, name, _suggesting(function, owner))
    return kind


def _suggesting(function: Callable[..., Any], owner: str) -> Callable[..., Any]:
    """Return a function that refuses unknown keywords with a suggestion."""
    if hasattr(function, "__wrapped__") or not (function.__kwdefaults__ or function.__defaults__):
        return function
    known = _keywords(function)
    if known is None:
        return function

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        for name in options.keys() - known:
            raise UnknownOptionError(owner, name, [one for one in known if one != "self"])
        return function(*arguments, **options)

    return call


def _keywords(function: Callable[..., Any]) -> dict[str, None] | None:
    """Return the keywords that a function takes, in their order; None if it takes any."""
    names: dict[str, None] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            names[name] = None
        elif str(parameter.annotation).startswith("Unpack["):
            names |= dict.fromkeys(get_args(get_type_hints(function)[name])[0].__annotations__)
        else:
            return None
    return names
