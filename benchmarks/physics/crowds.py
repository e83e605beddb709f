# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies in one world, beside MuJoCo and Newton: how they stand, and how fast they are stepped.

    python -m benchmarks.physics.crowds [--seconds S] [-k NAME] [--most N] [--out FILE]

A frame is 1/240 s: four substeps of ours, four steps of Newton in one captured graph, two steps of MuJoCo (which is
close to its usual 2 ms). All run on one thread of the CPU; everything else is at its defaults.

Standing: a stack of 30 boxes; a wall of ten courses in running bond, half bricks at its ends, its bricks 2 mm apart
or touching; a heap of 1000 boxes that fall by 2 cm a layer; heaps of 200 and 1000 cubes, bricks and slabs, dropped into
a pit at random, which lean on each other in all directions; 1000 kg on 1 kg. "Drift" is how far any body is, from the
first second to the end, or from the third where heaps lean, from where it was then; "speed" is the greatest at the
end. The 216 balls of 10 kg without friction start in a cube and collapse at frames of 1/60 s, 20 substeps
(SimBenchmark's 666).

Speed: boxes that stand apart, boxes in columns of five, and columns of boxes, balls and cylinders, for 10 to 10 000
bodies, after two tenths of a second. The exponent is that of the growth of a frame's time with the number of bodies,
from 100 on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.physics.contact import HALF, stack
from benchmarks.physics.engine import Engine
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.world import Body, Shape, World, at, box
from inertia_tools.spatial import Array, rotation_from_quaternion

FRAME = 1.0 / 240.0
SUBSTEPS = 4
MUJOCO_STEPS = 2
BALL_FRAME, BALL_SUBSTEPS = 1.0 / 60.0, 20
RADIUS = 0.2
"""Radius of the balls [m]."""

COUNTS = (10, 100, 1000, 10_000)
FITTED_FROM = 100
"""Bodies from which the growth is fitted: below, what a step costs whatever is in it counts most."""

OUT = Path(__file__).parents[1] / "results" / "crowds.md"


def wall(gap: float, courses: int = 10, bricks: int = 10) -> World:
    """Return a wall in running bond; its bricks lie a gap apart [m]."""
    half = (2.0 * HALF, HALF, HALF)
    short = (HALF, HALF, HALF)
    pitch = 2.0 * half[0] + gap
    bodies = []
    for course in range(courses):
        z = HALF * (2 * course + 1)
        if course % 2 == 0:
            bodies += [box(1.0, half, at(pitch * i, 0.0, z)) for i in range(bricks)]
        else:
            bodies.append(box(0.5, short, at(-HALF, 0.0, z)))
            bodies += [box(1.0, half, at(pitch * (i + 0.5), 0.0, z)) for i in range(bricks - 1)]
            bodies.append(box(0.5, short, at(pitch * (bricks - 1) + HALF, 0.0, z)))
    return World(tuple(bodies), floor=True)


def heap(side: int) -> World:
    """Return a cube of boxes a little apart and askew, which fall onto each other."""
    random = np.random.default_rng(0)
    bodies = []
    for k in range(side):
        for i in range(side):
            for j in range(side):
                x, y, z = random.uniform(-0.004, 0.004, 3)
                place = at(0.11 * i + x, 0.11 * j + y, HALF + (2.0 * HALF + 0.02) * k + abs(z))
                bodies.append(box(1.0, (HALF, HALF, HALF), place))
    return World(tuple(bodies), floor=True)


def leaning_heap(count: int, across: int) -> World:
    """Return cubes, bricks and slabs in a pit, turned at random, which fall on each other and lean all ways."""
    random = np.random.default_rng(2)
    halves = ((HALF, HALF, HALF), (2.0 * HALF, HALF, 0.6 * HALF), (1.4 * HALF, 1.2 * HALF, 0.5 * HALF))
    bodies = []
    for number in range(count):
        level, cell = divmod(number, across * across)
        i, j = divmod(cell, across)
        x, y = random.uniform(-0.03, 0.03, 2)
        place = at(0.14 * i + x, 0.14 * j + y, 0.12 + 0.17 * level, random_rotation(random))
        bodies.append(box(1.0, halves[number % 3], place))
    reach = 0.14 * (across - 1) + 0.16
    sides = [
        Shape("box", size, (0.07 * (across - 1) + x, 0.07 * (across - 1) + y, 0.5))
        for size, x, y in (
            ((0.1, reach, 0.5), -0.5 * reach - 0.1, 0.0),
            ((0.1, reach, 0.5), 0.5 * reach + 0.1, 0.0),
            ((reach, 0.1, 0.5), 0.0, -0.5 * reach - 0.1),
            ((reach, 0.1, 0.5), 0.0, 0.5 * reach + 0.1),
        )
    ]
    return World(tuple(bodies), floor=True, walls=tuple(sides))


def random_rotation(random: np.random.Generator) -> Array:
    """Return a rotation, all being alike likely."""
    q = random.normal(size=4)
    return rotation_from_quaternion(q / np.linalg.norm(q))


def balls(side: int = 6) -> World:
    """Return a cube of balls without friction."""
    random = np.random.default_rng(0)
    tensor = 0.4 * 10.0 * RADIUS**2 * np.eye(3)
    grid = np.array(np.meshgrid(*[np.arange(side)] * 3)).reshape(3, -1).T
    places = 2.05 * RADIUS * grid + [0.0, 0.0, RADIUS + 0.01] + random.uniform(-0.002, 0.002, (side**3, 3))
    made = [Body(10.0, tensor, at(*place), shapes=(Shape("sphere", (RADIUS,)),)) for place in places]
    return World(tuple(made), floor=True, mu=0.0)


def apart(count: int) -> World:
    """Return boxes that stand apart on the floor."""
    return _columns(count, 1, lambda _: "box")


def columns(count: int) -> World:
    """Return boxes in columns of five."""
    return _columns(count, 5, lambda _: "box")


def mixed(count: int) -> World:
    """Return columns of a box, a cylinder and another box, with balls between them."""
    return _columns(count, 4, lambda level: ("box", "cylinder", "box", "sphere")[level])


def _columns(count: int, height: int, kind: Callable[[int], str]) -> World:
    side = int(np.ceil(np.sqrt(count / height)))
    bodies = []
    for number in range(count):
        column, level = divmod(number, height)
        shape = {
            "box": Shape("box", (HALF, HALF, HALF)),
            "cylinder": Shape("cylinder", (HALF, HALF)),
            "sphere": Shape("sphere", (HALF,)),
        }[kind(level)]
        place = at(0.3 * (column % side), 0.3 * (column // side), HALF * (2 * level + 1))
        bodies.append(Body(1.0, 0.00166 * np.eye(3), place, shapes=(shape,)))
    return World(tuple(bodies), floor=True)


def engines(world: World, frame: float, substeps: int, mujoco_steps: int) -> Iterator[tuple[str, Callable[[], Engine]]]:
    """Yield the name of each engine that is here, and how to make it."""

    def ours(dtype: str) -> Engine:
        return Ours(world, frame / substeps, frame, dtype, threads=1, reactions=False)

    yield "ours, f64", lambda: ours("float64")
    yield "ours, f32", lambda: ours("float32")
    if find_spec("mujoco"):
        from benchmarks.physics.with_mujoco import MuJoCo

        yield "MuJoCo", lambda: MuJoCo(world, frame / mujoco_steps, frame)
    if find_spec("newton"):
        from benchmarks.physics.with_newton import Newton

        yield "Newton", lambda: Newton(world, frame / substeps, frame)


@dataclass(frozen=True)
class Standing:
    """A scene that should stand still.

    Attributes:
        world: Makes it.
        seconds: For how long.
        begin: When it should have come to rest.
    """

    world: Callable[[], World]
    seconds: float
    begin: float = 1.0


STANDING = {
    "stack of 30": Standing(lambda: stack([1.0] * 30), 60.0),
    "wall, bricks 2 mm apart": Standing(lambda: wall(0.002), 60.0),
    "wall, bricks touching": Standing(lambda: wall(0.0), 60.0),
    "heap of 1000": Standing(lambda: heap(10), 5.0),
    "leaning heap of 200": Standing(lambda: leaning_heap(200, 5), 6.0, 3.0),
    "leaning heap of 1000": Standing(lambda: leaning_heap(1000, 9), 6.0, 3.0),
    "1000 kg on 1 kg": Standing(lambda: stack([1.0, 1000.0]), 5.0),
}


def stand(name: str, scene: Standing) -> list[list[str]]:
    """Let a scene stand in each engine; return rows of the table."""
    rows = []
    for engine_name, make in engines(scene.world(), FRAME, SUBSTEPS, MUJOCO_STEPS):
        engine = make()
        start = engine.motion().x
        before = engine.advance(scene.begin).motion()
        began = time.perf_counter()
        after = engine.advance(scene.seconds - scene.begin).motion()
        ratio = (scene.seconds - scene.begin) / (time.perf_counter() - began)
        drift = np.linalg.norm(after.x - before.x, axis=1).max()
        sunk = np.abs(after.x - start)[:, 2].max() if "heap" not in name else np.nan
        numbers = [f"{value:.1e}" for value in (drift, sunk, np.linalg.norm(after.v, axis=1).max())]
        rows.append([name, engine_name, *numbers, f"{ratio:.2g}"])
        print("  ".join(rows[-1]), flush=True)
    return rows


def collapse(seconds: float = 2.0) -> list[list[str]]:
    """Let the balls collapse in each engine; return rows of the table."""
    rows = []
    for name, make in engines(balls(), BALL_FRAME, BALL_SUBSTEPS, BALL_SUBSTEPS):
        make().advance(BALL_FRAME)  # whatever is to be compiled is compiled now
        engine, deepest, sums = make(), 0.0, []
        began = time.perf_counter()
        for motion in engine.frames(seconds):
            overlaps = 2.0 * RADIUS - np.array(
                [np.linalg.norm(motion.x[i] - motion.x[j]) for i, j in cKDTree(motion.x).query_pairs(2.0 * RADIUS)]
            )
            overlaps = np.append(overlaps, np.maximum(RADIUS - motion.x[:, 2], 0.0))
            deepest = max(deepest, float(overlaps.max()))
            sums.append(float((overlaps**2).sum()))
        steps = seconds / BALL_FRAME * BALL_SUBSTEPS / (time.perf_counter() - began)
        rows.append([name, f"{deepest:.1e}", f"{np.mean(sums):.1e}", f"{steps:,.0f}"])
        print("  ".join(rows[-1]), flush=True)
    return rows


SPEEDS = {"boxes apart": apart, "columns of five": columns, "mixed columns": mixed}


def frame_time(engine: Engine, seconds: float) -> float:
    """Return how long a frame takes [s], after two tenths of a second of the scene."""
    engine.advance(0.2)
    frames, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds or frames < 3:
        engine.advance(engine.frame)
        frames += 1
    return (time.perf_counter() - began) / frames


def grow(name: str, make_world: Callable[[int], World], seconds: float, most: int) -> list[list[str]]:
    """Time scenes of more and more bodies; return rows of the table."""
    times: dict[str, dict[int, float]] = {}
    for count in (count for count in COUNTS if count <= most):
        for engine_name, make in engines(make_world(count), FRAME, SUBSTEPS, MUJOCO_STEPS):
            if engine_name not in ("MuJoCo",) or count <= 1000:
                times.setdefault(engine_name, {})[count] = frame_time(make(), seconds)
                print(name, engine_name, count, f"{1e3 * times[engine_name][count]:.3g} ms", flush=True)
    rows = []
    for engine_name, found in times.items():
        fitted = [(count, spent) for count, spent in found.items() if count >= FITTED_FROM]
        exponent = np.polyfit(*np.log(np.array(fitted)).T, 1)[0] if len(fitted) > 1 else np.nan
        cells = [f"{1.0 / found[count]:,.1f}" if count in found else "-" for count in COUNTS]
        rows.append([name, engine_name, *cells, f"{exponent:.2f}"])
    return rows


HEAD_STANDING = ["scene", "engine", "drift [m]", "sunk [m]", "speed [m/s]", "simulated s/s"]
HEAD_BALLS = ["666", "deepest overlap [m]", "mean sum of squares [m^2]", "substeps/s"]
HEAD_SPEED = ["frames/s", "engine", *(f"{count:,} bodies" for count in COUNTS), "exponent"]


def main() -> None:
    """Run the scenes and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="computing time of a measurement (%(default)g)")
    parser.add_argument("--most", type=int, default=10_000, help="bodies of the largest scene (%(default)d)")
    parser.add_argument("-k", default="", metavar="NAME", help="only scenes whose name has this in it")
    parser.add_argument("--out", type=Path, default=OUT, help="file to write the tables to")
    options = parser.parse_args()
    stood = [row for name, scene in STANDING.items() if options.k in name for row in stand(name, scene)]
    fell = collapse() if options.k in "666" else []
    grown = [
        row
        for name, make in SPEEDS.items()
        if options.k in name
        for row in grow(name, make, options.seconds, options.most)
    ]
    lines = [*table(HEAD_STANDING, stood), "", *table(HEAD_BALLS, fell), "", *table(HEAD_SPEED, grown)]
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
