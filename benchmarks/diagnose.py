# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What `diagnose` says of every robot of example-robot-data, beside the drop test, written to docs/diagnose.md.

make bench ARGS=diagnose
python benchmarks/diagnose.py [--out FILE] [NAME...]
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "test"))

from robots import example_robots  # noqa: E402

import inertia_tools as it  # noqa: E402
from inertia_tools.diagnosis import InstabilityReport  # noqa: E402
from inertia_tools.errors import ParseError  # noqa: E402
from inertia_tools.inertia.finding import Severity  # noqa: E402

BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
FALLS = ("com-outside-support", "no-collision")
"""Reasons that say that the robot will not stand as it starts."""


@dataclass(frozen=True)
class Row:
    """One robot: what was said of it, and what came of it."""

    name: str
    found: InstabilityReport
    seconds: float

    @property
    def codes(self) -> Counter[str]:
        """How often each reason was given, without remarks."""
        return Counter(one.code for one in self.found.reasons if one.severity is not Severity.INFO)

    @property
    def outcome(self) -> str:
        """How it came out of the drop test: before and, where that is another, after `fix`."""
        before, after = self.found.before, self.found.after
        assert before is not None
        assert after is not None
        words = [
            "refused"
            if test.result is None
            else "leans"
            if "leaning" in test.said
            else "stands"
            if test.stands
            else "falls"
            for test in (before, after)
        ]
        return words[0] if words[0] == words[1] else f"{words[0]}, then {words[1]}"


def main() -> int:
    """Diagnose the robots and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs/diagnose.md"))
    parser.add_argument("names", nargs="*", help="only robots whose path has one of these words")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    folder = example_robots()
    if folder is None:
        print("example-robot-data is not installed: make setup", file=sys.stderr)
        return 2
    rows, unreadable = [], []
    for path in sorted(folder.rglob("*.urdf")):
        if options.names and not any(name in str(path) for name in options.names):
            continue
        try:
            robot = it.load(path)
        except ParseError:
            unreadable.append(path.stem)
            continue
        start = time.perf_counter()
        rows.append(Row(path.stem, it.diagnose(robot), time.perf_counter() - start))
        print(f"{path.stem}: {rows[-1].outcome}; {dict(rows[-1].codes)}; {rows[-1].seconds:.1f} s", flush=True)
    table = "\n".join(lines(rows, unreadable)) + "\n"
    if options.names:
        print(table)
        return 0
    page = Path(options.out)
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(before + BEGIN + table + END + rest.partition(END)[2])
    return 0


def lines(rows: list[Row], unreadable: list[str]) -> list[str]:
    """Lay out the table and what it adds up to."""
    out = ["| robot | drop test | stable step up to | reasons |", "|---|---|---:|---|"]
    for row in rows:
        longest = "" if row.found.study is None else f"{1e3 * row.found.study.whole.longest:.3g} ms"
        said = ", ".join(f"{code}{f' x {count}' if count > 1 else ''}" for code, count in row.codes.items())
        out.append(f"| {row.name} | {row.outcome} | {longest.replace('inf ms', 'any')} | {said} |")
    first = [row.outcome.partition(",")[0] for row in rows]
    tips = [any(code in FALLS for code in row.codes) for row in rows]
    stood = [o == "stands" for o in first]
    fell = [o in ("falls", "leans") for o in first]
    count = {
        "robots": len(rows),
        "stand upright": sum(stood),
        "of those, said to tip": sum(s and t for s, t in zip(stood, tips, strict=True)),
        "fall or lean": sum(fell),
        "of those, said to tip, or with another reason": sum(
            f and bool(row.codes) for f, row in zip(fell, rows, strict=True)
        ),
        "refused as they are": sum(o == "refused" for o in first),
        "without a reason": sum(not row.codes for row in rows),
        "of those, standing": sum(not row.codes and s for row, s in zip(rows, stood, strict=True)),
    }
    out += ["", "; ".join(f"{name}: {number}" for name, number in count.items()) + "."]
    out.append(
        f"Median time {sorted(row.seconds for row in rows)[len(rows) // 2]:.1f} s a robot, with both drop tests."
    )
    if unreadable:
        out.append(f"Not readable: {', '.join(unreadable)}.")
    return out


if __name__ == "__main__":
    sys.exit(main())
