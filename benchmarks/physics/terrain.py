# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots on rough terrain and on a stair of triangles, under PD drives, pushed at random for a minute.

    python -m benchmarks.physics.terrain [-k NAME] [--seconds 60] [--seeds 0 1 2] [--dtypes float64 float32]

The drives are those of `robots`. Every two seconds the root is pushed for a tenth of a second, into a direction at
random, with 0.3 to 1 times the robot's weight, back towards the middle where it is farther than 1 m from it.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from dataclasses import dataclass, field

import numpy as np

from benchmarks.physics.grounds import stair, terrain
from benchmarks.physics.report import table
from benchmarks.physics.robots import CROUCH, Robot, collection, driven
from benchmarks.physics.watched import Ground, Watched
from inertia_tools.errors import InertiaToolsError

PUSH = (0.3, 1.0)
"""A push over the robot's weight, from, to."""

PUSH_TIME, PUSH_EVERY = 0.1, 2.0
"""How long a push lasts, and how often one comes [s]."""

LOOK = 12
"""Steps between two looks: 0.05 s."""

NEAR = 1.0
"""A robot that is farther than this from the middle is pushed back towards it [m]."""

CLEARANCE = 0.02
"""Height above the ground at the start [m]."""

AT_REST = 1e-4
"""Kinetic energy under which a robot rests [J]."""

ROBOTS = (
    Robot("Go1", "go1_description/urdf/go1.urdf", pose=CROUCH),
    Robot("Talos", "talos_data/robots/talos_reduced.urdf"),
)
GROUNDS = {"terrain": terrain, "stair": stair}
HEADINGS = ["", "seed", "deepest [mm]", "gained [J]", "joint gap [m]", "resting", "force - 1", "steps/s"]


@dataclass
class Pushed:
    """The worst that was seen of a robot.

    Attributes:
        depth: Deepest point in the ground [m].
        gained: Energy gained after a push over the least since it ended [J].
        gap: Largest distance between the two sides of a joint [m].
        waits: Times between two pushes.
        forces: Of those at whose end the robot rested: force on the ground over the weight, less one.
        speed: Steps a second.
    """

    depth: float = 0.0
    gained: float = 0.0
    gap: float = 0.0
    waits: int = 0
    forces: list[float] = field(default_factory=list)
    speed: float = 0.0

    @property
    def force(self) -> float:
        """The greatest of the forces."""
        return max(map(abs, self.forces), default=np.nan)


def push(watched: Watched, rng: np.random.Generator) -> None:
    """Push the root of a robot at random."""
    simulation = watched.simulation
    way = rng.normal(size=3) * [1.0, 1.0, 0.5]
    way /= np.linalg.norm(way)
    at = simulation.snapshot().positions[0, :2]
    if np.linalg.norm(at) > NEAR and way[:2] @ at > 0.0:
        way[:2] *= -1.0
    force = rng.uniform(*PUSH) * simulation.weight * way
    simulation.apply_wrench(simulation.names[0], force, duration=PUSH_TIME)


def pushed_about(watched: Watched, seconds: float, seed: int) -> Pushed:
    """Push a robot about for some time, and say what was seen of it.

    Raises:
        SimulationError: A body has left the finite numbers.
    """
    simulation, rng, seen = watched.simulation, np.random.default_rng(seed), Pushed()
    looks = round(PUSH_EVERY / simulation.dt / LOOK)
    after_push = round(PUSH_TIME / simulation.dt / LOOK) + 1
    least, began = watched.energies()[1], time.perf_counter()
    for look in range(round(seconds / simulation.dt / LOOK)):
        since = look % looks
        if look and not since:
            seen.waits += 1
            if watched.energies()[0] < AT_REST:
                seen.forces.append(watched.excess_force())
            push(watched, rng)
        simulation.step(LOOK)
        total = watched.energies()[1]
        if look >= looks and since < after_push:
            least = total
        seen.gained = max(seen.gained, total - least)
        least = min(least, total)
        seen.depth, seen.gap = max(seen.depth, watched.depth()), max(seen.gap, watched.gap())
    seen.speed = seconds / simulation.dt / (time.perf_counter() - began)
    return seen


def standing(robot: Robot, ground: Ground, dtype: str) -> Watched:
    """Return a robot just above a ground, held by its drives."""
    folder = collection()
    if folder is None:
        sys.exit("example-robot-data is not installed")
    simulation, stiffness = driven(robot, folder / robot.path, dtype, ground.ground)
    watched = Watched(simulation, ground, stiffness, dict(simulation.snapshot().joint_positions))
    watched.put_above(CLEARANCE)
    return watched


def row(robot: Robot, ground: str, dtype: str, seed: int, seconds: float) -> list[str]:
    """Return one row of the table."""
    name = f"{robot.name}, {ground}, {dtype}"
    try:
        seen = pushed_about(standing(robot, GROUNDS[ground](), dtype), seconds, seed)
    except InertiaToolsError as error:
        return [name, str(seed), f"failed: {error}", *[""] * 5]
    found = [f"{1e3 * seen.depth:.2f}", f"{seen.gained:.1e}", f"{seen.gap:.1e}"]
    return [name, str(seed), *found, f"{len(seen.forces)} of {seen.waits}", f"{seen.force:.1e}", f"{seen.speed:.0f}"]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", default="", metavar="NAME", help="robots with this in their name")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--dtypes", nargs="+", default=["float64", "float32"])
    asked = parser.parse_args()
    chosen = [robot for robot in ROBOTS if asked.k.lower() in robot.name.lower()]
    rows = []
    for robot, ground, dtype, seed in itertools.product(chosen, GROUNDS, asked.dtypes, asked.seeds):
        rows.append(row(robot, ground, dtype, seed, asked.seconds))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    print("\n".join(table(HEADINGS, rows)))


if __name__ == "__main__":
    main()
