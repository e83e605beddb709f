# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A joint command is read as it says, or refused as a whole."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

from sensor_msgs.msg import JointState

from inertia_tools.errors import SimulationError
from inertia_tools.ros.joint_commands import targets_of


def test_nan_leaves_a_joint_out():
    targets = targets_of(JointState(name=["a", "b"], position=[0.5, math.nan], effort=[math.nan, 2.0]))
    assert (targets.positions, targets.velocities, targets.efforts) == ({"a": 0.5}, {}, {"b": 2.0})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ["a", "b", "a"], "position": [0.1, 0.2, 0.3]}, "duplicate names 'a'"),
        ({"name": ["a"], "velocity": [-math.inf]}, "velocity command of joint 'a' is infinite"),
        ({"name": ["a", "b"], "effort": [1.0]}, "2 names and 1 effort value$"),
        ({"name": ["a"], "position": [1.0, 2.0]}, "1 name and 2 position values$"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(SimulationError, match=said):
        targets_of(JointState(**wrong))
