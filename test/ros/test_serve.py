# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools serve`: nodes that start and end together."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

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
    assert [process.poll() for process in started] == [3, -signal.SIGINT]
