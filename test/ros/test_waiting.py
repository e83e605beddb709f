# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Requests that wait for the thread of the simulation: each is carried out, or answered with "busy" and dropped."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

import rclpy
from rclpy.executors import SingleThreadedExecutor

from inertia_tools.ros import simulation_node
from inertia_tools.ros.failures import BusyError
from inertia_tools.ros.simulator import Simulator
from inertia_tools.ros.waiting import Waiting


@pytest.fixture
def executor():
    with rclpy.init():
        executor = SingleThreadedExecutor()
        yield executor
        executor.shutdown()


async def outcome_of(work):
    """Return what a coroutine returns or raises."""
    try:
        return await work
    except BusyError as error:
        return error


@pytest.fixture
def waiting(executor):
    node = rclpy.create_node("waiting")
    executor.add_node(node)
    yield Waiting(node)
    node.destroy_node()


def test_what_has_not_begun_in_time_never_does(executor, waiting):
    future = Future()
    task = executor.create_task(outcome_of(waiting.result(future, 0.0, "nothing")))
    executor.spin_until_future_complete(task)
    assert isinstance(task.result(), BusyError)
    assert future.cancelled()


def test_what_has_begun_in_time_is_waited_for(executor, waiting):
    """It was answered with "busy", and done."""
    future = Future()
    assert future.set_running_or_notify_cancel()
    task = executor.create_task(outcome_of(waiting.result(future, 0.0, "nothing")))
    later = executor.create_task(outcome_of(waiting.result(Future(), 0.0, "nothing")))
    executor.spin_until_future_complete(later)
    assert not task.done()
    future.set_result(7)
    executor.spin_until_future_complete(task)
    assert task.result() == 7


def test_a_reset_is_busy_while_a_large_description_is_loaded(executor, monkeypatch):
    """It waited as long as that took."""
    monkeypatch.setattr(simulation_node, "_PATIENCE", 0.0)
    node, loading, loaded = Simulator(), threading.Event(), threading.Event()
    executor.add_node(node)

    def load(world):
        loading.set()
        loaded.wait()

    node.loop.start()
    try:
        node.loop.load(load)
        loading.wait()
        task = executor.create_task(outcome_of(node.restart()))
        executor.spin_until_future_complete(task, timeout_sec=60.0)
        assert isinstance(task.result(), BusyError)
    finally:
        loaded.set()
        node.loop.stop()
        node.pool.close()
        node.destroy_node()
