# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which link a wrench that comes by topic acts on."""

from __future__ import annotations

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")

from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from robots import link, mass, tensor, urdf
from std_msgs.msg import Header

import inertia_tools.msg as msg
import inertia_tools.srv as srv
from inertia_tools.errors import SimulationError
from inertia_tools.ros.wrench_requests import wrench_of, wrench_on_link


def pushing(frame):
    return WrenchStamped(header=Header(frame_id=frame), wrench=Wrench(force=Vector3(x=4.0)))


@pytest.mark.parametrize("frame", ["cube", "p/cube", "left/box::cube", "p/left/box::cube"])
def test_a_link_is_named_as_its_description_or_its_frame_is(frame):
    (request,) = wrench_on_link(pushing(frame), ("left/box::",), "p/").requests
    assert (request.body, request.frame) == ("left/box::cube", "left/box::cube")


@pytest.mark.parametrize("frame", ["", "p/", "left/box::", "p/left/box::"])
def test_a_wrench_without_a_link_is_refused(frame):
    with pytest.raises(SimulationError, match="frame_id"):
        wrench_on_link(pushing(frame), ("left/box::",), "p/")


def test_a_link_may_be_of_any_entity_of_the_namespace():
    scopes = ("left/box::", "left/arm::")
    requests = wrench_on_link(pushing("p/cube"), scopes, "p/").requests
    assert [one.body for one in requests] == ["left/box::cube", "left/arm::cube"]
    (request,) = wrench_on_link(pushing("left/arm::cube"), scopes, "p/").requests
    assert request.body == "left/arm::cube"


@pytest.mark.parametrize("frame", ["map", "cube", "p/cube", "p/tip"])
@pytest.mark.parametrize("body", ["cube", "p/cube"])
def test_a_request_may_name_body_and_frame_with_the_prefix(body, frame):
    request = wrench_of(srv.ApplyWrench.Request(body=body, wrench=pushing(frame)), "map", "p/")
    assert (request.body, request.frame) == ("cube", "" if frame == "map" else frame.removeprefix("p/"))


def test_frames_of_an_entity_in_a_namespace_have_the_prefix(graph, tmp_path):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    (tmp_path / "box.urdf").write_text(urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133))))
    (tmp_path / "scene.yaml").write_text("entities:\n  - {name: left/box, file: box.urdf}\n")
    options = {"scene": str(tmp_path / "scene.yaml"), "frame_prefix": "p/", "gravity": 0.0, "ground": False}
    process = graph.start("simulator", {**options, "real_time_factor": 1.0})
    states = graph.listen(msg.BodyStates, "simulator/body_states")
    graph.receive(states)
    push = graph.commander(WrenchStamped, "left/wrench_commands")
    graph.be_seen_by("simulator")
    for pushes, frame in enumerate(("p/cube", "p/left/box::cube"), start=1):
        push(header=pushing(frame).header, wrench=pushing(frame).wrench)
        speed = 0.199 * pushes  # 4 N for 0.1 s on 2 kg each time
        graph.spin_until(
            lambda speed=speed: (
                "refused" in graph.log_of(process) or (states and states[-1].bodies[0].twist.linear.x > speed)
            ),
            "a push or a refusal",
        )
    assert "refused" not in graph.log_of(process)
