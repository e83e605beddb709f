# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of parameters with name, default, description and range, which `ros2 param describe` shows."""

from __future__ import annotations

import difflib
import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import ParameterUninitializedException
from rclpy.node import Node
from rclpy.parameter import Parameter

OF_TOPICS = "qos_overrides."
"""Prefix of parameters of topics, which rclpy declares with the topic, so that some come later."""


@dataclass(frozen=True)
class Spec:
    """One parameter.

    Attributes:
        name: Its name.
        default: Its default, which also gives its type.
        description: Its effect, with the unit in brackets.
        choices: Permitted strings; empty permits any.
        low: Minimum; give both ends of the range or neither.
        high: Maximum.
        read_only: Whether it can be set only at start.
        is_path: Whether it, or each entry of a list, is the path of a file or a folder.
    """

    name: str
    default: Any
    description: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    read_only: bool = False
    is_path: bool = False

    def descriptor(self) -> ParameterDescriptor:
        """Return the description that rclpy shows and enforces."""
        descriptor = ParameterDescriptor(description=self.description, read_only=self.read_only)
        if self.choices:
            descriptor.additional_constraints = "one of " + ", ".join(self.choices)
        if self.low is not None and self.high is not None:
            if isinstance(self.default, int):
                descriptor.integer_range = [IntegerRange(from_value=int(self.low), to_value=int(self.high), step=1)]
            else:
                descriptor.floating_point_range = [FloatingPointRange(from_value=self.low, to_value=self.high)]
        return descriptor


def declare(node: Node, specs: Sequence[Spec]) -> None:
    """Declare parameters on a node.

    Raises:
        ValueError: A value given at start is not among the choices, or is an empty list.
    """
    for spec in specs:
        node.declare_parameter(spec.name, spec.default, spec.descriptor())
        try:
            reason = refusal(specs, node.get_parameter(spec.name))
        except ParameterUninitializedException:
            reason = f"{spec.name} is [], which has no type in ROS; omit it, or write {spec.default!r}"
        if reason:
            raise ValueError(reason)


def ignored(node: Node, arguments: Sequence[str]) -> Iterator[str]:
    """Say what a node was given at its start and does not use: parameters that it does not declare, and other words.

    Args:
        node: The node, with all its parameters declared.
        arguments: The arguments of its process that are not those of ROS.
    """
    for name in node._parameter_overrides:
        if not (node.has_parameter(name) or name.startswith(OF_TOPICS)):
            close = difflib.get_close_matches(name, node._parameters, n=1)
            meant = f"did you mean {close[0]}?" if close else f"ros2 param list /{node.get_name()} names all"
            yield f"the parameter {name} does not exist and is ignored; {meant}"
    if arguments:
        yield f"ignored: {shlex.join(arguments)}; give parameters as --ros-args -p NAME:=VALUE"


def refusal(specs: Sequence[Spec], parameter: Parameter[Any]) -> str:
    """Return why a value is refused; an empty text if it is not. rclpy has already checked type and range."""
    spec = next((spec for spec in specs if spec.name == parameter.name), None)
    if spec is None:
        return ""
    if isinstance(parameter.value, float) and math.isnan(parameter.value):
        return f"{spec.name} is not a number"  # NaN is in every range, as rclpy compares
    if spec.choices and parameter.value not in spec.choices:
        return f"{spec.name} is {parameter.value!r}; it must be one of " + ", ".join(spec.choices)
    return ""
