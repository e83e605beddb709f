# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that work for a command: what an interrupt does to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import marked

PROGRAM = """
from argparse import Namespace
from inertia_tools.cli.workers import working

with working(Namespace(jobs=2), 10_000) as (pool, count):
    futures = [pool.submit(pow, 7, 40_000) for _ in range(10_000)]
    print("working", flush=True)
    for future in futures:
        future.result()
"""


pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes in /proc")


@contextmanager
def program_at_work():
    """Start a program with two workers, and give it with the mark that all three carry."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"TEST_MARK": mark},
    ) as program:
        try:
            assert program.stdout.readline() == b"working\n"
            assert len(marked(mark)) == 3
            yield program, mark
        finally:
            for process in marked(mark):
                os.kill(process, signal.SIGKILL)


def ended(mark):
    """Wait until no process carries a mark."""
    limit = time.monotonic() + 60.0
    while marked(mark) and time.monotonic() < limit:
        time.sleep(0.01)
    return not marked(mark)


def test_interrupts_at_any_instant_end_all_processes():
    for instant in range(16):
        with program_at_work() as (program, mark):
            time.sleep(0.005 * instant)
            for _ in range(2):
                os.killpg(program.pid, signal.SIGINT)
                time.sleep(0.002 * (instant % 4))
            assert ended(mark)
        assert program.returncode not in (0, -signal.SIGKILL)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGHUP"])
def test_workers_end_with_the_process_that_has_started_them(name):
    with program_at_work() as (program, mark):
        program.send_signal(getattr(signal, name))
        assert ended(mark)
