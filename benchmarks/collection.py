# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Check thousands of generated models on a local cluster that is killed and resumed, and by one process.

Run `python benchmarks/collection.py [MODELS]`; it prints times, and whether both reports are the same.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODELS = 10_000
LINKS = 6
SHAPES = ('<box size="0.1 0.2 0.3"/>', '<sphere radius="0.1"/>', '<cylinder radius="0.05" length="0.4"/>')
INERTIALS = (
    '<inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>',
    '<inertial><mass value="-1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>',
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
    '<inertial><mass value="1"/></inertial>',
    "",
)
"""Sound, impossible, implausible, incomplete and absent."""


def main() -> int:
    """Generate, check twice, compare."""
    from distributed import LocalCluster

    count = int(sys.argv[1]) if len(sys.argv) > 1 else MODELS
    with (
        tempfile.TemporaryDirectory() as scratch,
        LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        folder = Path(scratch, "models")
        generate(folder, count)
        one, clustered, journal = Path(scratch, "one.json"), Path(scratch, "cluster.json"), Path(scratch, "journal")
        begin = time.monotonic()
        check(folder, "--jobs", "1", "--json-output", str(one)).wait()
        print(f"one process: {time.monotonic() - begin:.0f} s for {count} models")
        words = ("--scheduler", cluster.scheduler_address, "--resume", str(journal), "--json-output", str(clustered))
        begin = time.monotonic()
        killed = check(folder, *words)
        while killed.poll() is None and (not journal.exists() or lines_of(journal) < count // 2):
            time.sleep(0.2)
        killed.kill()
        killed.wait()
        print(f"killed after {lines_of(journal) - 1} verdicts, {time.monotonic() - begin:.0f} s")
        begin = time.monotonic()
        check(folder, *words).wait()
        print(f"resumed and ended in {time.monotonic() - begin:.0f} s")
        is_same = json.loads(one.read_text()) == json.loads(clustered.read_text())
    print("the reports are the same" if is_same else "the reports differ")
    return 0 if is_same else 1


def generate(folder: Path, count: int) -> None:
    """Write models: chains of links with inertials sound and unsound, the same ones every time."""
    chance = random.Random(1)
    for number in range(count):
        path = folder / f"{number // 1000:02}" / f"model{number:05}.urdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        links = [
            f'<link name="l{i}">{chance.choice(INERTIALS)}<collision><geometry>{chance.choice(SHAPES)}</geometry>'
            "</collision></link>"
            for i in range(LINKS)
        ]
        joints = [
            f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/></joint>'
            for i in range(1, LINKS)
        ]
        path.write_text(f'<robot name="m{number}">{"".join(links + joints)}</robot>\n')


def check(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a check of all models that prints nothing of note."""
    command = [sys.executable, "-m", "inertia_tools", "check", str(folder), "--quiet", "--summary", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def lines_of(path: Path) -> int:
    """Count the lines of a file."""
    return path.read_bytes().count(b"\n")


if __name__ == "__main__":
    sys.exit(main())
