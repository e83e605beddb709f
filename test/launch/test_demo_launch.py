# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""demo.launch.py as it comes: the broken quadruped is corrected, handed on, and stands."""

import time
import unittest
from pathlib import Path

import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from inertia_tools.msg import BodyStates, ContactForces

pytest.importorskip("warp", reason="warp-lang is not installed")

# The first simulation on a machine compiles kernels [s].
START_TIMEOUT = 180.0


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    share = Path(get_package_share_directory("inertia_tools"))
    included = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share / "launch" / "demo.launch.py")),
        launch_arguments={"real_time_factor": "0.0"}.items(),
    )
    return LaunchDescription([included, launch_testing.actions.ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    """Looks at the running demo."""

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("launch_tester")

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def test_robot_stands(self):
        states, contacts = [], []
        self.node.create_subscription(BodyStates, "/simulator/body_states", states.append, 10)
        self.node.create_subscription(ContactForces, "/simulator/contact_forces", contacts.append, 10)
        deadline = time.monotonic() + START_TIMEOUT
        while not (states and states[-1].header.stamp.sec >= 2 and contacts):
            self.assertLess(time.monotonic(), deadline, "two simulated seconds")
            rclpy.spin_once(self.node, timeout_sec=0.1)
        self.assertEqual(len(states[-1].bodies), 17)
        self.assertLess(states[-1].kinetic_energy, 1e-2)
        upward = sum(
            contact.total.force.z * (1.0 if contact.body_b == "world" else -1.0) for contact in contacts[-1].contacts
        )
        self.assertGreater(upward, 50.0)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """Looks at how the processes ended."""

    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
