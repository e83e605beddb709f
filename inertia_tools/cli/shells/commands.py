# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What may follow a command: its options, and the values that those and the arguments take."""

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
    """What a value is, where it is not one of a few words."""

    NONE = "none"
    WORD = "word"
    FILE = "file"
    FOLDER = "folder"


@dataclass(frozen=True)
class Value:
    """What may be typed for an option or argument: one of a few words, or anything of a kind."""

    kind: Kind
    words: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Option:
    """One option: how it may be written, what it does, and the value it takes."""

    names: tuple[str, ...]
    help: str
    value: Value
    is_repeated: bool


@dataclass(frozen=True)
class Command:
    """One command: its name, what it does, its options, and what its arguments are."""

    name: str
    help: str
    options: tuple[Option, ...]
    argument: Value


def commands_of(parsers: Mapping[str, tuple[str, argparse.ArgumentParser]]) -> tuple[Command, ...]:
    """Return what shells need to know of each command.

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
