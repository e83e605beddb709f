# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simulate the scenes of the suite with this package, MuJoCo and Newton, and write docs/physics.md.

    make bench-physics [ARGS="--quick -k pendulum"]
    python -m benchmarks.physics [--quick] [-k NAME] [--out FILE]

MuJoCo and Newton take part where they are installed (`make peers` has an environment with both). A selection or
a quick run is printed, not written, unless `--out` says where to.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.physics import report
from benchmarks.physics.contact import CONTACT
from benchmarks.physics.engine import FRAME, Engine, NotYetError
from benchmarks.physics.hygiene import hygiene_section
from benchmarks.physics.impacts import IMPACTS
from benchmarks.physics.joints import JOINTS
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import Column, Result
from benchmarks.physics.robots import robots_section
from benchmarks.physics.scene import Scene
from benchmarks.physics.smooth import SMOOTH
from benchmarks.physics.speed_section import DOCUMENT, TITLE, speed_section
from benchmarks.physics.turning import TURNING
from benchmarks.physics.world import World
from inertia_tools.errors import InertiaToolsError
from inertia_tools.spatial import Pose, rotation_from_rpy

GROUPS = (SMOOTH, CONTACT, IMPACTS, TURNING, JOINTS)
RATES = (600, 1200, 3000)
ELSEWHERE = Pose(np.array([100.0, -50.0, 20.0]), rotation_from_rpy([0.4, -1.1, 2.0]))
LEAST_SIZE = 0.1
"""Scenes smaller than this count as so large where copies of them are compared [m]."""

INTRODUCTION = """# Physics

Written by `make bench-physics` (`benchmarks/physics/`) on {machine} in {minutes:.0f} minutes, with {versions}. Nothing
below is edited by hand.

Every scene runs at steps of 1/600, 1/1200 and 1/3000 s. These are substeps of our solver, and steps of the other
engines. Our solver makes 3 passes in each substep, in double (f64) and single precision (f32). MuJoCo integrates by
semi-implicit Euler, with an elliptic friction cone; Newton runs SolverXPBD with 2 iterations and collision detection in
every step. All other settings are the engines' defaults. Errors are absolute, in the unit of the target, or relative if
the target has no unit. Targets in brackets are for single precision. Bold errors miss their target. "moved" compares
the scene with a copy that is rotated and moved to (100, -50, 20) m: the largest distance between corresponding bodies
at the end, relative to the size of the scene, at 1/1200 s. "-" marks scenes that an engine cannot run, "not yet" those
that our solver cannot run.
"""


def columns(quick: bool) -> list[Column]:
    """List the ways to run each scene."""
    rates = (1200,) if quick else RATES
    ours = [Column("ours", rate, dtype) for dtype in ("float64", "float32") for rate in rates]
    others = [name for name in ("MuJoCo", "Newton") if find_spec(name.lower())]
    return [*ours, *(Column(name, rate) for name in others for rate in (rates if quick else (600, 1200)))]


def builder_of(column: Column) -> Callable[..., Engine]:
    """Return what builds the engine of a column."""
    if column.engine == "ours":
        return partial(Ours, dtype=column.dtype)
    if column.engine == "MuJoCo":
        from benchmarks.physics.with_mujoco import MuJoCo

        return MuJoCo
    from benchmarks.physics.with_newton import Newton

    return Newton


class Maker:
    """Builds the engines of one scene in one column, and remembers them."""

    def __init__(self, column: Column, place: Pose | None = None) -> None:
        self.made: list[Engine] = []
        self.column, self.place = column, place or Pose()
        self._build = builder_of(column)

    def __call__(self, world: World, frame: float | None = FRAME) -> Engine:
        """Build an engine; see `scene.Make`."""
        h = 1.0 / self.column.rate
        engine = self._build(world.put(self.place), h, frame or h)
        self.made.append(engine)
        return engine


def play(scene: Scene, column: Column, result: Result, place: Pose | None = None) -> Maker | None:
    """Run a scene once; return its engines, or None where one of them cannot do it."""
    maker = Maker(column, place)
    try:
        measures = scene.play(maker)
    except NotYetError as error:
        result.refusals[column] = f"not yet: {error}" if column.engine == "ours" else "-"
        return None
    except (InertiaToolsError, ArithmeticError, IndexError, ValueError, np.linalg.LinAlgError) as error:
        result.refusals[column] = f"failed: {str(error)[:60]}"
        return None
    if place is None:
        result.measures[column] = measures
    return maker


def apart(first: Maker, second: Maker) -> float:
    """Return how far the bodies of two runs are apart in the end, over the size of the scene."""
    worst = 0.0
    for one, other in zip(first.made, second.made, strict=True):
        a, b = one.motion().x, other.motion().x
        if len(a):
            worst = max(worst, float(np.abs(a - b).max()) / max(float(np.abs(a).max()), LEAST_SIZE))
    return worst


def run(scene: Scene, listed: list[Column]) -> Result:
    """Run a scene in every column, and ours elsewhere too."""
    result = Result(scene)
    for column in listed:
        began = time.perf_counter()
        made = play(scene, column, result)
        if made is not None and column.engine == "ours" and column.rate == 1200:
            elsewhere = play(scene, column, result, ELSEWHERE)
            if elsewhere is not None:
                result.moved[column.dtype] = apart(made, elsewhere)
        shown = result.measures.get(column) or result.refusals.get(column, "")
        numbers = "  ".join(f"{k} {v:.1e}" for k, v in shown.items()) if isinstance(shown, dict) else shown
        print(f"{scene.key:24} {column.title:14} {time.perf_counter() - began:6.1f} s  {numbers}", flush=True)
    return result


def machine() -> str:
    """Name the machine, as far as it matters here."""
    return f"{os.cpu_count()} cores of {platform.machine()}, {platform.system()}"


def versions() -> str:
    """Name what was compared."""
    names = ["warp-lang", "numpy", *(name for name in ("mujoco", "newton") if find_spec(name))]
    return ", ".join(f"{name} {version(name)}" for name in names)


def text_of(results: list[list[Result]], listed: list[Column], hygiene: list[str], minutes: float) -> str:
    """Put the page together."""

    def lines() -> Iterator[str]:
        words = INTRODUCTION.format(machine=machine(), minutes=minutes, versions=versions())
        yield from ("\n".join(textwrap.wrap(part, 120)) + "\n" for part in words.strip().split("\n\n"))
        for group, found in zip(GROUPS, results, strict=True):
            if found:
                yield from report.section(group.title, found, listed)
        yield from hygiene
        yield f"## {TITLE}"
        yield from speed_section()
        yield ""
        yield "## Missed at every step"
        yield ""
        every = [result for found in results for result in found]
        yield from list(report.missed(every, listed)) or ["Nothing."]

    return "\n".join(lines()) + "\n"


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="steps of 1/1200 s only")
    parser.add_argument("-k", default="", metavar="NAME", help="only scenes whose key has this in it")
    parser.add_argument("--engines", nargs="*", default=["ours", "MuJoCo", "Newton"], help="only these")
    parser.add_argument("--out", type=Path, help="file to write (default docs/physics.md for a full run)")
    options = parser.parse_args()
    listed = [column for column in columns(options.quick) if column.engine in options.engines]
    began = time.perf_counter()
    results = [[run(s, listed) for s in group.scenes if options.k in s.key] for group in GROUPS]
    hygiene = [] if options.k else list(hygiene_section())
    hygiene += list(robots_section(options.k)) if "ours" in options.engines else []
    text = text_of(results, listed, hygiene, (time.perf_counter() - began) / 60.0)
    out = options.out or (None if options.quick or options.k else DOCUMENT)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text)
        print(f"wrote {out}")


if __name__ == "__main__":
    main()
