# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rates of actions between steps."""

from __future__ import annotations

import math
from dataclasses import dataclass

EARLY = 1e-3
"""An action may run in a step that ends before its due time by at most this fraction of its period.

Step lengths are whole nanoseconds, so steps may end slightly before their nominal times.
"""


@dataclass(frozen=True)
class Rate:
    """A rate of actions, the first of which is at time zero.

    Attributes:
        per_step: Actions per step; one or more means every step.
    """

    per_step: float

    @classmethod
    def of(cls, hertz: float, step_nanoseconds: int) -> Rate:
        """Return a rate in simulated time [Hz]; zero means every step.

        Args:
            hertz: The rate [Hz].
            step_nanoseconds: Length of a step [ns].
        """
        return cls(hertz * step_nanoseconds * 1e-9) if hertz > 0.0 else EVERY_STEP

    @property
    def steps(self) -> float:
        """Mean number of steps between two actions."""
        return 1.0 / min(self.per_step, 1.0)

    def is_due(self, step: int) -> bool:
        """Return whether an action is due at the end of a step, given as the number of steps since time zero."""
        return self.per_step >= 1.0 - EARLY or self._times(step) > self._times(step - 1)

    def _times(self, step: int) -> int:
        return math.floor(step * self.per_step + EARLY)


EVERY_STEP = Rate(1.0)
