# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A broken robot, corrected by inertia_server, standing in simulator: the whole of the package in one launch."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare("inertia_tools")
BROKEN_QUADRUPED = PathJoinSubstitution([SHARE, "examples", "broken_quadruped.urdf"])

ARGUMENTS = (
    ("robot_description", BROKEN_QUADRUPED, "URDF or xacro file to correct and simulate."),
    ("xacro_arguments", "", "Arguments for a xacro file, such as 'arm:=true hand:=false'."),
    ("package_path", "", "Folder searched first for the packages that the description names."),
    ("device", "cpu", "Where to compute, as Warp names it: cpu, cuda:0, ..."),
    ("real_time_factor", "1.0", "Simulated seconds for each real one; 0: as fast as possible."),
    ("namespace", "", "Namespace of both nodes."),
    ("use_sim_time", "true", "inertia_server takes time from the simulator's /clock."),
    ("log_level", "info", "debug, info, warn, error or fatal."),
)


def include(file: str, names: tuple[str, ...], **fixed: str) -> GroupAction:
    """Include a launch file of this package with the named arguments of this one and some fixed ones.

    The group keeps the arguments of one included file from leaking into the other.
    """
    handed_on = {name: LaunchConfiguration(name) for name in names}
    source = PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, "launch", file]))
    return GroupAction([IncludeLaunchDescription(source, launch_arguments={**handed_on, **fixed}.items())])


def generate_launch_description() -> LaunchDescription:
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, default, description in ARGUMENTS
    ]
    both = ("package_path", "namespace", "log_level")
    correction = include(
        "inertia.launch.py",
        (*both, "robot_description", "xacro_arguments", "use_sim_time"),
    )
    simulation = include(
        "simulation.launch.py",
        (*both, "device", "real_time_factor"),
        robot_description="",
        description_topic="corrected_robot_description",
        use_sim_time="false",
    )
    return LaunchDescription([*declared, correction, simulation])
