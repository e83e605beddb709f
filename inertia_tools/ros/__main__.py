# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Starts a node, such as `python -m inertia_tools.ros simulator --ros-args -p paused:=true`.

A node's imports take a second, in which Python answers a signal with a traceback, or is killed by it. The process may
as well end then as later, so signals are handled before anything large is imported.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType


def start(name: str) -> int:
    """Run the node in a module of this package until it ends; return the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    return int(importlib.import_module(f"inertia_tools.ros.{name}").main())


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(0)


if __name__ == "__main__":
    sys.exit(start(sys.argv[1]))
