# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""gazebo.launch.py: the corrected robot is spawned in Gazebo, without a window. Where ros_gz_sim is, as in CI's container."""

import time
import unittest
from pathlib import Path

import launch_testing.actions
import launch_testing.markers
import pytest
import rclpy
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

try:
    get_package_share_directory("ros_gz_sim")
except PackageNotFoundError:
    pytest.skip("ros_gz_sim is not installed; apt has it", allow_module_level=True)

START_TIMEOUT = 180.0  # Gazebo starts slowly on a machine that does other work [s].


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    share = Path(get_package_share_directory("inertia_tools"))
    arguments = {
        "robot_description": str(share / "examples" / "broken_quadruped.urdf"),
        "world": "-s -r empty.sdf",
        "name": "quadruped",
    }
    source = PythonLaunchDescriptionSource(str(share / "launch" / "gazebo.launch.py"))
    included = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    return LaunchDescription([included, launch_testing.actions.ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    """Waits for what `create` says."""

    def test_the_robot_is_spawned(self, proc_output):
        proc_output.assertWaitFor("Entity creation successful", timeout=START_TIMEOUT, stream="stderr")

    def test_the_corrected_description_is_sdformat(self):
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from std_msgs.msg import String

        received = []
        with rclpy.init():
            node = rclpy.create_node("launch_tester")
            qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            node.create_subscription(String, "/corrected_robot_description", received.append, qos)
            deadline = time.monotonic() + START_TIMEOUT
            while not received:
                self.assertLess(time.monotonic(), deadline, "the corrected description")
                rclpy.spin_once(node, timeout_sec=0.1)
        self.assertIn("<sdf", received[0].data)
