# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Error handling of services: every failure becomes an answer, and the node continues."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.node import Node

from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros.failures import failure_of, message_of

Work = Callable[[Any, Any], Awaitable[Any]]
"""Fills the response to a request, or returns another response to send."""

Fill = Callable[[Any, Exception, str], None]
"""Writes a failure into a response; called with the response, the exception and its message."""


def answering(node: Node, work: Work, fill: Fill) -> Callable[[Any, Any], Any]:
    """Make a service callback from a function.

    Args:
        node: The node that offers the service, which logs the reasons.
        work: Fills the response.
        fill: Writes a failure into it.
    """
    name = getattr(work, "__name__", "service").strip("_")

    async def callback(request: Any, response: Any) -> Any:
        try:
            response = await work(request, response) or response
        except Exception as error:
            if not isinstance(error, InertiaToolsError):
                node.get_logger().error(traceback.format_exc())
            fill(response, error, message_of(error))
        if not getattr(response, "success", True):
            node.get_logger().warning(f"{name} request: {response.message}", throttle_duration_sec=1.0)
        return response

    return callback


def fill_success(response: Any, error: Exception, message: str) -> None:
    """Write a failure into the fields `success` and `message` of a response, and into its error code if it has one."""
    response.success, response.message = False, message
    if hasattr(response, "error"):
        response.error.value = int(failure_of(error))
