# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How long the first step takes: with an empty cache of kernels, and once they are in it.

    python -m benchmarks.cold_start [-k NAME] [--dtype float64] [--out FILE]

Every figure is from a process of its own, from the corrected model in memory to the end of the first step. On a machine
that does other work as well, the CPU time of the thread that steps tells what it would take alone: other kernels are
compiled by other threads in the meantime.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import inertia_tools as it
from benchmarks.physics.report import table
from benchmarks.physics.robots import ROBOTS, collection

BOX = "box on a floor"
DTYPES = ("float64", "float32")
HEAD = ["scene", "precision", "cold [s]", "CPU of it [s]", "warm [s]"]


def first_step(name: str, dtype: str) -> tuple[float, float]:
    """Return wall and CPU time of this thread from a model to the end of its first step [s]."""
    if name == BOX:
        builder = it.ModelBuilder()
        builder.add_shape_box(builder.add_link(), hx=0.05, hy=0.05, hz=0.05)
        builder.add_ground_plane()
        began, worked = time.perf_counter(), time.thread_time()
        model = builder.finalize(dtype=dtype)
        state = model.state()
        it.SolverXPBD(model).step(state, state, None, model.contacts(), 1.0 / 240.0)
    else:
        robot = next(robot for robot in ROBOTS if robot.name == name)
        folder = collection()
        assert folder is not None
        corrected = it.fix(it.load(folder / robot.path)).corrected
        began, worked = time.perf_counter(), time.thread_time()
        it.Simulation(corrected, dtype=dtype, fixed_base=robot.bolted).step(1)
    return time.perf_counter() - began, time.thread_time() - worked


def in_a_process(name: str, dtype: str, cache: str) -> tuple[float, float]:
    """Return what `first_step` finds in a process of its own, with such a cache of kernels."""
    command = [sys.executable, "-m", "benchmarks.cold_start", "--child", name, "--dtype", dtype]
    run = subprocess.run(
        command,
        env={**os.environ, "WARP_CACHE_PATH": cache, "INERTIA_TOOLS_NO_DRAFTS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    wall, worked = run.stdout.split()[-2:]
    return float(wall), float(worked)


def row(name: str, dtype: str) -> list[str]:
    """Return a row of the table."""
    with tempfile.TemporaryDirectory() as cache:
        cold, worked = in_a_process(name, dtype, cache)
        warm, _ = in_a_process(name, dtype, cache)
    cells = [name, dtype, f"{cold:.1f}", f"{worked:.1f}", f"{warm:.1f}"]
    print("  ".join(cells), flush=True)
    return cells


def main() -> None:
    """Measure the scenes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-k", default="", help="scenes whose names contain this")
    parser.add_argument("--dtype", choices=DTYPES, help="one precision only")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(*first_step(given.child, given.dtype))
        return
    names = [BOX, *(robot.name for robot in ROBOTS if collection() is not None)]
    chosen = [name for name in names if given.k.lower() in name.lower()]
    rows = [row(name, dtype) for name in chosen for dtype in DTYPES if given.dtype in (None, dtype)]
    if given.out:
        given.out.write_text("\n".join([*table(HEAD, rows), ""]))


if __name__ == "__main__":
    main()
