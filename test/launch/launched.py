# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What launch tests share: a launch file with arguments, a node that looks at it, and how the processes ended."""

from __future__ import annotations

import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.qos import DurabilityPolicy, QoSProfile

SHARE = Path(get_package_share_directory("inertia_tools"))
"""What the package has installed."""

NODES = ("inertia_server", "simulator")
"""Executables of this package; what others' do when they are interrupted is theirs."""

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

PATIENCE = 180.0
"""For anything to happen; the first simulation on a machine compiles kernels, and Gazebo starts slowly [s]."""


def launched(file: str, **arguments: str) -> LaunchDescription:
    """Describe a launch file of this package with arguments; the tests begin at once."""
    source = PythonLaunchDescriptionSource(str(SHARE / "launch" / file))
    included = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    return LaunchDescription([included, launch_testing.actions.ReadyToTest()])


class WithNode(unittest.TestCase):
    """Tests with a node of their own, `node`."""

    @classmethod
    def setUpClass(cls) -> None:
        rclpy.init()
        cls.node = rclpy.create_node("launch_tester")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.node.destroy_node()
        rclpy.shutdown()

    def wait_for(self, condition: Callable[[], Any], what: str) -> None:
        """Handle messages until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            rclpy.spin_once(self.node, timeout_sec=0.1)


class ProcessesEndWell(unittest.TestCase):
    """Looks at how the processes of this package ended; what inherits it is a `post_shutdown_test`."""

    def test_exit_codes(self, proc_info: Any) -> None:
        ours = [name for name in proc_info.process_names() if name.startswith(NODES)]
        self.assertTrue(ours)
        for name in ours:
            launch_testing.asserts.assertExitCodes(proc_info, process=name)
