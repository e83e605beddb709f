# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simulate a robot description, from a file or from a topic, or a scene of several."""

from launch import LaunchContext, LaunchDescription
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from inertia_tools.ros import launching
from inertia_tools.ros.simulation_parameters import SPECS

TOPIC = ("description_topic", "Topic to take the description from when there is no file.", "robot_description")
STATES = ("joint_states_topic", "Where the states of the joints go.", "joint_states")


def start(context: LaunchContext) -> list[Node]:
    remappings = [
        ("robot_description", LaunchConfiguration(TOPIC[0])),
        ("joint_states", LaunchConfiguration(STATES[0])),
    ]
    return launching.started(context, "simulator", SPECS, remappings)


def generate_launch_description() -> LaunchDescription:
    own = (*launching.OF_ALL, TOPIC, STATES, launching.params_file("simulator"))
    arguments = (*own, *launching.parameters_of(SPECS))
    return LaunchDescription([*launching.declared(*arguments), OpaqueFunction(function=start)])
