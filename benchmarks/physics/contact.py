# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact and friction against Coulomb's law, statics and the laws of momentum."""

from __future__ import annotations

import numpy as np

from benchmarks.physics.engine import Engine
from benchmarks.physics.scene import Group, Make, Measures, Target
from benchmarks.physics.smooth import turn
from benchmarks.physics.world import Body, G, Shape, World, at, box, cuboid

CONTACT = Group("Contact and friction")

HALF = 0.05
"""Half edge of the boxes of stacks [m]."""


def tilted(degrees: float, heading: float = 0.0) -> tuple[float, float, float]:
    """Return gravity seen from a slope that falls in a heading [rad] from x."""
    angle = np.radians(degrees)
    along = G * np.sin(angle)
    return (along * np.cos(heading), along * np.sin(heading), -G * np.cos(angle))


def slab(mass: float = 1.0) -> Body:
    """Return a flat box that rests on the floor."""
    return box(mass, (0.1, 0.1, 0.05), at(0.0, 0.0, 0.05))


def gain(engine: Engine, early: float, late: float) -> float:
    """Return the acceleration of the first body along its way between two times [m/s^2]."""
    first = engine.advance(early).motion().v[0]
    second = engine.advance(late - early).motion().v[0]
    return float(np.linalg.norm(second - first)) / (late - early)


def sliding(make: Make, mu: float, degrees: float, heading: float = 0.0, mass: float = 1.0) -> float:
    """Return the acceleration of a box on a slope [m/s^2]."""
    return gain(make(World((slab(mass),), tilted(degrees, heading), floor=True, mu=mu)), 0.5, 1.0)


@CONTACT.scene(
    "8 incline",
    "A box on a slope of 20 degrees: slides at mu 0.2, sticks at mu 0.5 (9 s); threshold at tan = 1.001 mu, mu 0.364.",
    acceleration=Target(1e-5, 1e-5),
    acceleration_of_100_kg=Target(1e-5, 1e-5),
    acceleration_at_any_heading=Target(1e-4, 1e-4),
    creep=Target(1e-7, 1e-7, "m/s"),
    creep_at_any_heading=Target(1e-7, 1e-7, "m/s"),
    threshold=Target(1e-4, 1e-4),
)
def incline(make: Make) -> Measures:
    slope = np.radians(20.0)
    right = G * (np.sin(slope) - 0.2 * np.cos(slope))
    creeps = []
    for heading in (0.0, 0.3, np.pi / 4.0):
        engine = make(World((slab(),), tilted(20.0, heading), floor=True, mu=0.5)).advance(1.0)
        start = engine.motion().x[0]
        creeps.append(float(np.linalg.norm(engine.advance(9.0).motion().x[0] - start)) / 9.0)
    mu = np.tan(slope) / 1.001
    felt = np.tan(slope) - sliding(make, mu, 20.0) / (G * np.cos(slope))
    return {
        "acceleration": abs(sliding(make, 0.2, 20.0) / right - 1.0),
        "acceleration of 100 kg": abs(sliding(make, 0.2, 20.0, mass=100.0) / right - 1.0),
        "acceleration at any heading": max(abs(sliding(make, 0.2, 20.0, a) / right - 1.0) for a in (0.3, np.pi / 4)),
        "creep": creeps[0],
        "creep at any heading": max(creeps),
        "threshold": abs(felt / mu - 1.0),
    }


@CONTACT.scene(
    "9 box at rest",
    "1 kg, centre of mass 20 % off the middle, 10 s: force / weight, centre of pressure / half edge.",
    force=Target(1e-6, 1e-6),
    centre_of_pressure=Target(1e-4, 1e-4),
    sink=Target(1e-6, 1e-6, "m"),
    creep=Target(1e-7, 1e-7, "m/s"),
)
def box_at_rest(make: Make) -> Measures:
    half, shift = 0.1, 0.02
    shape = Shape("box", (half, half, half), (-shift, 0.0, 0.0))
    body = Body(1.0, cuboid(1.0, half, half, half), at(0.0, 0.0, half), shapes=(shape,))
    engine = make(World((body,), floor=True))
    forces = []
    before = engine.advance(5.0).motion()
    for _ in engine.frames(5.0):
        forces.append(engine.force(0)[2])
    points, pushes = engine.contact(0)
    after, upward = engine.motion(), pushes[:, 2]
    pressure = (points[:, :2] * upward[:, None]).sum(axis=0) / upward.sum() - after.x[0, :2]
    return {
        "force": float(np.abs(np.array(forces) / G - 1.0).max()),
        "centre of pressure": float(np.linalg.norm(pressure)) / half,
        "sink": abs(after.x[0, 2] - half),
        "creep": float(np.linalg.norm(after.x[0] - before.x[0])) / 5.0,
    }


def ball(**motion: tuple[float, float, float]) -> Body:
    """Return a ball of 1 kg on the floor."""
    shape = Shape("sphere", (0.1,))
    return Body(1.0, 0.4 * 0.01 * np.eye(3), at(0.0, 0.0, 0.1), shapes=(shape,), **motion)


@CONTACT.scene(
    "10 slip to roll",
    "A ball at 5 m/s, mu 0.3, until it rolls.",
    duration=Target(1e-3, 1e-3),
    deceleration=Target(1e-5, 1e-5),
    speed=Target(1e-5, 1e-5),
    slip=Target(1e-5, 1e-5),
)
def slip_to_roll(make: Make) -> Measures:
    engine = make(World((ball(velocity=(5.0, 0.0, 0.0)),), floor=True, mu=0.3))
    slowing = gain(engine, 0.1, 0.4)
    end = engine.advance(0.6).motion()
    return {
        "duration": abs((5.0 - end.v[0, 0]) / slowing / (10.0 / (7.0 * 0.3 * G)) - 1.0),
        "deceleration": abs(slowing / (0.3 * G) - 1.0),
        "speed": abs(end.v[0, 0] / (25.0 / 7.0) - 1.0),
        "slip": abs(end.v[0, 0] - 0.1 * end.w[0, 1]) / 5.0,
    }


@CONTACT.scene(
    "11 rolling down",
    "15 degrees, mu 1: a ball and a cylinder.",
    ball=Target(1e-5, 1e-5),
    cylinder=Target(1e-5, 1e-5),
)
def rolling_down(make: Make) -> Measures:
    gravity = tilted(15.0)
    lying = turn(np.array([np.pi / 2.0, 0.0, 0.0]))
    tensor = np.diag([(3 * 0.01 + 0.04) / 12.0, (3 * 0.01 + 0.04) / 12.0, 0.005])
    cylinder = Body(1.0, tensor, at(0.0, 0.0, 0.1, lying), shapes=(Shape("cylinder", (0.1, 0.1)),))
    found = {}
    for name, body, share in (("ball", ball(), 5.0 / 7.0), ("cylinder", cylinder, 2.0 / 3.0)):
        engine = make(World((body,), gravity, floor=True, mu=1.0))
        found[name] = abs(gain(engine, 0.5, 1.0) / (share * gravity[0]) - 1.0)
    return found


@CONTACT.scene(
    "14 oblique collision",
    "Boxes of 1 and 3 kg meet in free space, spinning, mu 0.5.",
    momentum=Target(1e-14, 1e-6),
    angular_momentum=Target(1e-14, 1e-6),
)
def oblique_collision(make: Make) -> Measures:
    half = (0.1, 0.1, 0.1)
    bodies = (
        box(1.0, half, at(-0.4, 0.03, 0.0), velocity=(2.0, 0.3, 0.1), spin=(1.0, 2.0, 3.0)),
        box(3.0, half, at(0.2, 0.0, 0.02, turn(np.array([0.1, 0.2, 0.3]))), spin=(0.0, -1.0, 0.5)),
    )
    world = World(bodies, gravity=(0.0, 0.0, 0.0))
    engine = make(world)
    linear, angular = engine.motion().momenta(world)
    end = engine.advance(1.0).motion()
    linear_end, angular_end = end.momenta(world)
    if np.linalg.norm(end.v[1]) < 0.01:
        raise ArithmeticError("the boxes did not meet")
    return {
        "momentum": float(np.linalg.norm(linear_end - linear) / np.linalg.norm(linear)),
        "angular momentum": float(np.linalg.norm(angular_end - angular) / np.linalg.norm(angular)),
    }


def stack(masses: list[float]) -> World:
    """Return boxes of these masses, the first at the bottom."""
    bodies = [box(m, (HALF, HALF, HALF), at(0.0, 0.0, HALF * (2 * i + 1))) for i, m in enumerate(masses)]
    return World(tuple(bodies), floor=True)


def standing(make: Make, masses: list[float], seconds: float) -> Measures:
    """Return how a stack stands after some time; forces are relative to the weight above."""
    engine = make(stack(masses)).advance(0.5 * seconds)
    before = engine.motion()
    after = engine.advance(0.5 * seconds).motion()
    heights = after.x[:, 2]
    gaps = np.diff(np.concatenate([[-HALF], heights])) - 2.0 * HALF
    above = [sum(masses[i:]) * G for i in range(len(masses))]
    forces = [engine.force(i, i - 1)[2] / above[i] - 1.0 for i in range(len(masses))]
    return {
        "sink": float(abs(heights[-1] - HALF * (2 * len(masses) - 1))),
        "overlap": float(max(0.0, -gaps.min())),
        "forces": float(np.abs(forces).max()),
        "drift": float(np.abs(after.x - before.x)[:, :2].max()),
        "settling": float(np.abs(after.x - before.x)[:, 2].max()),
    }


STANDING = {
    "sink": Target(3e-4, 3e-4, "m"),
    "overlap": Target(1e-4, 1e-4, "m"),
    "forces": Target(1e-4, 1e-4),
    "drift": Target(1e-6, 1e-6, "m"),
    "settling": Target(1e-6, 1e-6, "m"),
}


@CONTACT.scene("15 stack of 10", "Equal boxes, 10 s; drift and settling over the last 5 s.", **STANDING)
def stack_of_10(make: Make) -> Measures:
    return standing(make, [1.0] * 10, 10.0)


@CONTACT.scene("15 stack of 30", "Equal boxes, 4 s.", **STANDING)
def stack_of_30(make: Make) -> Measures:
    return standing(make, [1.0] * 30, 4.0)


HEAVY = {
    "sink": Target(1e-5, 1e-5, "m"),
    "overlap": Target(1e-5, 1e-5, "m"),
    "forces": Target(1e-3, 1e-3),
    "drift": Target(1e-6, 1e-6, "m"),
    "settling": Target(1e-6, 1e-6, "m"),
}


@CONTACT.scene("16 two equal boxes", "One box on another, 4 s.", **HEAVY)
def equal(make: Make) -> Measures:
    return standing(make, [1.0, 1.0], 4.0)


@CONTACT.scene("16 100 on 1", "A heavy box on a light one, 4 s.", **HEAVY)
def hundred(make: Make) -> Measures:
    return standing(make, [1.0, 100.0], 4.0)


@CONTACT.scene("16 1000 on 1", "4 s.", **HEAVY)
def thousand(make: Make) -> Measures:
    return standing(make, [1.0, 1000.0], 4.0)


@CONTACT.scene("16 10000 on 1", "4 s.", **HEAVY)
def ten_thousand(make: Make) -> Measures:
    return standing(make, [1.0, 10000.0], 4.0)


@CONTACT.scene("16 1000 on nine of 1", "4 s.", **HEAVY)
def nine_and_thousand(make: Make) -> Measures:
    return standing(make, [1.0] * 9 + [1000.0], 4.0)
