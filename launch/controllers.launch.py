# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run ros2_control's controllers on the simulated robot; controller_manager is not of this package."""

from launch import LaunchContext, LaunchDescription
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from inertia_tools.ros import launching
from inertia_tools.ros.simulation_parameters import SPECS

CONTROLLERS = PathJoinSubstitution([FindPackageShare("inertia_tools"), "config", "ros2_control.yaml"])

ARGUMENTS = (
    ("robot_description", "URDF or xacro file with a <ros2_control> block; empty: another node owns the topic."),
    launching.XACRO,
    ("package_path", "Folder searched first for packages of package:// and model:// URIs."),
    ("controllers", "Controllers to load and activate.", "joint_state_broadcaster joint_trajectory_controller"),
    ("controllers_file", "YAML file with parameters of controller_manager and its controllers.", CONTROLLERS),
    (
        "joint_states_topic",
        "Topic of joint states, joint_states_topic in the <ros2_control> block.",
        "simulator_joint_states",
    ),
    ("publish_rate", "Rate of joint states in simulated time [Hz]; at least the controllers' update_rate.", "240.0"),
    ("fixed_base", "Fix the root link to the world."),
    ("device", "Compute device by its Warp name: cpu, cuda:0, ..."),
    ("real_time_factor", "Simulated time per real time; 0: as fast as possible."),
    ("viewer", "Serve a page that shows and controls the simulation; needs viser."),
    launching.NAMESPACE,
    launching.LOG_LEVEL,
)

PATIENCE = "120.0"
"""For a switch of controllers, which waits for simulated time: the first run on a machine compiles kernels [s]."""


def correction(context: LaunchContext) -> list[Node]:
    """Let inertia_server own the topic if there is a file, so that all others get the same corrected text."""
    if not launching.value(context, "robot_description"):
        return []
    names = ("robot_description", "xacro_arguments", "package_path", "namespace", "log_level")
    return [launching.included("inertia.launch.py", names, output_topic="robot_description")]


def check(context: LaunchContext) -> None:
    """Look for the file of the controllers before anything starts."""
    launching.existing(context, "controllers_file")


def controllers(context: LaunchContext) -> list[Node]:
    """Start the manager, and a spawner that ends when the controllers are active."""
    namespace = LaunchConfiguration("namespace")
    manager = Node(
        package="controller_manager",
        executable="ros2_control_node",
        namespace=namespace,
        parameters=[LaunchConfiguration("controllers_file"), {"use_sim_time": True}],
        output="screen",
    )
    names = launching.value(context, "controllers").split()
    spawner = Node(
        package="controller_manager",
        executable="spawner",
        namespace=namespace,
        arguments=[*names, "--switch-timeout", PATIENCE],
        output="screen",
    )
    return [manager, *([spawner] if names else [])]


def generate_launch_description() -> LaunchDescription:
    named = ("package_path", "joint_states_topic", "publish_rate", "fixed_base", "device", "real_time_factor", "viewer")
    simulation = launching.included(
        "simulation.launch.py",
        (*named, "namespace", "log_level"),
        robot_description="",
        use_sim_time="false",
    )
    needed = launching.needed("controllers.launch.py", "controller_manager")
    first = [needed, launching.checked(SPECS), OpaqueFunction(function=check)]
    started = [OpaqueFunction(function=correction), simulation, OpaqueFunction(function=controllers)]
    return LaunchDescription([*launching.declared(*ARGUMENTS), *first, *started])
