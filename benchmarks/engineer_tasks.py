# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The tasks of a working engineer, each as one command in a new process, with its time, to docs/tasks.md.

make bench ARGS=engineer_tasks
python benchmarks/engineer_tasks.py [--out docs/tasks.md]
"""

from __future__ import annotations

import argparse
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BROKEN = ROOT / "examples/broken_quadruped.urdf"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"

TASKS = (
    ("it explodes in Gazebo: why?", "diagnose robot.urdf", (1,)),
    ("and put it right", "fix robot.urdf -o fixed.urdf", (0,)),
    ("values from the CAD program's table", "fix fixed.urdf --from-cad cad.csv -o out.urdf", (0,)),
    ("the whole robot weighs 12 kg", "fix fixed.urdf --total-mass 12 -o out.urdf", (0,)),
    ("aluminium, but for the battery", "fix fixed.urdf --material '*=aluminium' --except trunk -o out.urdf", (0,)),
    ("is this centre of mass plausible?", "check far.urdf --fail-on warning", (1,)),
    ("mirror left to right", "fix uneven.urdf --mirror lf_=rf_ -o out.urdf", (0,)),
    ("the tensors are in g mm2", "fix grams.urdf --convert-units g,mm -o out.urdf", (0,)),
    ("show me the ellipsoids; a report for the team", "report fixed.urdf -o report.html", (0,)),
    ("as a pre-commit hook does", "check --quiet robot.urdf fixed.urdf", (1,)),
)
"""What is wanted, the command, and the exit codes that say that it was done."""

AXES = ("xx", "yy", "zz", "xy", "xz", "yz")
CAD = f"link,mass [g],cx [mm],cy [mm],cz [mm],{','.join(f'I{axes} [g mm^2]' for axes in AXES)}\n"
PART = "lf_shank,310,0,0,-110,1250000,1250000,50000,0,0,0\n"


def prepare(folder: Path) -> None:
    """Write the robots that the tasks are about."""
    (folder / "robot.urdf").write_bytes(BROKEN.read_bytes())
    run(folder, "fix robot.urdf -o fixed.urdf")
    fixed = (folder / "fixed.urdf").read_text()
    (folder / "cad.csv").write_text(CAD + PART)
    (folder / "far.urdf").write_text(fixed.replace('xyz="0 0 -0.11"', 'xyz="0 0 -11"', 1))
    (folder / "uneven.urdf").write_text(fixed.replace('<mass value="0.3"', '<mass value="0.35"', 1))
    tensor = re.compile(r'(i[xyz]{2})="([^"]+)"')
    grams = re.sub(r'<mass value="([^"]+)"', lambda m: f'<mass value="{1e3 * float(m[1]):.10g}"', fixed)
    (folder / "grams.urdf").write_text(tensor.sub(lambda m: f'{m[1]}="{1e9 * float(m[2]):.10g}"', grams))


def run(folder: Path, command: str) -> tuple[int, float, float, str]:
    """Run a command; return its exit code, seconds on the clock and of the processor, and what it said."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    words = [sys.executable, "-W", "ignore", "-m", "inertia_tools", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, seconds, processor, done.stdout + done.stderr


def main() -> int:
    """Run the tasks and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs/tasks.md"))
    options = parser.parse_args()
    rows = ["| task | command: `inertia-tools` ... | clock | processor |", "|---|---|---:|---:|"]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        prepare(Path(scratch))
        for task, command, codes in TASKS:
            code, seconds, processor, said = run(Path(scratch), command)
            failed += code not in codes
            if code not in codes:
                print(f"{command}: exit code {code}\n{said}", file=sys.stderr)
            done = "" if code in codes else " (failed)"
            shown = command.replace("|", "\\|")
            rows.append(f"| {task}{done} | `{shown}` | {seconds:.1f} s | {processor:.1f} s |")
            print(rows[-1], flush=True)
    page = Path(options.out)
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(before + BEGIN + "\n".join(rows) + "\n" + END + rest.partition(END)[2])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
