# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<actuator>` of MJCF, where it is a drive: a joint pulled to a position or velocity with fixed gains.

MuJoCo's actuator exerts gain * control + b0 + b1 * length + b2 * rate, where length is the gear times the position of
the joint or the length of the tendon; position and velocity actuators are special cases. A motor has no bias: its
controller supplies an effort.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.description.joint import Joint, JointDrive, JointType
from inertia_tools.description.mjcf.actuator_classes import ActuatorLaw, with_class
from inertia_tools.description.mjcf.bodies import Surroundings
from inertia_tools.description.mjcf.fixed_tendons import Transmission
from inertia_tools.description.mjcf.joints import DocumentPosition, is_limited
from inertia_tools.description.mjcf.values import MOST_NUMBERS, first_number, up_to, vector
from inertia_tools.description.xml import Element

AFFINE_TAGS = ("general", "motor", "position", "velocity")

NOT_HELD = ("armature", "damping", "delay")
"""Attributes of actuators that are not supported."""

TRANSMISSIONS = ("tendon", "site", "body", "cranksite")


@dataclass(frozen=True)
class _Pull:
    """The effort of one actuator at its joint: push - stiffness * position - damping * velocity, within bounds.

    Positions count from the document's pose. Its control is zero, or the nearest value within its range.
    """

    element: Element
    push: float
    stiffness: float
    damping: float
    effort: float | None


@dataclass
class Actuation:
    """Drives by the name of the joint, unsupported actuators with the reasons, and motors."""

    drives: dict[str, JointDrive] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    motors: list[str] = field(default_factory=list)

    def leave_out(self, element: Element, *reasons: str) -> None:
        """Record that an actuator, or a part of it, is not supported."""
        self.unused.append(f"{element.place}: {_label(element)} ({', '.join(reasons)})")


def _label(element: Element) -> str:
    return f"actuator {element.attributes.get('name') or element.tag!r}"


def read_actuators(
    models: Iterable[Surroundings],
    joints: Mapping[str, Joint],
    copies: Mapping[str, Sequence[str]],
    positions: Mapping[str, DocumentPosition],
    tendons: Mapping[str, Transmission],
) -> Actuation:
    """Read the actuators of all models.

    Args:
        models: Location of each model, the main one first.
        joints: Joints by name.
        copies: Names of the copies of a joint, by its name in the text.
        positions: How the document counts the positions of each joint.
        tendons: Tendons that pull one joint, by name.

    Raises:
        ParseError: A number cannot be read.
    """
    found = Actuation()
    per_joint: dict[str, list[_Pull]] = {}
    for model in models:
        for section in model.part.root.all("actuator"):
            for element in section.children:
                _read(element, model, joints, copies, positions, tendons, per_joint, found)
    for name, pulls in per_joint.items():
        drive = _together(pulls, found)
        if drive is not None:
            found.drives[name] = drive
    return found


def _read(
    element: Element,
    model: Surroundings,
    joints: Mapping[str, Joint],
    copies: Mapping[str, Sequence[str]],
    positions: Mapping[str, DocumentPosition],
    tendons: Mapping[str, Transmission],
    per_joint: dict[str, list[_Pull]],
    found: Actuation,
) -> None:
    base = model.named(element, "joint") or model.named(element, "jointinparent")
    if model.prefix and base and base not in copies:
        return  # it drives a joint that was not attached
    tendon = tendons.get(model.named(element, "tendon"))
    elsewhere = [name for name in TRANSMISSIONS if name in element.attributes and tendon is None]
    if element.tag not in AFFINE_TAGS or elsewhere:
        where = next((f"on a {name}" for name in TRANSMISSIONS if name in element.attributes), f"a {element.tag}")
        found.leave_out(element, where)
        return
    law, words = with_class(element, model.part.defaults)
    reasons = list(_not_held(law, words, model))
    if tendon is not None and law.inheritrange > 0.0:
        reasons.append("its inheritrange on a tendon")
    if reasons:
        found.leave_out(element, *reasons)
    pulled = [tendon] if tendon else [Transmission(name, 1.0, positions[name]) for name in copies.get(base, ())]
    for one in pulled:
        if joints[one.joint].type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
            found.leave_out(element, f"on the {joints[one.joint].type.value} joint {one.joint!r}")
        elif _is_affine(law):
            per_joint.setdefault(one.joint, []).append(_pull(law, words, model, one))
    if not reasons and not _is_affine(law):
        found.motors.append(_label(element))


def _is_affine(law: ActuatorLaw) -> bool:
    """Return whether a law is that of a drive; a lag of its control is ignored."""
    return law.dyntype in ("none", "filterexact") and law.gaintype == "fixed" and law.biastype == "affine"


def _not_held(law: ActuatorLaw, words: Element, model: Surroundings) -> Iterator[str]:
    """Return the unsupported attributes of an actuator."""
    if law.dyntype == "filterexact":
        yield "its timeconst"
    elif law.dyntype != "none" or law.gaintype != "fixed" or law.biastype not in ("none", "affine"):
        yield "its dyntype, gaintype or biastype"
    if law.has_damping_ratio:
        yield "its dampratio"
    yield from (f"its {name}" for name in NOT_HELD if any(up_to(words, name, MOST_NUMBERS)))
    bounds = _bounds(words, "forcelimited", "forcerange", model) if _is_affine(law) else None
    if bounds is not None and bounds[0] != -bounds[1]:
        yield "the smaller side of its forcerange"


def _bounds(words: Element, switch: str, range_: str, model: Surroundings) -> tuple[float, float] | None:
    if not is_limited(words, switch, range_, model.part.compiler):
        return None
    low, high = vector(words, range_, (0.0, 0.0)).tolist()
    return low, high


def _pull(law: ActuatorLaw, words: Element, model: Surroundings, pulled: Transmission) -> _Pull:
    """Return the effort of an actuator at its joint, bounded by the larger side of its force range."""
    position, stated_gear = pulled.position, first_number(words, "gear", 1.0)
    gear, (constant, of_length, of_rate) = stated_gear * pulled.ratio, law.bias[:3]
    if law.has_damping_ratio:
        of_rate = 0.0
    bounds = _bounds(words, "ctrllimited", "ctrlrange", model)
    if law.inheritrange > 0.0 and words.attributes.get("ctrllimited") != "false":
        bounds = position.widened(law.inheritrange)
    control = 0.0 if bounds is None else float(np.clip(0.0, *bounds))
    force = _bounds(words, "forcelimited", "forcerange", model)
    effort = None if force is None else max(map(abs, force)) * abs(gear) or None
    push = law.gain[0] * control + constant + of_length * stated_gear * position.ref
    return _Pull(words, push * gear, -of_length * gear**2, -of_rate * gear**2, effort)


def _together(pulls: Sequence[_Pull], found: Actuation) -> JointDrive | None:
    """Return the drive equivalent to several actuators of a joint; their bounds add.

    A drive cannot have negative gains or an unbounded effort: such actuators are reported and left out.
    """
    stiffness, damping = sum(one.stiffness for one in pulls), sum(one.damping for one in pulls)
    if stiffness < 0.0 or damping < 0.0:
        away = [one for one in pulls if one.stiffness < 0.0 or one.damping < 0.0]
        for one in away:
            found.leave_out(one.element, "its gains make it unstable")
        return _together([one for one in pulls if one not in away], found)
    push = sum(one.push for one in pulls)
    if not stiffness and not damping:
        for one in (one for one in pulls if one.push):
            found.leave_out(one.element, "a constant push")
        found.motors += [_label(one.element) for one in pulls if not one.push]
        return None
    bounds = [one.effort for one in pulls]
    return JointDrive(
        stiffness,
        damping,
        push / stiffness if stiffness else 0.0,
        push / damping if not stiffness else 0.0,
        None if None in bounds else sum(bound for bound in bounds if bound is not None),
    )
