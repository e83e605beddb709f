# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""inertia.launch.py with a xacro file and a namespace: the node comes up, corrects, in either format, and ends cleanly."""

import tempfile
from pathlib import Path

import launch_testing
import launch_testing.markers
import launched
import pytest
from std_msgs.msg import String

from inertia_tools.srv import ValidateInertials

XACRO = """<?xml version="1.0"?>
<robot name="one_link" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="weight" default="1"/>
  <link name="base">
    <inertial><mass value="$(arg weight)"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial>
    <collision><geometry><mesh filename="slab.obj"/></geometry></collision>
  </link>
</robot>
"""

SLAB = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 2))
SLAB += "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
"""A mesh beside the description: 1 x 1 x 2 m, whose moments at 6 kg are 2.5, 2.5 and 1."""


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.parametrize("output_format", ["urdf", "sdf"])
def generate_test_description(output_format):
    folder = tempfile.mkdtemp()
    path = Path(folder, "one_link.urdf.xacro")
    path.write_text(XACRO)
    Path(folder, "slab.obj").write_text(SLAB)
    return launched.launched(
        "inertia.launch.py",
        robot_description=str(path),
        xacro_arguments="weight:=6",
        namespace="left",
        log_level="debug",
        output_format=output_format,
    )


class TestWhileRunning(launched.WithNode):
    """Looks at the running node."""

    def test_corrected_description_is_latched(self, output_format):
        received = []
        self.node.create_subscription(String, "/left/corrected_robot_description", received.append, launched.LATCHED)
        self.wait_for(lambda: received, "corrected description")
        is_urdf = output_format == "urdf"
        expected = ('mass value="6"', 'iyy="2.5"', 'izz="1"') if is_urdf else ("<mass>6", "<iyy>2.5<", "<izz>1<")
        for number in expected:
            self.assertIn(number, received[0].data)
        self.assertIn("<robot " if is_urdf else "<sdf ", received[0].data)

    def test_service_answers_in_the_namespace(self):
        client = self.node.create_client(ValidateInertials, "/left/inertia_server/validate_inertials")
        self.wait_for(client.service_is_ready, "service")
        future = client.call_async(ValidateInertials.Request())
        self.wait_for(future.done, "answer")
        self.assertTrue(future.result().success)
        self.assertFalse(future.result().valid)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(launched.ProcessesEndWell):
    """Looks at how the processes ended."""
