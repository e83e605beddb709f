# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<actuator>` of MJCF, as far as it is a drive: a joint pulled to a position or a velocity by fixed gains.

MuJoCo's actuator exerts gain * control + b0 + b1 * length + b2 * rate, where length is the joint's position times the
gear; position and velocity actuators are cases of it. A motor has no bias: whoever controls it adds an effort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.joint import Joint, JointDrive, JointType
from inertia_tools.description.mjcf.bodies import Surroundings
from inertia_tools.description.mjcf.defaults import MAIN
from inertia_tools.description.mjcf.joints import is_limited
from inertia_tools.description.mjcf.values import MOST_NUMBERS, first_number, up_to, vector
from inertia_tools.description.xml import Element

AFFINE_TAGS = ("general", "motor", "position", "velocity")
SHARED = ("gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited")
"""Attributes that a class of any of those tags hands on to the others."""

NOT_HELD = ("dampratio", "timeconst", "armature", "damping", "delay")
"""Attributes of actuators that nothing here holds."""

TRANSMISSIONS = ("tendon", "site", "body", "cranksite")


@dataclass(frozen=True)
class _Law:
    """What an actuator exerts: gain * control + bias . (1, length, rate); and why that is not all, if it is not."""

    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_affine: bool = False
    reason: str = ""


@dataclass
class Actuation:
    """Drives by the name of the joint, actuators that became none, each with the reason, and motors."""

    drives: dict[str, JointDrive] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    motors: list[str] = field(default_factory=list)


def read_actuators(
    models: Iterable[Surroundings],
    joints: Mapping[str, Joint],
    copies: Mapping[str, Sequence[str]],
    refs: Mapping[str, float],
) -> Actuation:
    """Read the actuators of all models.

    Args:
        models: Where each model stands, the main one first.
        joints: Joints by name.
        copies: Names that a joint's name in the text stands for.
        refs: Position that the document gives each joint in its own pose [rad or m].

    Raises:
        ParseError: A number cannot be read.
    """
    found = Actuation()
    per_joint: dict[str, list[JointDrive]] = {}
    for model in models:
        for section in model.part.root.all("actuator"):
            for element in section.children:
                _read(element, model, joints, copies, refs, per_joint, found)
    found.drives = {name: _sum(drives) for name, drives in per_joint.items()}
    return found


def _read(
    element: Element,
    model: Surroundings,
    joints: Mapping[str, Joint],
    copies: Mapping[str, Sequence[str]],
    refs: Mapping[str, float],
    per_joint: dict[str, list[JointDrive]],
    found: Actuation,
) -> None:
    base = model.named(element, "joint") or model.named(element, "jointinparent")
    if model.prefix and base and base not in copies:
        return  # it drives what was not attached
    label = f"actuator {element.attributes.get('name') or element.tag!r}"
    if element.tag not in AFFINE_TAGS or any(name in element.attributes for name in TRANSMISSIONS):
        where = next((f"on a {name}" for name in TRANSMISSIONS if name in element.attributes), f"a {element.tag}")
        found.unused.append(f"{label} ({where})")
        return
    law, words = _law_of(element, model)
    if law.reason:
        found.unused.append(f"{label} ({law.reason})")
    elif not law.is_affine:
        found.motors.append(label)
    for name in copies.get(base, ()):
        if joints[name].type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
            found.unused.append(f"{label} (on the {joints[name].type.value} joint {name!r})")
        elif law.is_affine:
            per_joint.setdefault(name, []).append(_drive(law, words, model, refs[name]))


def _law_of(element: Element, model: Surroundings) -> tuple[_Law, Element]:
    """Return what an actuator exerts by its class and its own words, and those words in one element."""
    class_name = element.attributes.get("class", MAIN)
    model.part.defaults.require(class_name, element)
    of_class = model.part.defaults.classes[class_name]
    law, shared = _Law(), dict[str, str]()
    for tag in (tag for tag in of_class if tag in AFFINE_TAGS):
        words = replace(element, tag=tag, attributes=of_class[tag])
        law = _after(law, words)
        shared |= {name: value for name, value in of_class[tag].items() if name in SHARED}
    own = replace(element, attributes=shared | of_class.get(element.tag, {}) | element.attributes)
    return _after(law, own), own


def _after(law: _Law, element: Element) -> _Law:
    """Return a law as an element changes it."""
    stated = element.attributes
    reason = next((f"its {name}" for name in NOT_HELD if any(up_to(element, name, MOST_NUMBERS))), law.reason)
    match element.tag:
        case "motor":
            return _Law(reason=reason)
        case "position":
            gain = first_number(element, "kp", law.gain)
            return _Law(gain, (0.0, -gain, -first_number(element, "kv", -law.bias[2])), True, reason)
        case "velocity":
            gain = first_number(element, "kv", law.gain)
            return _Law(gain, (0.0, 0.0, -gain), True, reason)
    if stated.get("dyntype", "none") != "none" or stated.get("gaintype", "fixed") != "fixed":
        return replace(law, reason="its dyntype or gaintype", is_affine=False)
    bias = (*up_to(element, "biasprm", MOST_NUMBERS), 0.0, 0.0, 0.0)[:3] if "biasprm" in stated else law.bias
    kind = stated.get("biastype", "affine" if law.is_affine else "none")
    if kind not in ("affine", "none"):
        return replace(law, reason=f"its biastype {kind!r}", is_affine=False)
    return _Law(first_number(element, "gainprm", law.gain), (bias[0], bias[1], bias[2]), kind == "affine", reason)


def _drive(law: _Law, words: Element, model: Surroundings, ref: float) -> JointDrive:
    """Return the drive of an actuator whose control is zero, or as near to it as its range lets it."""
    compiler = model.part.compiler
    gear = first_number(words, "gear", 1.0)
    control = 0.0
    if is_limited(words, "ctrllimited", "ctrlrange", compiler):
        low, high = vector(words, "ctrlrange", (0.0, 0.0))
        control = float(np.clip(0.0, low, high))
    push = law.gain * control + law.bias[0]
    stiffness, damping = -law.bias[1] * gear**2, -law.bias[2] * gear**2
    position = push * gear / stiffness - ref if stiffness else 0.0
    velocity = push * gear / damping if damping and not stiffness else 0.0
    effort = None
    if is_limited(words, "forcelimited", "forcerange", compiler):
        effort = float(np.abs(vector(words, "forcerange", (0.0, 0.0))).max() * abs(gear)) or None
    return JointDrive(stiffness, damping, position, velocity, effort)


def _sum(drives: Sequence[JointDrive]) -> JointDrive:
    """Return the drive that does what several do together; their bounds add."""
    if len(drives) == 1:
        return drives[0]
    stiffness, damping = sum(one.stiffness for one in drives), sum(one.damping for one in drives)
    bounds = [one.effort for one in drives]
    return JointDrive(
        stiffness,
        damping,
        sum(one.stiffness * one.position for one in drives) / stiffness if stiffness else 0.0,
        sum(one.damping * one.velocity for one in drives) / damping if damping else 0.0,
        None if None in bounds else sum(bound for bound in bounds if bound is not None),
    )
