# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Check and correct a robot description: inertia_server beside whatever owns robot_description, or with a file."""

import os

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ("robot_description", "", "URDF, xacro or SDFormat file; empty: wait for the topic robot_description."),
    ("xacro_arguments", "", "Arguments for a xacro file, such as 'arm:=true hand:=false'."),
    ("package_path", "", "Folder searched first for the packages that the description names."),
    ("allowed_roots", "", "Folder that every file must lie in to be read; empty: anywhere."),
    ("output_root", "", "Folder that requests may have files written to; empty: none."),
    ("scope", "invalid", "Which links to correct: invalid, implausible or all."),
    ("density", "1000.0", "Density where neither a mass nor a density is known [kg/m^3]."),
    ("output_format", "urdf", "Format of the corrected description: urdf, or sdf for Gazebo."),
    ("output_topic", "corrected_robot_description", "Where the corrected description goes."),
    ("namespace", "", "Namespace of the node and its topics."),
    ("use_sim_time", "false", "Take time from /clock."),
    ("log_level", "info", "debug, info, warn, error or fatal."),
)


def read_description(context: LaunchContext) -> str:
    """Return the text of the file in the argument robot_description, a xacro expanded; empty without a file."""
    path = LaunchConfiguration("robot_description").perform(context)
    if not path:
        return ""
    from inertia_tools.description import load

    words = LaunchConfiguration("xacro_arguments").perform(context).split()
    folders = [folder for folder in [LaunchConfiguration("package_path").perform(context)] if folder]
    robot = load(path, package_path=folders, xacro_arguments=dict(word.split(":=", 1) for word in words))
    return robot.document.data.decode()


def start_node(context: LaunchContext) -> list[Node]:
    text = read_description(context)
    file = LaunchConfiguration("robot_description").perform(context)
    parameters = {
        "output_format": LaunchConfiguration("output_format"),
        "scope": LaunchConfiguration("scope"),
        "density": ParameterValue(LaunchConfiguration("density"), value_type=float),
        "package_path": [LaunchConfiguration("package_path").perform(context)],
        "allowed_roots": [LaunchConfiguration("allowed_roots").perform(context)],
        "output_root": ParameterValue(LaunchConfiguration("output_root"), value_type=str),
        "use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool),
    }
    if text:
        parameters["robot_description"] = ParameterValue(text, value_type=str)
    node = Node(
        package="inertia_tools",
        executable="inertia_server",
        name="inertia_server",
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        remappings=[("corrected_robot_description", LaunchConfiguration("output_topic"))],
        arguments=["--ros-args", "--log-level", ["inertia_server:=", LaunchConfiguration("log_level")]],
        output="screen",
        cwd=os.path.dirname(os.path.abspath(file)) if file else None,  # from where the text's relative paths count
    )
    return [node]


def generate_launch_description() -> LaunchDescription:
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, default, description in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=start_node)])
