# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files before any process starts: what they lack and what they are told. Needs launch_ros, no launch_testing."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch_ros is not installed; apt has it")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

from ament_index_python.packages import get_package_prefix
from launch import LaunchContext
from launch.actions import ExecuteLocal
from launch.utilities import visit_all_entities_and_collect_futures

from inertia_tools.errors import MissingDependencyError

LAUNCH = Path(__file__).parents[2] / "launch"


@pytest.fixture
def launch(monkeypatch):
    """A function that launches a file with arguments, and a list of what it would have started."""
    begun = []
    monkeypatch.setattr(ExecuteLocal, "execute", lambda action, context: begun.append(action))

    def launch(file, **arguments):
        context = LaunchContext()
        context.launch_configurations.update(arguments)
        description = runpy.run_path(str(LAUNCH / file))["generate_launch_description"]()
        visit_all_entities_and_collect_futures(description, context)

    return launch, begun


@pytest.mark.parametrize(
    ("file", "arguments", "package"),
    [
        ("demo.launch.py", {"rviz": "true"}, "robot-state-publisher"),
        ("controllers.launch.py", {}, "controller-manager"),
        ("gazebo.launch.py", {}, "ros-gz-sim"),
    ],
)
def test_nothing_starts_where_a_package_is_not_installed(launch, monkeypatch, file, arguments, package):
    run, begun = launch
    monkeypatch.setenv("AMENT_PREFIX_PATH", get_package_prefix("inertia_tools"))
    with pytest.raises(MissingDependencyError, match=rf"sudo apt install ros-\$ROS_DISTRO-{package}"):
        run(file, **arguments)
    assert begun == []


def test_packages_that_are_not_asked_for_are_not_needed(launch, monkeypatch):
    run, begun = launch
    monkeypatch.setenv("AMENT_PREFIX_PATH", get_package_prefix("inertia_tools"))
    run("demo.launch.py")
    assert len(begun) == 2
