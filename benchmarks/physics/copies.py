# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What copies of a scene cost, as worlds of one model: 1 to 4096 on the CPU, 1 to 16384 on a GPU.

    python -m benchmarks.physics.copies [--device NAME] [--seconds S] [--out FILE] [--plot FILE]

In single precision, at 1/240 s a frame: on a CPU ours alone, with one thread and with one a core; on a GPU beside
MuJoCo Warp (`pip install mujoco-warp`), where that is installed, at its defaults but for an elliptic friction cone.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import warp as wp

from benchmarks.physics.crowds import leaning_heap
from benchmarks.physics.engine import Engine
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.speed import FRAME, PASSES, SCENES, Entrant
from benchmarks.physics.speed_section import COPIES, COPIES_ON_GPU, GPU_PLOT, PLOT, refresh
from benchmarks.physics.world import World

SCENES_COPIED = ("one box", "quadruped standing")
SCENES_ON_GPU = ("quadruped standing", "humanoid standing")
HEAP = "60 boxes in a pit"
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
            self.scene, self.where, f"{self.worlds:,}", f"{1e6 / speed:,.0f}",
            f"{speed * self.worlds:,.{0 if speed > 10.0 else 1}f}",
        ]  # fmt: skip


def measure(name: str, where: str, engine: Engine, worlds: int, seconds: float) -> Copies:
    """Step copies of a scene beside each other for some time [s]."""
    is_heap = name == HEAP
    engine.advance(0.05 if is_heap else 0.25)
    wp.synchronize()
    frames = Entrant("", engine, 1, 0.0).frames_per_second(seconds, 2 if is_heap else 16)
    return Copies(name, where, worlds, frames)


def on_cpu(seconds: float) -> Iterator[Copies]:
    """Yield what there is to measure on a CPU."""
    for name in SCENES_COPIED:
        for threads in (1, os.cpu_count()):
            for worlds in WORLDS:
                engine = copies_of(name, worlds, "cpu", threads)
                yield measure(name, f"cpu, threads: {threads}", engine, worlds, seconds)


def on_gpu(device: str, seconds: float) -> Iterator[Copies]:
    """Yield what there is to measure on a GPU."""
    card = wp.get_device(device).name
    for name in (*SCENES_ON_GPU, HEAP):
        counts = (1,) if name == HEAP else WORLDS_ON_GPU
        for worlds in counts:
            yield measure(name, f"{card}, ours", copies_of(name, worlds, device), worlds, seconds)
        if find_spec("mujoco_warp"):
            from benchmarks.physics.with_mujoco_warp import MuJoCoWarp

            for worlds in counts:
                engine = MuJoCoWarp(scene(name), FRAME, FRAME, copies=worlds, device=device)
                yield measure(name, f"{card}, MuJoCo Warp", engine, worlds, seconds)


def copies_of(name: str, worlds: int, device: str, threads: int | None = None) -> Ours:
    """Return ours with copies of a scene."""
    options = {"copies": worlds, "threads": threads, "device": device, "reactions": False}
    return Ours(scene(name), FRAME, FRAME, "float32", PASSES, **options)


def scene(name: str) -> World:
    """Return a scene by its name."""
    return leaning_heap(60, 4) if name == HEAP else SCENES[name]()


def draw(measured: Sequence[Copies], path: Path) -> None:
    """Draw what a frame of one world costs over the number of worlds, a line for each scene and device."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for line in dict.fromkeys((one.scene, one.where) for one in measured if one.scene != HEAP):
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
    parser.add_argument("--device", default="cpu", help="where, as Warp names it (%(default)s)")
    parser.add_argument("--out", type=Path, help="file to write the table to")
    parser.add_argument("--plot", type=Path, help="file to draw to")
    options = parser.parse_args()
    cpu = options.device == "cpu"
    measured = []
    for one in on_cpu(options.seconds) if cpu else on_gpu(options.device, options.seconds):
        measured.append(one)
        print("  ".join(one.row), flush=True)
    out = options.out or (COPIES if cpu else COPIES_ON_GPU)
    out.write_text("\n".join(table(HEAD, [one.row for one in measured])) + "\n")
    draw(measured, options.plot or (PLOT if cpu else GPU_PLOT))
    refresh()


if __name__ == "__main__":
    main()
