# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Time to load SDFormat files, beside libsdformat on the same files, in one run on one machine.

    make bench ARGS=sdf_parse

libsdformat 12 (Debian's libsdformat-dev) is asked through the checker that the tests build. Both load each file from
disk in turns, and the best round counts; the frames of all links are resolved by both. The result is printed, and kept
in benchmarks/results/sdf_parse.md when both are there, which docs/sdformat.md takes in.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import inertia_tools as it

ROOT = Path(__file__).resolve().parent.parent
CHECKER = ROOT / "test" / "peers" / "libsdformat" / "inertials.cc"
OUT = Path(__file__).parent / "results" / "sdf_parse.md"
ROUNDS = 10
CHAINS = (10, 100, 400)
"""Links of the chains whose poses build on each other."""

ROBOTS = (
    "a1_description/urdf/a1.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_description/robots/tiago_dual.urdf",
)

LINK = """<link name='l{i}'><pose{relative}>0 0 0.1 0.01 0.02 0.03</pose>
<inertial><pose>0.01 0 0.02 0.1 0.2 0.3</pose><mass>1.5</mass><inertia><ixx>0.1</ixx><ixy>0.001</ixy><ixz>0</ixz>
<iyy>0.1</iyy><iyz>0</iyz><izz>0.1</izz></inertia></inertial>
<collision name='c'><pose>0 0 0.1 0 0 0.1</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>
<visual name='v'><pose relative_to='f{i}'>0 0 0 0 0 0</pose>
<geometry><cylinder><radius>0.1</radius><length>0.3</length></cylinder></geometry></visual></link>
<frame name='f{i}' attached_to='l{i}'><pose>0 0 0.05 0 0 0</pose></frame>"""
JOINT = """<joint name='j{i}' type='revolute'><pose relative_to='f{before}'>0 0 0.1 0 0.1 0</pose>
<parent>l{before}</parent><child>l{i}</child>
<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"""


def chain(links: int) -> str:
    """Write a chain of links, each placed relative to the joint that carries it."""
    parts = ["<sdf version='1.9'><model name='chain'>"]
    for i in range(links):
        parts.append(LINK.format(i=i, relative=f" relative_to='j{i}'" if i else ""))
        if i:
            parts.append(JOINT.format(i=i, before=i - 1))
    return "\n".join([*parts, "</model></sdf>"])


def write_files(folder: Path) -> dict[str, Path]:
    """Write the files to load, by what they are called."""
    files = {f"chain of {links} links": folder / f"chain_{links}.sdf" for links in CHAINS}
    for links, path in zip(CHAINS, files.values(), strict=True):
        path.write_text(chain(links))
    sys.path.insert(0, str(ROOT / "test"))
    from robots import example_robots

    robots = example_robots()
    for name in ROBOTS if robots is not None else ():
        path = folder / f"{Path(name).stem}.sdf"
        it.convert(robots / name, path, sdf_version="1.9", lump=False)
        files[f"{Path(name).stem}, {len(it.load(path).links)} links"] = path
    return files


def build_checker(folder: Path) -> Path | None:
    """Build the program that asks libsdformat; None where that is not installed."""
    try:
        asked = subprocess.run(["pkg-config", "--cflags", "--libs", "sdformat12"], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    if asked.returncode:
        return None
    program = folder / "inertials"
    command = ["g++", "-std=c++17", "-O2", "-o", str(program), str(CHECKER), *asked.stdout.split()]
    subprocess.run(command, check=True)
    return program


def time_of_theirs(program: Path, path: Path) -> float:
    """Return the shortest time of a few loads in libsdformat [s]."""
    answer = subprocess.run([program, "--repeat", "3", path], capture_output=True, text=True, check=True)
    found = json.loads(answer.stdout)
    assert found["links"], found["errors"]  # impossible inertials are errors there, and all is read
    return float(found["seconds"])


def time_of_ours(path: Path) -> float:
    """Return the shortest time of a few loads here [s]."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        it.load(path)
        times.append(time.perf_counter() - began)
    return min(times)


def measure(files: dict[str, Path], program: Path | None) -> list[tuple[str, float, float | None]]:
    """Load all files in turns; return the best times, ours and theirs [s], by what the files are called."""
    ours = dict.fromkeys(files, float("inf"))
    theirs = dict.fromkeys(files, float("inf"))
    for _ in range(ROUNDS):
        for name, path in files.items():
            ours[name] = min(ours[name], time_of_ours(path))
            if program is not None:
                theirs[name] = min(theirs[name], time_of_theirs(program, path))
    return [(name, ours[name], None if program is None else theirs[name]) for name in files]


def table(rows: list[tuple[str, float, float | None]]) -> str:
    """Write the times as a table."""
    lines = ["| file | here [ms] | libsdformat 12 [ms] | ratio |", "| --- | --- | --- | --- |"]
    for name, ours, theirs in rows:
        if theirs is None:
            lines.append(f"| {name} | {1e3 * ours:.1f} | - | - |")
        else:
            lines.append(f"| {name} | {1e3 * ours:.1f} | {1e3 * theirs:.1f} | {theirs / ours:.1f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print, and keep the result when nobody is missing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build_checker(folder)
        rows = measure(write_files(folder), program)
    text = table(rows)
    print(text)
    if program is None:
        print("libsdformat 12 is not installed (apt install libsdformat-dev); nothing was kept")
        return 0
    machine = f"Python {platform.python_version()}, {platform.machine()}, best of {3 * ROUNDS} loads from disk.\n\n"
    OUT.write_text(f"# Loading SDFormat\n\n`make bench ARGS=sdf_parse`. {machine}{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
