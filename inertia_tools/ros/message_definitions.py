# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Definitions of message types for recordings, so that tools can read these without the packages."""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from inertia_tools.errors import ModelError

SEPARATOR = "=" * 80
FIELD = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)*)(?:<=\d+)?(?:\[[^\]]*\])?\s+[A-Za-z]", re.M)
PLAIN = frozenset(
    {
        *("bool", "byte", "char", "float32", "float64", "string", "wstring"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    }
)


class UnknownTypeError(ModelError):
    """A message type whose package or definition is not installed."""


@cache
def definition_of(type_name: str) -> str:
    """Return the definition of a type such as `std_msgs/msg/String`, with those of all nested types.

    Raises:
        UnknownTypeError: Its package, or a package that it depends on, is not installed.
    """
    parts, seen, waiting = [], {type_name}, [type_name]
    while waiting:
        name = waiting.pop(0)
        text = _text_of(name)
        parts.append(text if name == type_name else f"{SEPARATOR}\nMSG: {name.replace('/msg/', '/')}\n{text}")
        for inner in _types_in(text, name.partition("/")[0]):
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return "\n".join(parts)


def message_type(type_name: str) -> Any:
    """Return the class of a type such as `std_msgs/msg/String`.

    Raises:
        UnknownTypeError: Its package is not installed.
    """
    package, _, name = type_name.partition("/msg/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError) as error:
        raise UnknownTypeError(f"the message type {type_name!r} is not installed") from error


def _text_of(type_name: str) -> str:
    package, _, name = type_name.partition("/msg/")
    try:
        return Path(_share_folder(package), "msg", f"{name}.msg").read_text()
    except OSError as error:
        raise UnknownTypeError(f"the definition of {type_name!r} is not installed") from error


def _share_folder(package: str) -> str:
    """Return the folder of definitions: in a sourced workspace, else beside Python, where wheels install them."""
    try:
        return str(get_package_share_directory(package))
    except PackageNotFoundError:
        return str(Path(sys.prefix, "share", package))


def _types_in(text: str, package: str) -> list[str]:
    """Return the message types of a definition's fields."""
    lines = "\n".join(line.partition("#")[0] for line in text.splitlines())
    found = []
    for name in FIELD.findall(lines):
        if name not in PLAIN:
            owner, _, kind = name.rpartition("/")
            found.append(f"{(owner or package).removesuffix('/msg')}/msg/{kind}")
    return found
