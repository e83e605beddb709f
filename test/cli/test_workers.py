# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that work for a command: what an interrupt does to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
from argparse import Namespace
from inertia_tools.cli.workers import working

with working(Namespace(jobs=2), 10_000) as (pool, count):
    futures = [pool.submit(pow, 7, 40_000) for _ in range(10_000)]
    print("working", flush=True)
    for future in futures:
        future.result()
"""


@pytest.mark.skipif(os.name != "posix", reason="a terminal interrupts a group of processes")
def test_interrupts_at_any_instant_end_all_processes() -> None:
    for instant in range(24):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        ) as program:
            assert program.stdout is not None and program.stdout.readline() == b"working\n"
            time.sleep(0.003 * instant)
            try:
                for _ in range(2):
                    os.killpg(program.pid, signal.SIGINT)
                    time.sleep(0.002 * (instant % 4))
                program.wait(timeout=60)
            finally:
                if program.poll() is None:
                    os.killpg(program.pid, signal.SIGKILL)
            assert program.returncode not in (0, -signal.SIGKILL)
            with pytest.raises(ProcessLookupError):
                os.killpg(program.pid, 0)
