# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Completions of a command: its options, and the values of those and of the arguments."""

from __future__ import annotations

import argparse
import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inertia_tools.inertia.explanations import EXPLANATIONS
from inertia_tools.inertia.materials import DENSITY

FOLDERS = frozenset({"DIR"})
FILES = frozenset({"FILE", "IN", "OUT", "PATH", "PNG"})
CODES, MATERIALS = "CODE", "[LINK=]NAME"


class Kind(enum.Enum):
    """The kind of a value that is not one of a few words."""

    NONE = "none"
    WORD = "word"
    FILE = "file"
    FOLDER = "folder"


@dataclass(frozen=True)
class Value:
    """The values of an option or argument: one of a few words, or any value of a kind."""

    kind: Kind
    words: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Option:
    """One option: its spellings, its description, and its value."""

    names: tuple[str, ...]
    help: str
    value: Value
    is_repeated: bool


@dataclass(frozen=True)
class Command:
    """One command: its name, its description, its options, and its arguments."""

    name: str
    help: str
    options: tuple[Option, ...]
    argument: Value


def commands_of(parsers: Mapping[str, tuple[str, argparse.ArgumentParser]]) -> tuple[Command, ...]:
    """Return the data that shells need about each command.

    Args:
        parsers: Summary and parser by name.
    """
    return tuple(_command(name, summary, parser._actions) for name, (summary, parser) in parsers.items())


def _command(name: str, summary: str, actions: Iterable[argparse.Action]) -> Command:
    listed = list(actions)
    options = tuple(_option(action) for action in listed if action.option_strings)
    arguments = [_value(action) for action in listed if not action.option_strings]
    return Command(name, summary, options, arguments[0] if arguments else Value(Kind.NONE))


def _option(action: argparse.Action) -> Option:
    words = " ".join((action.help or "").split()) % vars(action)
    is_repeated = isinstance(action.default, list)
    return Option(tuple(action.option_strings), words, _value(action), is_repeated)


def _value(action: argparse.Action) -> Value:
    label = str(action.metavar or action.dest)
    if action.nargs == 0:
        return Value(Kind.NONE)
    if action.choices is not None:
        return Value(Kind.WORD, tuple(map(str, action.choices)), label)
    if label == CODES:
        return Value(Kind.WORD, tuple(EXPLANATIONS), label)
    if label == MATERIALS:
        return Value(Kind.WORD, tuple(sorted(DENSITY)), label)
    kind = Kind.FOLDER if label in FOLDERS else Kind.FILE if label in FILES else Kind.WORD
    return Value(kind, (), label)
