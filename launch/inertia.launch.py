# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Check and correct a robot description: inertia_server beside whatever owns robot_description, or with a file."""

from launch import LaunchContext, LaunchDescription
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from inertia_tools.ros import launching
from inertia_tools.ros.inertia_parameters import SPECS

TOPIC = ("output_topic", "Where the corrected description goes.", "corrected_robot_description")


def start(context: LaunchContext) -> list[Node]:
    remappings = [("corrected_robot_description", LaunchConfiguration(TOPIC[0]))]
    return launching.started(context, "inertia_server", SPECS, remappings)


def generate_launch_description() -> LaunchDescription:
    arguments = (*launching.OF_ALL, TOPIC, launching.params_file("inertia_server"), *launching.parameters_of(SPECS))
    return LaunchDescription([*launching.declared(*arguments), OpaqueFunction(function=start)])
