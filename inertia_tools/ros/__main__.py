# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Starts a node, such as `python -m inertia_tools.ros simulator --ros-args -p paused:=true`.

A node's imports take a second, during which a signal makes Python print a traceback or die. The process may safely end
at that point, so signal handlers are installed before anything large is imported.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType


def start(name: str) -> int:
    """Run the node of a module of this package until it ends, and return the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    return int(importlib.import_module(f"inertia_tools.ros.{name}").main())


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(0)


if __name__ == "__main__":
    sys.exit(start(sys.argv.pop(1)))
