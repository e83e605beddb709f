# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The life of a node's process: start, spin, end; one exit code for each way to go."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import NoReturn

import rclpy
from rclpy.context import Context
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from inertia_tools.errors import InertiaToolsError

ENDED, FAILED = 0, 1

RCLError = rclpy_implementation.RCLError


def end_node() -> NoReturn:
    """End the node from one of its callbacks, threads of its own first; a shutdown of its context would come before."""
    raise ExternalShutdownException


def run_node(
    name: str,
    create: Callable[[], Node],
    args: list[str] | None,
    beside: Callable[[Node], AbstractContextManager[object]],
) -> int:
    """Run a node until it is interrupted.

    Args:
        name: Logger to complain with when the node cannot be created.
        create: Creates the node.
        args: Arguments of the process; those of the command line when None.
        beside: Gives the context in which the node spins, so that its own threads end before rclpy does.

    Returns:
        The exit code.
    """
    # A terminal and `ros2 launch` each send a SIGINT. The second may come at any time: teardown lies inside the try,
    # and from its beginning on nothing interrupts it, or threads of the node would outlive rclpy.
    try:
        with rclpy.init(args=args):
            try:
                node = create()
            except (InertiaToolsError, ParameterException, ValueError) as error:
                rclpy.logging.get_logger(name).fatal(f"cannot start: {error}")
                # Fast DDS 3.2 crashes when a participant is destroyed while it answers the first questions of a peer.
                leave_behind(error)
            with beside(node):
                try:
                    rclpy.spin(node)
                except InertiaToolsError as error:
                    node.get_logger().fatal(str(error))
                    return FAILED
                finally:
                    signal.signal(signal.SIGINT, signal.SIG_IGN)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return ENDED


class UnlessEnding:
    """Lets pass that an interrupt has closed a context while a thread of the node was publishing."""

    def __init__(self, context: Context) -> None:
        """Watch over a context; one watch serves for every publication."""
        self._context = context

    def __enter__(self) -> None:
        """Begin to publish."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Swallow what a closed context raises."""
        return isinstance(error, RCLError) and not self._context.ok()


def leave_behind(error: BaseException | None) -> NoReturn:
    """End the process at once, although a thread is in the middle of something that cannot be interrupted.

    A compiler of kernels, or a step of a large scene: it may take a minute, and nobody who has pressed Ctrl-C waits for
    a cache to be filled. Or the middleware, when a node has just been created. What was printed gets out before.

    Args:
        error: Why the process ends; an interrupt is as good an end as none.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)  # What rclpy has logged, where RCUTILS_LOGGING_USE_STDOUT sends it into a pipe.
    is_meant = error is None or isinstance(error, KeyboardInterrupt | ExternalShutdownException)
    os._exit(ENDED if is_meant else FAILED)
