# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Quality-of-service profiles of this package, by purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

from inertia_tools.errors import OptionError
from inertia_tools.wording import listed

# Descriptions and other topics whose last value late subscribers must get.
LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# Joint states, odometry and commands: a reliable publisher serves both kinds of subscriber.
RELIABLE = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE)

# Clock: every subscriber requests best effort; only the last value counts.
CLOCK = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.RELIABLE)

# Requests: five hundred clients may call at once, and each must at least get the answer "busy"; the default depth of 10
# would silently drop the rest. Answers that the transport loses, for example when clients are killed, are resent after
# up to 3 s, and must still be stored then.
SERVICE = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=5000, reliability=ReliabilityPolicy.RELIABLE)


def overridable_publisher(node: Node, message_type: Any, topic: str, qos: QoSProfile) -> Any:
    """Create a publisher whose history, depth and reliability the parameters `qos_overrides` may set.

    Raises:
        OptionError: A parameter has an invalid value.
    """
    options = QoSOverridingOptions.with_default_policies()
    with _blaming(node, topic, "publisher"):
        return node.create_publisher(message_type, topic, qos, qos_overriding_options=options)


def overridable_subscription(
    node: Node, message_type: Any, topic: str, callback: Callable[[Any], None], qos: QoSProfile
) -> Any:
    """Create a subscription whose history, depth and reliability the parameters `qos_overrides` may set.

    Raises:
        OptionError: A parameter has an invalid value.
    """
    options = QoSOverridingOptions.with_default_policies()
    with _blaming(node, topic, "subscription"):
        return node.create_subscription(message_type, topic, callback, qos, qos_overriding_options=options)


@contextmanager
def _blaming(node: Node, topic: str, kind: str) -> Iterator[None]:
    """Name the responsible parameter if a publisher or subscription cannot be created, since rclpy does not."""
    try:
        yield
    except RuntimeError:
        parameters = f"qos_overrides.{node.resolve_topic_name(topic)}.{kind}"
        stated = {name: one.value for name, one in node.get_parameters_by_prefix(parameters).items()}
        for policy, words in (("history", HistoryPolicy), ("reliability", ReliabilityPolicy)):
            allowed = [word.name.lower() for word in words if word.name != "UNKNOWN"]
            if stated.get(policy, allowed[0]) not in allowed:
                raise OptionError(f"{parameters}.{policy}", stated[policy], listed(allowed, "or")) from None
        if stated.get("depth", 0) < 0:
            raise OptionError(f"{parameters}.depth", stated["depth"], "0 or more") from None
        raise
