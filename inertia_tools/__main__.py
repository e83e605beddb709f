# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run the command line as `python -m inertia_tools`, or as the program `inertia-tools`.

The first imports take a tenth of a second, during which Ctrl-C would make Python print a traceback.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def start() -> int:
    """Run one command and return its exit code."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # a shell makes commands in the background ignore it
        signal.signal(signal.SIGINT, _end)
    from inertia_tools.cli import main
    from inertia_tools.process_end import leave_memory_to_the_system

    signal.signal(signal.SIGINT, usual)
    try:
        return main()
    finally:
        leave_memory_to_the_system()


def _end(number: int, frame: FrameType | None) -> None:
    os.write(2, b"inertia-tools: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(start())
