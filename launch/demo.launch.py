# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A broken robot, corrected by inertia_server, standing in simulator: the whole of the package in one launch."""

from launch import LaunchContext, LaunchDescription
from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from inertia_tools.ros import launching
from inertia_tools.ros.simulation_parameters import SPECS

SHARE = FindPackageShare("inertia_tools")
BROKEN_QUADRUPED = PathJoinSubstitution([SHARE, "examples", "broken_quadruped.urdf"])

ARGUMENTS = (
    ("robot_description", "URDF or xacro file to correct and simulate.", BROKEN_QUADRUPED),
    launching.XACRO,
    ("package_path", "Folder searched first for packages of package:// and model:// URIs."),
    ("device", "Compute device by its Warp name: cpu, cuda:0, ..."),
    ("real_time_factor", "Simulated time per real time; 0: as fast as possible."),
    ("viewer", "Serve a page that shows and controls the simulation; needs viser."),
    ("rviz", "Start RViz and robot_state_publisher, which are not of this package.", "false"),
    launching.NAMESPACE,
    ("use_sim_time", "inertia_server takes time from the simulator's /clock.", "true"),
    launching.LOG_LEVEL,
)


IS_SHOWN = IfCondition(LaunchConfiguration("rviz"))


def rviz(context: LaunchContext) -> list[Node]:
    """Show the corrected robot where the simulator says that it is.

    robot_state_publisher gets the text of the file, as before version 3.4.4 it reads no topic; a correction leaves all
    frames as they are. Without a file, the owner of the topic has a robot_state_publisher.
    """
    on_sim_time = {"use_sim_time": True}
    text = launching.description(context)
    publisher = Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        parameters=[on_sim_time, {"robot_description": ParameterValue(text, value_type=str)}],
        namespace=LaunchConfiguration("namespace"),
    )
    config = PathJoinSubstitution([SHARE, "rviz", "simulation.rviz"])
    window = Node(package="rviz2", executable="rviz2", arguments=["-d", config], parameters=[on_sim_time])
    return [*([publisher] if text else []), window]


def generate_launch_description() -> LaunchDescription:
    both = ("package_path", "namespace", "log_level")
    correction = launching.included(
        "inertia.launch.py",
        (*both, "robot_description", "xacro_arguments", "use_sim_time"),
    )
    simulation = launching.included(
        "simulation.launch.py",
        (*both, "device", "real_time_factor", "viewer"),
        robot_description="",
        description_topic="corrected_robot_description",
        publish_odom_tf=LaunchConfiguration("rviz"),
        use_sim_time="false",
    )
    needed = launching.needed("rviz:=true", "robot_state_publisher", "rviz2", condition=IS_SHOWN)
    first = [*launching.declared(*ARGUMENTS), needed, launching.checked(SPECS)]
    shown = OpaqueFunction(function=rviz, condition=IS_SHOWN)
    return LaunchDescription([*first, correction, simulation, shown])
