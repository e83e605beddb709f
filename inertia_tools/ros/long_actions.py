# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Long actions, which can be cancelled at any time and report their progress."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.action.server import ActionServer, CancelResponse
from rclpy.clock import Clock
from rclpy.clock_type import ClockType

from inertia_tools.ros.simulation_node import SimulationNode

FEEDBACK_PERIOD = 0.1
"""Period of an action's feedback [s]."""


def served(
    node: SimulationNode, action: Any, name: str, execute: Callable[[Any], Awaitable[Any]]
) -> ActionServer[Any, Any, Any]:
    """Offer an action whose goals may run concurrently, and accept every cancel request.

    Args:
        node: The simulator.
        action: Type of the action.
        name: Its name in the graph.
        execute: Executes a goal, and returns the result.
    """
    return ActionServer(
        node,
        action,
        name,
        execute,
        callback_group=node.reentrant,
        cancel_callback=lambda goal: CancelResponse.ACCEPT,
    )


@contextmanager
def told(node: SimulationNode, tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` every `FEEDBACK_PERIOD` of wall time while the block runs."""
    watch = node.create_timer(FEEDBACK_PERIOD, tell, clock=Clock(clock_type=ClockType.STEADY_TIME))
    try:
        yield
    finally:
        node.destroy_timer(watch)
