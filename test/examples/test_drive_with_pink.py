# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""pink, in a process of its own, leads a robot in the simulator through its topics to where it wants it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pink", reason="pink is not installed: pip install pin-pink daqp")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("warp", reason="warp-lang is not installed")

sys.path.insert(0, str(Path(__file__).parents[1] / "ros"))

from robots import example_robots
from ros_graph import be_alone, open_graph

import inertia_tools as it

be_alone()

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")

EXAMPLE = Path(__file__).parents[2] / "examples" / "drive_with_pink.py"
ROBOTS = {"panda": ("panda_description/urdf/panda.urdf", 15.0)}
"""Files, and how far the led frame may be from where pink wants it [mm]: drives of 10 Hz lag and sag."""


@pytest.mark.parametrize("name", ROBOTS)
def test_the_led_frame_is_where_pink_wants_it(name, tmp_path):
    source, most = ROBOTS[name]
    path = tmp_path / f"{name}.urdf"
    path.write_text(it.fix(it.load(FOLDER / source)).text)
    parameters = {
        "robot_description": path.read_text(),
        "package_path": [str(FOLDER.parents[1])],
        "publish_rate": 120.0,
        "fixed_base": True,
        "real_time_factor": 0.5,
    }
    with open_graph() as graph:
        graph.start("simulator", parameters)
        namespace = f"__ns:={graph.namespace}"
        command = [sys.executable, str(EXAMPLE), name, str(path), "--seconds", "6", "--ros-args", "-r", namespace]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    assert 0.01 < float(re.search(r"at most ([\d.]+) mm", done.stdout)[1]) < most
