# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How a node's process ends: by a signal at any moment, or because it cannot start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")

PROGRAM = """
import os, signal, sys, time
from contextlib import nullcontext
from rclpy.node import Node
from std_msgs.msg import String
from inertia_tools.ros.running import run_node

class Interrupted(Node):
    def __init__(self):
        super().__init__("interrupted")
        self.publisher = self.create_publisher(String, "text", 1)
        self.create_timer(0.01, self.{moment})
        if "{moment}" == "creating":
            self.creating()

    def creating(self):
        self.interrupt()
        self.create_publisher(String, "other", 1)

    def publishing(self):
        self.interrupt()
        self.publisher.publish(String())

    def finalizing(self):
        class Finalized:
            __del__ = lambda one: self.interrupt()
        Finalized()
        self.publisher.publish(String())

    def interrupt(self):
        os.kill(os.getpid(), signal.{number})
        time.sleep(0.3)  # A handler in another thread would close the context meanwhile.

sys.exit(run_node("interrupted", Interrupted, None, lambda node: nullcontext()))
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("moment", ["creating", "publishing", "finalizing"])
def test_a_signal_ends_a_node_cleanly_whatever_it_is_doing(moment, number):
    program = PROGRAM.format(moment=moment, number=number)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "RCLError" not in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_node_is_imported_ends_it_as_cleanly(number, tmp_path):
    """The signal comes when a module is imported that stands in for one of rclpy."""
    (tmp_path / "rclpy.py").write_text(f"import os\nos.kill(os.getpid(), {number:d})\nraise SystemExit(3)\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-m", "inertia_tools.ros", "recorder"]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("end", "value", "remedy"),
    [
        ("publisher.reliability", "sure", "reliable"),
        ("publisher.history", "keep", "keep_last"),
        ("publisher.depth", "-3", "0 or more"),
    ],
)
def test_a_quality_of_service_that_there_is_not_is_refused_by_the_name_of_its_parameter(end, value, remedy):
    """The middleware's own words were a traceback, or named no parameter."""
    parameter = f"qos_overrides./joint_states.{end}"
    command = [sys.executable, "-m", "inertia_tools.ros.simulator", "--ros-args", "-p", f"{parameter}:={value}"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 1
    assert f"cannot start: {parameter} must be" in ended.stderr
    assert remedy in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "arguments", [["--params-file", "/nowhere.yaml"], ["-r", "__ns:=no namespace"], ["-p", "density"], ["--unknown"]]
)
def test_arguments_that_ros_refuses_are_a_reason_not_to_start(arguments):
    command = [sys.executable, "-m", "inertia_tools.ros.inertia_server", "--ros-args", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "cannot start: " in ended.stderr
    assert arguments[-1].partition(":")[0] in ended.stderr
    assert "Traceback" not in ended.stderr


ENDING = """
import sys
from contextlib import nullcontext
from rclpy.node import Node
from inertia_tools.ros.running import end_node, run_node

class Ending(Node):
    def __init__(self):
        super().__init__("ending")
        self.declare_parameter("substeps", 10)
        self.create_timer(0.01, end_node)

sys.exit(run_node("ending", Ending, None, lambda node: nullcontext()))
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--ros-args", "-p", "substep:=3"],
            "the parameter substep does not exist and is ignored; did you mean substeps?",
        ),
        (
            ["--ros-args", "-p", "colour:=red"],
            "the parameter colour does not exist and is ignored; ros2 param list /ending",
        ),
        (["my robot.urdf"], "ignored: 'my robot.urdf'; give parameters as --ros-args -p NAME:=VALUE"),
        (["--ros-args", "-p", "substeps:=3", "-p", "use_sim_time:=false"], ""),
        (["--ros-args", "-p", "qos_overrides./later.publisher.depth:=3"], ""),
    ],
)
def test_what_a_node_does_not_use_is_named_at_its_start(arguments, said):
    ended = subprocess.run([sys.executable, "-c", ENDING, *arguments], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert said in ended.stderr if said else not ended.stderr


def test_a_node_that_ends_does_not_collect_its_memory():
    """Half a second of unloading kernels came between Ctrl-C and the prompt."""
    program = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0))\n" + ENDING
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr


def test_the_name_of_the_node_to_start_is_no_argument_of_the_node():
    command = [sys.executable, "-m", "inertia_tools.ros", "inertia_server", "--ros-args", "-p", "no_such:=1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "no_such does not exist" in line:
                time.sleep(0.5)  # until it has written the next line, if there is one
                process.terminate()
    assert not any("ignored: inertia_server" in line for line in lines)
