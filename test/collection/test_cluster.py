# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Checks over a Dask cluster of two workers on this machine."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from robots import BOX, GOOD, link, mass, urdf

from inertia_tools.cli import main, workers

COUNT = 240


@pytest.fixture(scope="module")
def scheduler():
    """Start a scheduler with two worker processes; they know this tree as this process does."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a folder of many robots, one in five of them bad."""
    path = tmp_path_factory.mktemp("robots")
    for number in range(COUNT):
        inertial = mass(-1) if number % 5 == 0 else GOOD
        (path / f"r{number:03}.urdf").write_text(urdf(link("base", inertial, BOX), link("tip"), joint()))
    return path


def joint() -> str:
    return '<joint name="j" type="fixed"><parent link="base"/><child link="tip"/></joint>'


def report(capsys, *words: str) -> str:
    assert main(["check", *words, "--json"]) == 1
    return json.loads(capsys.readouterr().out)


def test_a_cluster_gives_what_one_process_gives(scheduler, folder, capsys):
    assert report(capsys, str(folder), "--scheduler", scheduler) == report(capsys, str(folder), "--jobs", "1")


def test_a_run_on_a_cluster_that_was_killed_goes_on(scheduler, folder, tmp_path, capsys):
    journal = tmp_path / "journal"
    words = [str(folder), "--scheduler", scheduler, "--resume", str(journal)]
    command = [sys.executable, "-m", "inertia_tools", "check", *words, "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size > 2000) and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = len(journal.read_bytes().splitlines()) - 1
    assert 0 < kept <= COUNT
    assert report(capsys, *words) == report(capsys, str(folder), "--jobs", "1")
    assert (
        len({json.loads(line)["file"] for line in journal.read_bytes().splitlines()[1:] if line.endswith(b"}")})
        == COUNT
    )


def test_a_scheduler_that_does_not_answer_is_said(folder, capsys, monkeypatch):
    pytest.importorskip("distributed", reason="distributed is not installed")
    monkeypatch.setattr(workers, "CONNECTING_TIME", 0.5)
    assert main(["check", str(folder), "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "it is 'tcp://127.0.0.1:9'" in capsys.readouterr().err


def test_a_malformed_address_of_a_scheduler_is_one_line(folder):
    """A client of such an address would wait for its own threads, and print a traceback at the end of the process."""
    pytest.importorskip("distributed", reason="distributed is not installed")
    words = [sys.executable, "-m", "inertia_tools", "check", str(folder), "--scheduler", "host"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "missing port number" in done.stderr
    assert "such as tcp://host:8786" in done.stderr
