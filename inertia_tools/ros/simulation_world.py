# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The data of the simulation's thread: the simulation, its time, and its phase."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros.rates import EVERY_STEP, Rate
from inertia_tools.ros.trajectories import Guide

if TYPE_CHECKING:
    from inertia_tools.sim.saved_state import SavedState
    from inertia_tools.sim.simulation import Entity, Simulation


class Phase(enum.Enum):
    """The phase of a simulation node."""

    NO_WORLD = "waiting for a robot description"
    LOADING = "loading"
    PLAYING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FAILED = "failed"
    QUITTING = "quitting"


class WrongPhaseError(InertiaToolsError):
    """A command is not possible in the current phase of the simulation."""


class NoWorldError(WrongPhaseError):
    """There is nothing to simulate yet."""

    def __init__(self) -> None:
        super().__init__("no robot description has been received yet")


@dataclass
class World:
    """The data that commands may read and change between two steps.

    Attributes:
        simulation: The facade of the library; None before the first description.
        start: Its initial state, which a reset restores.
        step: Steps since the start or the last reset.
        playing: Whether time runs.
        real_time_factor: Simulated seconds per real second; 0 without limit.
        publish_rate: Publication rate of the state.
        clock_rate: Publication rate of /clock.
        stopped: Whether the simulation was stopped by its controller, which differs from a pause only in name.
        spawned: Names of the entities that were spawned while it ran.
        moved: Whether something other than a step has moved bodies since the world was last read.
        guides: Move joints along trajectories; no two have a joint in common.
        failure: Reason for the simulation's failure; empty without one. A reset or a new description clears it.
    """

    simulation: Simulation | None = None
    start: SavedState | None = None
    step: int = 0
    playing: bool = True
    real_time_factor: float = 1.0
    publish_rate: Rate = EVERY_STEP
    clock_rate: Rate = EVERY_STEP
    stopped: bool = False
    spawned: tuple[str, ...] = ()
    moved: bool = True
    guides: tuple[Guide, ...] = ()
    failure: str = ""

    @property
    def phase(self) -> Phase:
        """The phase of the world; the loop has further phases while it loads or ends."""
        if self.simulation is None:
            return Phase.NO_WORLD
        if self.failure:
            return Phase.FAILED
        if self.playing:
            return Phase.PLAYING
        return Phase.STOPPED if self.stopped else Phase.PAUSED

    @property
    def sound(self) -> Simulation:
        """The simulation, if it exists and has not failed.

        Raises:
            NoWorldError: There is no simulation yet.
            WrongPhaseError: The simulation has failed.
        """
        if self.simulation is None:
            raise NoWorldError
        if self.failure:
            raise WrongPhaseError(f"the simulation has failed: {self.failure}; reset it or load a description")
        return self.simulation

    @property
    def bases(self) -> tuple[str, ...]:
        """Names of the free roots of the entities with which the world began, without those that were spawned."""
        if self.simulation is None:
            return ()
        scopes = tuple(one.scoped("") for one in self.simulation.entities if one.name in self.spawned)
        return tuple(root for root in self.simulation.free_roots if not root.startswith(scopes))

    def advance(self, steps: int = 1) -> None:
        """Step the simulation.

        Raises:
            WrongPhaseError: There is nothing to simulate, or it has failed before.
            InertiaToolsError: The state became non-finite.
        """
        simulation = self.sound
        for _ in range(steps):
            for guide in self.guides:
                if not guide.lead(simulation, self.step):
                    self.drop_guides(guide.names)
            simulation.step(1)
            self.step += 1

    def follow(self, guide: Guide) -> None:
        """Start a trajectory, which replaces all others of its joints."""
        self.drop_guides(guide.names)
        self.guides = (*self.guides, guide)

    def drop_guides(self, joints: Collection[str]) -> None:
        """End the trajectories of joints, and hold all joints of these trajectories at their current targets.

        Joints that have been deleted need no hold.
        """
        dropped = [guide for guide in self.guides if not guide.names.isdisjoint(joints)]
        if dropped and self.simulation is not None:
            names = {name for guide in dropped for name in guide.names}.intersection(self.simulation.joint_names)
            self.simulation.set_joint_targets(velocities=dict.fromkeys(names, 0.0))
        self.guides = tuple(guide for guide in self.guides if guide not in dropped)

    def begin(self, simulation: Simulation) -> None:
        """Restart with a simulation in its initial state."""
        self.simulation, self.start, self.spawned = simulation, simulation.save(), ()
        self.step, self.moved, self.guides, self.failure = 0, True, (), ""

    def spawn(self, entity: Entity, hold: Callable[[Simulation, list[str]], None]) -> None:
        """Add an entity, now and in the initial state.

        Args:
            entity: The new entity.
            hold: Holds joints at their positions, by name.

        Raises:
            InertiaToolsError: The entity cannot be simulated; nothing changes then.
        """
        simulation = self.sound
        assert self.start is not None
        before = set(simulation.joint_names)
        (start,) = simulation.spawn(entity, [self.start])
        self.moved = True
        joints = [name for name in simulation.joint_names if name not in before]
        hold(simulation, joints)
        now = simulation.save()
        simulation.restore(start)
        hold(simulation, joints)
        self.start = simulation.save()
        simulation.restore(now)
        self.spawned = (*self.spawned, entity.name)

    def delete(self, name: str) -> None:
        """Remove an entity, now and from the initial state; trajectories go on with the joints that remain.

        Raises:
            InertiaToolsError: There is no entity of that name, or it is the only one; nothing changes then.
        """
        simulation = self.sound
        assert self.start is not None
        gone = joints_of(simulation, name)
        (self.start,) = simulation.delete(name, [self.start])
        shortened = [guide.without(gone) for guide in self.guides if not guide.names.isdisjoint(gone)]
        self.drop_guides(gone)
        self.guides = (*self.guides, *(guide for guide in shortened if guide is not None))
        self.moved = True
        self.spawned = tuple(one for one in self.spawned if one != name)

    def reset(self, time: bool = True, state: bool = True, spawned: bool = False) -> None:
        """Return to the start.

        Args:
            time: Whether to reset simulated time to zero.
            state: Whether to restore the initial poses, velocities, wrenches and drives, and to clear a failure.
            spawned: Whether to remove the entities that were spawned while it ran.

        Raises:
            NoWorldError: There is nothing to reset.
            WrongPhaseError: All remaining entities were spawned while it ran, and an empty world cannot be simulated.
        """
        if self.simulation is None or self.start is None:
            raise NoWorldError
        if spawned and {one.name for one in self.simulation.entities} <= set(self.spawned):
            raise WrongPhaseError("only spawned entities remain, and one must stay; reset only time and state")
        if time or state:
            self.drop_guides({name for guide in self.guides for name in guide.names})
        if state:
            self.simulation.restore(self.start)
            self.moved, self.failure = True, ""
        if spawned:
            for name in self.spawned:
                self.delete(name)
        if time:
            self.step = 0

    def stop(self) -> None:
        """Reset to the start and stop, until time is started or the world is paused."""
        self.reset()
        self.playing, self.stopped = False, True

    def leave_stop(self) -> None:
        """Leave the stopped phase, so that the world is paused or runs."""
        self.stopped = False


def joints_of(simulation: Simulation, entity: str) -> list[str]:
    """Return the names of an entity's joints with one coordinate."""
    own = (one for one in simulation.entities if one.name == entity)
    known = {one.scoped(joint.name) for one in own for first in one.robot.joints.values() for joint in first.row}
    return [name for name in simulation.joint_names if name in known]
