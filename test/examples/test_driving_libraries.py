# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries of others, in a process of their own, drive robots in the simulator through its topics."""

import math
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("warp", reason="warp-lang is not installed")


from robots import example_robots
from ros_graph import be_alone, open_graph

import inertia_tools as it

be_alone()

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
ROBOTS = {"go1": "go1_description/urdf/go1.urdf", "panda": "panda_description/urdf/panda.urdf"}
LEG = 0.213
"""Length of both parts of Go1's legs [m]."""


def corrected(name):
    return it.fix(it.load(FOLDER / ROBOTS[name])).text


@contextmanager
def driving(example, *words, robot, fixed_base):
    """Run the simulator and an example beside; yield what returns the lengths [mm] and angles [mrad] that it says."""
    parameters = {
        "robot_description": corrected(robot),
        "package_path": [str(FOLDER.parents[1])],
        "publish_rate": 120.0,
        "fixed_base": fixed_base,
        "real_time_factor": 0.5,
    }
    clock = "/clock:=clock"  # each simulation has its own
    with open_graph() as graph:
        graph.start("simulator", parameters, (clock,))
        command = [sys.executable, str(EXAMPLES / example), robot, *words]
        command += ["--ros-args", "-r", f"__ns:={graph.namespace}", "-r", clock]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def said():
            output, errors = process.communicate(timeout=250)
            assert process.returncode == 0, errors
            return [float(number) for number in re.findall(r"([\d.]+) m(?:m|rad)\b", output)]

        try:
            yield said
        finally:
            process.kill()


@pytest.fixture(scope="module")
def ruckig():
    """Both robots that ruckig leads, at the same time: they wait for their simulations most of it."""
    pytest.importorskip("ruckig", reason="ruckig is not installed: pip install ruckig")
    with (
        driving("drive_with_ruckig.py", robot="go1", fixed_base=False) as go1,
        driving("drive_with_ruckig.py", robot="panda", fixed_base=True) as panda,
    ):
        yield {"go1": go1, "panda": panda}


@pytest.mark.slow
def test_ruckig_makes_a_quadruped_crouch_and_rise_as_far_as_its_legs_say(ruckig):
    error, up, along, across = ruckig["go1"]()
    assert error < 5.0
    assert up == pytest.approx(2e3 * LEG * (math.cos(0.6) - math.cos(1.1)), abs=5.0)
    assert along < 40.0
    assert across < 5.0


def test_ruckig_leads_an_arm_from_posture_to_posture(ruckig):
    error, *way = ruckig["panda"]()
    assert error < 20.0
    assert way == [0.0, 0.0, 0.0]


@pytest.mark.slow
def test_the_led_frame_is_where_pink_wants_it(tmp_path):
    """Drives of 10 Hz lag and sag."""
    pytest.importorskip("pink", reason="pink is not installed: pip install pin-pink daqp")
    (tmp_path / "panda.urdf").write_text(corrected("panda"))
    words = str(tmp_path / "panda.urdf"), "--seconds", "6"
    with driving("drive_with_pink.py", *words, robot="panda", fixed_base=True) as said:
        (error,) = said()
    assert 0.01 < error < 15.0
