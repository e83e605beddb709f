# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""simulation.launch.py with a file of parameters: arguments go over it, and what neither says is the node's default."""

import tempfile
import time
from pathlib import Path

import launch_testing
import launch_testing.markers
import launched
import pytest
import rclpy
from rcl_interfaces.srv import GetParameters

PARAMETERS = """/**/simulator:
  ros__parameters: {substeps: 7, gravity: 1.5, paused: true, spawnable_folders: [/first]}
"""
EXPECTED = {"substeps": 7, "gravity": 2.5, "paused": True, "dt": 0.01, "seed": 0}


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    file = Path(tempfile.mkdtemp(), "parameters.yaml")
    file.write_text(PARAMETERS)
    return launched.launched(
        "simulation.launch.py",
        params_file=str(file),
        robot_description=str(launched.SHARE / "examples" / "broken_quadruped.urdf"),
        gravity="2.5",
        dt="0.01",
        spawnable_folders="/second:/third",
        namespace="lab",
    )


class TestWhileRunning(launched.WithNode):
    """Asks the node for its parameters."""

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
class TestAfterShutdown(launched.ProcessesEndWell):
    """Looks at how the process ended."""
