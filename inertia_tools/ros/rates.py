# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How often something is done while steps are made."""

from __future__ import annotations

import math
from dataclasses import dataclass

EARLY = 1e-3
"""Something is done in the step that ends at most so much of its period before it is due: lengths of steps are whole
nanoseconds, so that a few of them may end that much before a time that they are meant to reach."""


@dataclass(frozen=True)
class Rate:
    """A rate as a number of times in each step, of which the first is at zero.

    Attributes:
        per_step: How often; one or more for at every step.
    """

    per_step: float

    @classmethod
    def of(cls, hertz: float, step_nanoseconds: int) -> Rate:
        """Return a rate in simulated time [Hz]; zero is for at every step.

        Args:
            hertz: The rate [Hz].
            step_nanoseconds: Length of a step [ns].
        """
        return cls(hertz * step_nanoseconds * 1e-9) if hertz > 0.0 else EVERY_STEP

    @property
    def steps(self) -> float:
        """Mean number of steps from one time to the next."""
        return 1.0 / min(self.per_step, 1.0)

    def is_due(self, step: int) -> bool:
        """Tell whether it is due at the end of a step, counted from one at time zero."""
        return self.per_step >= 1.0 - EARLY or self._times(step) > self._times(step - 1)

    def _times(self, step: int) -> int:
        return math.floor(step * self.per_step + EARLY)


EVERY_STEP = Rate(1.0)
