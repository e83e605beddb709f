# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Draw cases, run them, and sum up: `python -m fuzz --cases 200000`."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import inertia_tools as it
from fuzz import seeds
from fuzz.case import KINDS, Case, draw
from fuzz.crew import run_cases
from fuzz.outcome import Outcome, Result
from fuzz.reduction import reduced

CASES = 200_000
MOST_REDUCED = 20
"""Failures that are made smaller; the rest is saved as it is."""


class Tally:
    """What has become of the cases so far."""

    def __init__(self, folder: Path) -> None:
        self.counts: Counter[tuple[str, Outcome]] = Counter()
        self.failures: dict[str, list[int]] = {}
        self.saved: list[tuple[Case, Result]] = []
        self.slowest, self.largest = Result(-1, Outcome.READ), Result(-1, Outcome.READ)
        self._folder = folder

    def take(self, result: Result, case: Case) -> None:
        """Count a result; save what failed in a way that nothing failed before."""
        self.counts[case.kind, result.outcome] += 1
        self.slowest = max(self.slowest, result, key=lambda one: one.seconds)
        self.largest = max(self.largest, result, key=lambda one: one.growth)
        if not result.outcome.is_failure:
            return
        same = self.failures.setdefault(result.signature, [])
        same.append(result.number)
        if len(same) == 1:
            self.saved.append((case, result))
            place = self._save(case, result)
            print(f"{result.number} ({case.kind}, {case.source}, {case.action}): {result.signature}", flush=True)
            print(f"  {result.message}\n  saved in {place}", flush=True)

    def reduce(self) -> None:
        """Make the saved cases smaller, where that succeeds."""
        for case, result in self.saved[:MOST_REDUCED]:
            self._save(reduced(case, result.signature), result)

    def _save(self, case: Case, result: Result) -> Path:
        place = self._folder / str(result.number)
        place.mkdir(parents=True, exist_ok=True)
        for name, data in case.files.items():
            (place / name).write_bytes(data)
        (place / "what.txt").write_text(f"{case.action} of {case.source}: {result.signature}\n{result.message}\n")
        return place

    def lines(self) -> list[str]:
        """Sum up, as the rows of a table."""
        kinds = [kind for kind in KINDS if any(key[0] == kind for key in self.counts)]
        rows = ["| cases | " + " | ".join((*Outcome, "all")) + " |", "|---" * (len(Outcome) + 2) + "|"]
        for kind in kinds:
            row = [self.counts[kind, outcome] for outcome in Outcome]
            rows.append(f"| {kind} | " + " | ".join(str(count) for count in (*row, sum(row))) + " |")
        total = [sum(self.counts[kind, outcome] for kind in kinds) for outcome in Outcome]
        rows.append("| all | " + " | ".join(str(count) for count in (*total, sum(total))) + " |")
        rows.append(f"slowest: case {self.slowest.number}, {self.slowest.seconds:.1f} s of processor time")
        rows.append(f"most memory: case {self.largest.number}, {self.largest.growth / 2**20:.0f} MiB of growth")
        return rows


def main() -> int:
    """Run and return 1 when something failed."""
    options = _options()
    kinds = {kind: KINDS[kind] for kind in options.kinds}
    _load_everything()
    if options.case is not None:
        Path(options.save).mkdir(parents=True, exist_ok=True)
        draw(options.seed, options.case, kinds).run(Path(options.save))
        return 0
    tally, begin = Tally(Path(options.save)), time.monotonic()
    spoken = begin
    numbers = range(options.first, options.first + options.cases)
    results = run_cases(
        lambda number: draw(options.seed, number, kinds),
        numbers,
        options.jobs,
        lambda: options.seconds is None or time.monotonic() - begin < options.seconds,
    )
    for done, result in enumerate(results, 1):
        tally.take(result, draw(options.seed, result.number, kinds))
        if time.monotonic() - spoken > options.every:
            spoken = time.monotonic()
            print(f"{done} cases in {spoken - begin:.0f} s, {len(tally.failures)} sorts of failure", flush=True)
    print("\n".join(["", *tally.lines()]))
    for signature, cases in tally.failures.items():
        print(f"{len(cases)} x {signature}: {', '.join(map(str, cases[:8]))}")
    tally.reduce()
    return 1 if tally.failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES, help="how many cases (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="what all choices follow from (default %(default)s)")
    parser.add_argument("--seconds", type=float, help="start no more cases after this time")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="which damage")
    parser.add_argument("--save", default="out/fuzz", metavar="DIR", help="folder for what fails (default %(default)s)")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two lines of progress")
    parser.add_argument("--case", type=int, help="run this one case here, and let its exception through")
    return parser.parse_args()


def _load_everything() -> None:
    """Load libraries and seeds once, so that the processes forked from this one have them."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    counts = [len(found()) for found in (seeds.robots, seeds.meshes, seeds.stages)]
    print("{} robots, {} meshes, {} stages to damage".format(*counts), flush=True)
    importlib.import_module("pxr.UsdPhysics")
    subprocess.run([sys.executable, "-m", "fuzz.warm"], check=True, stdout=subprocess.DEVNULL)
    for format_ in ("urdf", "sdf", "mjcf"):
        it.convert(it.load(seeds.ROOT / "examples/broken_quadruped.urdf"), format=format_, fix=True)


if __name__ == "__main__":
    sys.exit(main())
