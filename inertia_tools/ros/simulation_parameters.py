# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of simulator."""

from __future__ import annotations

import math

from inertia_tools.ros.joint_control import DERIVED
from inertia_tools.ros.parameters import Spec

SPECS = (
    Spec(
        "robot_description",
        "",
        "The robot description as text, URDF for example. Given at start, it replaces the topic of the same name; "
        "set later, it restarts the simulation.",
    ),
    Spec(
        "package_path",
        [""],
        "Folders searched first for packages of package:// and model:// URIs.",
        read_only=True,
    ),
    Spec(
        "allowed_roots",
        [""],
        "Folders that must contain every file that a description names, after links are resolved; empty: no limit.",
        read_only=True,
    ),
    Spec(
        "scene",
        "",
        "A YAML file with several robots and objects, or its package:// name; it replaces robot_description.",
        read_only=True,
        is_path=True,
    ),
    Spec("spawnable_folders", [""], "Folders that GetSpawnables searches for descriptions.", read_only=True),
    Spec(
        "time_limit",
        60.0,
        "Time limit of a request to read a file or search folders or names, after which it is stopped [s].",
        low=0.01,
        high=3600.0,
    ),
    Spec("device", "cpu", "Compute device by its Warp name: cpu, cuda:0, ...", read_only=True),
    Spec("dt", 1.0 / 240.0, "Time step, rounded to nanoseconds [s].", low=1e-5, high=0.1, read_only=True),
    Spec("substeps", 4, "Substeps of the solver in each step.", low=1, high=1000, read_only=True),
    Spec("dtype", "float64", "Precision of the simulation.", choices=("float32", "float64"), read_only=True),
    Spec(
        "gravity",
        DERIVED,
        "Acceleration of gravity along -z; negative: the value of the description, or 9.81 [m/s^2].",
        low=DERIVED,
        high=1000.0,
        read_only=True,
    ),
    Spec("fixed_base", False, "Fix every root link to the world.", read_only=True),
    Spec("ground", True, "Add a ground plane at z = 0 under a robot; a world has its own ground.", read_only=True),
    Spec("enable_restitution", False, "Apply the restitution coefficients of shapes.", read_only=True),
    Spec("hold_joints", True, "Hold every joint at its initial position until it receives a command.", read_only=True),
    Spec(
        "joint_stiffness",
        DERIVED,
        "Position gain of held or commanded joints; .inf: rigid; negative: derived from the robot [N m/rad or N/m].",
        low=DERIVED,
        high=math.inf,
    ),
    Spec(
        "joint_damping",
        DERIVED,
        "Velocity gain of held or commanded joints; negative: derived from the robot [N m s/rad or N s/m].",
        low=DERIVED,
        high=1e9,
    ),
    Spec(
        "limit_commands",
        True,
        "Clamp commands to the position, velocity and effort limits of the description.",
    ),
    Spec(
        "start_noise",
        0.0,
        "Standard deviation of a random initial offset of each joint [rad or m].",
        low=0.0,
        high=10.0,
        read_only=True,
    ),
    Spec("seed", 0, "Seed of all random numbers; equal seeds give equal runs.", low=0, high=2**31 - 1, read_only=True),
    Spec(
        "real_time_factor",
        1.0,
        "Simulated time per real time; 0: as fast as possible.",
        low=0.0,
        high=1000.0,
    ),
    Spec("paused", False, "Start paused; a later change acts as the service ~/pause."),
    Spec("publish_rate", 60.0, "Publishing rate of states in simulated time [Hz].", low=0.1, high=10000.0),
    Spec(
        "publish_clock",
        True,
        "Publish /clock; enable it for only one simulator in a graph.",
        read_only=True,
    ),
    Spec(
        "clock_rate",
        0.0,
        "Rate of /clock in simulated time; 0: one message each step [Hz].",
        low=0.0,
        high=100000.0,
    ),
    Spec(
        "publish_tf",
        False,
        "Publish world_frame -> every link on /tf; leave it off with robot_state_publisher, which publishes links too.",
        read_only=True,
    ),
    Spec(
        "publish_odom_tf",
        False,
        "Publish odom_frame -> root link of the only free robot on /tf, to which robot_state_publisher adds the links.",
        read_only=True,
    ),
    Spec("publish_markers", True, "Publish contact forces as arrows, and soft bodies as a mesh, for RViz."),
    Spec("marker_scale", 0.01, "Length of a contact arrow per newton [m/N].", low=1e-9, high=1e3),
    Spec("viewer", False, "Serve a page that shows and controls the simulation; needs viser.", read_only=True),
    Spec("viewer_port", 8080, "Port of that page, on this machine only.", low=1024, high=65535, read_only=True),
    Spec("world_frame", "world", "Frame of the world in all messages but odom.", read_only=True),
    Spec("odom_frame", "odom", "Frame of the world in odom.", read_only=True),
    Spec("frame_prefix", "", "Prefix of link names in frame names.", read_only=True),
)

LIVE = frozenset({"real_time_factor", "paused", "publish_rate", "clock_rate"})
"""Parameters that change the loop while it runs."""

FOLLOWING = frozenset({"joint_stiffness", "joint_damping", "limit_commands"})
"""Parameters that change how joints follow, including held or commanded joints."""
