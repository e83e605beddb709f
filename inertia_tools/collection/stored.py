# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts as lines of JSON that are kept from run to run, and whether they still hold."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any

from inertia_tools import __version__
from inertia_tools.collection.verdict import Rules, Verdict


def line_of(verdict: Verdict, rules: str) -> dict[str, Any]:
    """Return a verdict with what tells whether it still holds.

    Args:
        verdict: The verdict.
        rules: What tells the rules apart by which it was made; see `digest`.
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
    """Return the verdict of a line; None where other rules made it, or a file that it is about has changed."""
    try:
        sources = tuple(line["sources"])
        if line["rules"] != rules or line["stamp"] != stamp([line["file"], *sources]):
            return None
        undeclared = tuple(line["undeclared"])
        return Verdict(line["file"], line["entry"], sources, line["unplaced"], line["meshes_not_found"], undeclared)
    except (KeyError, TypeError):  # it is no line of ours
        return None


def parsed(line: bytes) -> dict[str, Any]:
    """Return what stands in a line; nothing where that is no JSON object."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def stamp(files: Iterable[str]) -> list[list[int]]:
    """Return what tells whether files have changed: when each was written, and its size; nothing for one not there."""
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
    """Return what tells rules apart."""
    known = sorted(rules.baseline.known)
    told: list[object] = [__version__, rules.package_path, sorted(rules.xacro_arguments.items()), rules.xacro]
    told += [rules.density, rules.geometry, rules.include_static, sorted(rules.ignored), known]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
