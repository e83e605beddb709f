# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The drop test: let a robot fall a little with its joints held, or a world run, and see whether it comes to rest."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError
from inertia_tools.sim.observation import BodyContact, Snapshot
from inertia_tools.sim.scene.given import as_number
from inertia_tools.sim.simulation import Simulation
from inertia_tools.spatial import Array, rotation_from_quaternion

AVERAGING_TIME = 0.5
"""Contact forces are averaged over this last stretch of the test [s]."""

SAMPLE_TIME = 1.0 / 60.0
"""Time between two samples [s]."""

FORCE_TOLERANCE = 0.01
"""Contact force and weight may differ by this ratio."""

DRIFT_TOLERANCE = 1e-3
"""No link may move farther than this during the last stretch [m]."""


@dataclass(frozen=True)
class SettleSample:
    """One instant of the test.

    Attributes:
        time: Simulated time [s].
        height: Height of the first root that moves freely, or of the first link [m].
        kinetic_energy: Over all bodies [J].
        contact_force: Vertical force on all that moves freely, from what does not [N].
        potential_energy: In gravity, zero at the world's origin [J].
        efforts: What holds each joint with one coordinate [N m or N], by name; empty unless asked for.
        link_forces: Vertical force on each link that touches something [N], by name.
        contact_points: How many points touch.
        depth: How deep the deepest of them is [m]; zero without any.
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
    """How the test came out.

    Attributes:
        weight: Weight of the robot, or of all that moves freely [N].
        contact_force: Vertical force of what carries it, averaged over the last half second [N].
        drift: Largest distance that any link moved during that time [m].
        kinetic_energy: At the end [J].
        tilt: Angle between where a root's z axis points at the end and where it pointed at the start, the largest of
            the roots that move freely, or of the first link [rad].
        fixed_base: Everything is held by the world, so that the ground need not carry it.
        steps_per_second: Steps for each second of computing time.
        start: The scene at the start.
        end: The scene at the end.
        samples: The course of the test.
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
        """Relative difference of contact force and weight; nothing for a robot that is bolted down, or has neither."""
        if self.fixed_base or self.contact_force == self.weight:
            return 0.0
        return self.contact_force / self.weight - 1.0 if self.weight > 0.0 else math.inf

    @property
    def stands(self) -> bool:
        """The ground carries the weight, and nothing moves any more."""
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
    """Drop a robot onto the ground with its joints held, and measure.

    Args:
        robot: The description; its inertials must be possible.
        seconds: Simulated time, longer than the averaging time [s].
        drop: Height of its lowest point above the ground at the start [m]; a world starts as its file says.
        dt: Time step [s].
        fixed_base: Bolt the root down instead of dropping it.
        device: Where to compute, as Warp names it: "cpu", "cuda:0".
        dtype: "float64" or "float32".
        efforts: Also find what holds the joints, in every sample.

    Raises:
        OptionError: A number is out of range.
        SimulationError: The robot cannot be simulated, or its motion has left the finite numbers.
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
    """A settle test that whoever runs it watches as it goes.

    Args:
        robot: The description; its inertials must be possible.
        seconds: As for `settle`.
        drop: As for `settle`.
        dt: As for `settle`.
        fixed_base: As for `settle`.
        device: As for `settle`.
        dtype: As for `settle`.
        positions: Where joints are held [rad or m]; those that are not named stay where the file puts them.
        efforts: As for `settle`.

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
        if drop and not (robot.is_world or simulation.fixed_base):
            simulation.lift(drop)
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
        """All samples are taken."""
        return len(self._samples) >= self._count

    @property
    def last(self) -> Snapshot:
        """The scene as it was last seen."""
        return self._last

    def advance(self) -> SettleSample:
        """Go on to the next sample, and return it.

        Raises:
            SimulationError: The motion has left the finite numbers.
        """
        began = time.perf_counter()
        self.simulation.step(self._stride)
        if self._samples:  # the first step compiles, which is no part of the speed
            self._busy += time.perf_counter() - began
        self._last = self.simulation.snapshot()
        sample = _sample(self.simulation, self._last, self._with_efforts)
        self._samples.append(sample)
        if self._last.time > self._seconds - AVERAGING_TIME and len(self._samples) > 1:
            self._late.append(self._last.positions)
        return sample

    def result(self) -> SettleResult:
        """Return how the test came out; it has to be over."""
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
        raise OptionError("seconds", seconds, f"more than {AVERAGING_TIME:g}, over which forces are averaged")
    if as_number(dt) > 0.5 * AVERAGING_TIME:
        raise OptionError(
            "dt", dt, f"at most {0.5 * AVERAGING_TIME:g}, half of the time over which forces are averaged"
        )
    if not 0.0 <= as_number(drop) < math.inf:
        raise OptionError("drop", drop, "zero or more metres")


def _roots(simulation: Simulation) -> list[int]:
    """Return the indices of the links that are looked at: the roots that move freely, else the first link."""
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
