# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Functions shared by the launch files: launch arguments for parameters, descriptions from files, and nodes.

An empty argument is not passed on, so that `params_file` and the node's defaults apply.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_prefix, get_package_share_directory
from launch import Condition, LaunchContext
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch.utilities.type_utils import coerce_to_type
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.utilities import make_namespace_absolute, prefix_namespace

from inertia_tools.errors import MissingDependencyError, OptionError
from inertia_tools.ros.parameters import Spec

PACKAGE = "inertia_tools"

DESCRIPTION = ("robot_description", "URDF, xacro or SDFormat file; empty: wait for the topic of the description.")
XACRO = ("xacro_arguments", "Arguments for a xacro file, such as 'arm:=true hand:=false'.")
NAMESPACE = ("namespace", "Namespace of the nodes and their topics; /clock has none.")
USE_SIM_TIME = ("use_sim_time", "true: use time from /clock.")
LOG_LEVEL = ("log_level", "debug, info, warn, error or fatal.", "info")

LOG = get_logger("inertia_tools")

ALIKE = 0.85
"""Least similarity of a name to the one that is meant; that of two arguments (publish_rate, publish_tf) is 0.82."""

_LEVELS = ("debug", "info", "warn", "error", "fatal")
_ALLOWED = {bool: "true or false", int: "a whole number", float: "a number"}
_NOT_FINITE = {".inf": "inf", "-.inf": "-inf", ".nan": "nan"}
"""Spellings of infinite numbers and NaN in YAML parameter files, each with Python's spelling."""

OF_ALL = (DESCRIPTION, XACRO, NAMESPACE, USE_SIM_TIME, LOG_LEVEL)


def declared(*arguments: Sequence[str]) -> list[DeclareLaunchArgument | OpaqueFunction]:
    """Declare arguments: name, description, and a default, which is empty if there is none.

    A given argument that resembles one of them is named in the log, since launch ignores it without a word. Others may
    be those of another launch file, which includes this one.
    """
    names = [argument[0] for argument in arguments]
    return [
        *(
            DeclareLaunchArgument(name, description=description, default_value=default[0] if default else "")
            for name, description, *default in arguments
        ),
        OpaqueFunction(function=lambda context: _name_misspelled(context, names)),
    ]


def _name_misspelled(context: LaunchContext, names: Sequence[str]) -> None:
    for given in [name for name in context.launch_configurations if name not in names]:
        if close := difflib.get_close_matches(given, names, n=1, cutoff=ALIKE):
            LOG.warning(f"the argument {given} does not exist and is ignored; did you mean {close[0]}?")
            del context.launch_configurations[given]  # so that no included file repeats it


def parameters_of(specs: Sequence[Spec]) -> list[tuple[str, str]]:
    """Return launch arguments for the parameters of a node; the description has its own argument."""
    return [(spec.name, f"{spec.description} {_default(spec)}") for spec in specs if spec.name != DESCRIPTION[0]]


def params_file(node: str) -> tuple[str, str, str]:
    """Return the argument for a parameter file of a node."""
    file = Path(get_package_share_directory(PACKAGE), "config", f"{node}.yaml")
    return ("params_file", "YAML file with parameters; arguments override it.", str(file))


def needed(purpose: str, *packages: str, condition: Condition | None = None) -> OpaqueFunction:
    """Fail if ROS packages are missing; put it first, since launch does not stop what it started before a failure.

    Args:
        purpose: Purpose of the packages, for the message.
        packages: Names of the packages.
        condition: Condition under which they are needed; always if None.
    """
    return OpaqueFunction(function=lambda context: _require(purpose, packages), condition=condition)


def checked(specs: Sequence[Spec]) -> OpaqueFunction:
    """Check the arguments for a node's parameters before anything starts, since the node starts after others."""

    def check(context: LaunchContext) -> None:
        given(context, specs)

    return OpaqueFunction(function=check)


def included(file: str, names: Sequence[str], **fixed: Any) -> GroupAction:
    """Include a launch file of this package with the named arguments of the including one, and some fixed ones.

    The group keeps the arguments of one included file from affecting the other.
    """
    handed_on = {name: LaunchConfiguration(name) for name in names}
    source = PythonLaunchDescriptionSource(str(Path(get_package_share_directory(PACKAGE), "launch", file)))
    return GroupAction([IncludeLaunchDescription(source, launch_arguments={**handed_on, **fixed}.items())])


def started(
    context: LaunchContext, node: str, specs: Sequence[Spec], remappings: Sequence[tuple[str, Any]]
) -> list[Node]:
    """Start a node with the parameters given as arguments.

    Raises:
        OptionError: An argument has the wrong type, or names a file that does not exist.
        ParseError: The description cannot be read.
    """
    _require_level(context)
    files = [existing(context, "params_file")] if value(context, "params_file") else []
    parameters = given(context, specs)
    if is_simulated := value(context, USE_SIM_TIME[0]):
        parameters[USE_SIM_TIME[0]] = _typed(USE_SIM_TIME[0], is_simulated, bool)
    file, text = value(context, DESCRIPTION[0]), description(context)
    if text:
        parameters[DESCRIPTION[0]] = ParameterValue(text, value_type=str)
    started = Node(
        package=PACKAGE,
        executable=node,
        name=node,
        namespace=LaunchConfiguration("namespace"),
        parameters=[*files, parameters],
        remappings=remappings,
        arguments=["--ros-args", "--log-level", f"{_logger(context, node)}:={value(context, LOG_LEVEL[0])}"],
        output="screen",
        cwd=os.path.dirname(os.path.abspath(file)) if file else None,  # base of relative paths in the text
    )
    return [started]


def given(context: LaunchContext, specs: Sequence[Spec]) -> dict[str, Any]:
    """Return the parameters of a node that arguments set.

    Raises:
        OptionError: An argument does not have the type of its parameter.
    """
    texts = {spec.name: context.launch_configurations.get(spec.name, "") for spec in specs}
    texts.pop(DESCRIPTION[0], None)  # its argument is a file, and the parameter is the text
    return {spec.name: _given(spec, texts[spec.name]) for spec in specs if texts.get(spec.name)}


def description(context: LaunchContext) -> str:
    """Return the text of the file in the argument robot_description, with xacro expanded; empty without a file.

    Raises:
        OptionError: The arguments for xacro are malformed.
        ParseError: The file cannot be read.
    """
    path = value(context, DESCRIPTION[0])
    if not path:
        return ""
    from inertia_tools.description import load

    arguments = value(context, XACRO[0])
    words = [word.split(":=", 1) for word in arguments.split()]
    if any(len(word) < 2 for word in words):
        raise OptionError(XACRO[0], arguments, "words such as 'arm:=true hand:=false'")
    folders = [folder for folder in value(context, "package_path").split(os.pathsep) if folder]
    robot = load(path, package_path=folders, xacro_arguments=dict(words))
    return robot.document.data.decode()


def existing(context: LaunchContext, name: str) -> str:
    """Return the path of the file that an argument names; launch itself only warns if it does not exist.

    Raises:
        OptionError: The file does not exist.
    """
    path = _absolute(value(context, name))
    if not os.path.isfile(path):
        raise OptionError(name, path, "a file that exists")
    return path


def value(context: LaunchContext, name: str) -> str:
    """Return the value of an argument."""
    return str(LaunchConfiguration(name).perform(context))


def _logger(context: LaunchContext, node: str) -> str:
    """Return the name of a node's logger, which begins with the node's namespace."""
    pushed = context.launch_configurations.get("ros_namespace")
    namespace = make_namespace_absolute(prefix_namespace(pushed, value(context, NAMESPACE[0])))
    return ".".join([*filter(None, (namespace or "").split("/")), node])


def _given(spec: Spec, text: str) -> Any:
    """Return the value of an argument as its parameter's type.

    Raises:
        OptionError: The parameter cannot have this value, or it is a path at which nothing exists.
    """
    if isinstance(spec.default, list):
        return [_absolute(folder) for folder in text.split(os.pathsep)]
    if isinstance(spec.default, str):
        path = _absolute(text) if spec.is_path else text
        if spec.is_path and "://" not in path and not os.path.exists(path):
            raise OptionError(spec.name, path, "a path that exists")
        if spec.choices and text not in spec.choices:
            raise OptionError(spec.name, text, f"one of {', '.join(spec.choices)}")
        return ParameterValue(path, value_type=str)
    number = _typed(spec.name, text, type(spec.default))
    if spec.low is not None and spec.high is not None and not spec.low <= number <= spec.high:
        raise OptionError(spec.name, text, f"from {spec.low:g} to {spec.high:g}")
    return number


def _absolute(path: str) -> str:
    """Return a path made absolute in the folder of `ros2 launch`; a node runs in its description's folder."""
    return os.path.abspath(path) if path and "://" not in path else path


def _typed(name: str, text: str, kind: type) -> Any:
    """Return the value of an argument, converted to a type.

    Raises:
        OptionError: It cannot be converted.
    """
    try:
        return coerce_to_type(_NOT_FINITE.get(text, text), kind)
    except ValueError as error:
        raise OptionError(name, text, _ALLOWED[kind]) from error


def _require_level(context: LaunchContext) -> None:
    level = value(context, LOG_LEVEL[0])
    if level.lower() not in _LEVELS:
        raise OptionError(LOG_LEVEL[0], level, f"one of {', '.join(_LEVELS)}")


def _require(purpose: str, packages: Sequence[str]) -> None:
    """Check that ROS packages are installed.

    Raises:
        MissingDependencyError: One is not installed.
    """
    command = " ".join(["sudo apt install", *(f"ros-$ROS_DISTRO-{name.replace('_', '-')}" for name in packages)])
    for package in packages:
        try:
            get_package_prefix(package)
        except PackageNotFoundError as error:
            raise MissingDependencyError(package, purpose, command) from error


def _default(spec: Spec) -> str:
    """Return the description of an argument's default."""
    if isinstance(spec.default, list):
        return f"Folders are separated by {os.pathsep!r}; none by default."
    shown = str(spec.default).lower() if isinstance(spec.default, bool) else spec.default
    return f"By default {shown}." if shown != "" else "Empty by default."
