# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kill writers at random instants and look at what they leave: `python test/write/kill_writers.py --count 1000`.

A child process writes versions of the same files again and again, and reports each one that is done. It is killed with
SIGKILL after a random time. Then every file must be one whole version, none older than the last one reported; the next
writer must remove whatever temporary file is left.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from inertia_tools.description import load
from inertia_tools.inertia.correct import fix
from inertia_tools.write.temporary import NAME
from inertia_tools.write.whole import write_files

ROBOT = Path(__file__).parents[2] / "examples/broken_quadruped.urdf"
NUMBER = struct.Struct("<Q")
LONGEST_DELAY = 0.04
"""Time from the first version to the kill [s]; a version takes some milliseconds."""

LARGEST = 1_000_000
"""Bytes of a version."""


@dataclass
class Tally:
    """What was seen.

    Attributes:
        kills: Writers killed.
        inside: Kills while a version was under way, as a temporary file shows.
        faults: What should not have been.
    """

    kills: int = 0
    inside: int = 0
    faults: list[str] = field(default_factory=list)


def version(number: int, name: str) -> bytes:
    """Return content that can be checked: a digest, the number, and some bytes that follow from both."""
    chance = random.Random(f"{number} {name}")
    content = NUMBER.pack(number) + chance.randbytes(chance.randrange(LARGEST))
    return hashlib.sha256(content).digest() + content


def number_of(data: bytes) -> int | None:
    """Return the number of a version; None when it is not whole."""
    digest, content = data[:32], data[32:]
    return NUMBER.unpack(content[:8])[0] if hashlib.sha256(content).digest() == digest else None


def write_versions(folder: Path) -> Iterator[None]:
    """Write two files together, and then the next version of both, without end."""
    number = 0
    while True:
        files = {folder / "part.bin": version(number, "part"), folder / "whole.bin": version(number, "whole")}
        write_files(files)
        yield
        number += 1


def fault_of_versions(folder: Path, reported: int) -> str:
    """Say what is wrong with two files of which that many versions were reported; empty when nothing is."""
    numbers = [number_of((folder / name).read_bytes()) for name in ("part.bin", "whole.bin")]
    if None in numbers:
        return f"a file is not whole: {numbers}"
    if not reported - 1 <= numbers[1] <= numbers[0] <= reported:
        return f"versions {numbers} after {reported} were reported"
    return ""


CORRECTION = fix(load(ROBOT))


def correct_in_place(folder: Path) -> Iterator[None]:
    """Correct a robot file, put the old text back, and so on without end."""
    path = folder / "robot.urdf"
    while True:
        CORRECTION.save(path)
        yield
        write_files({path: CORRECTION.robot.document.data})
        yield


def fault_of_correction(folder: Path, reported: int) -> str:
    """Say what is wrong with a file that is corrected and put back; empty when nothing is."""
    texts = (CORRECTION.data, CORRECTION.robot.document.data)
    is_known = (folder / "robot.urdf").read_bytes() in texts
    return "" if is_known else f"the robot is neither text after {reported} writes"


CASES: tuple[tuple[Callable[[Path], Iterator[None]], Callable[[Path, int], str]], ...] = (
    (write_versions, fault_of_versions),
    (correct_in_place, fault_of_correction),
)


def kill_one(folder: Path, write: Callable[[Path], Iterator[None]], delay: float) -> int:
    """Start a writer, kill it that long after its first version, and return how many it reported."""
    receive, report = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        for _ in write(folder):
            os.write(report, b".")
    os.close(report)
    reported = len(os.read(receive, 1))
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(receive, 4096):
        reported += len(more)
    os.close(receive)
    return reported


def sweep(count: int, seed: int) -> Tally:
    """Kill writers and look at what they leave."""
    tally, chance = Tally(), random.Random(seed)
    for index in range(count):
        write, fault_of = CASES[index % len(CASES)]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            reported = kill_one(folder, write, chance.uniform(0.0, LONGEST_DELAY))
            left = [one.name for one in folder.iterdir() if NAME.fullmatch(one.name)]
            tally.kills += 1
            tally.inside += bool(left)
            fault = fault_of(folder, reported)
            before = {one.name for one in folder.iterdir()} - set(left)
            write_files({folder / sorted(before)[0]: b"the next run"})
            after = {one.name for one in folder.iterdir()}
            if fault or after != before:
                tally.faults.append(fault or f"files {sorted(after ^ before)} were left")
    return tally


def main() -> int:
    """Kill as many writers as asked, and return 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally = sweep(options.count, options.seed)
    print(f"{tally.kills} killed, {tally.inside} with a file under way, {len(tally.faults)} faults")
    for fault in tally.faults[:20]:
        print(fault)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
