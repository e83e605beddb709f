# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The settle test in the panel of a page: the page shows the robot's fall in the test."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.correction import Correction
from inertia_tools.spatial import Pose
from inertia_tools.view.curves import Curves

if TYPE_CHECKING:
    from inertia_tools.sim.settle import SettleTest

SECONDS = 3.0  # Duration of the test [s].
DROP = 0.05  # Drop height: more than in `simulate`, so that it is visible [m].
BEFORE, AFTER = "as it is", "corrected"


class Stage(Protocol):
    """The display of the robot's links."""

    @property
    def positions(self) -> dict[str, float]:
        """Joint positions to hold [rad or m]."""

    @property
    def ground(self) -> float:
        """Height of the ground under the robot, in its frame [m]."""

    def place(self, poses: Mapping[str, Pose]) -> None:
        """Put links at poses in the world."""

    def pose(self, positions: Mapping[str, float]) -> None:
        """Set the joints to positions [rad or m]."""

    def wish(self, work: Any) -> None:
        """Execute a function in the thread of the simulation."""


class SettlePanel:
    """Buttons, a verdict and curves of the test."""

    def __init__(self, stage: Stage, server: Any, correction: Correction, fixed_base: bool) -> None:
        """Add the panel at the current insertion point of the page.

        Args:
            stage: The display of the robot.
            server: Server of the page.
            correction: The robot before and after.
            fixed_base: Whether to bolt the root to the world.
        """
        self._stage, self._correction, self._fixed_base = stage, correction, fixed_base
        self._server = server
        self._stopped = threading.Event()
        gui = server.gui
        kinds = (AFTER, BEFORE) if correction.changes else (BEFORE,)
        self._kind = gui.add_dropdown("robot", options=kinds, initial_value=kinds[0])
        gui.add_button("drop it").on_click(lambda _: stage.wish(self.run))
        gui.add_button("stop and put it back").on_click(lambda _: self._put_back())
        self._verdict = ""
        self._shown = gui.add_html("")
        self._curves = Curves(server)

    @property
    def verdict(self) -> str:
        """Result of the last test, in words."""
        return self._verdict

    def _say(self, verdict: str) -> None:
        self._verdict = verdict
        self._shown.content = f'<p style="padding:0 12px">{escape(verdict)}</p>'

    def stop(self) -> None:
        """End a running test."""
        self._stopped.set()

    def run(self) -> None:
        """Run the test in real time at the sliders' positions; called in the thread of the simulation."""
        self._stopped.clear()
        self._say("The simulation is built.")
        try:
            from inertia_tools.sim.settle import SettleTest
        except ImportError:
            self._say("The test needs the package warp-lang; install it with: pip install warp-lang")
            return
        correction = self._correction
        robot = correction.corrected if self._kind.value == AFTER else correction.robot
        try:
            test = SettleTest(
                robot,
                seconds=SECONDS,
                drop=DROP,
                fixed_base=self._fixed_base,
                positions=self._stage.positions,
            )
            self._watch(test, self._stage.ground)
        except InertiaToolsError as error:
            self._say(f"cannot be simulated: {error}")

    def _watch(self, test: SettleTest, ground: float) -> None:
        """Run the test to its end, at most in real time."""
        began = clock.monotonic()
        while not (test.is_over or self._stopped.is_set()):
            sample = test.advance()
            seen = test.last
            up = Pose(np.array([0.0, 0.0, ground]))
            with self._server.atomic():
                self._stage.place({name: up @ seen.pose(name) for name in seen.names})
            self._curves.add(sample.time, sample.kinetic_energy, sample.potential_energy, sample.contact_force)
            self._say(f"{sample.time:.2f} s")
            clock.sleep(max(0.0, began + sample.time - clock.monotonic()))
        if test.is_over:
            result = test.result()
            drift = f"drift {1e3 * result.drift:.3f} mm, force {result.force_error:+.2%} of the weight"
            self._say(f"{'stands' if result.stands else 'does not stand'}: {drift}")
            self._curves.draw()

    def _put_back(self) -> None:
        self.stop()
        self._stage.wish(lambda: self._stage.pose(self._stage.positions))
