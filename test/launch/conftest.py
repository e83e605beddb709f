# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Launch tests need launch_testing, which is not on PyPI: an apt ROS 2 has it.

Without its pytest plugin these files would look like plain unittests and hang until they time out, so they are not
even collected then; test_launch_is_here.py says so.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

# A domain of this run's own, on this machine only.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 101)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

NEEDED = ("launch_testing", "launch_ros", "rclpy", "inertia_tools.msg")


def missing_parts(config: pytest.Config) -> str:
    """Say what these tests lack here; an empty text when nothing."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return f"{', '.join(missing)}"
    return "" if config.pluginmanager.hasplugin("launch_testing") else "the pytest plugin of launch_testing"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave launch tests out where they cannot run."""
    return True if collection_path.name.endswith("_launch.py") and missing_parts(config) else None


@pytest.fixture
def missing(request: pytest.FixtureRequest) -> str:
    return missing_parts(request.config)
