# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The settle test: drop a robot with its joints held, or run a world, and check whether it comes to rest."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError
from inertia_tools.sim.importing.articulation import has_ground
from inertia_tools.sim.observation import BodyContact, Snapshot
from inertia_tools.sim.scene.given import as_number
from inertia_tools.sim.simulation import Simulation
from inertia_tools.spatial import Array, rotation_from_quaternion

AVERAGING_TIME = 0.5
"""Contact forces are averaged over this time at the end of the test [s]."""

SAMPLE_TIME = 1.0 / 60.0
"""Time between two samples [s]."""

FORCE_TOLERANCE = 0.01
"""Maximum relative difference between contact force and weight."""

DRIFT_TOLERANCE = 1e-3
"""Maximum displacement of any link during the averaging time [m]."""


@dataclass(frozen=True)
class SettleSample:
    """One instant of the test.

    Attributes:
        time: Simulated time [s].
        height: Height of the first free root, or of the first link without one [m].
        kinetic_energy: Kinetic energy of all bodies [J].
        contact_force: Vertical contact force of held bodies and the world on free ones [N].
        potential_energy: Gravitational potential energy, zero at the world's origin [J].
        efforts: Holding effort of each joint with one coordinate [N m or N], by name; empty unless requested.
        link_forces: Vertical contact force on each link in contact [N], by name.
        contact_points: Number of contact points.
        depth: Maximum penetration depth [m]; zero without contact points.
    """

    time: float
    height: float
    kinetic_energy: float
    contact_force: float
    potential_energy: float = 0.0
    efforts: Mapping[str, float] = field(default_factory=dict, repr=False)
    link_forces: Mapping[str, float] = field(default_factory=dict, repr=False)
    contact_points: int = 0
    depth: float = 0.0


@dataclass(frozen=True)
class SettleResult:
    """Result of a settle test.

    Attributes:
        weight: Weight of the robot, or of all free bodies [N].
        contact_force: Vertical force that supports it, averaged over the last half second [N].
        drift: Maximum displacement of any link during that time [m].
        kinetic_energy: Kinetic energy at the end [J].
        tilt: Angle between a root's z axis at the start and at the end, the maximum over free roots, or that of the
            first link without one [rad].
        fixed_base: Whether the world holds everything, so that the ground need not support it.
        steps_per_second: Steps per second of computing time.
        start: Snapshot at the start.
        end: Snapshot at the end.
        samples: Samples over the test.
    """

    weight: float
    contact_force: float
    drift: float
    kinetic_energy: float
    tilt: float
    fixed_base: bool
    steps_per_second: float
    start: Snapshot = field(repr=False)
    end: Snapshot = field(repr=False)
    samples: tuple[SettleSample, ...] = field(repr=False)

    @property
    def force_error(self) -> float:
        """Relative difference between contact force and weight; zero for a bolted robot, or if both are zero."""
        if self.fixed_base or self.contact_force == self.weight:
            return 0.0
        return self.contact_force / self.weight - 1.0 if self.weight > 0.0 else math.inf

    @property
    def stands(self) -> bool:
        """Whether the ground supports the weight and all links are at rest."""
        return abs(self.force_error) <= FORCE_TOLERANCE and self.drift <= DRIFT_TOLERANCE


def settle(
    robot: Description,
    *,
    seconds: float = 2.0,
    drop: float = 0.01,
    dt: float = 1.0 / 240.0,
    fixed_base: bool = False,
    device: str = "cpu",
    dtype: str = "float64",
    efforts: bool = False,
) -> SettleResult:
    """Drop a robot onto the ground with its joints held, and measure whether it comes to rest.

    Args:
        robot: The description; its inertials must be physically possible.
        seconds: Simulated time, longer than the averaging time [s].
        drop: Initial height of its lowest point above the ground [m]; above its pose in the file if that has level
            ground, too. A world starts as in its file.
        dt: Time step [s].
        fixed_base: Whether to bolt the root to the world instead of dropping it.
        device: Name of a Warp device, such as "cpu" or "cuda:0".
        dtype: "float64" or "float32".
        efforts: Whether to record the holding efforts of the joints in every sample.

    Raises:
        OptionError: A number is out of range.
        SimulationError: The robot cannot be simulated, or its motion became infinite or NaN.
    """
    test = SettleTest(
        robot,
        seconds=seconds,
        drop=drop,
        dt=dt,
        fixed_base=fixed_base,
        device=device,
        dtype=dtype,
        efforts=efforts,
    )
    while not test.is_over:
        test.advance()
    return test.result()


class SettleTest:
    """A settle test that the caller advances sample by sample.

    Args:
        robot: The description; its inertials must be physically possible.
        seconds: See `settle`.
        drop: See `settle`.
        dt: See `settle`.
        fixed_base: See `settle`.
        device: See `settle`.
        dtype: See `settle`.
        positions: Positions at which joints are held, by name [rad or m]; the others keep their positions in the file.
        efforts: See `settle`.

    Raises:
        OptionError: A number is out of range.
        SimulationError: The robot cannot be simulated.
    """

    def __init__(
        self,
        robot: Description,
        *,
        seconds: float = 2.0,
        drop: float = 0.01,
        dt: float = 1.0 / 240.0,
        fixed_base: bool = False,
        device: str = "cpu",
        dtype: str = "float64",
        positions: Mapping[str, float] | None = None,
        efforts: bool = False,
    ) -> None:
        _check_options(seconds, drop, dt)
        simulation = Simulation(robot, dt=dt, fixed_base=fixed_base, device=device, dtype=dtype, reactions=efforts)
        if positions:
            simulation.set_joint_positions(positions)
        if height := _rise(robot, simulation, drop):
            simulation.lift(height)
        simulation.hold()
        self.simulation = simulation
        self._with_efforts = efforts
        self._seconds = seconds
        self._stride = max(1, round(SAMPLE_TIME / dt))
        self._count = math.ceil(seconds / (self._stride * dt))
        self._samples: list[SettleSample] = []
        self._late: list[Array] = []
        self._busy = 0.0
        self._start = self._last = simulation.snapshot()

    @property
    def is_over(self) -> bool:
        """Whether all samples are taken."""
        return len(self._samples) >= self._count

    @property
    def last(self) -> Snapshot:
        """The latest snapshot."""
        return self._last

    def advance(self) -> SettleSample:
        """Advance to the next sample, and return it.

        Raises:
            SimulationError: The motion became infinite or NaN.
        """
        began = time.perf_counter()
        self.simulation.step(self._stride)
        if self._samples:  # the first step compiles kernels, which does not count
            self._busy += time.perf_counter() - began
        self._last = self.simulation.snapshot()
        sample = _sample(self.simulation, self._last, self._with_efforts)
        self._samples.append(sample)
        if self._last.time > self._seconds - AVERAGING_TIME and len(self._samples) > 1:
            self._late.append(self._last.positions)
        return sample

    def result(self) -> SettleResult:
        """Return the result; the test must be over."""
        samples, last, start = self._samples, self._last, self._start
        forces = [sample.contact_force for sample in samples if sample.time > self._seconds - AVERAGING_TIME]
        return SettleResult(
            weight=self.simulation.weight,
            contact_force=float(np.mean(forces)),
            drift=float(np.linalg.norm(np.array(self._late) - self._late[0], axis=-1).max()),
            kinetic_energy=last.kinetic_energy,
            tilt=max(_tilt(start, last, index) for index in _roots(self.simulation)),
            fixed_base=self.simulation.fixed_base,
            steps_per_second=self._stride * (len(samples) - 1) / self._busy,
            start=start,
            end=last,
            samples=tuple(samples),
        )


def _check_options(seconds: float, drop: float, dt: float) -> None:
    if not AVERAGING_TIME < as_number(seconds) < math.inf:
        raise OptionError("seconds", seconds, f"more than {AVERAGING_TIME:g}, the averaging time of forces")
    if as_number(dt) > 0.5 * AVERAGING_TIME:
        raise OptionError("dt", dt, f"at most {0.5 * AVERAGING_TIME:g}, half the averaging time of forces")
    if not 0.0 <= as_number(drop) < math.inf:
        raise OptionError("drop", drop, "zero or more metres")


def _rise(robot: Description, simulation: Simulation, drop: float) -> float:
    """Return by how much a robot is lifted from its pose in the simulation, so that it falls from the drop height [m].

    Formats with poses in a world may state one in the ground, which belongs to no simulation.
    """
    if robot.is_world or simulation.fixed_base:
        return 0.0
    clearance = 0.0 if has_ground(robot) else simulation.clearance()
    return drop - clearance if math.isfinite(clearance) else drop


def _roots(simulation: Simulation) -> list[int]:
    """Return the indices of the observed links: the free roots, or the first link without any."""
    return [simulation.names.index(root) for root in simulation.free_roots] or [0]


def _sample(simulation: Simulation, snapshot: Snapshot, with_efforts: bool) -> SettleSample:
    carried = simulation.free_links or frozenset(simulation.names)
    contacts = simulation.contacts()
    upward = sum(
        float(np.sum(contact.forces[:, 2])) * (1.0 if contact.body_a in carried else -1.0)
        for contact in contacts
        if (contact.body_a in carried) != (contact.body_b in carried)
    )
    return SettleSample(
        time=snapshot.time,
        height=float(snapshot.positions[_roots(simulation)[0]][2]),
        kinetic_energy=snapshot.kinetic_energy,
        contact_force=upward,
        potential_energy=snapshot.potential_energy,
        efforts=simulation.joint_efforts() if with_efforts else {},
        link_forces=_link_forces(contacts, frozenset(simulation.names)),
        contact_points=sum(len(contact.depths) for contact in contacts),
        depth=max((float(contact.depths.max(initial=0.0)) for contact in contacts), default=0.0),
    )


def _link_forces(contacts: Iterable[BodyContact], links: frozenset[str]) -> dict[str, float]:
    """Return the vertical force of contacts on each link [N]."""
    forces: dict[str, float] = {}
    for contact in contacts:
        upward = float(contact.force[2])
        for name, force in ((contact.body_a, upward), (contact.body_b, -upward)):
            if name in links:
                forces[name] = forces.get(name, 0.0) + force
    return forces


def _tilt(start: Snapshot, end: Snapshot, index: int) -> float:
    """Return the angle between the z axis of a link at two instants [rad]."""
    before, after = (rotation_from_quaternion(one.quaternions[index])[:, 2] for one in (start, end))
    return float(np.arccos(np.clip(before @ after, -1.0, 1.0)))
