# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots at random, checked, corrected, checked again, converted to every format, and read back.

    .venv/bin/python test/repair_round_trips.py [COUNT] [--seed N]

Prints what goes wrong as it does, then a row of figures for each format. Exit code 0 when nothing but our own errors was raised
and no error was left that `fix` claims to mend.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from random_models import FORMATS, SUFFIX, random_model, write_meshes

import inertia_tools as it
from inertia_tools.errors import ConversionError, InertiaToolsError
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.repair import IMPOSSIBLE, UNUSABLE
from inertia_tools.inertia.unknown_geometry import UNKNOWN

REFUSES = "mujoco-refuses"
"""Of all that MuJoCo refuses, `fix` mends the tensors alone, and their message says so."""

MENDED = UNUSABLE | IMPOSSIBLE | {REFUSES}
"""Codes of errors after which `fix` gives a link another inertial."""

COLUMNS = (
    "models",
    "refused",
    "errors found",
    "links corrected",
    "links left, a mesh missing",
    "converted",
    "not held",
)


@dataclass
class Tally:
    """What became of some models: figures by column, and what went wrong, each with its seed."""

    figures: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add what became of others."""
        self.figures += other.figures
        self.wrong += other.wrong


def try_model(seed: int, format_: str, folder: Path) -> Tally:
    """Take one model all the way; whatever is raised that is not ours is kept as text."""
    tally = Tally(Counter({"models": 1}))
    try:
        _try(seed, format_, folder, tally)
    except Exception:
        tally.wrong.append(f"{format_} {seed}: {traceback.format_exc(limit=-4)}")
    return tally


def _try(seed: int, format_: str, folder: Path, tally: Tally) -> None:
    source = folder / f"model{SUFFIX[format_]}"
    source.write_text(random_model(seed, format_))
    try:
        robot = it.load(source)
        found = it.check(robot)
        correction = it.fix(robot)
    except InertiaToolsError as error:
        tally.figures["refused"] += 1
        tally.figures[f"refused: {type(error).__name__}"] += 1
        return
    again = it.check(correction.corrected)
    tally.figures["errors found"] += found.count(Severity.ERROR)
    tally.figures["links corrected"] += len(correction.changes)
    tally.figures["links left, a mesh missing"] += sum(f.code == UNKNOWN for f in correction.after.findings)
    tally.wrong += [f"{format_} {seed}: left: {finding}" for finding in left_of(correction, again)]
    for target in FORMATS:
        _convert(correction, folder / f"converted{SUFFIX[target]}", tally)


def left_of(correction: it.Correction, again: it.Report) -> list[Finding]:
    """List the errors that `fix` claims to mend and has not."""
    unknown = {f.link for f in correction.after.findings if f.code in (UNKNOWN, "auto-incomplete")}
    return [
        finding
        for finding in again.findings
        if finding.severity is Severity.ERROR and finding.code in MENDED and finding.link not in unknown
        if finding.code != REFUSES or "run fix" in finding.message
    ]


def _convert(correction: it.Correction, target: Path, tally: Tally) -> None:
    """Convert to a format and read that back; what the format cannot hold is counted."""
    try:
        it.convert(correction, target)
    except ConversionError:
        tally.figures["not held"] += 1
        return
    it.check(it.load(target))
    tally.figures["converted"] += 1


def try_many(format_: str, seeds: range) -> Tally:
    """Take some models all the way, in a folder of their own."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        write_meshes(Path(name))
        for seed in seeds:
            tally.add(try_model(seed, format_, Path(name)))
    return tally


def main() -> int:
    """Print the figures, and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=5000, help="models in all (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first (default %(default)s)")
    options = parser.parse_args()
    each = options.count // len(FORMATS)
    parts = [
        (format_, range(options.seed + at, options.seed + min(at + 25, each)))
        for at in range(0, each, 25)
        for format_ in FORMATS
    ]
    tallies = {format_: Tally() for format_ in FORMATS}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for (format_, _), tally in zip(parts, pool.map(try_many, *zip(*parts, strict=True)), strict=True):
            tallies[format_].add(tally)
            print(*tally.wrong, sep="\n", end="\n" * bool(tally.wrong), file=sys.stderr, flush=True)
    print("| format | " + " | ".join(COLUMNS) + " | wrong |")
    print("| --- " * (len(COLUMNS) + 2) + "|")
    for format_, tally in tallies.items():
        print(f"| {format_} | " + " | ".join(str(tally.figures[name]) for name in COLUMNS) + f" | {len(tally.wrong)} |")
    return 1 if any(tally.wrong for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
