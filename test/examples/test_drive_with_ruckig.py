# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""ruckig, in a process of its own, drives robots in the simulator through its topics along its trajectories."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ruckig", reason="ruckig is not installed: pip install ruckig")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("warp", reason="warp-lang is not installed")

sys.path.insert(0, str(Path(__file__).parents[1] / "ros"))

from robots import example_robots
from ros_graph import be_alone, open_graph

import inertia_tools as it

be_alone()

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")

EXAMPLE = Path(__file__).parents[2] / "examples" / "drive_with_ruckig.py"
LEG = 0.213
"""Length of both parts of Go1's legs [m]."""


def driven(name, path, fixed_base):
    """Run the simulator and the example; return what it says: rest [mrad], way of the base up, along, across [mm]."""
    parameters = {
        "robot_description": it.fix(it.load(FOLDER / path)).text,
        "package_path": [str(FOLDER.parents[1])],
        "publish_rate": 100.0,
        "fixed_base": fixed_base,
        "real_time_factor": 0.5,
    }
    with open_graph() as graph:
        graph.start("simulator", parameters)
        command = [sys.executable, str(EXAMPLE), name, "--ros-args", "-r", f"__ns:={graph.namespace}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    return [float(number) for number in re.findall(r"([\d.]+) m(?:m|rad)\b", done.stdout)]


def test_a_quadruped_crouches_and_rises_as_far_as_its_legs_say_and_stays_where_it_is():
    error, up, along, across = driven("go1", "go1_description/urdf/go1.urdf", fixed_base=False)
    assert error < 5.0
    assert up == pytest.approx(2e3 * LEG * (math.cos(0.6) - math.cos(1.1)), abs=5.0)
    assert along < 40.0
    assert across < 5.0


def test_an_arm_goes_from_posture_to_posture():
    error, *way = driven("panda", "panda_description/urdf/panda.urdf", fixed_base=True)
    assert error < 20.0
    assert way == [0.0, 0.0, 0.0]
