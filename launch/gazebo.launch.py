# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Correct a robot and spawn it in Gazebo: inertia_server beside ros_gz_sim, which is not of this package."""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from inertia_tools.ros import launching

SHARE = FindPackageShare("inertia_tools")

ARGUMENTS = (
    ("robot_description", "URDF, xacro or SDFormat file to correct and spawn."),
    launching.XACRO,
    ("package_path", "Folder searched first for packages of package:// and model:// URIs."),
    ("world", "Arguments of Gazebo: its world, and -s -r to run without a window.", "-r empty.sdf"),
    ("name", "Name of the robot in Gazebo.", "robot"),
    ("z", "Initial height of its root above the ground [m].", "0.5"),
    launching.NAMESPACE,
    launching.LOG_LEVEL,
)


def generate_launch_description() -> LaunchDescription:
    names = ("robot_description", "xacro_arguments", "package_path", "namespace", "log_level")
    correction = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, "launch", "inertia.launch.py"])),
        launch_arguments={
            **{name: LaunchConfiguration(name) for name in names},
            "output_format": "sdf",  # with numbers in the place of `auto`, which Gazebo's service does not compute
        }.items(),
    )
    gazebo = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            PathJoinSubstitution([FindPackageShare("ros_gz_sim"), "launch", "gz_sim.launch.py"])
        ),
        launch_arguments={"gz_args": LaunchConfiguration("world")}.items(),
    )
    spawn = Node(
        package="ros_gz_sim",
        executable="create",
        namespace=LaunchConfiguration("namespace"),
        arguments=[
            *("-topic", "corrected_robot_description"),
            *("-name", LaunchConfiguration("name")),
            *("-z", LaunchConfiguration("z")),
        ],
        output="screen",
    )
    needed = launching.needed("gazebo.launch.py", "ros_gz_sim")
    return LaunchDescription([*launching.declared(*ARGUMENTS), needed, correction, gazebo, spawn])
