# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simulate a robot description, from a file or from a topic."""

import os

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ("robot_description", "", "URDF, xacro or SDFormat file; empty: wait for the topic description_topic."),
    ("xacro_arguments", "", "Arguments for a xacro file, such as 'arm:=true hand:=false'."),
    ("description_topic", "robot_description", "Topic to take the description from when there is no file."),
    ("package_path", "", "Folder searched first for the packages that the description names."),
    ("allowed_roots", "", "Folder that every file must lie in to be read; empty: anywhere."),
    ("device", "cpu", "Where to compute, as Warp names it: cpu, cuda:0, ..."),
    ("dt", "0.004166666666666667", "Time step [s]."),
    ("substeps", "4", "Substeps of the solver in each step."),
    ("real_time_factor", "1.0", "Simulated seconds for each real one; 0: as fast as possible."),
    ("fixed_base", "false", "Bolt the root link to the world."),
    ("ground", "true", "Put a level ground at z = 0."),
    ("enable_restitution", "false", "Let shapes bounce by the restitution of their material."),
    ("paused", "false", "Start paused."),
    ("publish_rate", "60.0", "States published for each simulated second [Hz]."),
    ("publish_tf", "false", "Publish the frame of every link on /tf."),
    ("namespace", "", "Namespace of the node and its topics; /clock has none."),
    ("use_sim_time", "false", "For the nodes beside it; the simulator itself runs on real time and makes /clock."),
    ("log_level", "info", "debug, info, warn, error or fatal."),
)

TYPES = {
    "device": str,
    "dt": float,
    "substeps": int,
    "real_time_factor": float,
    "fixed_base": bool,
    "ground": bool,
    "enable_restitution": bool,
    "paused": bool,
    "publish_rate": float,
    "publish_tf": bool,
    "use_sim_time": bool,
}


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
    parameters = {name: ParameterValue(LaunchConfiguration(name), value_type=kind) for name, kind in TYPES.items()}
    for name in ("package_path", "allowed_roots"):
        parameters[name] = [LaunchConfiguration(name).perform(context)]
    text = read_description(context)
    file = LaunchConfiguration("robot_description").perform(context)
    if text:
        parameters["robot_description"] = ParameterValue(text, value_type=str)
    node = Node(
        package="inertia_tools",
        executable="simulator",
        name="simulator",
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        remappings=[("robot_description", LaunchConfiguration("description_topic"))],
        arguments=["--ros-args", "--log-level", ["simulator:=", LaunchConfiguration("log_level")]],
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
