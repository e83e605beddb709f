# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loading descriptions and scenes into the world of a simulator."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inertia_tools.description.types import Description
from inertia_tools.errors import SimulationError
from inertia_tools.ros import simulation_setup
from inertia_tools.ros.failures import BusyError, message_of
from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import World
from inertia_tools.wording import counted

if TYPE_CHECKING:
    from rclpy.impl.rcutils_logger import RcutilsLogger

    from inertia_tools.sim.simulation import Entity, Simulation


class WorldLoader:
    """Loads worlds in the thread of a loop.

    Attributes:
        source: Reads descriptions.
        name: Name of the simulated robot; empty for none.
        refused: Why the last description was refused; empty if it was not.
    """

    def __init__(
        self,
        source: ModelSource,
        settings: simulation_setup.SimulationSettings,
        loop: SimulationLoop,
        control: Callable[[], JointControl],
        log: RcutilsLogger,
        on_refusal: Callable[[], None],
    ) -> None:
        """Create a loader.

        Args:
            source: Reads descriptions.
            settings: Settings of simulations.
            loop: Runs the world.
            control: Returns the current joint control.
            log: The log of the node.
            on_refusal: Called when a description is refused.
        """
        self.source, self.name, self.refused = source, "", ""
        self._settings, self._loop, self._control = settings, loop, control
        self._log, self._on_refusal = log, on_refusal

    def receive(self, text: str, origin: str) -> None:
        """Restart the loop with a description; it replaces one that is still waiting."""
        self._loop.load(lambda world: self._load_text(world, text, origin))

    def receive_scene(self, path: str) -> None:
        """Restart the loop with the scene of a file."""

        def load(world: World) -> None:
            try:
                self._begin(world, self.source.scene(path))
            except Exception as error:  # the node continues after any exception and reports it
                self._refuse(error, f"cannot simulate the scene {path}")

        self._loop.load(load)

    def load(self, what: Description | list[Entity]) -> Future[str]:
        """Restart the loop with a robot or a scene in the stopped state; the future receives the world's name.

        A command completes the future after the loop has finished loading. If another description comes first or
        replaces this one, the future receives a `BusyError`.
        """
        loaded: Future[str] = Future()

        def load(world: World) -> None:
            try:
                self._begin(world, what)
                world.playing, world.stopped = False, True
            except Exception as error:  # the client gets any exception
                answer = partial(_hand_over_error, loaded, error)
            else:
                answer = partial(_hand_over_name, loaded, self.name, world.sound)
            self._loop.submit(answer).add_done_callback(partial(_hand_over_refusal, loaded))

        self._loop.load(load, lambda: _hand_over_error(loaded, BusyError("a newer description was received")))
        return loaded

    def unload(self, world: World) -> None:
        """Remove the world."""
        world.simulation, world.start, world.spawned = None, None, ()
        world.step, world.guides, world.failure = 0, (), ""
        self.source.held, self.name = None, ""

    def may_search(self, folder: str) -> bool:
        """Return whether a folder exists and its files may be read."""
        roots = [os.path.realpath(root) for root in self.source.allowed_roots]
        real = os.path.realpath(folder)
        return os.path.isdir(real) and (not roots or any(Path(real).is_relative_to(root) for root in roots))

    def refusal_of(self, text: str) -> str:
        """Return why a description cannot be simulated; an empty text if it can."""
        if not text:
            return "robot_description must not become empty"
        try:
            robot = self.source.read(text, "<the parameter robot_description>")
            simulation_setup.require_simulatable(robot, self._settings)
        except Exception as error:  # any exception is a reason to refuse
            return message_of(error)
        return ""

    def _load_text(self, world: World, text: str, origin: str) -> None:
        """Load a description in the loop's thread; an unusable one, or the active one, changes nothing."""
        held = self.source.held
        if held is not None and held.document.data == text.encode() and not world.failure:
            self.refused = ""
            return
        doing = "use"
        try:
            robot = self.source.read(text, f"<{origin}>")
            doing = "simulate"
            self._begin(world, robot)
        except Exception as error:  # even a defect must not remove the last good world
            self._refuse(error, f"cannot {doing} the robot description from {origin}")

    def _begin(self, world: World, what: Description | list[Entity]) -> None:
        if not isinstance(what, Description) and not what:
            raise SimulationError("the scene is empty")
        simulation_setup.load(world, what, self._settings, self._control())
        robot = what if isinstance(what, Description) else None
        self.source.held, self.refused = robot, ""
        self.name = robot.name if robot is not None else ""
        simulation = world.sound
        self._log.info(
            f"simulating {self.name or 'a scene'}: {counted(len(simulation.names), 'body', 'bodies')}, "
            f"{counted(len(simulation.joint_names), 'joint')}, "
            f"{simulation.weight:.3f} N, on {self._settings.device}"
        )

    def _refuse(self, error: Exception, what: str) -> None:
        self.refused = message_of(error)
        kept = f"; keeping {self.name!r}" if self.name else ""
        self._log.error(f"{what}: {self.refused}{kept}")
        self._on_refusal()


def _hand_over_name(loaded: Future[str], name: str, simulation: Simulation, world: World) -> None:
    if world.simulation is simulation:
        loaded.set_result(name)
    else:
        _hand_over_error(loaded, BusyError("another description was loaded"))


def _hand_over_error(loaded: Future[str], error: BaseException, world: World | None = None) -> None:
    loaded.set_exception(error)


def _hand_over_refusal(loaded: Future[str], answer: Future[None]) -> None:
    """Pass on the reason why a description was refused."""
    error = answer.exception()
    if error is not None and not loaded.done():
        loaded.set_exception(error)
