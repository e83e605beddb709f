# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Processes for heavy work: what they return, how they fail, and that they never hold anybody up."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import MappingProxyType

import pytest

import inertia_tools as it
from inertia_tools.ros import worker_pool
from inertia_tools.ros.codes import Failure
from inertia_tools.ros.failures import BusyError, CodedError, DefectError, TimeLimitError, failure_of, message_of
from inertia_tools.ros.worker_pool import WorkerPool

PATIENCE = 60.0


@pytest.fixture(scope="module")
def limit():
    return [PATIENCE]


@pytest.fixture(scope="module")
def pool(limit):
    pool = WorkerPool(lambda: limit[0])
    yield pool
    pool.close()


def test_what_a_function_returns_comes_back(pool):
    assert pool.submit(math.sqrt, 16.0).result(PATIENCE) == 4.0
    mapping = MappingProxyType({"a": MappingProxyType({"b": 1})})
    assert pool.submit(dict, mapping).result(PATIENCE) == {"a": {"b": 1}}


def test_a_description_goes_there_and_back(pool):
    robot = pool.submit(it.load_text, '<robot name="r"><link name="base"/></robot>').result(PATIENCE)
    assert list(robot.links) == ["base"]


def test_what_is_logged_there_is_logged_here(pool, caplog):
    text = '<robot name="r"><link name="base"/><gazebo reference="tail"><sensor name="s" type="imu"/></gazebo></robot>'
    for _ in range(2):
        caplog.clear()
        pool.submit(it.load_text, text).result(PATIENCE)
        (record,) = caplog.records
        assert (record.levelname, record.name) == ("WARNING", "inertia_tools.description.sensor")
        assert "'tail', which is neither a link" in record.getMessage()


CUBE = """#usda 1.0
(
    metersPerUnit = 1
    kilogramsPerUnit = 1
)
def Xform "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 6
    float3 physics:diagonalInertia = (1, 1, 3)
    def Cube "cube" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        double size = 0.2
    }
}
"""


def test_the_correction_of_a_stage_comes_back_and_goes_there_again(pool):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    correction = pool.submit(it.fix, it.load_text(CUBE)).result(PATIENCE)
    assert set(correction.changes) == {"box"}
    assert correction.corrected.links["box"].inertial.is_valid()
    assert "<mass" in it.convert(correction, format="urdf").text
    report = pool.submit(it.check, correction.corrected).result(PATIENCE)
    assert [finding.severity.name for finding in report.findings if finding.severity.name == "ERROR"] == []
    again = it.fix(correction.robot)
    assert again.corrected.links["box"].inertial.isclose(correction.corrected.links["box"].inertial)


def test_an_error_on_purpose_keeps_its_code_and_its_words(pool):
    error = pool.submit(it.load_text, "<robot").exception(PATIENCE)
    assert isinstance(error, CodedError)
    assert failure_of(error) is Failure.PARSE_ERROR
    assert "not well-formed" in message_of(error)


def test_a_defect_is_internal_and_has_its_traceback(pool):
    error = pool.submit(math.sqrt, "four").exception(PATIENCE)
    assert isinstance(error, DefectError)
    assert failure_of(error) is Failure.INTERNAL
    assert message_of(error).startswith("internal error, please report it: TypeError: ")
    assert "Traceback" in error.details


def test_a_process_that_ends_is_replaced(pool):
    error = pool.submit(os._exit, 7).exception(PATIENCE)
    assert isinstance(error, DefectError)
    assert "exit code 7" in str(error)
    assert pool.submit(math.sqrt, 9.0).result(PATIENCE) == 3.0


def test_work_that_takes_too_long_is_ended(pool, limit):
    pool.submit(math.sqrt, 1.0).result(PATIENCE)
    limit[0] = 0.2
    began = time.monotonic()
    error = pool.submit(time.sleep, 1000.0).exception(PATIENCE)
    limit[0] = PATIENCE
    assert isinstance(error, TimeLimitError)
    assert failure_of(error) is Failure.TIMED_OUT
    assert time.monotonic() - began < 30.0
    assert pool.submit(math.sqrt, 9.0).result(PATIENCE) == 3.0


def test_what_prints_does_not_disturb(pool):
    assert pool.submit(print, "to standard output").result(PATIENCE) is None
    assert pool.submit(math.sqrt, 9.0).result(PATIENCE) == 3.0


class Gate:
    """Holds ordinary jobs of a pool up, by a job whose wantedness nobody answers for."""

    def __init__(self, pool):
        self._begun, self._open = threading.Event(), threading.Event()
        self.job = pool.submit(math.sqrt, 4.0, is_wanted=self._wait)
        assert self._begun.wait(PATIENCE)

    def _wait(self):
        self._begun.set()
        return self._open.wait(PATIENCE)

    def open(self):
        self._open.set()
        self.job.result(PATIENCE)


def test_a_full_pool_refuses_and_says_so(pool, monkeypatch):
    monkeypatch.setattr(worker_pool, "CAPACITY", 2)
    gate = Gate(pool)
    jobs = [pool.submit(math.sqrt, 4.0) for _ in range(5)]
    assert [isinstance(job.exception(PATIENCE), BusyError) for job in jobs[2:]] == [True] * 3
    assert failure_of(jobs[-1].exception()) is Failure.BUSY
    assert not jobs[0].done()
    gate.open()
    assert [job.result(PATIENCE) for job in jobs[:2]] == [2.0, 2.0]


def test_what_is_urgent_does_not_wait_for_the_rest(pool):
    gate = Gate(pool)
    waiting = pool.submit(math.sqrt, 4.0)
    assert pool.submit(math.sqrt, 9.0, is_urgent=True).result(PATIENCE) == 3.0
    assert not waiting.done()
    gate.open()
    assert waiting.result(PATIENCE) == 2.0


def test_what_nobody_wants_any_more_is_dropped(pool):
    assert isinstance(pool.submit(time.sleep, 1000.0, is_wanted=lambda: False).exception(PATIENCE), BusyError)


def test_closing_ends_what_is_at_work():
    pool = WorkerPool(lambda: PATIENCE)
    pool.submit(math.sqrt, 4.0).result(PATIENCE)
    pool.submit(time.sleep, 1000.0)
    time.sleep(0.1)
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 20.0


BUSY_NODE = """
import time
from inertia_tools.ros.worker_pool import WorkerPool
pool = WorkerPool(lambda: 1000.0)
pool.submit(time.sleep, 1000.0)
time.sleep(1000.0)
"""


def until(condition):
    deadline = time.monotonic() + PATIENCE / 6
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


def test_a_busy_worker_ends_with_a_killed_node():
    """Else it might write its file after the next node has written a newer one."""
    node = subprocess.Popen([sys.executable, "-c", BUSY_NODE])
    tasks = Path(f"/proc/{node.pid}/task")
    (worker,) = until(lambda: [pid for one in tasks.glob("*/children") for pid in one.read_text().split()])
    time.sleep(0.5)  # until the job is in the pipe
    node.kill()
    node.wait()
    is_gone = until(lambda: not Path(f"/proc/{worker}").exists())
    if not is_gone:
        os.kill(int(worker), 9)
    assert is_gone


def test_nothing_that_follows_a_job_runs_after_the_pool_is_closed():
    """A node publishes results; its context closes next."""
    before, pool = set(threading.enumerate()), WorkerPool(lambda: PATIENCE)
    job = pool.submit(math.sqrt, 16.0)
    job.add_done_callback(lambda _: time.sleep(0.5))
    assert job.result(PATIENCE) == 4.0
    pool.close()
    assert set(threading.enumerate()) <= before


INTERRUPTED = """
import os, signal, sys, time
from inertia_tools.ros.worker_process import WorkerProcess
signal.signal(signal.SIGINT, lambda number, frame: None)
worker = WorkerProcess()
worker._running()
time.sleep(float(sys.argv[1]))
os.killpg(0, signal.SIGINT)
print(worker.call(os.getpid, (), 60.0))
"""


@pytest.mark.parametrize("moment", [0.01, 0.1, 0.2])
def test_an_interrupt_from_the_terminal_passes_over_a_worker_that_is_being_imported(moment):
    command = [sys.executable, "-c", INTERRUPTED, str(moment)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, start_new_session=True)
    assert done.stdout.strip().isdigit()
    assert done.stderr == ""
