# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes as processes of their own, talked to over DDS; needs rclpy and the built messages, no launch package."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest
from forked_nodes import ForkedNodes
from ros_graph import Graph, be_alone, open_graph

be_alone()


def missing_part() -> str:
    """Say what these tests lack here; an empty text when nothing."""
    if importlib.util.find_spec("rclpy") is None:
        return "rclpy is not installed"
    if importlib.util.find_spec("inertia_tools.msg") is None:
        return "the messages are not built: run colcon build and source install/setup.bash"
    return ""


def pytest_configure() -> None:
    """Fail where these tests must run and cannot; elsewhere each file skips itself with the reason."""
    if missing_part() and os.environ.get("INERTIA_TOOLS_REQUIRE_ROS") == "1":
        raise pytest.UsageError(f"the ROS tests must run here, but {missing_part()}")


@pytest.fixture(autouse=True)
def _own_subscriptions() -> Iterator[None]:
    with Graph.listening_no_longer():
        yield


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkedNodes]:
    forks = ForkedNodes(tmp_path_factory.mktemp("forks"))
    yield forks
    forks.close()


@pytest.fixture
def graph(forks: ForkedNodes) -> Iterator[Graph]:
    with open_graph(forks) as graph:
        yield graph


@pytest.fixture(scope="module")
def shared_graph(forks: ForkedNodes) -> Iterator[Graph]:
    """One graph for all tests of a module, where starting a node for each would cost more than it shows."""
    with open_graph(forks) as graph:
        yield graph


@pytest.fixture(scope="module")
def fenced_graph(forks: ForkedNodes) -> Iterator[Graph]:
    """Another one, for a node that may read and write in stated folders only."""
    with open_graph(forks) as graph:
        yield graph


def pytest_report_header() -> str:
    return f"ros tests: {missing_part() or 'domain ' + os.environ['ROS_DOMAIN_ID']}"
