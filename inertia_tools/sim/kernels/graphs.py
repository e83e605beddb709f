# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cache of captured graphs of launches, which are replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

MOST_KEPT = 256
"""Most captured steps, each of one length between two states; one takes at least 0.2 MB."""


def captured(launch: Callable[[], None], device: str) -> Any:
    """Return the graph of some launches."""
    with wp.ScopedCapture(device=device) as capture:
        launch()
    return capture.graph


class Graphs(dict[tuple[Any, ...], tuple[Any, Any]]):
    """Graphs with the objects that they refer to, by a key of what they were captured for.

    Graphs hold addresses, so these objects must live as long, and their memory must not be reused. The oldest
    graphs are dropped when there are too many, as where every step has a length of its own.
    """

    def keep(self, key: tuple[Any, ...], graphs: Any, alive: Any) -> tuple[Any, Any]:
        """Keep graphs and the objects that they refer to; return both."""
        while len(self) >= MOST_KEPT:
            del self[next(iter(self))]
        self[key] = graphs, alive
        return self[key]
