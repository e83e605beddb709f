# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of entities whose names have a namespace."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

import rclpy
from rclpy.node import Node

from inertia_tools.ros.command_inputs import CommandInputs, Rejections
from inertia_tools.ros.entity_topics import EntityTopics


def topics_of(name, *arguments):
    """Return how many publishers and subscriptions an entity gets in a node with the given arguments."""
    entity = SimpleNamespace(name=name, scoped=lambda name: name)
    world = SimpleNamespace(simulation=SimpleNamespace(entities=(entity,)))
    context = rclpy.Context()
    with rclpy.init(args=["--ros-args", *arguments], context=context):
        node = Node("topics", context=context)
        before = len(list(node.publishers)), len(list(node.subscriptions))
        EntityTopics(node, None, partial(CommandInputs, node, None, lambda: None, Rejections(), "")).follow(world)
        more = len(list(node.publishers)) - before[0], len(list(node.subscriptions)) - before[1]
        node.destroy_node()
    return more


@pytest.mark.parametrize("length", range(228, 236))
def test_a_namespace_that_is_too_long_for_one_topic_has_none(length):
    """Of 230 characters it had joint_commands, which moved an entity that was said to have no topics."""
    assert topics_of("n" * length + "/arm") == ((1, 3) if length < 230 else (0, 0))


def test_an_entity_whose_quality_of_service_there_is_not_has_no_topics():
    """Its spawning ended the node."""
    override = "qos_overrides./left/joint_commands.subscription.reliability"
    assert topics_of("left/arm", "-p", f"{override}:=reliable") == (1, 3)
    assert topics_of("left/arm", "-p", f"{override}:=sure") == (0, 0)


def test_joints_of_a_namespace_wait_for_their_topic():
    """A scene's first message on the root's `joint_states` had the joints of `left/arm`, too."""
    entities = [SimpleNamespace(name=name, scoped=lambda _, name=name: f"{name}::") for name in ("left/arm", "arm")]
    topics = EntityTopics(None, None, None)
    efforts = {"left/arm::elbow": 1.0, "arm::elbow": 2.0}
    assert topics.publish(entities, None, efforts, 0) == {"left/arm::elbow"}
