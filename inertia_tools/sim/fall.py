# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Whether and how a robot fell, from the course of its root link, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.spatial import Array, ArrayLike, rotation_from_quaternion

FALLEN_TILT = math.radians(30.0)
"""A root that leans by more than this has fallen: no robot that stands on its own is tilted so far by its sag [rad]."""

FALLEN_SINK = 1.0 / 3.0
"""A root that has lost more than this share of its height has fallen."""

LEAST_SINK = 0.1
"""A root that is this much lower or less has not, however near the ground it was, as the base of an arm is [m]."""

UPRIGHT_TILT = math.radians(5.0)
"""Where to a root leans that leans by less is not worth a word [rad]."""


@dataclass(frozen=True)
class Fall:
    """How a robot fell.

    Attributes:
        link: The root link.
        time: When its fall was beyond doubt [s].
        tilt: How far it leans in the end [rad].
        heading: Where to, as an angle from x in the world's plane [rad].
        sink: How much lower it is in the end [m].
        lies_on: Links that touch the ground in the end.
    """

    link: str
    time: float
    tilt: float
    heading: float
    sink: float
    lies_on: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in a sentence."""
        leans = f"leans by {math.degrees(self.tilt):.0f} degrees towards {_direction(self.heading)}"
        leans = leans if self.tilt > UPRIGHT_TILT else "is upright"
        sinks = f"is {abs(self.sink):.2f} m {'lower' if self.sink >= 0.0 else 'higher'} than at the start"
        lies = f", and the robot lies on {', '.join(self.lies_on)}" if self.lies_on else ", and nothing carries it"
        return f"it fell {self.time:.2f} s after the start: in the end {self.link!r} {leans}, {sinks}{lies}"


def find_fall(
    link: str, times: Sequence[float], positions: ArrayLike, quaternions: ArrayLike, lies_on: Sequence[str] = ()
) -> Fall | None:
    """Return how a robot fell; None where it did not.

    Args:
        link: Name of its root link.
        times: Times of some states, the first of which is the start [s], shape (n,).
        positions: Where the root was then, over ground at z = 0 [m], shape (n, 3).
        quaternions: Its orientations (x, y, z, w), shape (n, 4).
        lies_on: Links that touch the ground in the end.
    """
    places, turns = np.asarray(positions, dtype=np.float64), np.asarray(quaternions, dtype=np.float64)
    start = rotation_from_quaternion(turns[0])
    ups = np.array([rotation_from_quaternion(turn) @ start.T @ [0.0, 0.0, 1.0] for turn in turns])
    tilts = np.arccos(np.clip(ups[:, 2], -1.0, 1.0))
    sinks: Array = places[0, 2] - places[:, 2]
    has_fallen = (tilts > FALLEN_TILT) | (sinks > max(FALLEN_SINK * places[0, 2], LEAST_SINK))
    has_fallen[0] = False
    if not has_fallen.any():
        return None
    heading = math.atan2(ups[-1, 1], ups[-1, 0])
    when = float(times[int(np.argmax(has_fallen))]) - float(times[0])
    return Fall(link, when, float(tilts[-1]), heading, float(sinks[-1]), tuple(lies_on))


def _direction(heading: float) -> str:
    """Name the nearest of eight directions in the world's plane."""
    names = ("+x", "+x +y", "+y", "-x +y", "-x", "-x -y", "-y", "+x -y")
    return names[round(heading / (math.pi / 4.0)) % 8]
