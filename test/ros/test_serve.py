# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools serve`: nodes that start and end together."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from inertia_tools.cli import main
from inertia_tools.ros import serve

LASTING = ["sleep", "600"]
FAILING = [sys.executable, "-c", "raise SystemExit(3)"]


@pytest.fixture
def started(monkeypatch):
    """Processes that are started; this process keeps its own signal handlers."""
    processes, start = [], subprocess.Popen

    def recorded(command):
        processes.append(start(command))
        return processes[-1]

    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(subprocess, "Popen", recorded)
    yield processes
    for process in processes:
        process.kill()


def test_all_nodes_end_when_one_has_failed(started):
    assert serve._supervise([FAILING, LASTING]) == 3
    assert [process.poll() for process in started] == [3, -signal.SIGTERM]


def test_what_serve_has_ended_itself_is_no_failure(started):
    """A node that still imports does not handle SIGTERM; its exit code hid that of the node that had failed."""
    assert serve._supervise([LASTING, FAILING]) == 3


@pytest.mark.parametrize("separator", [[], ["--"]])
@pytest.mark.parametrize("nodes", [[], ["simulator"]])
def test_arguments_of_ros_are_handed_to_the_nodes(monkeypatch, nodes, separator):
    pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    commands = []
    monkeypatch.setattr(serve, "_supervise", lambda given: commands.extend(given) or 0)
    words = ["--ros-args", "-p", "frame_prefix:=a/", "-r", "__ns:=/left"]
    assert main(["serve", *nodes, *separator, *words]) == 0
    assert [command[2:4] for command in commands] == [["inertia_tools.ros", name] for name in nodes or serve.NODES]
    assert all(command[4:] == words for command in commands)
