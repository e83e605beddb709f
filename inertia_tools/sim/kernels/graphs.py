# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Launches that are captured once and replayed, as many as there is reason to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

MOST_KEPT = 256
"""Steps that are kept captured, of one length between two states each; one takes from 0.2 MB on."""


def captured(launch: Callable[[], None], device: str) -> Any:
    """Return the graph of some launches."""
    with wp.ScopedCapture(device=device) as capture:
        launch()
    return capture.graph


class Graphs(dict[tuple[Any, ...], tuple[Any, Any]]):
    """Graphs, and what must live as long as they do, by what they were captured for.

    They hold addresses, and so are known by what stands there: it is kept beside them, so that nothing else comes to
    stand there. The oldest are forgotten when there are too many, as where every step has a length of its own.
    """

    def keep(self, key: tuple[Any, ...], graphs: Any, alive: Any) -> tuple[Any, Any]:
        """Keep graphs and what they need; return both."""
        while len(self) >= MOST_KEPT:
            del self[next(iter(self))]
        self[key] = graphs, alive
        return self[key]
