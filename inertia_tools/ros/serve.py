# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Start the nodes as processes without `ros2 launch`; `inertia-tools serve` calls this."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

from inertia_tools.errors import MissingDependencyError, OptionError

NODES = ("inertia_server", "simulator")

_POLL_PERIOD = 0.2  # Period of checking the processes [s].
_GRACE = 10.0  # Time for a node to end by itself before it is killed [s].


def main(arguments: Sequence[str]) -> int:
    """Run nodes until they end or this process is interrupted.

    Args:
        arguments: Names of nodes, by default both, then optionally ``--ros-args`` and its arguments.

    Returns:
        The first non-zero exit code of a node, else zero.

    Raises:
        MissingDependencyError: The messages are not built, or not on the path.
        OptionError: There is no such node.
    """
    words = [word for word in arguments if word != "--"]
    split = words.index("--ros-args") if "--ros-args" in words else len(words)
    names = words[:split] or list(NODES)
    for name in names:
        if name not in NODES:
            raise OptionError("node", name, "one of " + ", ".join(NODES))
    if importlib.util.find_spec("inertia_tools.msg") is None:
        command = "make build && . install/setup.bash in the repository"
        raise MissingDependencyError("inertia_tools.msg", "serving on ROS 2", command)
    commands = [[sys.executable, "-m", "inertia_tools.ros", name, *words[split:]] for name in names]
    return _supervise(commands)


def _supervise(commands: Sequence[Sequence[str]]) -> int:
    """Run commands until one ends or a signal comes, then end the others."""
    stop = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal stop
        stop = True

    signal.signal(signal.SIGINT, note)
    signal.signal(signal.SIGTERM, note)
    processes = [subprocess.Popen(command) for command in commands]
    while not stop and all(process.poll() is None for process in processes):
        time.sleep(_POLL_PERIOD)
    codes = [_end(process) for process in processes]
    return next(filter(None, codes), 0)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Terminate a process and return its exit code; zero if it ended during its imports.

    During imports it would answer SIGINT with a traceback.
    """
    process.terminate()
    try:
        code = process.wait(timeout=_GRACE)
        return 0 if code == -signal.SIGTERM else code
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
