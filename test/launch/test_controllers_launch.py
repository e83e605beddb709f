# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""controllers.launch.py: the real joint_trajectory_controller moves a simulated joint. Where ros2_control is, as in CI."""

import tempfile
from pathlib import Path

import launch_testing
import launch_testing.markers
import launched
import pytest
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 -0.2"/><mass value="1.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.002"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="5"/>
  </joint>
  <ros2_control name="simulation" type="system">
    <hardware>
      <plugin>joint_state_topic_hardware_interface/JointStateTopicSystem</plugin>
      <param name="joint_commands_topic">/joint_commands</param>
      <param name="joint_states_topic">/simulator_joint_states</param>
      <param name="trigger_joint_command_threshold">-1</param>
    </hardware>
    <joint name="shoulder">
      <command_interface name="position"/>
      <state_interface name="position"/>
      <state_interface name="velocity"/>
      <state_interface name="effort"/>
    </joint>
  </ros2_control>
</robot>
"""
GOAL = 0.8
SAG = 0.01
"""How far gravity pulls the joint from its target under the default gains, with some margin [rad]."""


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    path = Path(tempfile.mkdtemp(), "arm.urdf")
    path.write_text(ARM)
    return launched.launched("controllers.launch.py", robot_description=str(path), fixed_base="true")


class TestWhileRunning(launched.WithNode):
    """Sends a goal to the controller, and looks at the simulator and at the broadcaster."""

    def test_the_joint_follows_the_controller(self):
        simulated, broadcast = [], []
        self.node.create_subscription(JointState, "/simulator_joint_states", simulated.append, 10)
        self.node.create_subscription(JointState, "/joint_states", broadcast.append, 10)
        self.wait_for(lambda: simulated and broadcast, "states of the simulator, and of joint_state_broadcaster")
        result = self.follow(JointTrajectoryPoint(positions=[GOAL], time_from_start=Duration(sec=1)))
        self.assertEqual(result.error_code, FollowJointTrajectory.Result.SUCCESSFUL, result.error_string)
        self.wait_for(lambda: abs(simulated[-1].position[0] - GOAL) < SAG, "the simulated joint at its goal")
        self.wait_for(lambda: abs(broadcast[-1].position[0] - GOAL) < SAG, "the broadcast joint at its goal")

    def follow(self, point):
        """Send a goal until the controller, which is active a little later than its action is there, accepts it."""
        goal = FollowJointTrajectory.Goal(trajectory=JointTrajectory(joint_names=["shoulder"], points=[point]))
        client = ActionClient(self.node, FollowJointTrajectory, "/joint_trajectory_controller/follow_joint_trajectory")
        self.wait_for(client.server_is_ready, "the action of joint_trajectory_controller")
        handles = [None]

        def accepted():
            if handles[-1] is None or (handles[-1].done() and not handles[-1].result().accepted):
                handles.append(client.send_goal_async(goal))
            return handles[-1].done() and handles[-1].result().accepted

        self.wait_for(accepted, "an accepted goal")
        result = handles[-1].result().get_result_async()
        self.wait_for(result.done, "the end of the goal")
        return result.result().result


@launch_testing.post_shutdown_test()
class TestAfterShutdown(launched.ProcessesEndWell):
    """Looks at how the processes ended."""
