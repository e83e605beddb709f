# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What copies of a scene cost, as worlds of one model: 1 to 4096 on the CPU, to 16384 where there is CUDA.

    python -m benchmarks.physics.copies [--seconds S] [--out FILE] [--plot FILE]

Ours alone, in single precision: on a CPU with one thread, and with one a core.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import warp as wp

from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.speed import FRAME, PASSES, SCENES, Entrant
from benchmarks.physics.speed_section import COPIES, PLOT, refresh

SCENES_COPIED = ("one box", "quadruped standing")
WORLDS = (1, 8, 64, 512, 4096)
WORLDS_ON_GPU = (1, 64, 1024, 4096, 16384)

HEAD = ["scene", "device", "worlds", "us/frame of all", "frames/s of all together"]


@dataclass(frozen=True)
class Copies:
    """Copies of a scene, measured.

    Attributes:
        scene: Its name.
        where: Device and threads.
        worlds: How many.
        frames_per_second: Frames of all of them together, for each second of computing.
    """

    scene: str
    where: str
    worlds: int
    frames_per_second: float

    @property
    def frame(self) -> float:
        """Time that a frame of one world takes, of all together [us]."""
        return 1e6 / (self.frames_per_second * self.worlds)

    @property
    def row(self) -> list[str]:
        """Row of the table."""
        speed = self.frames_per_second
        return [
            self.scene, self.where, f"{self.worlds:,}", f"{1e6 / speed:,.0f}", f"{speed * self.worlds:,.0f}"
        ]  # fmt: skip


def measure(name: str, device: str, worlds: int, threads: int | None, seconds: float) -> Copies:
    """Step copies of a scene beside each other for some time [s]."""
    options = {"copies": worlds, "threads": threads, "device": device, "reactions": False}
    engine = Ours(SCENES[name](), FRAME, FRAME, "float32", PASSES, **options)
    engine.advance(0.25)
    wp.synchronize()
    where = device if threads is None else f"{device}, threads: {threads}"
    return Copies(name, where, worlds, Entrant("", engine, 1, 0.0).frames_per_second(seconds))


def draw(measured: Sequence[Copies], path: Path) -> None:
    """Draw what a frame of one world costs over the number of worlds, a line for each scene and device."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for line in dict.fromkeys((one.scene, one.where) for one in measured):
        points = [one for one in measured if (one.scene, one.where) == line]
        axes.loglog([one.worlds for one in points], [one.frame for one in points], marker="o", label=", ".join(line))
    axes.set_xlabel("worlds")
    axes.set_ylabel("time of a frame of one world [us]")
    axes.set_xscale("log", base=2)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure, write the table and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="computing time of a measurement (%(default)g)")
    parser.add_argument("--out", type=Path, default=COPIES, help="file to write the table to")
    parser.add_argument("--plot", type=Path, default=PLOT, help="file to draw to")
    options = parser.parse_args()
    ways: list[tuple[str, int, int | None]] = [("cpu", n, t) for t in (1, os.cpu_count()) for n in WORLDS]
    ways += [("cuda:0", n, None) for n in WORLDS_ON_GPU if wp.is_cuda_available()]
    measured = []
    for name in SCENES_COPIED:
        for device, count, threads in ways:
            measured.append(measure(name, device, count, threads, options.seconds))
            print("  ".join(measured[-1].row), flush=True)
    options.out.write_text("\n".join(table(HEAD, [one.row for one in measured])) + "\n")
    draw(measured, options.plot)
    refresh()


if __name__ == "__main__":
    main()
