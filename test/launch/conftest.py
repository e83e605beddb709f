# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Launch tests need launch_testing, which is not on PyPI: an apt ROS 2 has it.

Without its pytest plugin these files would look like plain unittests and hang until they time out, so they are not
even collected then; test_launch_is_here.py says so.
"""

from __future__ import annotations

import importlib.util
import os

# A domain of this run's own, on this machine only.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 200)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

NEEDED = ("launch_testing", "launch_ros", "rclpy", "inertia_tools.msg")


def missing_parts() -> list[str]:
    """Name what these tests lack here."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


collect_ignore_glob = ["test_*.launch.py", "test_*_launch.py"] if missing_parts() else []
