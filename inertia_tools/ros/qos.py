# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The qualities of service this package uses, by what they are for."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

# A description, or anything else of which only the last value counts and which late comers must get.
LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# Joint states, odometry and commands: a reliable publisher serves both kinds of subscriber.
RELIABLE = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE)

# Clock: every subscriber asks for best effort; only the last value counts.
CLOCK = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.RELIABLE)

# Requests: five hundred clients may ask at once, and each is told at least that the node is busy; the usual depth of 10
# drops what does not fit, without a word. Answers that the transport loses, as it does when clients are killed, are
# sent again after up to 3 s, and must be there still.
SERVICE = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=5000, reliability=ReliabilityPolicy.RELIABLE)
