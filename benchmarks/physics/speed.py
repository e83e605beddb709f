# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Speed on one thread of the CPU, beside MuJoCo and Newton, at an error that is no larger than theirs.

    python -m benchmarks.physics.speed [--seconds S] [--rounds N] [-k NAME] [--out FILE]

The same scenes go through all engines in turns, so that other work on the machine meets all of them; medians count.
A frame is 1/240 s. Newton takes it in one captured step, MuJoCo as well; MuJoCo at its usual 2 ms is a column of its
own. Ours takes the least substeps of 1, 2, 3, 4, 6, 8 with which the scene's error is no larger than that of MuJoCo
and of Newton at the same frame. On a floor that is the larger of two: the floor's force over the weight less one, and
how far the worst body has sunk over the height of the scene. Without a floor it is the change of energy, over its
scale. All of it after two seconds. Ours makes its default of 2 passes.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import warp as wp

from benchmarks.physics.contact import stack
from benchmarks.physics.engine import Engine
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.speed_section import RACES, refresh
from benchmarks.physics.world import Body, Hold, Shape, World, at, box, cuboid

FRAME = 1.0 / 240.0
SUBSTEPS = (1, 2, 3, 4, 6, 8)
PASSES = 2
SETTLING = 2.0
"""Simulated before anything is measured [s]."""


def boxes_on_plane(count: int) -> World:
    """Return boxes that stand apart on the floor."""
    side = int(np.ceil(np.sqrt(count)))
    places = [(0.4 * (i % side), 0.4 * (i // side), 0.05) for i in range(count)]
    return World(tuple(box(1.0, (0.05, 0.05, 0.05), at(*place)) for place in places), floor=True)


def chains(count: int, links: int = 5) -> World:
    """Return chains on hinges that swing side by side."""
    bodies: list[Body] = []
    for chain in range(count):
        for link in range(links):
            parent = -1 if link == 0 else len(bodies) - 1
            pose = at(0.1 * link + 0.05, 0.5 * chain, 2.0)
            hold = Hold("hinge", parent, (0.1 * link, 0.5 * chain, 2.0))
            bodies.append(Body(0.1, cuboid(0.1, 0.05, 0.01, 0.01), pose, hold=hold))
    return World(tuple(bodies))


def quadruped() -> World:
    """Return a trunk on four legs of three links, held by drives, its feet balls: 13 bodies, 18 degrees of freedom."""
    bodies = [box(6.0, (0.2, 0.1, 0.04), at(0.0, 0.0, 0.42))]
    for x in (-0.18, 0.18):
        for y in (-0.1, 0.1):
            out = 0.05 * np.sign(y)
            hip = (x, y, 0.42)
            bodies.append(_limb(0.6, (x, y + 0.5 * out, 0.42), 0, hip, (1.0, 0.0, 0.0), 0.03))
            knee = (x, y + out, 0.42)
            bodies.append(_limb(0.8, (x, y + out, 0.32), len(bodies) - 1, knee, (0.0, 1.0, 0.0), 0.1))
            shin = _limb(0.2, (x, y + out, 0.12), len(bodies) - 1, (x, y + out, 0.22), (0.0, 1.0, 0.0), 0.1)
            bodies.append(_with_foot(shin))
    return World(tuple(bodies), floor=True, mu=0.8)


def humanoid() -> World:
    """Return a trunk on two legs of six joints, with arms of four: 21 bodies, 26 degrees of freedom, held by drives."""
    bodies = [box(18.0, (0.1, 0.16, 0.3), at(0.0, 0.0, 1.2))]
    across, along, up = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for y in (-0.1, 0.1):
        hip, knee, ankle = (0.0, y, 0.9), (0.0, y, 0.5), (0.0, y, 0.1)
        limbs = [(1.0, hip, up), (1.0, hip, across), (6.0, hip, along), (4.0, knee, along), (0.6, ankle, along)]
        bodies += _arm_or_leg(len(bodies), [*limbs, (1.0, ankle, across)])
        bodies[-1] = replace(bodies[-1], shapes=(Shape("box", (0.12, 0.05, 0.03), (0.03, 0.0, -0.07)),))
    for y in (-0.24, 0.24):
        shoulder, elbow = (0.0, y, 1.45), (0.0, y, 1.15)
        limbs = [(0.6, shoulder, along), (0.6, shoulder, across), (1.6, shoulder, up), (1.2, elbow, along)]
        bodies += _arm_or_leg(len(bodies), limbs)
    return World(tuple(bodies), floor=True, mu=0.8)


def _arm_or_leg(
    first: int, limbs: Sequence[tuple[float, tuple[float, float, float], tuple[float, float, float]]]
) -> list[Body]:
    """Return limbs of a mass, each on a hinge at a point about an axis, the first on body 0; heavy ones hang down."""
    made = []
    for index, (mass, joint, axis) in enumerate(limbs):
        half = 0.2 if mass > 1.0 else 0.03
        place = (joint[0], joint[1], joint[2] - (half if mass > 1.0 else 0.0))
        parent = 0 if index == 0 else first + index - 1
        made.append(_limb(mass, place, parent, joint, axis, half, 4000.0))
    return made


def _limb(
    mass: float,
    place: tuple[float, ...],
    parent: int,
    hip: tuple[float, ...],
    axis: tuple[float, ...],
    half: float,
    ke: float = 400.0,
) -> Body:
    x, y, z = (float(c) for c in place)
    anchor = (float(hip[0]), float(hip[1]), float(hip[2]))
    hold = Hold("hinge", parent, anchor, (axis[0], axis[1], axis[2]), ke=ke, kd=0.02 * ke)
    return Body(mass, cuboid(mass, 0.02, 0.02, half), at(x, y, z), hold=hold)


def _with_foot(limb: Body) -> Body:
    return replace(limb, shapes=(Shape("sphere", (0.02,), (0.0, 0.0, -0.1)),))


SCENES: dict[str, Callable[[], World]] = {
    "one box": lambda: boxes_on_plane(1),
    "ten-box stack": lambda: stack([1.0] * 10),
    "100 boxes on a plane": lambda: boxes_on_plane(100),
    "64 five-link chains": lambda: chains(64),
    "quadruped standing": quadruped,
    "humanoid standing": humanoid,
}


def error_of(engine: Engine) -> float:
    """Return the error of a scene after settling; see the module."""
    world = engine.world
    start = engine.motion().energy(world)
    engine.advance(SETTLING)
    if not world.floor:
        scale = 0.25 * world.weight
        return abs(engine.motion().energy(world) - start) / scale
    total = np.zeros(3)
    for body in range(len(world.bodies)):
        total += engine.force(body)
    start_heights = np.array([body.pose.position[2] for body in world.bodies])
    sunk = np.abs(engine.motion().x[:, 2] - start_heights).max() / (2.0 * start_heights.max())
    return float(max(abs(total[2] / world.weight - 1.0), sunk))


@dataclass
class Entrant:
    """An engine in a scene.

    Attributes:
        name: For the table.
        engine: Settled.
        substeps: Steps in a frame.
        error: Of the scene.
    """

    name: str
    engine: Engine
    substeps: int
    error: float

    def frames_per_second(self, seconds: float, batch: int = 16) -> float:
        """Return frames for each second of computing, of so many seconds and a batch of frames at least."""
        while True:
            began = time.perf_counter()
            for _ in range(batch):
                self.engine._step_frame()
            wp.synchronize()
            spent = time.perf_counter() - began
            if spent >= seconds:
                return batch / spent
            batch = max(2 * batch, int(1.2 * batch * seconds / max(spent, 1e-6)))


def others(world: World) -> Iterator[Entrant]:
    """Yield the other engines, settled."""
    if find_spec("mujoco"):
        from benchmarks.physics.with_mujoco import MuJoCo

        for name, frame in (("MuJoCo, 1/240", FRAME), ("MuJoCo, 2 ms", 0.002)):
            engine = MuJoCo(world, frame, frame)
            yield Entrant(name, engine, 1, error_of(engine))
    if find_spec("newton"):
        from benchmarks.physics.with_newton import Newton

        engine = Newton(world, FRAME, FRAME)
        yield Entrant("Newton, captured", engine, 1, error_of(engine))


def ours(world: World, allowed: float, dtype: str) -> Entrant:
    """Return ours with the least substeps that are accurate enough, else the most."""
    for substeps in SUBSTEPS:
        engine = Ours(world, FRAME / substeps, FRAME, dtype, PASSES, reactions=False)
        error = error_of(engine)
        if error <= allowed:
            break
    return Entrant(f"ours, {'f64' if dtype == 'float64' else 'f32'}", engine, substeps, error)


def race(name: str, seconds: float, rounds: int) -> list[list[str]]:
    """Run a scene in all engines; return rows of the table."""
    world = SCENES[name]()
    rivals = list(others(world))
    at_the_frame = [rival.error for rival in rivals if "2 ms" not in rival.name]
    allowed = min(at_the_frame, default=0.0)
    entrants = [*(ours(world, allowed, dtype) for dtype in ("float64", "float32")), *rivals]
    speeds: list[list[float]] = [[] for _ in entrants]
    for _ in range(rounds):
        for entrant, found in zip(entrants, speeds, strict=True):
            found.append(entrant.frames_per_second(seconds))
    rows = []
    for entrant, found in zip(entrants, speeds, strict=True):
        speed = statistics.median(found)
        rows.append([
            name, entrant.name, f"{speed:,.0f}", f"{speed * entrant.substeps:,.0f}", str(entrant.substeps),
            f"{speed * entrant.engine.frame:,.1f}", f"{entrant.error:.1e}",
        ])  # fmt: skip
        print("  ".join(rows[-1]), flush=True)
    return rows


HEAD = ["scene", "engine", "frames/s", "substeps/s", "substeps", "simulated s/s", "error"]


def main() -> None:
    """Run the races."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3, help="computing time of a round (default %(default)g)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each engine (default %(default)d)")
    parser.add_argument("-k", default="", metavar="NAME", help="only scenes whose name has this in it")
    parser.add_argument("--out", type=Path, default=RACES, help="file to write the tables to")
    options = parser.parse_args()
    rows = [row for name in SCENES if options.k in name for row in race(name, options.seconds, options.rounds)]
    options.out.write_text("\n".join(table(HEAD, rows)) + "\n")
    refresh()


if __name__ == "__main__":
    main()
