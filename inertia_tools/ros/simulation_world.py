# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the thread of the simulation owns: the simulation, its time, and the state that it is in."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros.rates import EVERY_STEP, Rate
from inertia_tools.ros.trajectories import Guide

if TYPE_CHECKING:
    from inertia_tools.sim.saved_state import SavedState
    from inertia_tools.sim.simulation import Entity, Simulation


class Phase(enum.Enum):
    """What a simulation node is doing."""

    NO_WORLD = "waiting for a robot description"
    LOADING = "loading"
    PLAYING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FAILED = "failed"
    QUITTING = "quitting"


class WrongPhaseError(InertiaToolsError):
    """A command has no meaning in the present state of the simulation."""


class NoWorldError(WrongPhaseError):
    """There is nothing to simulate yet."""

    def __init__(self) -> None:
        super().__init__("no robot description has arrived yet")


@dataclass
class World:
    """What commands may read and change between two steps.

    Attributes:
        simulation: The facade of the library; None before the first description.
        start: Its state at the start, which a reset goes back to.
        step: Steps since the start or the last reset.
        playing: Time is meant to run.
        real_time_factor: Simulated seconds for each real one; 0 without limit.
        publish_rate: How often the state is published.
        clock_rate: How often the time is, on /clock.
        stopped: Time was stopped by who controls the simulation, which is more than a pause only in name.
        spawned: Names of the entities that came while it ran.
        moved: Something else than a step has put bodies where they are, and nobody has looked at it since.
        guide: Moves joints along a trajectory; None when there is none.
        failure: Why the simulation has failed; empty while it has not. A reset or a new description ends it.
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
    guide: Guide | None = None
    failure: str = ""

    @property
    def phase(self) -> Phase:
        """What the world is doing; the loop knows more while it loads or ends."""
        if self.simulation is None:
            return Phase.NO_WORLD
        if self.failure:
            return Phase.FAILED
        if self.playing:
            return Phase.PLAYING
        return Phase.STOPPED if self.stopped else Phase.PAUSED

    @property
    def sound(self) -> Simulation:
        """The simulation, for commands that need one that works.

        Raises:
            NoWorldError: There is none yet.
            WrongPhaseError: It has failed.
        """
        if self.simulation is None:
            raise NoWorldError
        if self.failure:
            raise WrongPhaseError(f"the simulation has failed: {self.failure}; reset it or load a description")
        return self.simulation

    def advance(self, steps: int = 1) -> None:
        """Step the simulation.

        Raises:
            WrongPhaseError: There is nothing to simulate, or it has failed before.
            InertiaToolsError: The motion has left the finite numbers.
        """
        simulation = self.sound
        for _ in range(steps):
            if self.guide is not None and not self.guide.lead(simulation, self.step):
                self.guide = None
            simulation.step(1)
            self.step += 1

    def drop_guide(self) -> None:
        """Leave the joints that a trajectory moves where it has led them."""
        if self.guide is not None:
            self.sound.set_joint_targets(velocities=dict.fromkeys(self.guide.names, 0.0))
            self.guide = None

    def begin(self, simulation: Simulation) -> None:
        """Restart with a simulation that is at its start."""
        self.simulation, self.start, self.spawned = simulation, simulation.save(), ()
        self.step, self.moved, self.guide, self.failure = 0, True, None, ""

    def spawn(self, entity: Entity, hold: Callable[[Simulation, list[str]], None]) -> None:
        """Add an entity, now and at the start.

        Args:
            entity: What comes.
            hold: Has joints held where they are, by name.

        Raises:
            InertiaToolsError: It cannot be simulated, and nothing was changed.
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
        """Take an entity away, now and from the start.

        Raises:
            InertiaToolsError: There is none of that name, or no other.
        """
        simulation = self.sound
        assert self.start is not None
        if self.guide is not None and set(self.guide.names) & set(joints_of(simulation, name)):
            self.drop_guide()
        (self.start,) = simulation.delete(name, [self.start])
        self.moved = True
        self.spawned = tuple(one for one in self.spawned if one != name)

    def reset(self, time: bool = True, state: bool = True, spawned: bool = False) -> None:
        """Go back to the start.

        Args:
            time: Simulated time begins at zero again.
            state: Poses, velocities, wrenches and drives are those of the start; a failure is over.
            spawned: What came while it ran goes.

        Raises:
            NoWorldError: There is nothing to reset.
            WrongPhaseError: All that is left came while it ran, and an empty world cannot be simulated.
        """
        if self.simulation is None or self.start is None:
            raise NoWorldError
        if spawned and {one.name for one in self.simulation.entities} <= set(self.spawned):
            raise WrongPhaseError("only spawned entities are left, and one must stay; reset time and state alone")
        if state:
            self.simulation.restore(self.start)
            self.moved, self.failure = True, ""
        if spawned:
            for name in self.spawned:
                self.delete(name)
        if time:
            self.step = 0
        if time or state:
            self.guide = None

    def stop(self) -> None:
        """Go back to the start and stay there, until time is let run or the world is paused."""
        self.reset()
        self.playing, self.stopped = False, True

    def leave_stop(self) -> None:
        """Be paused, or run, but not stopped."""
        self.stopped = False


def joints_of(simulation: Simulation, entity: str) -> list[str]:
    """Return the names of an entity's joints with one coordinate."""
    own = (one for one in simulation.entities if one.name == entity)
    known = {one.scoped(joint.name) for one in own for first in one.robot.joints.values() for joint in first.row}
    return [name for name in simulation.joint_names if name in known]
