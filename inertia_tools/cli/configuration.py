# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options in a project's file: `[tool.inertia-tools]` of pyproject.toml, or .inertia-tools.yaml.

The nearest file counts, from the working folder upwards to the repository's root. Keys are options without their
dashes; each command uses those that it has. The command line overrides the file, and extends its lists. A file may not
set options that run code or write files, since everybody who clones a repository runs its configuration.
"""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inertia_tools.errors import ParseError
from inertia_tools.wording import not_opened
from inertia_tools.yaml_text import read_yaml

PYPROJECT, YAML = "pyproject.toml", ".inertia-tools.yaml"
SECTION = "inertia-tools"
REPOSITORY = ".git"
OFF = "--no-config"

PATHS = frozenset({"baseline", "materials", "mass-model", "package-path"})
"""Keys whose values are paths of files and folders, relative to the file's own folder."""

KEYS = PATHS | {
    *("fail-on", "ignore", "summary", "quiet", "format", "jobs", "include-static"),
    *("density", "geometry", "method", "open-mesh", "overlap", "thickness", "tolerance", "voxel-size"),
    *("material", "except", "link-mass", "link-density", "total-mass", "group-mass", "lock", "add-mass", "mass-model"),
    *("scope", "target", "xacro-arg"),
}


@dataclass(frozen=True)
class Configuration:
    """The settings of a file by key, and its path."""

    path: Path
    values: Mapping[str, Any]


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the option that disables configuration."""
    parser.add_argument(OFF, action="store_true", help=f"ignore {PYPROJECT} and {YAML}")


def configure(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Set defaults of a command's options from the project's file, unless the arguments include --no-config.

    Raises:
        ParseError: The file cannot be read, or has a value that its option does not take.
    """
    found = None if OFF in words else find_configuration(Path.cwd())
    if found is None:
        return
    actions = {name.removeprefix("--"): action for action in parser._actions for name in action.option_strings}
    for key, value in found.values.items():
        if key in actions:
            parser.set_defaults(**{actions[key].dest: _default(actions[key], key, value, found.path)})


def find_configuration(folder: Path) -> Configuration | None:
    """Return the nearest file with settings for this program; None if there is none.

    Raises:
        ParseError: The file cannot be read, or has a key that is not an option.
    """
    for here in (folder, *folder.parents):
        for path, read in ((here / YAML, _read_yaml), (here / PYPROJECT, _read_pyproject)):
            values = read(path) if os.path.isfile(path) else None
            if values is not None:
                _require_known(values, path)
                return Configuration(path, values)
        if os.path.exists(here / REPOSITORY):
            return None
    return None


def _read_pyproject(path: Path) -> Mapping[str, Any] | None:
    text = _text(path)
    if SECTION not in text:
        return None
    import tomllib

    try:
        section = tomllib.loads(text).get("tool", {}).get(SECTION)
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"is not valid TOML: {error}", str(path)) from error
    return None if section is None else _table(section, path)


def _read_yaml(path: Path) -> Mapping[str, Any]:
    return _table(read_yaml(_text(path), str(path), f"reading {path}") or {}, path)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ParseError("is not UTF-8 text; save it as UTF-8", str(path)) from error
    except OSError as error:
        raise ParseError(not_opened(error), str(path)) from error


def _table(value: object, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ParseError("must be a table of options and values, such as fail-on: warning", str(path))
    table: dict[str, Any] = {}
    for key, one in value.items():
        name = str(key).replace("_", "-")
        if name in table:
            raise ParseError(f"{name!r} is given twice, with a dash and with an underscore; keep one", str(path))
        table[name] = one
    return table


def _require_known(values: Mapping[str, Any], path: Path) -> None:
    for key in values:
        if key not in KEYS:
            close = difflib.get_close_matches(key, KEYS, n=2) or sorted(KEYS)
            raise ParseError(
                f"{key!r} is not an option that this file can set; allowed are {', '.join(close)}", str(path)
            )


def _default(action: argparse.Action, key: str, value: object, path: Path) -> object:
    """Return a value as the command line would parse it.

    Raises:
        ParseError: The option does not take it.
    """
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ParseError(f"{key} is {value!r}; it must be true or false", str(path))
        return value
    is_list = isinstance(action.default, list)
    words = list(_words(value, key, path))
    if len(words) != 1 and not is_list:
        raise ParseError(f"{key} is {value!r}; it must be a single value", str(path))
    taken = [_taken(action, key, word, path) for word in words]
    return taken if is_list else taken[0]


def _words(value: object, key: str, path: Path) -> Iterator[str]:
    """Yield a value, each item of a list, or NAME=VALUE of each pair of a table, as words of a command line."""
    if isinstance(value, dict):
        yield from (f"{name}={one}" for name, one in value.items())
    elif isinstance(value, list):
        yield from (word for one in value for word in _words(one, key, path))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
    else:
        raise ParseError(f"{key} is {value!r}; it must be a string, a number, a list or a table", str(path))


def _taken(action: argparse.Action, key: str, word: str, path: Path) -> object:
    if action.choices is not None and word not in action.choices:
        raise ParseError(f"{key} is {word!r}; it must be one of {', '.join(map(str, action.choices))}", str(path))
    if key in PATHS:
        return os.path.normpath(path.parent / word) if path.parent != Path.cwd() else word
    if action.type is None:
        return word
    try:
        return action.type(word)  # type: ignore[operator]
    except argparse.ArgumentTypeError as error:
        raise ParseError(f"{key}: {error}", str(path)) from error
