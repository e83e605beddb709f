# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings by code over collections of published robots, with the time cold and from the cache, to docs/findings.md.

make bench-findings
.venv-peers/bin/python -m benchmarks.findings [--out docs/findings.md] [NAME...]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "test"))

from robots import example_robots  # noqa: E402

PACKAGES = {
    "pybullet_data": "pybullet_data",
    "robosuite": "robosuite",
    "gymnasium-robotics": "gymnasium_robotics",
    "dm_control": "dm_control",
}
"""Collections, and the packages that hold them."""

BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"


@dataclass(frozen=True)
class Run:
    """One check of a collection: its report, the time on the clock, and that of the processors [s]."""

    report: dict[str, object]
    seconds: float
    processor: float


def folders() -> dict[str, Path]:
    """Return the folders of the collections that are installed; nothing of them is imported."""
    found = {}
    if (examples := example_robots()) is not None:
        found["example-robot-data"] = examples
    for name, package in PACKAGES.items():
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            found[name] = Path(next(iter(spec.submodule_search_locations)))
    return found


def check(folder: Path, cache: Path | None) -> Run:
    """Check a folder on two cores, without running xacros."""
    environment = {name: value for name, value in os.environ.items() if name != "INERTIA_TOOLS_CACHE"}
    if cache is not None:
        environment["INERTIA_TOOLS_CACHE"] = str(cache)
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        words = ["-q", "--no-xacro", "--summary", "--jobs", "2", "--json-output", str(report)]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-W", "ignore", "-m", "inertia_tools", "check", str(folder), *words]
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Run(json.loads(report.read_text()), seconds, processor)


def findings(report: dict[str, object]) -> Counter[tuple[str, str]]:
    """Count findings by severity and code; what a cause explains counts as one with it."""
    count: Counter[tuple[str, str]] = Counter()
    for file in report["files"]:
        for one in [*file["findings"], *(found for link in file["links"] for found in link["findings"])]:
            if not one.get("explained_by"):
                count[one["severity"], one["code"]] += 1
    return count


def lines(cold: dict[str, Run], warm: dict[str, Run]) -> list[str]:
    """Lay out the two tables."""
    out = ["| collection | files | unreadable | links | with errors | clean | cold | from the cache |"]
    out.append("|---|" + "---:|" * 7)
    for name, run in cold.items():
        files = run.report["files"]
        read = [file for file in files if not file["error"]]
        severities = [{severity for severity, _ in findings({"files": [file]})} for file in read]
        cells = [len(files), len(files) - len(read), sum(len(file["links"]) for file in read)]
        cells += [sum("error" in one for one in severities), sum(not one & {"error", "warning"} for one in severities)]
        times = [f"{one.seconds:.1f} s ({one.processor:.1f} s)" for one in (run, warm[name])]
        out.append(f"| {name} | " + " | ".join(map(str, [*cells, *times])) + " |")
    counts = {name: findings(run.report) for name, run in cold.items()}
    order = {"error": 0, "warning": 1, "info": 2}
    codes = sorted({key for count in counts.values() for key in count}, key=lambda key: (order[key[0]], key[1]))
    out += ["", "| severity | code | " + " | ".join(counts) + " |", "|---|---|" + "---:|" * len(counts)]
    for key in codes:
        out.append(
            f"| {key[0]} | `{key[1]}` | " + " | ".join(str(count[key] or "") for count in counts.values()) + " |"
        )
    return out


def main() -> int:
    """Check the collections and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs/findings.md"))
    parser.add_argument("names", nargs="*", help="only these collections")
    options = parser.parse_args()
    here = {name: path for name, path in folders().items() if not options.names or name in options.names}
    if not here:
        print("no collection is installed: make bench-findings", file=sys.stderr)
        return 2
    cold, warm = {}, {}
    for name, folder in here.items():
        with tempfile.TemporaryDirectory() as cache:
            cold[name] = check(folder, None)
            check(folder, Path(cache))
            warm[name] = check(folder, Path(cache))
        print(f"{name}: {cold[name].seconds:.1f} s, from the cache {warm[name].seconds:.1f} s", flush=True)
    table = "\n".join(lines(cold, warm)) + "\n"
    page = Path(options.out)
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(before + BEGIN + table + END + rest.partition(END)[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
