# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that tip over, roll and spin on what they touch."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from benchmarks.physics.contact import gain, tilted
from benchmarks.physics.engine import Engine
from benchmarks.physics.impacts import slab_on_the_floor, sphere
from benchmarks.physics.ours import Ours
from benchmarks.physics.scene import Group, Make, Measures, Target
from benchmarks.physics.world import Body, G, Shape, World, at, box

TURNING = Group("Toppling, rolling and spinning")

WIDTH, HEIGHT = 0.1, 0.4
"""Of the box that tips over [m]."""

STEPS = (1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4)
"""Distances from a threshold that are tried, the largest first."""


def pillar(**motion: tuple[float, float, float]) -> Body:
    """Return a box four times as high as it is wide."""
    half = (0.5 * WIDTH, 0.5 * WIDTH, 0.5 * HEIGHT)
    return box(1.0, half, at(0.0, 0.0, half[2]), **motion)


def falls(engine: Engine, seconds: float) -> bool:
    """Tell whether the first body lies in the end."""
    return bool(engine.advance(seconds).motion().r[0, 2, 2] < 0.7)


def resolved(falls_at: Callable[[float], bool]) -> float:
    """Return how close to a threshold, on both sides of it, an engine is right; `falls_at` is told the distance."""
    right = [falls_at(step) and not falls_at(-step) for step in STEPS]
    tried = right.index(False) if False in right else len(STEPS)
    return (1.0, *STEPS)[tried]


@TURNING.scene(
    "17 tipping",
    "A box 4 times as high as wide, mu 1: slope at which it falls; rate about an edge at which it topples.",
    slope=Target(1e-3, 1e-3, "rad"),
    toppling_rate=Target(1e-3, 1e-3),
)
def tipping(make: Make) -> Measures:
    steepest = np.degrees(np.arctan(WIDTH / HEIGHT))
    diagonal = np.hypot(WIDTH, HEIGHT)
    least = np.sqrt(2.0 * G * 0.5 * (diagonal - HEIGHT) / (diagonal**2 / 3.0))

    def slips(step: float) -> bool:
        return falls(make(World((pillar(),), tilted(steepest + np.degrees(step)), floor=True, mu=1.0)), 4.0)

    def topples(step: float) -> bool:
        rate = least * (1.0 + step)
        about_edge = (0.5 * HEIGHT * rate, 0.0, 0.5 * WIDTH * rate)
        return falls(make(World((pillar(velocity=about_edge, spin=(0.0, rate, 0.0)),), floor=True, mu=1.0)), 4.0)

    return {"slope": resolved(slips), "toppling rate": resolved(topples)}


DOMINOES, SPACING = 12, 0.04
ROWS, SHIFT = 5, 1e-7
"""Rows whose dominoes are that far from their places [m]: how a pulse goes on is a matter of rounding, by 0.3 % of its
speed at 1/600 s, so the median counts."""


def dominoes(row: int = 0) -> World:
    """Return a row of dominoes of 1 x 5 x 10 cm, of which the first is on its way down."""
    shifts = SHIFT * np.random.default_rng(row).normal(size=DOMINOES)
    half = (0.005, 0.025, 0.05)
    first = {"velocity": (0.05 * 2.0, 0.0, 0.005 * 2.0), "spin": (0.0, 2.0, 0.0)}
    places = [at(SPACING * i + shift, 0.0, 0.05) for i, shift in enumerate(shifts)]
    bodies = [box(0.05, half, place, **(first if i == 0 else {})) for i, place in enumerate(places)]
    return World(tuple(bodies), floor=True, mu=0.5)


def pulse(engine: Engine) -> tuple[float, int]:
    """Return the speed of the pulse through the second half of the row [m/s], and how many are left standing."""
    leaned = np.full(DOMINOES, np.nan)
    before = np.zeros(DOMINOES)
    for motion in engine.frames(1.5):
        lean = np.arccos(np.clip(motion.r[:, 2, 2], -1.0, 1.0))
        now = (lean > 0.1) & np.isnan(leaned)
        part = (0.1 - before[now]) / np.maximum(lean[now] - before[now], 1e-12)
        leaned[now] = motion.time - engine.frame * (1.0 - part)
        before = lean
    half = DOMINOES // 2
    return SPACING * (DOMINOES - 2 - half) / float(leaned[-2] - leaned[half]), int(np.isnan(leaned).sum())


@lru_cache(maxsize=1)
def fine_pulse() -> float:
    """Return the speed at 1/12000 s."""
    return float(np.median([pulse(Ours(dominoes(row), 1.0 / 12000.0, 1.0 / 240.0))[0] for row in range(ROWS)]))


@TURNING.scene(
    "17 dominoes",
    "Rows of 12: how many are left standing; median speed of the pulse compared with our solver at 1/12000 s.",
    standing=Target(0.0, 0.0),
    speed=Target(1e-2, 1e-2),
)
def domino_chain(make: Make) -> Measures:
    speeds, standing = zip(*(pulse(make(dominoes(row), frame=1.0 / 120.0)) for row in range(ROWS)), strict=True)
    return {"standing": float(max(standing)), "speed": abs(float(np.median(speeds)) / fine_pulse() - 1.0)}


@TURNING.scene(
    "22 friction that turns",
    "A disc of 0.1 m spins with 3 cm of torsional friction; a ball rolls with 1 mm of rolling friction.",
    spin_down=Target(1e-3, 1e-3),
    rolling=Target(1e-3, 1e-3),
    torque=Target(1e-3, 1e-3),
    creep=Target(1e-7, 1e-7, "m/s"),
)
def friction_that_turns(make: Make) -> Measures:
    inertia = np.diag([(3 * 0.01 + 0.04) / 12.0, (3 * 0.01 + 0.04) / 12.0, 0.005])
    disc = Body(1.0, inertia, at(0.0, 0.0, 0.1), spin=(0.0, 0.0, 40.0), shapes=(Shape("cylinder", (0.1, 0.1)),))
    engine = make(World((disc,), floor=True, mu=0.0, mu_torsional=0.03)).advance(0.1)
    early = engine.motion().w[0, 2]
    slowing = (early - engine.advance(0.4).motion().w[0, 2]) / 0.4
    moment = 0.005 * slowing
    ball = sphere(1.0, 0.1, (0.0, 0.0, 0.1), velocity=(1.0, 0.0, 0.0), spin=(0.0, 10.0, 0.0))
    rolling = gain(make(World((ball,), floor=True, mu=0.5, mu_rolling=0.001)), 0.2, 0.7)
    still = World((sphere(1.0, 0.1, (0.0, 0.0, 0.1)),), tilted(2.9), floor=True, mu=0.5, mu_rolling=0.0052)
    held = make(still).advance(1.0)
    start = held.motion().x[0]
    creep = np.linalg.norm(held.advance(4.0).motion().x[0] - start) / 4.0
    return {
        "spin down": abs(slowing / (0.03 * G / 0.005) - 1.0),
        "rolling": abs(rolling / (5.0 / 7.0 * 0.001 * G / 0.1) - 1.0),
        "torque": abs(moment / (0.03 * G) - 1.0),
        "creep": float(creep),
    }


@TURNING.scene(
    "22 balls on a slab",
    "25 balls of 1 kg on a slab of 10 kg, pushed with 150 N along a diagonal; mu 0.8 on the slab, 0.4 below it; 0.6 s.",
    slab=Target(1e-10, 1e-4, "m/s"),
    balls=Target(1e-10, 1e-4, "m/s"),
)
def balls_on_a_slab(make: Make) -> Measures:
    """Each ball rolls with 2/7 of the slab's acceleration (SimBenchmark, rolling)."""
    slab = slab_on_the_floor(10.0, (0.6, 0.6, 0.05), mu=0.4)
    places = [(0.2 * i - 0.4, 0.2 * j - 0.4, 0.15) for i in range(5) for j in range(5)]
    shape = Shape("sphere", (0.05,), mu=0.8)
    balls = [Body(1.0, 0.4 * 0.0025 * np.eye(3), at(*place), shapes=(shape,)) for place in places]
    engine = make(World((slab, *balls), floor=True, mu=0.4)).advance(0.1)
    push = 150.0 / np.sqrt(2.0)
    engine.push(0, (push, push, 0.0))
    early = engine.advance(0.1).motion().v
    late = engine.advance(0.6).motion().v
    gained = (150.0 - 0.4 * 35.0 * G) / (10.0 + 25.0 * 2.0 / 7.0) * 0.6
    along = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    grown = late - early
    return {
        "slab": float(np.linalg.norm(grown[0] - gained * along)),
        "balls": float(np.linalg.norm(grown[1:] - 2.0 / 7.0 * gained * along, axis=1).max()),
    }
