# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page that shows and controls the simulation of a node."""

from __future__ import annotations

from inertia_tools.ros.pacing import Pacing
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import World
from inertia_tools.view.viewer import Pace, Viewer


class LoopControls:
    """Turns requests of the page into commands of a loop."""

    def __init__(self, loop: SimulationLoop) -> None:
        """Create the controls of a loop."""
        self._loop = loop

    def pause(self, paused: bool) -> None:
        """Stop or start time."""

        def command(world: World) -> None:
            world.playing = not paused
            world.leave_stop()

        self._loop.submit(command)

    def step(self) -> None:
        """Make one step, if the simulation is paused."""
        self._loop.advance(1)

    def reset(self) -> None:
        """Reset to the start."""
        self._loop.submit(World.reset)


class ViewerPage:
    """Shows a world; called in the thread of the loop."""

    def __init__(self, port: int, loop: SimulationLoop, step_nanoseconds: int) -> None:
        """Serve the page.

        Args:
            port: Its port.
            loop: The controlled loop.
            step_nanoseconds: Length of a step [ns].

        Raises:
            MissingDependencyError: viser is not installed.
        """
        self._viewer = Viewer(LoopControls(loop), port)
        self._pacing: Pacing = loop.pacing
        self._step = 1e-9 * step_nanoseconds

    @property
    def port(self) -> int:
        """The port of the page."""
        return self._viewer.port

    def show(self, world: World) -> None:
        """Show a world that has a simulation."""
        if world.simulation is not None:
            pace = Pace(world.step * self._step, self._pacing.achieved_factor, world.phase.value)
            self._viewer.show(world.simulation, pace)

    def close(self) -> None:
        """Stop serving the page."""
        self._viewer.close()
