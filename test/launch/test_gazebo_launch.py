# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""gazebo.launch.py: the corrected robot is spawned in Gazebo, without a window. Where ros_gz_sim is, as in CI's container."""

import launch_testing.markers
import launched
import pytest
from std_msgs.msg import String


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    robot = str(launched.SHARE / "examples" / "broken_quadruped.urdf")
    return launched.launched("gazebo.launch.py", robot_description=robot, world="-s -r empty.sdf", name="quadruped")


class TestWhileRunning(launched.WithNode):
    """Waits for what `create` says."""

    def test_the_robot_is_spawned(self, proc_output):
        proc_output.assertWaitFor("Entity creation successful", timeout=launched.PATIENCE, stream="stderr")

    def test_the_corrected_description_is_sdformat(self):
        received = []
        self.node.create_subscription(String, "/corrected_robot_description", received.append, launched.LATCHED)
        self.wait_for(lambda: received, "the corrected description")
        self.assertIn("<sdf", received[0].data)
