# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes as forks of one process that has imported them and loaded their kernels, which takes a node two seconds.

Run as a module, this is that process. It forks for each connection to its socket, and ends with its standard input.
What a fork cannot show, a test starts with an interpreter of its own: how a node starts and ends, what the environment
of Python changes, and whether two runs agree although Python's hashes differ.
"""

from __future__ import annotations

import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

NODES = ("simulator", "inertia_server", "recorder", "player")

BOX = """<robot name="box"><link name="box"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""


class ForkedNodes:
    """Starts nodes as forks of a process that it starts when there is the first."""

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / "forks")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, module: str, arguments: list[str], log: Path) -> ForkedNode:
        """Start a node of `NODES` in the present environment; its output goes to a file that exists."""
        if self._process is None:
            command = [sys.executable, __file__, self._address]
            path = os.pathsep.join(path for path in sys.path if path)
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env={**os.environ, "PYTHONPATH": path})
            assert self._process.stdout is not None
            assert self._process.stdout.readline() == b"ready\n"
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._address)
        wanted = {"module": module, "arguments": arguments, "log": str(log), "environment": dict(os.environ)}
        connection.sendall(json.dumps(wanted).encode() + b"\n")
        return ForkedNode(connection)

    def close(self) -> None:
        """End the process; its forks go on."""
        if self._process is not None:
            self._process.communicate()


class ForkedNode:
    """A forked process, as much like one of `subprocess` as `Graph` and tests need."""

    def __init__(self, connection: socket.socket) -> None:
        self._answers = connection.makefile("r")
        self._connection = connection
        self.pid = int(self._answers.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative after a signal; None while the process runs."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code.

        Raises:
            TimeoutExpired: It has not ended in time.
        """
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._connection, selectors.EVENT_READ)
                if not selector.select(timeout):
                    raise subprocess.TimeoutExpired(f"node {self.pid}", timeout or 0.0)
            self.returncode = int(self._answers.readline())
            self._answers.close()
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _serve(address: str) -> NoReturn:
    """Fork a keeper for each connection, which forks the node and waits for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which end their nodes
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as selector:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        selector.register(listener, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        while all(key.fileobj is listener for key, _ in selector.select()):
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                selector.close()
                _keep(connection)
            connection.close()
    os._exit(0)


def _keep(connection: socket.socket) -> NoReturn:
    """Start the wanted node; write its number, and later its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with connection.makefile("rw") as stream:
        wanted = json.loads(stream.readline())
        if (node := os.fork()) == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            connection.close()
            _run(**wanted)
        print(node, file=stream, flush=True)
        code = os.waitstatus_to_exitcode(os.waitpid(node, 0)[1])
        print(code, file=stream, flush=True)
    os._exit(0)


def _run(module: str, arguments: list[str], log: str, environment: dict[str, str]) -> NoReturn:
    """Be a node, and end without finalizing: what a fork would finalize is its parent's."""
    output = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    code: Any = 1
    try:
        code = importlib.import_module(f"inertia_tools.ros.{module}").main()
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _prepare() -> None:
    """Import the nodes and load the kernels that most simulations use."""
    for module in NODES:
        importlib.import_module(f"inertia_tools.ros.{module}")
    from inertia_tools.description import load_text
    from inertia_tools.sim.simulation import Simulation

    Simulation(load_text(BOX), ground=True, reactions=True, dtype="float64").step()


if __name__ == "__main__":
    _prepare()
    _serve(sys.argv[1])
