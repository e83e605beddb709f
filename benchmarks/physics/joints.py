# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Drives, limits, reactions and a long chain against closed forms."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from benchmarks.physics.engine import Engine, Motion
from benchmarks.physics.scene import Group, Make, Measures, Target
from benchmarks.physics.world import BALL, SLIDE, WORLD, Body, G, Hold, World, at

JOINTS = Group("Joints, drives and reactions")

KE, KD, INERTIA = 50.0, 2.0, 0.5
"""Stiffness and damping of the driven joint of scene 23, and what it moves, as in [N m/rad] or [N/m]."""


def driven(kind: str, ke: float, kd: float, target: float) -> World:
    """Return one body that a drive moves about or along y."""
    hold = Hold(kind, WORLD, (0.0, 0.0, 0.0), ke=ke, kd=kd, target=target)
    return World((Body(INERTIA, INERTIA * np.eye(3), hold=hold),), gravity=(0.0, 0.0, 0.0))


def coordinate(kind: str, motion: Motion) -> float:
    """Return the coordinate of a driven joint."""
    return float(motion.x[0, 1]) if kind == SLIDE else float(np.arctan2(motion.r[0, 0, 2], motion.r[0, 0, 0]))


def step_error(make: Make, kind: str) -> float:
    """Return the largest error of the answer to a step of the target by one."""
    natural = np.sqrt(KE / INERTIA)
    ratio = KD / (2.0 * np.sqrt(KE * INERTIA))
    damped = natural * np.sqrt(1.0 - ratio**2)
    worst = 0.0
    for motion in make(driven(kind, KE, KD, 1.0)).frames(3.0):
        t = motion.time
        decay = np.exp(-ratio * natural * t)
        truth = 1.0 - decay * (np.cos(damped * t) + ratio * natural / damped * np.sin(damped * t))
        worst = max(worst, abs(coordinate(kind, motion) - truth))
    return worst


def response(make: Make, frequency: float) -> complex:
    """Return the measured answer to a target that swings by 0.1 rad, over the target."""
    engine = make(driven("hinge", KE, KD, 0.0), frame=None)
    times, angles = [], []
    settled, end = 6.0, 6.0 + 2.0 * (2.0 * np.pi / frequency if frequency > 2.0 else np.pi / frequency)
    for _ in range(round(end / engine.frame)):
        engine.drive(0, 0.1 * np.sin(frequency * (engine.time + 0.5 * engine.h)))
        engine.advance(engine.frame)
        if engine.time > settled:
            times.append(engine.time)
            angles.append(coordinate("hinge", engine.motion()))
    basis = np.stack([np.sin(frequency * np.array(times)), np.cos(frequency * np.array(times))], axis=1)
    sine, cosine = np.linalg.lstsq(basis, np.array(angles), rcond=None)[0]
    return complex(sine, cosine) / 0.1


@JOINTS.scene(
    "23 drive",
    "Inertia 0.5, ke 50, kd 2: step of the target on a hinge and on a slide; swinging targets; ke 1e8.",
    step=Target(1e-4, 1e-4, "rad"),
    step_of_a_slide=Target(1e-4, 1e-4, "m"),
    response=Target(1e-4, 1e-4),
    stiff=Target(1e-4, 1e-4, "rad"),
)
def drive(make: Make) -> Measures:
    errors = []
    for w in (1.0, 5.0, 10.0, 20.0):
        # the target pulls through ke alone, the damping at the joint's own rate
        truth = KE / (KE - INERTIA * w * w + 1j * w * KD)
        errors.append(abs(response(make, w) - truth))
    stiff = make(driven("hinge", 1e8, 2.0 * np.sqrt(1e8 * INERTIA), 1.0)).advance(1.0)
    return {
        "step": step_error(make, "hinge"),
        "step of a slide": step_error(make, SLIDE),
        "response": max(errors),
        "stiff": abs(coordinate("hinge", stiff.motion()) - 1.0),
    }


def arm(**hold: float) -> World:
    """Return a horizontal rod of 1 kg on a hinge half a metre from its centre."""
    joint = Hold("hinge", WORLD, (0.0, 0.0, 0.0), **hold)
    return World((Body(1.0, np.diag([1e-3, 1.0 / 12.0, 1.0 / 12.0]), at(0.5, 0.0, 0.0), hold=joint),))


def arm_angle(motion: Motion) -> float:
    """Return the angle of that rod below the horizontal [rad]."""
    return float(np.arctan2(-motion.x[0, 2], motion.x[0, 0]))


@JOINTS.scene(
    "24 arm under its weight",
    "ke 100, kd 20: sag compared with the root of ke q = m g l cos q; with 3 passes and with 8.",
    sag=Target(1e-5, 1e-5, "rad"),
)
def sagging_arm(make: Make) -> Measures:
    engine = make(arm(ke=100.0, kd=20.0)).advance(6.0)
    truth = brentq(lambda q: 100.0 * q - 0.5 * G * np.cos(q), 0.0, 0.5)
    return {"sag": abs(arm_angle(engine.motion()) - truth)}


@JOINTS.scene(
    "25 limit",
    "A rod falls from the horizontal onto a limit 0.5 rad below.",
    overshoot_over_w_h=Target(1.0, 1.0),
    static_error=Target(1e-6, 1e-6, "rad"),
)
def limit(make: Make) -> Measures:
    engine = make(arm(upper=0.5))
    angles = [arm_angle(motion) for motion in engine.frames(6.0)]
    impact = np.sqrt(2.0 * 0.5 * G * np.sin(0.5) / (1.0 / 12.0 + 0.25))
    return {
        "overshoot over w h": max(0.0, max(angles) - 0.5) / (impact * engine.h),
        "static error": abs(angles[-1] - 0.5),
    }


def row_of_links(count: int, ke: float = 0.0, spin: float = 0.0) -> World:
    """Return links of 1 kg and 1 m in a horizontal row, on hinges along y or, when they spin, along z."""
    axis = (0.0, 0.0, 1.0) if spin else (0.0, 1.0, 0.0)
    bodies = []
    for i in range(count):
        hold = Hold("hinge", i - 1, (float(i), 0.0, 0.0), axis, ke=ke, kd=0.05 * ke)
        velocity = (0.0, spin * (i + 0.5), 0.0)
        bodies.append(
            Body(1.0, np.diag([1e-3, 1 / 12, 1 / 12]), at(i + 0.5, 0.0, 0.0), velocity, (0.0, 0.0, spin), hold=hold)
        )
    return World(tuple(bodies), gravity=(0.0, 0.0, 0.0) if spin else (0.0, 0.0, -G))


def reaction_error(engine: Engine, body: int, force: list[float], torque: list[float]) -> float:
    """Return how far a reaction is off, over its size."""
    f, t = engine.reaction(body)
    size = np.linalg.norm(force) + np.linalg.norm(torque)
    return float(np.linalg.norm(f - force) + np.linalg.norm(t - torque)) / float(size)


@JOINTS.scene(
    "26 reactions",
    "Wrench through each joint: three links in a row, held; an arm of 1 kg that circles at 10 rad/s, half a metre out.",
    held=Target(1e-6, 1e-4),
    circling=Target(1e-4, 1e-4),
)
def reactions(make: Make) -> Measures:
    engine = make(row_of_links(3, ke=1e6)).advance(3.0)
    errors = []
    for i in range(3):
        outer = 3 - i
        errors.append(reaction_error(engine, i, [0.0, 0.0, G * outer], [0.0, _about_centre(outer), 0.0]))
    circling = make(row_of_links(1, spin=10.0)).advance(0.5)
    x = circling.motion().x[0]
    found = reaction_error(circling, 0, list(-50.0 * x / np.linalg.norm(x)), [0.0, 0.0, 0.0])
    return {"held": max(errors), "circling": found}


def _about_centre(carried: int) -> float:
    """Return the torque about y, at a link's centre, that holds it and the links beyond; `carried` counts them all."""
    at_joint = -sum(G * (k + 0.5) for k in range(carried))
    return at_joint + 0.5 * G * carried


LINK = 0.1
"""Length of a chain's link [m]."""


def chain(count: int, load: float) -> World:
    """Return a chain of links of 1 kg that hangs a little aslant, with a load at its end."""
    lean = np.array([np.sin(0.2), 0.0, -np.cos(0.2)])
    bodies = []
    for i in range(count):
        top = LINK * i * lean
        mass = 1.0 + load if i == count - 1 else 1.0
        tensor = mass * LINK**2 / 12.0 * np.eye(3)
        bodies.append(Body(mass, tensor, at(*(top + 0.5 * LINK * lean)), hold=Hold(BALL, i - 1, tuple(top))))
    return World(tuple(bodies))


def gaps(world: World, motion: Motion) -> float:
    """Return the sum of the distances between the two sides of every joint [m]."""
    total = 0.0
    for i, body in enumerate(world.bodies):
        anchor = np.array(body.hold.anchor)
        inner = anchor
        if body.hold.parent != WORLD:
            p = body.hold.parent
            inner = motion.x[p] + motion.r[p] @ (anchor - world.bodies[p].pose.position)
        total += float(np.linalg.norm(motion.x[i] + motion.r[i] @ (anchor - body.pose.position) - inner))
    return total


@JOINTS.scene(
    "27 chain of 100",
    "100 links of 1 kg and 0.1 m on ball joints, swinging from 0.2 rad, without and with 100 kg at the end, 2 s.",
    gap_at_the_tip=Target(1e-5, 1e-5, "m"),
    gap_with_100_kg=Target(1e-5, 1e-5, "m"),
)
def long_chain(make: Make) -> Measures:
    found = {}
    for name, load in (("gap at the tip", 0.0), ("gap with 100 kg", 100.0)):
        world = chain(100, load)
        engine = make(world)
        found[name] = max(gaps(world, motion) for i, motion in enumerate(engine.frames(2.0)) if i % 12 == 0)
    return found


@JOINTS.scene(
    "27 hanging chain",
    "The same chain straight down, 2 s: force through its first joint relative to its weight.",
    force=Target(1e-4, 1e-4),
)
def hanging_chain(make: Make) -> Measures:
    found = []
    for load in (0.0, 100.0):
        leaning = chain(100, load)
        bodies = [
            Body(b.mass, b.inertia, at(0.0, 0.0, -LINK * (i + 0.5)), hold=Hold(BALL, i - 1, (0.0, 0.0, -LINK * i)))
            for i, b in enumerate(leaning.bodies)
        ]
        engine = make(World(tuple(bodies))).advance(2.0)
        found.append(abs(engine.reaction(0)[0][2] / (G * (100.0 + load)) - 1.0))
    return {"force": max(found)}
