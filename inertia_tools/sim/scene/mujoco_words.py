# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Words and numbers of MuJoCo's files, and of prims with its schemas, as values of attributes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.mujoco_kinds import SolrefMode
from inertia_tools.usd.prims import has_applied_api_schema

Read = Callable[[Any, dict[str, Any]], Any]
"""Returns a value of the words of a file and what is known around them."""


def words(**numbers: int) -> Read:
    """Return a reader of words that stand for numbers; a number stands for itself.

    Raises:
        OptionError: The word is none of them, when it reads.
    """

    def read(word: Any, context: dict[str, Any]) -> int:
        text = str(word).strip()
        if text.lstrip("-").isdigit():
            return int(text)
        if text.lower() not in numbers:
            raise OptionError(context["attr"].name, text, "one of " + ", ".join(numbers))
        return numbers[text.lower()]

    return read


LIMITED = words(false=0, true=1, auto=2)
SWITCHED = words(disable=0, enable=1, false=0, true=1)
DYNAMICS = words(none=0, integrator=1, filter=2, filterexact=3, muscle=4, user=5, dcmotor=6)
GAINS = words(fixed=0, affine=1, muscle=2, user=3, dcmotor=4)
BIASES = words(none=0, affine=1, muscle=2, user=3, dcmotor=4)


def coordinate(word: Any, context: dict[str, Any]) -> float:
    """Return a position of a joint [rad or m] of one in the units of the file."""
    value = float(str(word).split()[0])
    if context.get("joint_type") == "slide":
        return value * float(context.get("scale", 1.0))
    return math.radians(value) if context.get("use_degrees") else value


def length_of_slide(word: Any, context: dict[str, Any]) -> float:
    """Return a distance from a joint's limit, scaled with the file where it is a length."""
    return float(word) * (context.get("scale", 1.0) if context.get("joint_type") == "slide" else 1.0)


def first_number(word: Any, _context: dict[str, Any]) -> float:
    """Return the first of several numbers."""
    return float(str(word).split()[0])


def further_numbers(word: Any, _context: dict[str, Any]) -> tuple[float, ...]:
    """Return the second and third of several numbers; zero where there are none."""
    return (*(float(one) for one in str(word).split()[1:3]), 0.0, 0.0)[:2]


def angle_of_usd(value: Any, context: dict[str, Any]) -> float:
    """Return a position of a joint [rad or m] of what a prim states: a hinge's by the unit of MuJoCo's compiler."""
    prim = context.get("prim")
    if prim is None or prim.GetTypeName() != "PhysicsRevoluteJoint":
        return float(value)
    return math.radians(float(value)) if _in_degrees(prim.GetStage()) else float(value)


def _in_degrees(stage: Any) -> bool:
    """Return whether angles of MuJoCo's schemas are in degrees, as they are unless a scene says radians."""
    for prim in stage.Traverse():
        stated = prim.GetAttribute("mjc:compiler:angle")
        if stated and stated.HasAuthoredValue():
            return str(stated.Get()) != "radian"
    return True


def is_stated_in_usd(attribute: str, otherwise: SolrefMode | None) -> Read:
    """Return a reader of whether a prim states an attribute of MuJoCo's."""

    def read(_value: Any, context: dict[str, Any]) -> int | None:
        stated = context["prim"].GetAttribute(attribute)
        return SolrefMode.RAW if stated and stated.HasAuthoredValue() else otherwise

    return read


def mode_of_limits_in_usd(_value: Any, context: dict[str, Any]) -> int | None:
    """Read what the reference of a joint's limits stands for: of a joint of MuJoCo's that states none, its default."""
    prim = context["prim"]
    otherwise = SolrefMode.MJCF_DEFAULT if has_applied_api_schema(prim, "MjcJointAPI") else None
    found: int | None = is_stated_in_usd("mjc:solreflimit", otherwise)(_value, context)
    return found
