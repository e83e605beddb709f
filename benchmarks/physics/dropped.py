# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Every robot of example-robot-data, corrected, dropped limp on a floor, on rough terrain, and on a stair of triangles.

    python -m benchmarks.physics.dropped [-k NAME ...] [--seconds 2] [--dtypes float64] [--substeps 4] [--upside-down]

Nothing holds their joints but dry friction and limits. Each may only lose energy, never be thrown about, and not be in
the ground.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import inertia_tools as it
from benchmarks.physics.grounds import Floor, stair, terrain
from benchmarks.physics.report import table
from benchmarks.physics.robots import collection
from benchmarks.physics.watched import Ground, Watched
from inertia_tools.errors import InertiaToolsError, SimulationError

GROUNDS = {"floor": Floor, "terrain": terrain, "stair": stair}
CLEARANCE = 0.05
"""Height above the ground at the start [m]."""

LOOK = 6
"""Steps between two looks: 25 ms."""

DEEP = 1e-3
RISE = 1e-3
"""Depth [m], and rise of the energy over the least so far, over that of the robot at 1 m [1], that are told of."""

HEADINGS = ["robot, ground, precision, substeps", "bodies", "above start [J]", "rise / (m g 1 m)", "deepest [mm]"]


class Asked(argparse.Namespace):
    """What the command line asks for."""

    k: list[str]
    seconds: float
    grounds: list[str]
    dtypes: list[str]
    substeps: list[int]
    upside_down: bool


@dataclass
class Drop:
    """What was seen of a robot: energy over that at the start, rise over the least so far [J], and depth [m]."""

    above: float = -np.inf
    rise: float = 0.0
    depth: float = -np.inf


def drop(watched: Watched, seconds: float) -> Drop:
    """Let a robot fall, and say what was seen of it.

    Raises:
        SimulationError: A body has left the finite numbers.
    """
    simulation, seen = watched.simulation, Drop()
    start = least = watched.energies()[1]
    while simulation.time < seconds:
        simulation.step(LOOK)
        total = watched.energies()[1]
        seen.above, seen.rise = max(seen.above, total - start), max(seen.rise, total - least)
        seen.depth, least = max(seen.depth, watched.depth()), min(least, total)
    return seen


def limp(robot: it.Description, ground: Ground, dtype: str, substeps: int, upside_down: bool) -> Watched | None:
    """Return a robot just above a ground; None for one that does not move freely, or touches nothing."""
    simulation = it.Simulation(robot, dtype=dtype, ground=ground.ground, substeps=substeps)
    watched = Watched(simulation, ground)
    if simulation.fixed_base or not watched.points:
        return None
    if upside_down:
        simulation.set_body_state(simulation.free_roots[0], (0.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0))
    watched.put_above(CLEARANCE)
    return watched


def row(robot: it.Description, label: str, ground: Ground, dtype: str, substeps: int, asked: Asked) -> list[str]:
    """Drop a robot once, and return one row of the table; none for a robot that cannot be dropped."""
    try:
        watched = limp(robot, ground, dtype, substeps, asked.upside_down)
    except InertiaToolsError as error:
        print(label, error, file=sys.stderr, flush=True)
        return []
    if watched is None:
        return []
    bodies = str(watched.simulation.model.body_count)
    try:
        seen = drop(watched, asked.seconds)
    except SimulationError as error:
        return [label, bodies, f"failed: {error}", "inf", "inf"]
    rise = seen.rise / watched.simulation.weight
    return [label, bodies, f"{seen.above:.1e}", f"{rise:.1e}", f"{1e3 * seen.depth:.2f}"]


def drops(folder: Path, asked: Asked) -> Iterator[list[str]]:
    """Drop all robots, and yield the rows of the table."""
    for path in sorted(folder.rglob("*.urdf")):
        if any(needle.lower() in str(path).lower() for needle in asked.k):
            try:
                robot = it.fix(it.load(path)).corrected
            except InertiaToolsError as error:
                print(path.stem, error, file=sys.stderr, flush=True)
                continue
            for ground, dtype, substeps in itertools.product(asked.grounds, asked.dtypes, asked.substeps):
                label = f"{path.stem}, {ground}, {dtype}, {substeps}"
                cells = row(robot, label, GROUNDS[ground](), dtype, substeps, asked)
                if cells:
                    print(*cells, sep="  ", file=sys.stderr, flush=True)
                    yield cells


def main() -> None:
    """Print how many drops there were, and a table of those in which something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", nargs="+", default=[""], metavar="NAME", help="files with one of these in their path")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--grounds", nargs="+", default=list(GROUNDS))
    parser.add_argument("--dtypes", nargs="+", default=["float64", "float32"])
    parser.add_argument("--substeps", type=int, nargs="+", default=[4])
    parser.add_argument("--upside-down", action="store_true")
    asked = parser.parse_args(namespace=Asked())
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    folder = collection()
    if folder is None:
        sys.exit("example-robot-data is not installed")
    rows = list(drops(folder, asked))
    thrown, deep = (
        [cells for cells in rows if float(cells[3]) > RISE],
        [cells for cells in rows if float(cells[4]) > 1e3 * DEEP],
    )
    print(
        f"{len(rows)} drops, {len(thrown)} in which energy rises by over {RISE:g} m g 1 m, {len(deep)} deeper than "
        f"{1e3 * DEEP:g} mm\n"
    )
    print("\n".join(table(HEADINGS, [cells for cells in rows if cells in thrown or cells in deep])))


if __name__ == "__main__":
    main()
