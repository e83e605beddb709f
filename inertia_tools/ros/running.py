# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lifecycle of a node's process: start, spin and end, with an exit code for each kind of end."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import NoReturn

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from inertia_tools.errors import InertiaToolsError
from inertia_tools.process_end import leave_memory_to_the_system
from inertia_tools.ros.parameters import ignored

ENDED, FAILED = 0, 1

RCLError, UnknownROSArgsError = rclpy_implementation.RCLError, rclpy_implementation.UnknownROSArgsError

_SIGNAL_PERIOD = 0.1  # Python handles a signal only after the executor returns from waiting in C [s].


class _EndBySignal:
    """Ends a spinning node after a signal, in place of the handlers of rclpy.

    rclpy's handlers close the context immediately in their own thread, which breaks any publication or creation in
    progress. A KeyboardInterrupt may be raised anywhere: a C conversion turns it into a SystemError, and a finalizer
    swallows it. This class only records a signal, and a timer ends the node.
    """

    def __init__(self, node: Node) -> None:
        """Record signals from now on, even while threads end, since a terminal and `ros2 launch` each send one."""
        self._came = False
        _handle_signals(self._note)
        node.create_timer(_SIGNAL_PERIOD, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = True

    def _check(self) -> None:
        if self._came:
            end_node()


def _handle_signals(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def end_node() -> NoReturn:
    """End the node from one of its callbacks, so that its own threads end before its context is shut down."""
    raise ExternalShutdownException


def run_node(
    name: str,
    create: Callable[[], Node],
    args: list[str] | None,
    beside: Callable[[Node], AbstractContextManager[object]],
) -> int:
    """Run a node until it is interrupted.

    Args:
        name: Logger for errors while the node is created.
        create: Creates the node.
        args: Arguments of the process; None for those of the command line.
        beside: Returns the context in which the node spins, so that its own threads end before rclpy does.

    Returns:
        The exit code.
    """
    _handle_signals(signal.default_int_handler)
    try:
        try:
            context = rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        except (RCLError, UnknownROSArgsError) as error:
            rclpy.logging.get_logger(name).fatal(f"cannot start: {error}")
            return FAILED
        with context:
            try:
                node = create()
            except (InertiaToolsError, ParameterException, ValueError, RCLError) as error:
                rclpy.logging.get_logger(name).fatal(f"cannot start: {error}")
                # Fast DDS 3.2 crashes if a participant is destroyed while it answers the first requests of a peer.
                leave_behind(error)
            _EndBySignal(node)
            for warning in ignored(node, remove_ros_args(args)[args is None :]):  # sys.argv begins with the program
                node.get_logger().warning(warning)
            with beside(node):
                try:
                    rclpy.spin(node)
                except InertiaToolsError as error:
                    node.get_logger().fatal(str(error))
                    return FAILED
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        _handle_signals(signal.SIG_IGN)  # A signal would kill Python while it finalizes.
        leave_memory_to_the_system()
    return ENDED


def leave_behind(error: BaseException | None) -> NoReturn:
    """End the process immediately, although a thread is in an uninterruptible operation.

    The thread may be compiling kernels or stepping a large scene, either of which may take a minute, or may be one of
    the middleware just after a node was created. Printed output is flushed first.

    Args:
        error: Reason for the end; an interrupt counts as a normal end.
    """
    _handle_signals(signal.SIG_IGN)
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)  # Log output of rclpy, if RCUTILS_LOGGING_USE_STDOUT sends it into a pipe.
    is_meant = error is None or isinstance(error, KeyboardInterrupt | ExternalShutdownException)
    os._exit(ENDED if is_meant else FAILED)
