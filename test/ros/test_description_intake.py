# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which description inertia_server works on, and when: its node alone, with work that ends when the test says so."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed")

from rclpy.parameter import Parameter  # noqa: E402
from robots import GOOD, link, urdf  # noqa: E402

from inertia_tools.ros import inertia_server  # noqa: E402


class Work:
    """Stands in for the processes: a job is done when the test has it done."""

    refused_count = 0

    def __init__(self, time_limit):
        self.jobs = []

    def submit(self, function, *arguments, is_urgent=False):
        self.jobs.append((function, arguments, Future()))
        return self.jobs[-1][2]

    def do_next(self):
        function, arguments, future = self.jobs.pop(0)
        try:
            result = function(*arguments)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    def do_all(self):
        while self.jobs:
            self.do_next()


class Published(list):
    """Stands in for the publisher of descriptions."""

    def publish(self, message):
        self.append(message.data)


@pytest.fixture
def node(monkeypatch):
    monkeypatch.setattr(inertia_server, "WorkerPool", Work)
    with rclpy.init():
        node = inertia_server.InertiaServer()
        node._corrected = Published()
        yield node
        node.destroy_node()


def named(name):
    return urdf(link("base", GOOD)).replace('"r"', f'"{name}"')


def change(node, **values):
    return node.set_parameters_atomically([Parameter(name, value=value) for name, value in values.items()])


def link_of(name):
    inertia = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
    return f'<link name="{name}"><inertial><mass>1</mass>{inertia}</inertial></link>'


def joint_of(parent, child):
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{parent}{child}" type="revolute">{ends}<axis><xyz>0 0 1</xyz></axis></joint>'


LOOP = (
    '<sdf version="1.10"><model name="loop">'
    + "".join(map(link_of, "abcd"))
    + "".join(joint_of(*ends) for ends in ("ab", "bc", "ad", "dc"))
    + "</model></sdf>"
)
"""What URDF cannot say."""


def test_a_parameter_that_changes_meanwhile_leaves_the_new_description_in_force(node):
    node._receive(named("old"), "a topic")
    node.pool.do_all()
    node._receive(named("new"), "a topic")
    assert change(node, density=900.0).successful
    node.pool.do_all()
    assert node._held.robot.name == "new"
    assert 'name="new"' in node._corrected[-1]
    assert node._held.robot.document.name == "<a topic>"


def test_a_description_that_comes_after_a_parameter_has_changed_is_the_last(node):
    node._receive(named("old"), "a topic")
    node.pool.do_all()
    assert change(node, density=900.0).successful
    node._receive(named("new"), "a topic")
    node.pool.do_all()
    assert node._held.robot.name == "new"


def test_a_changed_parameter_holds_for_what_stays_in_force_too(node):
    node._receive(named("good"), "a topic")
    node.pool.do_all()
    node._receive("<robot", "a topic")
    node.pool.do_all()
    assert (node._held.robot.name, node._refused != "") == ("good", True)
    assert change(node, publish_corrected=False).successful
    node._corrected.clear()
    node.pool.do_all()
    assert node._refused
    assert change(node, publish_corrected=True).successful
    node.pool.do_all()
    assert len(node._corrected) == 1
    assert 'name="good"' in node._corrected[0]
    assert node._refused


def test_a_description_refused_for_its_format_is_taken_once_the_format_is_right(node):
    node._receive(LOOP, "a topic")
    node.pool.do_all()
    assert (node._held, "set output_format to 'sdf'" in node._refused) == (None, True)
    assert change(node, output_format="sdf").successful
    node.pool.do_all()
    assert (node._held.robot.name, node._refused) == ("loop", "")
    assert len(node._corrected) == 1


def test_a_description_and_its_format_are_judged_together(node):
    assert change(node, robot_description=LOOP, output_format="sdf").successful
    node.pool.do_all()
    assert node._held.robot.name == "loop"
    assert "set output_format to 'sdf'" in change(node, output_format="urdf").reason
    assert change(node, output_format="urdf", publish_corrected=False).successful
    assert not change(node, publish_corrected=True).successful
    assert change(node, robot_description=named("simple"), output_format="urdf", publish_corrected=True).successful
    node.pool.do_all()
    assert node._held.robot.name == "simple"
    assert "set output_format to 'sdf'" in change(node, robot_description=LOOP).reason
    assert node.get_parameter("robot_description").value == named("simple")


def test_a_format_is_judged_by_the_description_that_is_being_worked_on(node):
    assert change(node, robot_description=named("simple"), output_format="sdf").successful
    node.pool.do_all()
    node._receive(LOOP, "a topic")
    assert "set output_format to 'sdf'" in change(node, output_format="urdf").reason
    node._receive("<robot", "a topic")
    assert change(node, output_format="urdf").successful


def test_a_refused_description_stands_in_no_formats_way(node):
    node._receive(named("simple"), "a topic")
    node.pool.do_all()
    node._receive(LOOP, "a topic")
    node.pool.do_all()
    assert node._held.robot.name == "simple"
    assert change(node, output_format="urdf").successful
    assert change(node, output_format="sdf").successful
    node.pool.do_all()
    assert (node._held.robot.name, node._refused) == ("loop", "")
