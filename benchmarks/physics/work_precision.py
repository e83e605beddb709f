# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Error against computing time over step lengths, beside MuJoCo's integrators and Newton: work-precision curves.

The table has the least time in which an engine stays below an error, the plot all points.

    python -m benchmarks.physics.work_precision [--seconds S] [-k NAME] [--out FILE] [--plot FILE]

Steps are 1/30 to 1/960 s long, to 1/3840 s in motion. Every engine is looked at every 1/30 s, and takes the
steps between two looks as it does that best: ours as substeps of one step, MuJoCo by `nstep`, Newton as one captured
graph. One thread of the CPU; the time is the best of five rounds in turns. Errors:

- chains: distance of the last link after one second from where it belongs, over the length of the chain; reference is
  MuJoCo's Runge-Kutta method in steps of 1e-4 s, whose energy changes by 1e-11 of what is exchanged;
- a quadruped whose drives have it squat and rise, their targets written at each look: how far its trunk is after one
  second from where it belongs, over its height; reference is ours in substeps of 1/30720 s, half of which change it by
  2e-4, and MuJoCo's Runge-Kutta method in steps of 1/15360 s ends 8e-3 from it;
- a box that slides: its way until it rests, from v^2 / (2 mu g), relative;
- standing scenes: the larger of the floor's force over the weight less one, and how far the worst body has sunk over
  the height of the scene, after two seconds (`benchmarks.physics.speed`).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.physics.contact import stack
from benchmarks.physics.engine import Engine
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.speed import PASSES, SCENES, Entrant, chains, error_of, quadruped
from benchmarks.physics.speed_section import CURVES, CURVES_PLOT, refresh
from benchmarks.physics.world import G, World, at, box

LOOK = 1.0 / 30.0
"""Time between two looks at a scene [s]."""

STEPS = (1, 2, 4, 8, 16, 32)
"""Steps between two looks."""

MORE_STEPS = (64, 128)
"""The same, for scenes in motion."""

TURN_LIMITS = (0.25, 0.5, 1.0)
"""Other values of `joint_turn_limit` [rad], for the same; 0.1 is its default."""

ROUNDS = 5
UNSTABLE = 10.0
"""Errors from here on are no motion of the scene any more."""

LEVELS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
"""Errors that the table asks for."""

SLIDING_SPEED, SLIDING_FRICTION = 2.0, 0.5
LENGTH_OF_CHAIN = 0.5
SQUAT, HEIGHT_OF_TRUNK = 0.4, 0.42
"""Angle by which thighs turn [rad], and the height from which [m]."""

Make = Callable[[World, float], Engine]
Drive = Callable[[Engine, float], None]


def sliding_box() -> World:
    """Return a box that slides on the floor."""
    sliding = box(1.0, (0.05, 0.05, 0.05), at(0.0, 0.0, 0.05), velocity=(SLIDING_SPEED, 0.0, 0.0))
    return World((sliding,), floor=True, mu=SLIDING_FRICTION)


def way_error(engine: Engine) -> float:
    """Return the relative error of the way on which a box comes to rest."""
    way = float(engine.advance(1.5).motion().x[0, 0])
    return abs(way / (SLIDING_SPEED**2 / (2.0 * SLIDING_FRICTION * G)) - 1.0)


@cache
def end_of_chain() -> tuple[float, ...]:
    """Return where the last link of a chain is after one second [m]."""
    reference = _mujoco(chains(1), 1e-4, "RK4", look=0.1)
    return tuple(reference.advance(1.0).motion().x[-1])


def chain_error(engine: Engine) -> float:
    """Return how far off the end of the first chain is after one second, over its length."""
    return float(np.linalg.norm(engine.advance(1.0).motion().x[4] - end_of_chain())) / LENGTH_OF_CHAIN


def squat(engine: Engine, time: float) -> None:
    """Have the drives of a quadruped aim at where its legs are to be at a time [s]."""
    angle = SQUAT * np.sin(np.pi * time) ** 2
    for hip in range(1, 13, 3):
        engine.drive(hip + 1, angle)
        engine.drive(hip + 2, -2.0 * angle)


@cache
def end_of_squat() -> tuple[float, ...]:
    """Return where the trunk of a quadruped is after one second [m]."""
    return tuple(advanced(_ours(quadruped(), LOOK / 1024, "float64"), squat).motion().x[0])


def squat_error(engine: Engine) -> float:
    """Return how far off the trunk of a quadruped is after one second, over its height."""
    return float(np.linalg.norm(advanced(engine, squat).motion().x[0] - end_of_squat())) / HEIGHT_OF_TRUNK


def advanced(engine: Engine, drive: Drive | None, first: int = 0) -> Engine:
    """Return an engine up to the end of its first second, drives being written at each look from one on."""
    for look in range(first, round(1.0 / LOOK)):
        if drive is not None:
            drive(engine, look * LOOK)
        engine.advance(LOOK)
    return engine


@dataclass(frozen=True)
class Race:
    """A scene, how its error is measured, in which steps and with which limits of turns it is made, and its drives."""

    make: Callable[[], World]
    error: Callable[[Engine], float]
    steps: tuple[int, ...] = STEPS
    turn_limits: tuple[float, ...] = ()
    is_timed_from_start: bool = False
    drive: Drive | None = None


RACES = {
    "64 five-link chains": Race(
        partial(chains, 64), chain_error, STEPS + MORE_STEPS, TURN_LIMITS, is_timed_from_start=True
    ),
    "sliding box": Race(sliding_box, way_error),
    "one box": Race(SCENES["one box"], error_of),
    "ten-box stack": Race(lambda: stack([1.0] * 10), error_of),
    "100 boxes on a plane": Race(SCENES["100 boxes on a plane"], error_of),
    "quadruped standing": Race(SCENES["quadruped standing"], error_of),
    "quadruped squatting": Race(
        SCENES["quadruped standing"], squat_error, STEPS + MORE_STEPS, is_timed_from_start=True, drive=squat
    ),
}


def _mujoco(world: World, h: float, integrator: str, look: float = LOOK) -> Engine:
    from benchmarks.physics.with_mujoco import MuJoCo

    return MuJoCo(world, h, look, integrator)


def _newton(world: World, h: float) -> Engine:
    from benchmarks.physics.with_newton import Newton

    return Newton(world, h, LOOK)


def _ours(world: World, h: float, dtype: str, turn_limit: float = 0.1) -> Engine:
    return Ours(world, h, LOOK, dtype, PASSES, reactions=False, turn_limit=turn_limit)


def engines(turn_limits: Sequence[float]) -> Iterator[tuple[str, Make]]:
    """Yield the engines that are installed; ours with such limits besides its default."""
    yield from (
        (f"ours, {name}", partial(_ours, dtype=dtype)) for name, dtype in (("f64", "float64"), ("f32", "float32"))
    )
    for limit in turn_limits:
        yield f"ours, f64, turn limit {limit:g}", partial(_ours, dtype="float64", turn_limit=limit)
    if find_spec("mujoco"):
        yield from ((f"MuJoCo, {name}", partial(_mujoco, integrator=name)) for name in ("Euler", "implicitfast", "RK4"))
    if find_spec("newton"):
        yield "Newton, captured", _newton


@dataclass
class Point:
    """A point of a curve.

    Attributes:
        scene: Its name.
        engine: Its name.
        steps: Of the engine in a second.
        error: As the module says.
        seconds: Computing time of a simulated second [s].
    """

    scene: str
    engine: str
    steps: int
    error: float
    seconds: float


def second_of(engine: Engine, seconds: float) -> float:
    """Return the computing time of a simulated second of a scene that has settled [s]."""
    return 1.0 / (LOOK * Entrant("", engine, 1, 0.0).frames_per_second(seconds))


def first_second(engine: Engine, drive: Drive | None) -> float:
    """Return the computing time of the second that errors are measured in, but for its first look [s].

    What limp chains do later depends on who steps them, and with it on how fast they turn.
    """
    engine.advance(LOOK)
    start = perf_counter()
    advanced(engine, drive, 1)
    return (perf_counter() - start) / (1.0 - LOOK)


def measure(name: str, seconds: float) -> list[Point]:
    """Return the points of a scene."""
    race = RACES[name]
    entrants: list[tuple[Point, Engine, Callable[[], Engine]]] = []
    for engine_name, make in engines(race.turn_limits):
        for steps in race.steps:
            engine = make(race.make(), LOOK / steps)
            with np.errstate(all="ignore"):
                error = race.error(engine)
            point = Point(name, engine_name, round(steps / LOOK), error, np.inf)
            entrants.append((point, engine, partial(make, race.make(), LOOK / steps)))
    for _ in range(ROUNDS):
        for point, engine, again in entrants:
            took = first_second(again(), race.drive) if race.is_timed_from_start else second_of(engine, seconds)
            point.seconds = min(point.seconds, took)
    for point, _, _ in entrants:
        print(f"{name}  {point.engine}  {point.steps} Hz  {point.error:.1e}  {1e3 * point.seconds:.3g} ms", flush=True)
    return [point for point, _, _ in entrants]


def row(scene: str, engine: str, points: Sequence[Point]) -> list[str]:
    """Return the least time of a simulated second in which the points of an engine stay below each level [ms]."""
    times = [min((p.seconds for p in points if p.error <= level), default=np.inf) for level in LEVELS]
    return [scene, engine, *(f"{1e3 * t:.3g}" if np.isfinite(t) else "-" for t in times)]


def by_engine(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    """Sort points by scene and engine."""
    curves: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        curves.setdefault((point.scene, point.engine), []).append(point)
    return curves


def styles(engines: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return a colour for each engine in all plots; with other limits of turns, ours is dashed in its own."""
    lines, colours = iter(("--", "-.", ":")), (f"C{k}" for k in range(10))
    return {
        engine: {"color": "C0", "linestyle": next(lines)} if "turn limit" in engine else {"color": next(colours)}
        for engine in engines
    }


def shortened(svg: str) -> str:
    """Return a drawing with five digits of each number: nobody sees more of them."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.5g}", svg)


def draw(curves: Mapping[tuple[str, str], Sequence[Point]], path: Path) -> None:
    """Draw a plot a scene: error over computing time, a line an engine."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    scenes = list(dict.fromkeys(scene for scene, _ in curves))
    rows = (len(scenes) + 2) // 3
    figure = Figure(figsize=(11.0, 3.4 * rows), layout="constrained")
    places = figure.subplots(rows, 3, squeeze=False).flatten()
    for unused in places[len(scenes) :]:
        unused.remove()
    plots = dict(zip(scenes, places, strict=False))
    style = styles(list(dict.fromkeys(engine for _, engine in curves)))
    for (scene, engine), points in curves.items():
        stable = [p for p in points if p.error < UNSTABLE]
        x, y = [p.seconds for p in stable], [max(p.error, 1e-16) for p in stable]
        plots[scene].loglog(x, y, marker=".", label=engine, **style[engine])
    for scene, axes in plots.items():
        axes.set(title=scene, xlabel="computing time of a second [s]", ylabel="error")
        axes.grid(True, which="major", alpha=0.3)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.fonttype": "none"}):  # letters as text, not as outlines
        figure.savefig(path, metadata={"Date": None})
    if path.suffix == ".svg":
        path.write_text(shortened(path.read_text()))


def main() -> None:
    """Measure, write the table and draw the plots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.1, help="computing time of a round (default %(default)g)")
    parser.add_argument("-k", default="", metavar="NAME", help="only scenes whose name has this in it")
    parser.add_argument("--out", type=Path, default=CURVES, help="file to write the table to")
    parser.add_argument("--plot", type=Path, default=CURVES_PLOT, help="file to draw to")
    options = parser.parse_args()
    points = [point for name in RACES if options.k in name for point in measure(name, options.seconds)]
    curves = by_engine(points)
    head = ["scene", "engine", *(f"error {level:.0e}" for level in LEVELS)]
    rows = (row(scene, engine, of_engine) for (scene, engine), of_engine in curves.items())
    options.out.write_text("\n".join(table(head, rows)) + "\n")
    draw(curves, options.plot)
    refresh()


if __name__ == "__main__":
    main()
