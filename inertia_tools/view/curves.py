# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Curves of a simulation in the panel of a page."""

from __future__ import annotations

import math
import time as clock
from typing import Any

import numpy as np

from inertia_tools.view.history import QUANTITIES, History

PLOT_PERIOD = 0.25  # Period of drawing the curves, which are sent completely [s].


class Curves:
    """Curves of the recent past, one per quantity.

    Attributes:
        history: The plotted data.
    """

    def __init__(self, server: Any) -> None:
        """Add the curves to the panel of a page, at its current insertion point."""
        from viser import uplot

        self.history = History()
        self._drawn = -math.inf
        empty = np.zeros(1)
        self._plots = [
            server.gui.add_uplot(
                data=(empty, empty),
                series=(uplot.Series(label="time [s]"), uplot.Series(label=quantity, stroke="#e8590c", width=2)),
                scales={"x": uplot.Scale(time=False)},
                title=quantity,
                aspect=2.0,
            )
            for quantity in QUANTITIES
        ]

    def add(self, time: float, *values: float) -> None:
        """Add a sample at a time [s], and redraw periodically."""
        self.history.add(time, *values)
        now = clock.monotonic()
        if now - self._drawn > PLOT_PERIOD:
            self._drawn = now
            self.draw()

    def draw(self) -> None:
        """Draw all samples."""
        table = self.history.table
        for plot, values in zip(self._plots, table[1:], strict=True):
            plot.data = (table[0], values)
