# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""simulation.launch.py with a file of parameters: arguments go over it, and what neither says is the node's default."""

import tempfile
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
from rcl_interfaces.srv import GetParameters

pytest.importorskip("warp", reason="warp-lang is not installed")

PARAMETERS = """/**/simulator:
  ros__parameters: {substeps: 7, gravity: 1.5, paused: true, spawnable_folders: [/first]}
"""
EXPECTED = {"substeps": 7, "gravity": 2.5, "paused": True, "dt": 0.01, "seed": 0}


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    share = Path(get_package_share_directory("inertia_tools"))
    file = Path(tempfile.mkdtemp(), "parameters.yaml")
    file.write_text(PARAMETERS)
    arguments = {
        "params_file": str(file),
        "robot_description": str(share / "examples" / "broken_quadruped.urdf"),
        "gravity": "2.5",
        "dt": "0.01",
        "spawnable_folders": "/second:/third",
        "namespace": "lab",
    }
    source = PythonLaunchDescriptionSource(str(share / "launch" / "simulation.launch.py"))
    included = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    return LaunchDescription([included, launch_testing.actions.ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    """Asks the node for its parameters."""

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("launch_tester")

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def test_parameters(self):
        names = [*EXPECTED, "spawnable_folders"]
        client = self.node.create_client(GetParameters, "/lab/simulator/get_parameters")
        self.assertTrue(client.wait_for_service(timeout_sec=120.0))
        time.sleep(0.3)  # until the service has discovered the client too
        future = client.call_async(GetParameters.Request(names=names))
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=60.0)
        values = [rclpy.parameter.parameter_value_to_python(value) for value in future.result().values]
        self.assertEqual(dict(zip(names[:-1], values, strict=False)), EXPECTED)
        self.assertEqual(list(values[-1]), ["/second", "/third"])


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """Looks at how the process ended."""

    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
