# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How long the first step takes: with an empty cache of kernels, and after `inertia-tools warm-up`.

    python -m benchmarks.cold_start [-k NAME] [--dtype float64] [--warm] [--out FILE]

Every figure is from a process of its own: from the corrected model in memory to the end of the first step, and of the
whole process, which imports the package and reads and corrects the robot besides.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import inertia_tools as it
from benchmarks.physics.report import table
from benchmarks.physics.robots import ROBOTS, collection
from inertia_tools.sim.warm_up import warm_up

BOX = "box on a floor"
DTYPES = ("float64", "float32")
HEAD = ["scene", "precision", "restitution", "empty cache [s]", "warm [s]", "process [s]"]


def first_step(name: str, dtype: str, bounces: bool) -> float:
    """Return the time from a model to the end of its first step [s]."""
    if name == BOX:
        builder = it.ModelBuilder()
        builder.add_shape_box(builder.add_link(), hx=0.05, hy=0.05, hz=0.05)
        builder.add_ground_plane()
        began = time.perf_counter()
        model = builder.finalize(dtype=dtype)
        state = model.state()
        it.SolverXPBD(model, enable_restitution=bounces).step(state, state, None, model.contacts(), 1.0 / 240.0)
    else:
        robot = next(robot for robot in ROBOTS if robot.name == name)
        folder = collection()
        assert folder is not None
        corrected = it.fix(it.load(folder / robot.path)).corrected
        began = time.perf_counter()
        it.Simulation(corrected, dtype=dtype, fixed_base=robot.bolted, enable_restitution=bounces).step(1)
    return time.perf_counter() - began


def in_a_process(name: str, dtype: str, bounces: bool, cache: str | None = None) -> tuple[float, float]:
    """Return what `first_step` finds in a process of its own, with such a cache of kernels, and what that takes [s]."""
    command = [sys.executable, "-m", "benchmarks.cold_start", "--child", name, "--dtype", dtype]
    env = dict(os.environ) if cache is None else {**os.environ, "WARP_CACHE_PATH": cache}
    began = time.perf_counter()
    run = subprocess.run(command + ["--bounces"] * bounces, env=env, capture_output=True, text=True, check=True)
    return float(run.stdout), time.perf_counter() - began


def row(name: str, dtype: str, bounces: bool, only_warm: bool) -> list[str]:
    """Return a row of the table."""
    cold = "-"
    if not only_warm:
        with tempfile.TemporaryDirectory() as cache:
            cold = f"{in_a_process(name, dtype, bounces, cache)[0]:.1f}"
    warm, process = in_a_process(name, dtype, bounces)
    cells = [name, dtype, "yes" if bounces else "no", cold, f"{warm:.1f}", f"{process:.1f}"]
    print("  ".join(cells), flush=True)
    return cells


def main() -> None:
    """Measure the scenes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-k", default="", help="scenes whose names contain this")
    parser.add_argument("--dtype", choices=DTYPES, help="one precision only")
    parser.add_argument("--warm", action="store_true", help="only with the kernels in the cache")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--bounces", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(first_step(given.child, given.dtype, given.bounces))
        return
    warm_up()
    names = [BOX, *(robot.name for robot in ROBOTS if collection() is not None)]
    chosen = [name for name in names if given.k.lower() in name.lower()]
    dtypes = [dtype for dtype in DTYPES if given.dtype in (None, dtype)]
    rows = [row(*one, given.warm) for one in product(chosen, dtypes, (False, True))]
    if given.out:
        given.out.write_text("\n".join([*table(HEAD, rows), ""]))


if __name__ == "__main__":
    main()
