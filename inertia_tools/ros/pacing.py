# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pacing of simulated time against real time: when the next step is due, and the achieved factor."""

from __future__ import annotations

import math
import time

LARGEST_LAG = 0.25
"""Maximum lag that a simulation tries to catch up; beyond it, the lost time is given up [s]."""

MEASURING_TIME = 1.0
"""Averaging time of the achieved factor [s]."""


class Pacing:
    """Keeps the steps of a simulation at a multiple of real time.

    Attributes:
        step_nanoseconds: Length of a step [ns].
        achieved_factor: Simulated seconds per real second over the last second; NaN while time stands still.
        given_up: Total real time that was given up instead of caught up [s].
        step_cost: CPU time of a step over the last second, in the thread of the simulation [s]; NaN while time stands
            still.
        publish_cost: CPU time of publishing, per step [s].
    """

    def __init__(self, step_nanoseconds: int) -> None:
        self.step_nanoseconds = step_nanoseconds
        self.achieved_factor = math.nan
        self.given_up = 0.0
        self.step_cost = self.publish_cost = math.nan
        self.tie(0, 1.0)

    def tie(self, step: int, factor: float) -> None:
        """Restart the schedule with a step that is due now."""
        self._wall, self._step, self._factor = time.monotonic(), step, factor
        self._measure_from(step)

    def stand_still(self, step: int, factor: float) -> None:
        """Record that time stands still."""
        self.tie(step, factor)
        self.achieved_factor = self.step_cost = self.publish_cost = math.nan

    def spend(self, stepping: float, publishing: float) -> None:
        """Record the CPU time of a step, and of publishing after it [s]."""
        self._stepping += stepping
        self._publishing += publishing

    def lead(self, step: int, factor: float) -> float:
        """Return the time until the next step is due [s]; zero or less if it is due now.

        Args:
            step: Number of steps made.
            factor: Simulated seconds per real second; 0 without limit.
        """
        if factor <= 0.0:
            return 0.0
        if factor != self._factor or step < self._step:
            self.tie(step, factor)
        simulated = (step - self._step) * self.step_nanoseconds * 1e-9
        lead = self._wall + simulated / factor - time.monotonic()
        if lead < -LARGEST_LAG:
            self._wall -= lead
            self.given_up -= lead
        return lead

    def measure(self, step: int) -> None:
        """Record that a step was made."""
        elapsed = time.monotonic() - self._measured_wall
        if elapsed >= MEASURING_TIME:
            steps = step - self._measured_step
            self.achieved_factor = steps * self.step_nanoseconds * 1e-9 / elapsed
            self.step_cost, self.publish_cost = self._stepping / max(steps, 1), self._publishing / max(steps, 1)
            self._measure_from(step)

    def _measure_from(self, step: int) -> None:
        self._measured_wall, self._measured_step = time.monotonic(), step
        self._stepping = self._publishing = 0.0
