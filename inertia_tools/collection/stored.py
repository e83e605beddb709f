# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts stored as lines of JSON between runs, with a check of their validity."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any

from inertia_tools import __version__
from inertia_tools.collection.verdict import Rules, Verdict


def line_of(verdict: Verdict, rules: str) -> dict[str, Any]:
    """Return a verdict as JSON, with the data that determines its validity.

    Args:
        verdict: The verdict.
        rules: Digest of the rules by which it was made; see `digest`.
    """
    return {
        "file": verdict.file,
        "rules": rules,
        "stamp": stamp([verdict.file, *verdict.sources]),
        "entry": verdict.entry,
        "sources": verdict.sources,
        "unplaced": verdict.unplaced,
        "undeclared": verdict.undeclared,
        "meshes_not_found": verdict.meshes_not_found,
    }


def verdict_of(line: dict[str, Any], rules: str) -> Verdict | None:
    """Return the verdict of a line; None if the rules differ, or if one of its files has changed."""
    try:
        sources = tuple(line["sources"])
        if line["rules"] != rules or line["stamp"] != stamp([line["file"], *sources]):
            return None
        undeclared = tuple(line["undeclared"])
        return Verdict(line["file"], line["entry"], sources, line["unplaced"], line["meshes_not_found"], undeclared)
    except (KeyError, TypeError):  # not a line of this format
        return None


def parsed(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line; an empty one if the line has none."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def stamp(files: Iterable[str]) -> list[list[int]]:
    """Return the modification time and size of each file; an empty list for a missing file."""
    found: list[list[int]] = []
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            found.append([])
            continue
        found.append([status.st_mtime_ns, status.st_size])
    return found


def digest(rules: Rules) -> str:
    """Return a hash that identifies the rules."""
    known = sorted(rules.baseline.known)
    told: list[object] = [__version__, rules.package_path, sorted(rules.xacro_arguments.items()), rules.xacro]
    told += [rules.density, rules.geometry, rules.include_static, sorted(rules.ignored), known]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
