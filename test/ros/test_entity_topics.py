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


@pytest.mark.parametrize("length", range(228, 236))
def test_a_namespace_that_is_too_long_for_one_topic_has_none(length):
    """Of 230 characters it had joint_commands, which moved an entity that was said to have no topics."""
    entity = SimpleNamespace(name="n" * length + "/arm", scoped=lambda name: name)
    world = SimpleNamespace(simulation=SimpleNamespace(entities=(entity,)))
    context = rclpy.Context()
    with rclpy.init(context=context):
        node = Node("topics", context=context)
        before = len(list(node.publishers)), len(list(node.subscriptions))
        EntityTopics(node, None, partial(CommandInputs, node, None, lambda: None, Rejections(), "")).follow(world)
        more = len(list(node.publishers)) - before[0], len(list(node.subscriptions)) - before[1]
        node.destroy_node()
    assert more == ((1, 3) if length < 230 else (0, 0))
