# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Impacts against Newton's law of impact, and fast bodies against thin ones."""

from __future__ import annotations

import numpy as np

from benchmarks.physics.engine import Engine
from benchmarks.physics.scene import Group, Make, Measures, Target
from benchmarks.physics.smooth import turn
from benchmarks.physics.world import Body, G, Shape, World, at, box, cuboid

IMPACTS = Group("Impacts and fast bodies")

CLEAR = 0.1
"""Height over the floor [m] from which energy is read: springs that stand in for restitution have let go there."""


def sphere(mass: float, radius: float, place: tuple[float, float, float], **motion: tuple[float, float, float]) -> Body:
    """Return a solid ball."""
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    return Body(mass, inertia, at(*place), shapes=(Shape("sphere", (radius,)),), **motion)


def apexes(engine: Engine, radius: float, seconds: float) -> tuple[list[float], float]:
    """Return the height that each flight of a ball leads to, and its deepest overlap with the floor [m]."""
    found: list[float] = []
    falling, lowest = False, np.inf
    for motion in engine.frames(seconds):
        height, speed = motion.x[0, 2] - radius, motion.v[0, 2]
        lowest = min(lowest, height)
        if height < CLEAR:
            continue
        if not found or (falling and speed > 0.0):
            found.append(height + speed**2 / (2.0 * G))
        falling = speed < 0.0
    return found, max(0.0, -lowest)


@IMPACTS.scene(
    "12 bounce",
    "A ball dropped from 1 m, restitution 1, 0.8 and 0.5: heights of its first bounces against e^2n.",
    apex_of_1=Target(1e-3, 1e-3, "m"),
    apex_of_08=Target(1e-3, 1e-3, "m"),
    apex_of_05=Target(1e-3, 1e-3, "m"),
    gain=Target(1e-12, 1e-5, "m"),
    overlap=Target(1e-4, 1e-4, "m"),
)
def bounce(make: Make) -> Measures:
    measures, gain, overlap = {}, 0.0, 0.0
    for name, e, bounces in (("1", 1.0, 5), ("08", 0.8, 3), ("05", 0.5, 1)):
        world = World((sphere(1.0, 0.1, (0.0, 0.0, 1.1)),), floor=True, mu=0.0, bounce=e)
        heights, deepest = apexes(make(world, frame=None), 0.1, 5.0 if e == 1.0 else 2.5)
        if len(heights) <= bounces:
            raise ArithmeticError("the ball does not bounce")
        measures[f"apex of {name}"] = float(max(abs(heights[n] - e ** (2 * n)) for n in range(1, bounces + 1)))
        gain, overlap = max(gain, max(heights) - 1.0), max(overlap, deepest)
    return {**measures, "gain": gain, "overlap": overlap}


@IMPACTS.scene(
    "12 grid of 49",
    "Balls of 10 kg bounce elastically from different heights, 5 s: change of energy, relative to each ball's energy.",
    energy=Target(1e-6, 1e-4),
)
def grid(make: Make) -> Measures:
    balls = [sphere(10.0, 0.1, (0.5 * i, 0.5 * j, 1.1 + 0.02 * i + 0.03 * j)) for i in range(7) for j in range(7)]
    world = World(tuple(balls), floor=True, mu=0.0, bounce=1.0)
    engine = make(world)
    start = engine.motion()
    worst, level = 0.0, start.x[:, 2] * G
    for motion in engine.frames(5.0):
        high = motion.x[:, 2] > 0.1 + CLEAR
        now = motion.x[:, 2] * G + 0.5 * (motion.v**2).sum(axis=1)
        worst = max(worst, float(np.abs(now / level - 1.0)[high].max(initial=0.0)))
    return {"energy": worst}


@IMPACTS.scene(
    "12 row of balls",
    "One and two balls at 1 m/s hit a row of five, restitution 1, no gravity: final velocities.",
    one=Target(1e-6, 1e-4, "m/s"),
    two=Target(1e-6, 1e-4, "m/s"),
)
def row(make: Make) -> Measures:
    measures = {}
    for name, count in (("one", 1), ("two", 2)):
        coming, still = {"velocity": (1.0, 0.0, 0.0)}, {"velocity": (0.0, 0.0, 0.0)}
        balls = [
            sphere(1.0, 0.1, (0.2 * i - (0.5 if i < count else 0.0), 0.0, 0.0), **(coming if i < count else still))
            for i in range(5)
        ]
        world = World(tuple(balls), gravity=(0.0, 0.0, 0.0), mu=0.0, bounce=1.0)
        end = make(world).advance(1.0).motion().v[:, 0]
        right = np.array([0.0] * (5 - count) + [1.0] * count)
        measures[name] = float(np.abs(end - right).max())
    return measures


def bullets() -> dict[str, Body]:
    """Return what is shot along x."""
    quick = {"velocity": (100.0, 0.0, 0.0)}
    askew = at(-1.0, 0.0, 0.0, turn(np.array([0.3, 0.4, 0.5])))
    capsule = Shape("capsule", (0.02, 0.03))
    spinning = {"velocity": (10.0, 0.0, 0.0), "spin": (0.0, 300.0, 0.0)}
    return {
        "ball": sphere(0.1, 0.02, (-1.0, 0.0, 0.0), **quick),
        "box": box(0.1, (0.02, 0.02, 0.02), at(-1.0, 0.0, 0.0), **quick),
        "box askew": box(0.1, (0.02, 0.02, 0.02), askew, **quick),
        "capsule": Body(0.1, np.diag([6e-5, 6e-5, 2e-5]), askew, shapes=(capsule,), **quick),
        "rod": box(0.5, (0.01, 0.01, 0.2), at(-0.5, 0.0, 0.0), **spinning),
    }


PASSED = Target(0.0, 0.0)


@IMPACTS.scene(
    "20 thin wall",
    "100 m/s against a wall of 2 cm, two balls head-on, a rod at 10 m/s and 300 rad/s: 1 if a body passes through.",
    ball=PASSED,
    box=PASSED,
    box_askew=PASSED,
    capsule=PASSED,
    rod=PASSED,
    head_on=PASSED,
)
def thin_wall(make: Make) -> Measures:
    measures = {}
    wall = (Shape("box", (0.01, 0.5, 0.5)),)
    for name, bullet in bullets().items():
        farthest = -np.inf
        for motion in make(World((bullet,), gravity=(0.0, 0.0, 0.0), walls=wall)).frames(0.2):
            farthest = max(farthest, float(motion.x[0, 0])) if np.isfinite(motion.x).all() else np.inf
        measures[name] = float(farthest > 0.0)
    pair = [sphere(0.1, 0.02, (side, 0.0, 0.0), velocity=(-100.0 * side, 0.0, 0.0)) for side in (-1.0, 1.0)]
    end = make(World(tuple(pair), gravity=(0.0, 0.0, 0.0))).advance(0.1).motion().x[:, 0]
    measures["head on"] = float(not end[0] < end[1])
    return measures


def cube_of_balls(bounce: float) -> World:
    """Return 6 x 6 x 6 balls of 10 kg, each layer shifted a little against the one below."""
    balls = []
    for k in range(6):
        shift = 0.01 * (k % 2)
        for i in range(6):
            for j in range(6):
                place = (0.205 * i + shift, 0.205 * j + 0.5 * shift, 0.1 + 0.205 * k)
                balls.append(sphere(10.0, 0.1, place))
    return World(tuple(balls), floor=True, mu=0.0, bounce=bounce)


@IMPACTS.scene(
    "21 elastic 666",
    "216 balls of 10 kg and 0.1 m collapse, restitution 1, no friction, 1 s: final change and largest gain of energy.",
    energy=Target(1e-2, 1e-2),
    gain=Target(1e-9, 1e-4),
)
def elastic_666(make: Make) -> Measures:
    world = cube_of_balls(1.0)
    engine = make(world)
    start = engine.motion().energy(world)
    energies = [motion.energy(world) / start - 1.0 for motion in engine.frames(1.0)]
    return {"energy": abs(energies[-1]), "gain": max(0.0, *energies)}


def slab_on_the_floor(mass: float, half: tuple[float, float, float], mu: float) -> Body:
    """Return a flat box on the floor with a coefficient of friction of its own."""
    shape = Shape("box", half, mu=mu)
    return Body(mass, cuboid(mass, *half), at(0.0, 0.0, half[2]), shapes=(shape,))
