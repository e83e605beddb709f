# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories pass through their points, at the rate that they say, and nonsense is refused as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

from builtin_interfaces.msg import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from inertia_tools.errors import SimulationError
from inertia_tools.ros.trajectories import Trajectory
from inertia_tools.ros.trajectory_commands import trajectory_of

TIMES = np.array([0.0, 0.5, 2.0])
POSITIONS = np.array([[0.0, 1.0], [0.3, -1.0], [0.1, 0.5]])
VELOCITIES = np.array([[0.0, 0.0], [0.4, -0.2], [0.0, 0.0]])
STRAIGHT = Trajectory(("a", "b"), TIMES, POSITIONS)
CUBIC = Trajectory(("a", "b"), TIMES, POSITIONS, VELOCITIES)


def message(names=("a", "b"), times=(0.5, 2.0), positions=((0.3, -1.0), (0.1, 0.5)), velocities=((), ())):
    points = [
        JointTrajectoryPoint(
            positions=list(p), velocities=list(v), time_from_start=Duration(sec=int(t), nanosec=round(t % 1 * 1e9))
        )
        for t, p, v in zip(times, positions, velocities, strict=True)
    ]
    return JointTrajectory(joint_names=list(names), points=points)


@pytest.mark.parametrize("trajectory", [STRAIGHT, CUBIC])
def test_it_passes_through_its_points_and_rests_at_its_ends(trajectory):
    for time, expected in zip(TIMES, POSITIONS, strict=True):
        assert trajectory.at(time)[0] == pytest.approx(expected)
    for time in (-1.0, 2.0, 99.0):
        assert trajectory.at(time)[1] == pytest.approx([0.0, 0.0])
    assert trajectory.at(99.0)[0] == pytest.approx(POSITIONS[-1])


@pytest.mark.parametrize("trajectory", [STRAIGHT, CUBIC])
@pytest.mark.parametrize("time", [0.1, 0.4, 0.7, 1.9])
def test_its_velocities_are_the_rates_of_its_positions(trajectory, time):
    step = 1e-6
    rate = (trajectory.at(time + step)[0] - trajectory.at(time - step)[0]) / (2 * step)
    assert trajectory.at(time)[1] == pytest.approx(rate, abs=1e-6)


def test_a_cubic_one_has_the_velocities_of_its_points():
    for side in (-1e-9, 1e-9):
        assert CUBIC.at(0.5 + side)[1] == pytest.approx(VELOCITIES[1], abs=1e-6)


def test_it_begins_where_the_joints_are():
    read = trajectory_of(message()).from_here([0.0, 1.0], [0.0, 0.0])
    assert read.at(0.0)[0] == pytest.approx([0.0, 1.0])
    assert read.at(0.25)[0] == pytest.approx(STRAIGHT.at(0.25)[0])
    at_once = Trajectory(("a", "b"), TIMES, POSITIONS).from_here([9.0, 9.0], [0.0, 0.0])
    assert at_once.at(0.0)[0] == pytest.approx(POSITIONS[0])


def test_without_points_it_means_to_stop():
    assert trajectory_of(JointTrajectory(joint_names=["a"])) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"names": ("a", "a")},
        {"names": ()},
        {"times": (2.0, 0.5)},
        {"times": (0.5, 0.5)},
        {"positions": ((0.3,), (0.1, 0.5))},
        {"positions": ((0.3, math.nan), (0.1, 0.5))},
        {"positions": ((0.3, math.inf), (0.1, 0.5))},
        {"velocities": ((0.0, 0.0), (0.0, math.nan))},
        {"velocities": ((0.0, 0.0), (0.0,))},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(SimulationError):
        trajectory_of(message(**wrong))
