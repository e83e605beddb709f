# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of every body of every MJCF file in some folders, against MuJoCo's compiler.

    .venv-peers/bin/python test/peers/mjcf_corpus.py DIR...

Prints a row of a table for each folder: files that MuJoCo compiles, how many of those agree in the names of all bodies
and within 1e-6 in their mass properties, their bodies, how many of those agree, and the largest differences. Below
stand the bodies that differ, silently or not, and what MuJoCo refuses beside what is said here. Exit code 0 when all
agree, or have an error here that says why not.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from mujoco_bodies import KINDS, differences

import inertia_tools as it
from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.finding import Finding, Severity

AGREEMENT = 1e-6
"""Of the mass, of the body's size, and of its largest moment."""

ROOT = re.compile(rb"<mujoco[\s>]")
PART = re.compile(rb"<mujocoinclude[\s>]")


@dataclass
class Collection:
    """What was found in one folder."""

    files: int = 0
    agreeing_files: int = 0
    silent: int = 0
    bodies: int = 0
    agreeing: int = 0
    worst: dict[str, float] = field(default_factory=lambda: dict.fromkeys(KINDS, 0.0))
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def models(folder: Path) -> Iterator[Path]:
    """Yield the files that are whole models; parts that others include are none."""
    for path in sorted(folder.rglob("*.xml")):
        data = path.read_bytes()
        if ROOT.search(data) and not PART.search(data):
            yield path


def survey(folder: Path) -> Collection:
    """Compare all models of a folder."""
    found = Collection()
    for path in models(folder):
        name = str(path.relative_to(folder))
        try:
            compiled = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as refusal:
            found.refused.append(f"{name}: {first_lines(refusal)}\n      here: {our_word(path)}")
            continue
        found.files += 1
        compare(found, name, path, compiled)
    return found


def compare(found: Collection, name: str, path: Path, compiled: mujoco.MjModel) -> None:
    """Add one model to what was found."""
    try:
        bodies = differences(it.load(path), compiled)
    except (InertiaToolsError, AssertionError) as error:
        found.bodies += compiled.nbody
        found.notes.append(f"{name}: {error}")
        return
    found.bodies += len(bodies)
    before = len(found.notes)
    names = [compiled.body(number).name or str(number) for number in range(compiled.nbody)]
    if list(bodies) != names:
        found.notes.append(f"{name}: bodies are named {list(bodies)[:9]}, and in MuJoCo {names[:9]}")
    found.notes += [f"{name}: MuJoCo takes it, and not: {finding.message}" for finding in false_alarms(path)]
    for body, difference in bodies.items():
        if max(difference.values()) <= AGREEMENT:
            found.agreeing += 1
        else:
            shown = ", ".join(f"{kind} {value:.1e}" for kind, value in difference.items())
            found.notes.append(f"{name}: body {body!r}: {shown}")
        found.worst = {kind: float(np.maximum(found.worst[kind], difference[kind])) for kind in KINDS}
    found.agreeing_files += len(found.notes) == before
    found.silent += len(found.notes) > before and not errors_of(path)


def errors_of(path: Path) -> list[Finding]:
    """List the errors that `stats` has about a file."""
    return [finding for finding in it.stats(it.load(path)).findings if finding.severity is Severity.ERROR]


def false_alarms(path: Path) -> list[Finding]:
    """List errors of the document as a whole, which there are none of in a file that MuJoCo compiles."""
    report = it.check(it.load(path), compare_geometry=False)
    return [finding for finding in report.document_findings if finding.severity is Severity.ERROR]


def our_word(path: Path) -> str:
    """Say what is said here about a file that MuJoCo refuses."""
    try:
        report = it.check(it.load(path))
    except InertiaToolsError as error:
        return f"refused: {error}"
    errors = [finding for finding in report.findings if finding.severity is Severity.ERROR]
    if not errors:
        return "read, no errors"
    first = errors[0]
    return f"{len(errors)} errors, the first {first.file}:{first.line}: {first.link}: {first.message} [{first.code}]"


def first_lines(refusal: ValueError) -> str:
    return " ".join(str(refusal).split())[:200]


def main(folders: list[str]) -> int:
    """Print the table and what lies outside it."""
    found = {folder: survey(Path(folder).absolute()) for folder in folders}
    print("| folder | files | agree | differ silently | bodies | agree | mass | centre | moments | tensor |")
    print("| --- " * 10 + "|")
    for folder, one in found.items():
        figures = " | ".join(f"{one.worst[kind]:.0e}" for kind in KINDS)
        files = f"{one.files} | {one.agreeing_files} | {one.silent}"
        print(f"| {Path(folder).name} | {files} | {one.bodies} | {one.agreeing} | {figures} |")
    for folder, one in found.items():
        for title, lines in (("differ", one.notes), ("refused by MuJoCo", one.refused)):
            if lines:
                print(f"\n{folder}, {title}:", *lines, sep="\n  ")
    return 1 if any(one.silent for one in found.values()) else 0


if __name__ == "__main__":
    chosen = [os.path.abspath(name) for name in sys.argv[1:]]
    if not chosen:
        sys.exit(str(__doc__))
    os.chdir(tempfile.mkdtemp())  # MuJoCo leaves a log in the working folder
    sys.exit(main(chosen))
