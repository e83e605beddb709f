# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools serve`: start the ROS 2 nodes without `ros2 launch`."""

from __future__ import annotations

import argparse
import importlib.util

from inertia_tools.errors import MissingDependencyError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("nodes", nargs="*", metavar="NODE", help="inertia_server or simulator; both by default")
    parser.add_argument(
        "--ros-args",
        nargs=argparse.REMAINDER,
        default=[],
        metavar="ARGUMENT",
        help="arguments for each node, as in --ros-args -p PARAMETER:=VALUE",
    )


def run(options: argparse.Namespace) -> int:
    """Run the nodes until they are interrupted.

    Raises:
        MissingDependencyError: ROS 2 is not available.
    """
    if importlib.util.find_spec("rclpy") is None:
        command = "make setup in the repository, or use a shell with ROS 2 (. /opt/ros/$ROS_DISTRO/setup.bash)"
        raise MissingDependencyError("rclpy", "serving on ROS 2", command)
    from inertia_tools.ros.serve import main

    ros_arguments = ["--ros-args", *options.ros_args] if options.ros_args else []
    return int(main([*options.nodes, *ros_arguments]) or 0)
