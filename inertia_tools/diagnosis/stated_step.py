# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The time step that a file states, or else the default of its format's simulator; and MuJoCo's integrator."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from inertia_tools.description.types import Description, Format

GAZEBO = 0.001
"""Default step of Gazebo for a world [s]; `max_step_size` of the SDFormat specification."""

MUJOCO = 0.002
"""Default step of MuJoCo for a model [s]; `timestep` of its XML reference."""

PHYSX = 1.0 / 60.0
"""Default step of PhysX for a scene in Isaac Sim and Omniverse [s]; `timeStepsPerSecond` of the schema."""

NUMBER = rb"""["'>\s]\s*([0-9.eE+-]+)"""
TIMESTEP = re.compile(rb"<option\b[^>]*?\btimestep\s*=\s*" + NUMBER)
INTEGRATOR = re.compile(rb"""<option\b[^>]*?\bintegrator\s*=\s*["'](\w+)""")
NO_EULERDAMP = re.compile(rb"""<flag\b[^>]*?\beulerdamp\s*=\s*["']disable""")
MAX_STEP_SIZE = re.compile(rb"<max_step_size\s*" + NUMBER)
STEPS_PER_SECOND = re.compile(rb"physxScene:timeStepsPerSecond\s*=\s*([0-9]+)")


@dataclass(frozen=True)
class StatedStep:
    """A time step and its source.

    Attributes:
        seconds: The step [s].
        source: The source in words.
    """

    seconds: float
    source: str


def stated_step(robot: Description) -> StatedStep:
    """Return the step that a description states, or the default of its format's simulator."""
    texts = _texts(robot)
    if robot.format is Format.MJCF:
        return _found(TIMESTEP, texts, "timestep") or StatedStep(MUJOCO, "MuJoCo's default")
    if robot.format is Format.SDF:
        return _found(MAX_STEP_SIZE, texts, "max_step_size") or StatedStep(GAZEBO, "Gazebo's default")
    if robot.format is Format.USD:
        rate = _found(STEPS_PER_SECOND, texts, "timeStepsPerSecond")
        if rate is not None:
            return StatedStep(1.0 / rate.seconds, rate.source)
        return StatedStep(PHYSX, "PhysX's default")
    return StatedStep(GAZEBO, "Gazebo's default")


def has_implicit_drives(robot: Description) -> bool:
    """Return whether the simulator of a format evaluates the damping of drives at the end of the step."""
    return _integrator(robot).startswith("implicit")


def has_implicit_joints(robot: Description) -> bool:
    """Return whether the simulator of a format evaluates the damping of joints at the end of the step."""
    if robot.format is not Format.MJCF or _integrator(robot) == "RK4":
        return False
    return has_implicit_drives(robot) or not any(NO_EULERDAMP.search(text) for text in _texts(robot))


def _integrator(robot: Description) -> str:
    """Return the name of MuJoCo's integrator for a description; empty for other formats."""
    if robot.format is not Format.MJCF:
        return ""
    named = [match for match in map(INTEGRATOR.search, _texts(robot)) if match is not None]
    return named[0].group(1).decode() if named else "Euler"


def _texts(robot: Description) -> list[bytes]:
    """Return the document and those that it includes."""
    return [robot.document.data, *(file.data for file in (robot.mjcf.files.values() if robot.mjcf else ()))]


def _found(pattern: re.Pattern[bytes], texts: list[bytes], name: str) -> StatedStep | None:
    """Return the first positive number that an expression finds; later documents are included ones."""
    for text in texts:
        match = pattern.search(text)
        try:
            value = float(match.group(1)) if match else math.nan
        except ValueError:
            continue
        if value > 0.0 and math.isfinite(value):
            return StatedStep(value, f"{name} of the file")
    return None
