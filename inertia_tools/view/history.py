# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The recent past of a simulation as curves."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.spatial import Array

LENGTH = 300
"""Number of samples kept."""

QUANTITIES = ("kinetic energy [J]", "potential energy [J]", "contact force [N]")


@dataclass
class History:
    """Times and quantities of the recent past, cleared when time goes back."""

    _moments: deque[tuple[float, ...]] = field(default_factory=lambda: deque(maxlen=LENGTH))

    def add(self, time: float, *values: float) -> None:
        """Add a sample at a time [s]; one at the time of the last sample replaces it."""
        if self._moments and time < self._moments[-1][0]:
            self._moments.clear()
        if self._moments and time == self._moments[-1][0]:
            self._moments.pop()
        self._moments.append((time, *values))

    @property
    def table(self) -> Array:
        """Times in the first row, quantities in the others, shape (quantities + 1, samples)."""
        return np.array(self._moments, dtype=np.float64).T
