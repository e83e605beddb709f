# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the solves of all scenes of the suite converge: Newton steps, Coulomb's natural residual, and what is unsettled.

    python -m benchmarks.physics.convergence [-k NAME] [--dtype float64] [--rate 1200 ...] [--out FILE]

A solve is that of one island in one substep. Those of substeps in which a contact sets in are counted apart. The
residual is over g h^2: a contact at rest whose residual is 1e-4 of it is off by 1e-4 of what gravity does in a substep.
Of solves with a new contact a few of a thousand are above that: several rates give a sample that is large enough.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.physics.__main__ import GROUPS
from benchmarks.physics.crowds import STANDING, leaning_heap
from benchmarks.physics.engine import FRAME, Engine, NotYetError
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.scene import Scene
from benchmarks.physics.speed import SCENES, SETTLING
from benchmarks.physics.world import World
from inertia_tools.errors import InertiaToolsError
from inertia_tools.sim.device.solve_log import SolveLog

DTYPES = ("float64", "float32")
SMALL = -4
"""Decade of the residual, over g h^2, that a solve should stay below."""

HEAP_SECONDS = 4.0
"""Time in which boxes fall on each other and lie still [s]."""

PARTS = ("at rest", "new contact")
HEAD = ["scene", "precision", "solves", "Newton steps: median", "99 %", "most", "residual over 1e-4 g h²", "unsettled"]


class Logged:
    """Builds engines that log their solves, and sums up what they logged; see `scene.Make`."""

    def __init__(self, dtype: str, rate: int) -> None:
        self._build = partial(Ours, dtype=dtype, logs=True)
        self._rate = rate
        self._made: list[Ours] = []

    def __call__(self, world: World, frame: float | None = FRAME) -> Engine:
        """Build an engine."""
        self._made.append(self._build(world, 1.0 / self._rate, frame or 1.0 / self._rate))
        return self._made[-1]

    def sums(self) -> tuple[SolveLog, int] | None:
        """Return the logs of all engines put together, and how many solves have not settled."""
        logs = [engine.contacts.solve_log for engine in self._made]
        return (sum(logs[1:], logs[0]), sum(engine.contacts.unsettled for engine in self._made)) if logs else None


def standing(name: str, world: Callable[[], World], seconds: float = SETTLING) -> Scene:
    """Return a scene that stands or comes to rest, by default as long as those of the speed table settle."""

    def play(make: Logged) -> dict[str, float]:
        make(world()).advance(seconds)
        return {}

    return Scene(name, name, {}, play)


def standing_scenes() -> list[Scene]:
    """Return the scenes of the speed table, walls of bricks, and a heap that falls and comes to rest."""
    walls = {name: STANDING[name].world for name in STANDING if name.startswith("wall")}
    scenes = [standing(name, world) for name, world in {**SCENES, **walls}.items()]
    return [*scenes, standing("heap of 30 boxes", partial(leaning_heap, 30, 3), HEAP_SECONDS)]


def rows_of(scene: Scene, dtype: str, rate: int) -> Iterator[tuple[list[str], SolveLog, int]]:
    """Play a scene, and yield its rows of the table with what was logged."""
    make = Logged(dtype, rate)
    try:
        scene.play(make)
    except (NotYetError, InertiaToolsError):
        return
    found = make.sums()
    if found is not None and found[0].newton_steps.sum():
        yield from ((cells, *found) for cells in cells_of(scene.key, dtype, *found))


def cells_of(name: str, dtype: str, log: SolveLog, unsettled: int) -> Iterator[list[str]]:
    """Yield a row for the solves at rest, and one for those in which a contact sets in."""
    for part, of_part in enumerate(PARTS):
        count = int(log.newton_steps[part].sum())
        if count:
            steps = [str(log.quantile(part, share)) for share in (0.5, 0.99, 1.0)]
            above = f"{100.0 * log.share_above(part, SMALL):.2g} %" if log.decades[part].sum() else "-"
            yield [f"{name}, {of_part}", dtype, str(count), *steps, above, str(unsettled) if part == 0 else ""]


def main() -> None:
    """Play the scenes, print their rows as they come, and those of all together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-k", default="", help="scenes whose names contain this")
    parser.add_argument("--dtype", choices=DTYPES, help="one precision only")
    parser.add_argument("--rate", type=int, nargs="+", default=[1200], help="substeps a second (default 1200)")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    scenes = [scene for group in GROUPS for scene in group.scenes] + standing_scenes()
    rows: list[list[str]] = []
    for dtype in DTYPES if given.dtype is None else (given.dtype,):
        total: list[tuple[SolveLog, int]] = []
        for scene in scenes:
            if given.k.lower() in scene.key.lower():
                for rate in given.rate:
                    found = list(rows_of(scene, dtype, rate))
                    for cells, *_ in found:
                        print("  ".join(cells), flush=True)
                    rows += [cells for cells, *_ in found]
                    total += [(log, unsettled) for _, log, unsettled in found[:1]]
        if total:
            logs, counts = zip(*total, strict=True)
            rows += cells_of("all", dtype, sum(logs[1:], logs[0]), sum(counts))
    text = "\n".join([*table(HEAD, rows), ""])
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
