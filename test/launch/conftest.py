# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Launch tests need launch_testing, which is not on PyPI: an apt ROS 2 has it.

Without its pytest plugin these files would look like plain unittests and hang until they time out, and one that skips
itself while it is imported would take the whole folder with it. So what lacks something is not even collected;
test_launch_is_here.py says so.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import pytest

# A domain of this run's own, on this machine only.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 101)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"


NEEDED = ("launch_testing", "launch_ros", "rclpy", "inertia_tools.msg")
ROS2_CONTROL = (
    *("controller_manager", "control_msgs", "joint_state_broadcaster", "joint_trajectory_controller"),
    "joint_state_topic_hardware_interface",
)
BY_SOME = {
    "test_controllers_launch.py": ("warp", *ROS2_CONTROL),
    "test_demo_launch.py": ("warp",),
    "test_gazebo_launch.py": ("ros_gz_sim",),
    "test_simulation_launch.py": ("warp",),
}
"""Modules and ROS packages that all launch tests need, and some."""


def is_here(name: str) -> bool:
    """Tell whether a module or a ROS package is installed."""
    if importlib.util.find_spec(name) is not None:
        return True
    packages = Path("share", "ament_index", "resource_index", "packages", name)
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return any(Path(prefix, packages).exists() for prefix in prefixes if prefix)


def missing_parts(config: pytest.Config, file: str) -> str:
    """Say what a launch test lacks here; an empty text when nothing."""
    missing = [name for name in (*NEEDED, *BY_SOME.get(file, ())) if not is_here(name)]
    if missing:
        return f"{', '.join(missing)}"
    return "" if config.pluginmanager.hasplugin("launch_testing") else "the pytest plugin of launch_testing"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave launch tests out where they cannot run."""
    name = collection_path.name
    return True if name.endswith("_launch.py") and missing_parts(config, name) else None


@pytest.fixture
def missing(request: pytest.FixtureRequest) -> Callable[[str], str]:
    return lambda file: missing_parts(request.config, file)
