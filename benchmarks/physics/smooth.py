# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Smooth motion: free fall, tops and pendulums against closed forms or a much finer integration."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from benchmarks.physics.engine import Motion
from benchmarks.physics.scene import Group, Make, Measures, Target
from benchmarks.physics.world import BALL, WORLD, Body, G, Hold, World, at
from inertia_tools.spatial import Array, rotation_from_quaternion

SMOOTH = Group("Smooth motion")

ROD = 1.0
"""Length of a rod [m]; its mass is 1 kg."""

ROUND = 1e-4
"""Moment of a rod about its length [kg m^2]."""


def turn(vector: Array) -> Array:
    """Return the rotation by a rotation vector [rad]."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    axis = vector / angle
    return rotation_from_quaternion([*(np.sin(0.5 * angle) * axis), np.cos(0.5 * angle)])


def angle_between(a: Array, b: Array) -> float:
    """Return the angle of the rotation from one orientation to another [rad]."""
    rel = a.T @ b
    sine = 0.5 * np.linalg.norm([rel[2, 1] - rel[1, 2], rel[0, 2] - rel[2, 0], rel[1, 0] - rel[0, 1]])
    return float(np.arctan2(sine, 0.5 * (np.trace(rel) - 1.0)))


def drift(values: list[float]) -> float:
    """Return the largest deviation from the first, relative to it."""
    return float(np.abs(np.array(values) / values[0] - 1.0).max())


@SMOOTH.scene("1 free fall", "Height after 1 s, thrown up at 3 m/s.", height=Target(1e-12, 2e-6, "m"))
def free_fall(make: Make) -> Measures:
    world = World((Body(1.0, 0.01 * np.eye(3), at(0.0, 0.0, 10.0), velocity=(0.5, 0.0, 3.0)),))
    z = make(world).advance(1.0).motion().x[0, 2]
    return {"height": abs(z - (10.0 + 3.0 - 0.5 * G))}


def top_drift(world: World, seen: list[Motion]) -> tuple[float, float]:
    """Return relative changes of angular momentum and energy."""
    momenta = np.array([motion.momenta(world)[1] for motion in seen])
    start = np.linalg.norm(momenta[0])
    return float(np.linalg.norm(momenta - momenta[0], axis=1).max() / start), drift([m.energy(world) for m in seen])


@SMOOTH.scene(
    "2 symmetric top",
    "Principal moments 0.01, 0.01, 0.02 kg m^2, spin (2, 0, 10) rad/s, 10 s.",
    attitude=Target(1e-7, 2e-4, "rad"),
    angular_momentum=Target(1e-15, 1e-7),
    energy=Target(1e-15, 1e-6),
)
def symmetric_top(make: Make) -> Measures:
    inertia, w = np.diag([0.01, 0.01, 0.02]), np.array([2.0, 0.0, 10.0])
    world = World((Body(1.0, inertia, spin=tuple(w)),), gravity=(0.0, 0.0, 0.0))
    engine = make(world)
    seen = [engine.motion(), *engine.frames(10.0)]
    momentum = inertia @ w
    off = [
        angle_between(
            turn(momentum / 0.01 * m.time) @ turn(np.array([0, 0, w[2] * (1.0 - 0.02 / 0.01) * m.time])), m.r[0]
        )
        for m in seen
    ]
    momenta, energy = top_drift(world, seen)
    return {"attitude": max(off), "angular momentum": momenta, "energy": energy}


def tumbling(inertia: Array, w: Array, times: Array) -> Array:
    """Integrate a free body finely; return its orientations, shape (n, 3, 3)."""
    momentum = inertia @ w

    def rate(_: float, r: Array) -> Array:
        rotation = r.reshape(3, 3)
        body = np.linalg.solve(inertia, rotation.T @ momentum)
        return (rotation @ np.cross(np.eye(3), body)).ravel()

    found = solve_ivp(rate, (0.0, times[-1]), np.eye(3).ravel(), "DOP853", times, rtol=1e-13, atol=1e-13)
    return np.asarray(found.y.T.reshape(-1, 3, 3))


def crossings(times: Array, values: Array, rates: Array) -> Array:
    """Return when values change sign, between looks by a cubic through values and rates."""
    found = []
    for i in np.flatnonzero(values[:-1] * values[1:] < 0.0):
        h = times[i + 1] - times[i]
        y0, y1, d0, d1 = values[i], values[i + 1], h * rates[i], h * rates[i + 1]
        roots = np.roots([2 * y0 - 2 * y1 + d0 + d1, -3 * y0 + 3 * y1 - 2 * d0 - d1, d0, y0])
        inside = [r.real for r in roots if abs(r.imag) < 1e-9 and -1e-9 <= r.real <= 1.0 + 1e-9]
        found.append(times[i] + h * inside[0])
    return np.array(found)


@SMOOTH.scene(
    "3 Dzhanibekov",
    "Principal moments 0.01, 0.02, 0.03 kg m^2, spin (0.01, 5, 0.01) rad/s: flips every 5 s, 20 s.",
    period=Target(1e-5, 1e-5),
    attitude=Target(1e-4, None, "rad"),
    angular_momentum=Target(1e-7, 1e-7),
    energy=Target(1e-6, 1e-6),
)
def dzhanibekov(make: Make) -> Measures:
    i1, i2, i3 = 0.01, 0.02, 0.03
    inertia, w = np.diag([i1, i2, i3]), np.array([0.01, 5.0, 0.01])
    world = World((Body(1.0, inertia, spin=tuple(w)),), gravity=(0.0, 0.0, 0.0))
    engine = make(world)
    seen = [engine.motion(), *engine.frames(20.0)]
    times = np.array([m.time for m in seen])
    truth = tumbling(inertia, w, times)
    square, twice = float(np.sum((inertia @ w) ** 2)), float(w @ inertia @ w)
    if square > twice * i2:
        p = np.sqrt((i3 - i2) * (square - twice * i1) / (i1 * i2 * i3))
        k = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1))
    else:
        p = np.sqrt((i1 - i2) * (square - twice * i3) / (i1 * i2 * i3))
        k = (i2 - i3) * (twice * i1 - square) / ((i1 - i2) * (square - twice * i3))
    spin = np.array([m.r[0].T @ m.w[0] for m in seen])
    flips = crossings(times, spin[:, 1], spin[:, 2] * spin[:, 0] * (i3 - i1) / i2)
    period = 2.0 * (flips[-1] - flips[0]) / (len(flips) - 1) if len(flips) > 1 else np.inf
    momenta, energy = top_drift(world, seen)
    return {
        "period": abs(period / (4.0 * ellipk(k) / p) - 1.0),
        "attitude": max(angle_between(t, m.r[0]) for t, m in zip(truth, seen, strict=True)),
        "angular momentum": momenta,
        "energy": energy,
    }


def rod_from(top: tuple[float, float, float], angle: float, parent: int) -> Body:
    """Return a rod that hangs from a hinge along y, turned by an angle from straight down [rad]."""
    across = ROD**2 / 12.0
    along = np.array([-np.sin(angle), 0.0, -np.cos(angle)])
    middle = np.array(top) + 0.5 * ROD * along
    pose = at(*middle, turn(np.array([0.0, angle, 0.0])))
    return Body(1.0, np.diag([across, across, ROUND]), pose, hold=Hold("hinge", parent, top))


def pendulum_angles(seen: list[Motion]) -> tuple[Array, Array]:
    """Return angles from straight down [rad] and their rates."""
    angles = np.unwrap([np.arctan2(-m.x[0, 0], -m.x[0, 2]) for m in seen])
    return angles, np.array([m.w[0, 1] for m in seen])


def swing(make: Make, start: float, periods: int) -> tuple[float, float, float]:
    """Return error of the period, energy swing and energy trend of a rod on a hinge, over the energy's scale."""
    world = World((rod_from((0.0, 0.0, 0.0), start, WORLD),))
    period = 2.0 * np.pi * np.sqrt(2.0 * ROD / (3.0 * G)) * 2.0 / np.pi * ellipk(np.sin(0.5 * start) ** 2)
    engine = make(world)
    seen = [engine.motion(), *engine.frames((periods + 0.5) * period)]
    angles, rates = pendulum_angles(seen)
    zeros = crossings(np.array([m.time for m in seen]), angles, rates)
    measured = 2.0 * (zeros[-1] - zeros[0]) / (len(zeros) - 1) if len(zeros) > 1 else np.inf
    energy = np.array([m.energy(world) for m in seen])
    scale = 0.5 * G * ROD * (1.0 - np.cos(start))
    tenth = len(energy) // 10
    trend = abs(energy[-tenth:].mean() - energy[:tenth].mean()) / scale
    return abs(measured / period - 1.0), float(np.abs(energy - energy[0]).max()) / scale, trend


@SMOOTH.scene(
    "4 rod pendulum",
    "A rod of 1 m on a hinge, released from 0.02, 1.5 and 3 rad, 10 periods; 100 periods for the trend.",
    period_from_002=Target(1e-5, 1e-5),
    period_from_15=Target(1e-5, 1e-5),
    period_from_3=Target(1e-5, 1e-5),
    energy=Target(1e-4, 1e-4),
    trend_over_100=Target(1e-4, 1e-4),
)
def rod_pendulum(make: Make) -> Measures:
    results = [swing(make, start, 10) for start in (0.02, 1.5, 3.0)]
    found = {f"period from {n}": r[0] for n, r in zip(("002", "15", "3"), results, strict=True)}
    found["energy"] = max(r[1] for r in results[1:])
    return found | {"trend over 100": swing(make, 1.5, 100)[2]}


def double_pendulum_truth(angles: Array, times: Array) -> Array:
    """Return both angles of two equal rods, shape (n, 2); the rods weigh 1 kg."""

    def rate(_: float, y: Array) -> Array:
        a, b, wa, wb = y
        c, s = np.cos(a - b), np.sin(a - b)
        tensor = 1.0 / 12.0 * ROD**2
        m = np.array([[1.25 * ROD**2 + tensor, 0.5 * ROD**2 * c], [0.5 * ROD**2 * c, 0.25 * ROD**2 + tensor]])
        right = [
            -0.5 * ROD**2 * wb * wb * s - 1.5 * G * ROD * np.sin(a),
            0.5 * ROD**2 * wa * wa * s - 0.5 * G * ROD * np.sin(b),
        ]
        return np.concatenate([y[2:], np.linalg.solve(m, right)])

    found = solve_ivp(rate, (0.0, times[-1]), [*angles, 0.0, 0.0], "DOP853", times, rtol=1e-13, atol=1e-13)
    return np.asarray(found.y[:2].T)


@SMOOTH.scene(
    "5 double pendulum",
    "Two rods of 1 m released from the horizontal: tip after 2 s, change of energy in 10 s (scale 29.4 J).",
    tip=Target(1e-5, 7e-5, "m"),
    energy=Target(1e-3, 8e-3, "J"),
)
def double_pendulum(make: Make) -> Measures:
    start = np.array([np.pi / 2.0, np.pi / 2.0])
    elbow = (-ROD * np.sin(start[0]), 0.0, -ROD * np.cos(start[0]))
    world = World((rod_from((0.0, 0.0, 0.0), start[0], WORLD), rod_from(elbow, start[1], 0)))
    engine = make(world)
    seen = [engine.motion(), *engine.frames(10.0)]
    energy = np.array([m.energy(world) for m in seen])
    at_2 = next(m for m in seen if abs(m.time - 2.0) < 1e-9)
    tip = at_2.x[1] + at_2.r[1] @ [0.0, 0.0, -0.5 * ROD]
    a, b = double_pendulum_truth(start, np.array([0.0, 2.0]))[-1]
    truth = -ROD * np.array([np.sin(a) + np.sin(b), 0.0, np.cos(a) + np.cos(b)])
    return {"tip": float(np.linalg.norm(tip - truth)), "energy": float(np.abs(energy - energy[0]).max())}


@SMOOTH.scene(
    "6 spinning top",
    "Steady slow precession on a ball joint at 30 degrees, spin 200 rad/s, 2 s.",
    tilt=Target(1e-3, 1e-3, "rad"),
    precession=Target(1e-3, 1e-3),
)
def spinning_top(make: Make) -> Measures:
    length, moment, tilt, spin = 0.1, 0.002, np.radians(30.0), 200.0
    across = moment + length**2
    # A cos(th) W^2 - I3 w3 W + m g l = 0
    roots = np.roots([(across - moment) * np.cos(tilt) + moment * np.cos(tilt), -moment * spin, G * length])
    slow = float(np.min(roots.real))
    rotation = turn(np.array([0.0, tilt, 0.0]))
    axis = rotation[:, 2]
    w = slow * (np.array([0.0, 0.0, 1.0]) - np.cos(tilt) * axis) + spin * axis
    centre = length * axis
    body = Body(
        1.0, moment * np.eye(3), at(*centre, rotation), velocity=tuple(np.cross(w, centre)), spin=tuple(w),
        hold=Hold(BALL, WORLD, (0.0, 0.0, 0.0)),
    )  # fmt: skip
    engine = make(World((body,)))
    axes = np.array([m.r[0][:, 2] for m in engine.frames(2.0)])
    tilts = np.arccos(np.clip(axes[:, 2], -1.0, 1.0))
    azimuth = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    rate = (azimuth[-1] - azimuth[0]) / (engine.frame * (len(azimuth) - 1))
    return {"tilt": float(np.abs(tilts - tilt).max()), "precession": abs(rate / slow - 1.0)}
