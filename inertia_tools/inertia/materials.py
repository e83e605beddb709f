# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Densities of common solid materials at room temperature; a user's file can add more."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from inertia_tools.errors import OptionError, ParseError
from inertia_tools.spatial import LARGEST_NUMBER
from inertia_tools.wording import not_opened

DENSITY: Mapping[str, float] = MappingProxyType(
    {
        "abs": 1050.0,
        "acrylic": 1180.0,
        "aluminium": 2700.0,
        "brass": 8500.0,
        "carbon-fibre": 1600.0,
        "concrete": 2400.0,
        "copper": 8960.0,
        "glass": 2500.0,
        "ice": 917.0,
        "iron": 7870.0,
        "lead": 11340.0,
        "magnesium": 1740.0,
        "nylon": 1150.0,
        "oak": 720.0,
        "pine": 500.0,
        "pla": 1240.0,
        "polycarbonate": 1200.0,
        "polyethylene": 950.0,
        "pvc": 1380.0,
        "rubber": 1100.0,
        "stainless-steel": 8000.0,
        "steel": 7850.0,
        "titanium": 4510.0,
        "water": 1000.0,
    }
)
"""Density [kg/m^3] by name; the usual handbook values, rounded to the variation of the material."""

OTHER_NAMES = {"aluminum": "aluminium", "carbon-fiber": "carbon-fibre"}

SECTION = "density"
"""Table of a material file that may hold the densities; other entries beside it count too."""

LONGEST_SHOWN = 40
"""Number of characters of a wrong value that a message repeats."""


def density_of(material: str, table: Mapping[str, float] = DENSITY) -> float:
    """Return the density of a material [kg/m^3]; case, spaces and underscores do not matter.

    Args:
        material: The name.
        table: Density [kg/m^3] by name: the built-in table, or one from `load_materials`.

    Raises:
        OptionError: The table has no such material.
    """
    key = _key(material)
    if key not in table:
        close = difflib.get_close_matches(key, table, n=3)
        known = f"the {len(table)} known materials, such as {', '.join(close)}" if close else ", ".join(sorted(table))
        raise OptionError("material", material, f"one of {known}")
    return table[key]


def load_materials(path: str | os.PathLike[str]) -> Mapping[str, float]:
    """Read densities from a file and merge them over the built-in table.

    The file has entries `name = kg/m^3`, at top level or under `[density]`. It is JSON if its name ends so, else TOML.

    Args:
        path: The file.

    Returns:
        Density [kg/m^3] by name, read-only, for `density_of`.

    Raises:
        ParseError: The file cannot be read, or a density is not a positive number.
    """
    text = _text_of(path)
    own: dict[str, float] = {}
    for name, value in _entries(text, path):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LARGEST_NUMBER:
            reason = f"the density of {name!r} is {_shown(value)}; it must be a positive number of kg/m^3"
            raise ParseError(reason, str(path), _line_of(name, text))
        if _key(name) in own:
            raise ParseError(f"the material {_key(name)!r} is defined twice", str(path), _line_of(name, text))
        own[_key(name)] = float(value)
    return MappingProxyType({**DENSITY, **own})


def _key(material: str) -> str:
    key = material.strip().lower().replace(" ", "-").replace("_", "-")
    return OTHER_NAMES.get(key, key)


def _text_of(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError("is not UTF-8 text; save it as UTF-8", str(path)) from error
    except (OSError, ValueError) as error:
        raise ParseError(not_opened(error), str(path)) from error


def _entries(text: str, path: str | os.PathLike[str]) -> list[tuple[str, Any]]:
    """Return the names and values of a material file.

    Raises:
        ParseError: The text is not in the format of the file's extension, or has no names.
    """
    is_json = Path(path).suffix.lower() == ".json"
    kind = "JSON" if is_json else "TOML"
    try:
        document = json.loads(text, object_pairs_hook=_distinct) if is_json else tomllib.loads(text)
    except KeyError as error:
        name = error.args[0]
        raise ParseError(f"the material {name!r} is defined twice", str(path), _line_of(name, text)) from error
    except (ValueError, RecursionError) as error:
        raise ParseError(f"is not valid {kind}: {error}", str(path), _line_in(str(error))) from error
    if not isinstance(document, dict):
        raise ParseError('must hold names with densities, as {"steel": 7850}', str(path))
    section = document.get(SECTION)
    if not isinstance(section, dict):
        return list(document.items())
    return [*((name, value) for name, value in document.items() if name != SECTION), *section.items()]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, of which the json module would take the last value of a name; TOML forbids this.

    Raises:
        KeyError: It has a name twice.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise KeyError(name)
        found[name] = value
    return found


def _shown(value: object) -> str:
    """Return a value for a message: tables and lists by their type, anything else cut to `LONGEST_SHOWN` characters."""
    if isinstance(value, dict):
        return "a table"
    text = "a list" if isinstance(value, list) else repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def _line_in(message: str) -> int | None:
    """Return the line number in a message of tomllib or json."""
    found = re.search(r"line (\d+)", message)
    return int(found[1]) if found else None


def _line_of(name: str, text: str) -> int | None:
    """Return the last line that gives a name a value; None if it is not written in the plain form."""
    places = list(re.finditer(rf"""(?:^|[\s{{,])(["']?){re.escape(name)}\1\s*[=:]""", text))
    return text.count("\n", 0, places[-1].end()) + 1 if places else None
