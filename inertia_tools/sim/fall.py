# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Detection of a robot's fall from the motion of its root link, with a description in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.spatial import Array, ArrayLike, rotation_from_quaternion

FALLEN_TILT = math.radians(30.0)
"""A root tilted by more than this has fallen [rad]; the sag of a standing robot tilts it less."""

FALLEN_SINK = 1.0 / 3.0
"""A root that has lost more than this fraction of its height has fallen."""

LEAST_SINK = 0.1
"""A root that has sunk by no more than this has not fallen, even if it started near the ground like the base of an
arm [m]."""

UPRIGHT_TILT = math.radians(5.0)
"""A root tilted by less than this counts as upright [rad]."""


@dataclass(frozen=True)
class Fall:
    """How a robot fell.

    Attributes:
        link: The root link.
        time: Time at which the fall was detected [s].
        tilt: Final tilt angle [rad].
        heading: Direction of the tilt in the world's xy plane, from x [rad].
        sink: Height lost at the end [m].
        lies_on: Links that touch the ground at the end.
    """

    link: str
    time: float
    tilt: float
    heading: float
    sink: float
    lies_on: tuple[str, ...]

    def __str__(self) -> str:
        """Describe the fall in a sentence."""
        leans = f"leans by {math.degrees(self.tilt):.0f} degrees towards {_direction(self.heading)}"
        leans = leans if self.tilt > UPRIGHT_TILT else "is upright"
        sinks = f"is {abs(self.sink):.2f} m {'lower' if self.sink >= 0.0 else 'higher'} than at the start"
        lies = f", and the robot lies on {', '.join(self.lies_on)}" if self.lies_on else ", and nothing carries it"
        return f"it fell {self.time:.2f} s after the start: in the end {self.link!r} {leans}, {sinks}{lies}"


def find_fall(
    link: str, times: Sequence[float], positions: ArrayLike, quaternions: ArrayLike, lies_on: Sequence[str] = ()
) -> Fall | None:
    """Return how a robot fell, or None if it did not.

    Args:
        link: Name of its root link.
        times: Times of the samples, the first at the start [s], shape (n,).
        positions: Positions of the root at these times, with the ground at z = 0 [m], shape (n, 3).
        quaternions: Orientations of the root (x, y, z, w), shape (n, 4).
        lies_on: Links that touch the ground at the end.
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
