# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Measure which branches of each reader are reached: `make fuzz-branches ARGS="--changes 3000"`.

A process for each reader reads its sound files, the inputs that `make fuzz-guided` has kept, and changes of both, and
coverage.py counts the branches of the modules that are the reader's own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[1]


def measured(name: str, changes: int, corpus: Path) -> dict[str, int]:
    """Return how many inputs of a reader were taken, how many branches its modules have, and how many were reached."""
    import coverage

    counter = coverage.Coverage(data_file=None, branch=True, source=[str(ROOT / "inertia_tools")], config_file=False)
    counter.start()
    from fuzz.readers import READERS
    from inertia_tools.errors import InertiaToolsError

    reader, random, read = READERS[name], Random(1), 0
    kept = sorted((corpus / name).iterdir()) if (corpus / name).is_dir() else []
    whole, taken = [*(one.data for one in reader.sound()), *(path.read_bytes() for path in kept)], list[bytes]()
    for n in range(len(whole) + changes):
        data = whole[n] if n < len(whole) else reader.change(random.choice(taken), random)
        try:
            reader.read(data)
        except InertiaToolsError:
            continue
        read += 1
        if n < len(whole):
            taken.append(data)
    counter.stop()
    places = [f"*/inertia_tools/{one}{'*' if one.endswith('/') else ''}" for one in reader.modules]
    found, reached = _branches(counter, places)
    return {"inputs": len(whole) + changes, "read": read, "branches": found, "reached": reached}


def _branches(counter: Any, places: list[str]) -> tuple[int, int]:
    """Return how many branches the files of some patterns have, and how many were taken."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        counter.json_report(outfile=str(path), include=places, ignore_errors=True)
        totals = json.loads(path.read_text())["totals"]
    return totals["num_branches"], totals["covered_branches"]


def main() -> int:
    """Print the table; each reader is measured in a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.branches", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("readers", nargs="*", help="keys of fuzz.readers.READERS; all by default")
    parser.add_argument("--changes", type=int, default=3000, help="inputs of each reader that are made by changes")
    parser.add_argument("--corpus", type=Path, default=Path("out/fuzz/corpus"), help="folder of inputs that were kept")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        warnings.simplefilter("ignore")
        print(json.dumps(measured(options.readers[0], options.changes, options.corpus)))
        return 0
    from fuzz.readers import READERS

    print("| reader | inputs | read | branches | reached |\n|---|---:|---:|---:|---:|")
    for name in options.readers or READERS:
        more = ["--one", "--changes", str(options.changes), "--corpus", str(options.corpus)]
        run = subprocess.run([sys.executable, "-m", "fuzz.branches", name, *more], capture_output=True, text=True)
        if run.returncode != 0:
            print(run.stderr[-3000:], file=sys.stderr)
            return 1
        one = json.loads(run.stdout.splitlines()[-1])
        shares = one["read"] / one["inputs"], one["reached"] / one["branches"]
        print(f"| {name} | {one['inputs']} | {shares[0]:.0%} | {one['branches']} | {shares[1]:.0%} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
