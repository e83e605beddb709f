# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of joints, followed in simulated time. Nothing here depends on ROS."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.ros.joint_control import JointControl, JointTargets
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Points that joints pass through, interpolated linearly, or cubically if all have velocities.

    Attributes:
        names: The joints.
        times: Times of the points since the start of the trajectory, ascending [s], shape (n,).
        positions: Joint positions at the points [rad or m], shape (n, joints).
        velocities: Joint velocities at the points [rad/s or m/s], shape (n, joints); None for linear segments.
        begins: Simulated time of the start [s]; negative to start immediately.
    """

    names: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array | None = None
    begins: float = -1.0

    def at(self, time: float) -> tuple[Array, Array]:
        """Return positions and velocities at a time since the start [s], clamped to the ends of the trajectory."""
        if time <= self.times[0] or time >= self.times[-1]:
            index = 0 if time <= self.times[0] else -1
            return self.positions[index], np.zeros(len(self.names))
        right = int(np.searchsorted(self.times, time, side="right"))
        left, span = right - 1, float(self.times[right] - self.times[right - 1])
        s, p0, p1 = (time - float(self.times[left])) / span, self.positions[left], self.positions[right]
        if self.velocities is None:
            return p0 + s * (p1 - p0), (p1 - p0) / span
        m0, m1 = span * self.velocities[left], span * self.velocities[right]
        cubic, square = 2.0 * (p0 - p1) + m0 + m1, 3.0 * (p1 - p0) - 2.0 * m0 - m1
        return ((cubic * s + square) * s + m0) * s + p0, ((3.0 * cubic * s + 2.0 * square) * s + m0) / span

    def of(self, known: Collection[str]) -> Trajectory:
        """Return the trajectory of the given joints only."""
        return self.renamed({name: [name] if name in known else [] for name in self.names})

    def renamed(self, names: Mapping[str, Sequence[str]]) -> Trajectory:
        """Return the trajectory of the joints that are given for each name."""
        columns = [column for column, name in enumerate(self.names) for _ in names[name]]
        return replace(
            self,
            names=tuple(full for name in self.names for full in names[name]),
            positions=self.positions[:, columns],
            velocities=None if self.velocities is None else self.velocities[:, columns],
        )

    def from_here(self, positions: Sequence[float], velocities: Sequence[float], time: float = 0.0) -> Trajectory:
        """Return the trajectory with the current positions as its first point, if its own are all in the future.

        Args:
            positions: Current positions of its joints [rad or m], shape (joints,).
            velocities: Current velocities [rad/s or m/s], shape (joints,).
            time: Current time since its start [s].
        """
        if self.times[0] <= time:
            return self
        return replace(
            self,
            times=np.concatenate([[time], self.times]),
            positions=np.vstack([positions, self.positions]),
            velocities=None if self.velocities is None else np.vstack([velocities, self.velocities]),
        )


@dataclass(eq=False)
class Guide:
    """An active trajectory.

    Attributes:
        trajectory: The points.
        control: The joint control.
        begins: Simulated time of its start [s].
    """

    trajectory: Trajectory
    control: JointControl
    begins: float

    @property
    def names(self) -> frozenset[str]:
        """Names of the joints that it moves."""
        return frozenset(self.trajectory.names)

    def without(self, joints: Collection[str]) -> Guide | None:
        """Return the trajectory of the other joints; None if it has none."""
        others = self.trajectory.of(self.names.difference(joints))
        return replace(self, trajectory=others) if others.names else None

    def lead(self, simulation: Simulation, step: int) -> bool:
        """Set the targets of the next step, and return whether the trajectory continues after it.

        Args:
            simulation: The simulation.
            step: Number of steps made since the start.
        """
        time = (step + 1) * simulation.dt - self.begins
        if time < 0.0:
            return True
        positions, velocities = self.trajectory.at(time)
        names = self.trajectory.names
        targets = JointTargets(
            dict(zip(names, positions.tolist(), strict=True)), dict(zip(names, velocities.tolist(), strict=True))
        )
        self.control.drive(simulation, targets)
        return bool(time < self.trajectory.times[-1])
