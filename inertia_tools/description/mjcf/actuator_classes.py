# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes that MJCF actuators inherit from their classes.

A class has one actuator, whatever tags it contains, and every tag states a part of its force law. Attributes common to
all tags, such as gear and ranges, are inherited whatever the actuator's own tag. The law is inherited from the
innermost class whose law was last stated by the actuator's own tag, or as `<general>`; if all classes have other tags,
it is not inherited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inertia_tools.description.mjcf.defaults import MAIN, Defaults, over
from inertia_tools.description.mjcf.values import first_number, up_to
from inertia_tools.description.xml import Element

NUMBERS = 10
"""Numbers that gain, bias and dynamics have."""

COMMON = frozenset(
    {
        "actdim", "actearly", "actlimited", "actrange", "armature", "cranklength", "ctrllimited", "ctrlrange",
        "damping", "delay", "forcelimited", "forcerange", "gear", "group", "interp", "lengthrange", "nsample", "user",
    }
)  # fmt: skip
"""Attributes that a class of any tag passes to actuators of all tags."""

GENERAL = "general"
FIRST = (1.0, *(0.0,) * (NUMBERS - 1))


@dataclass(frozen=True)
class ActuatorLaw:
    """The force law of an actuator: gain * control + bias . (1, length, rate), if its types are fixed and affine.

    Attributes:
        tag: The tag that stated it last.
        gain: Numbers of its gain.
        bias: Numbers of its bias; a positive third one is a damping ratio if the second is the negative gain.
        dynamics: Numbers of its activation.
        dyntype: Word for its activation.
        gaintype: Word for its gain; a tag that is not read any further.
        biastype: Word for its bias.
        inheritrange: Ratio of its control range to that of its joint, about the middle; 0 if it has its own.
    """

    tag: str = GENERAL
    gain: tuple[float, ...] = FIRST
    bias: tuple[float, ...] = (0.0,) * NUMBERS
    dynamics: tuple[float, ...] = FIRST
    dyntype: str = "none"
    gaintype: str = "fixed"
    biastype: str = "none"
    inheritrange: float = 0.0

    @property
    def has_damping_ratio(self) -> bool:
        """Whether the third number of the bias is a damping ratio."""
        is_servo = self.gaintype == "fixed" and self.biastype == "affine" and self.gain[0] == -self.bias[1]
        return is_servo and self.bias[2] > 0.0


def with_class(element: Element, defaults: Defaults) -> tuple[ActuatorLaw, Element]:
    """Return the law of an actuator, and the actuator with the attributes of its class.

    Raises:
        ParseError: The class is unknown, or a number cannot be read.
    """
    name = element.attributes.get("class", MAIN)
    defaults.require(name, element)
    laws: list[ActuatorLaw] = []
    common: dict[str, str] = {}
    for level in defaults.levels[name]:
        law = laws[-1] if laws else ActuatorLaw()
        for words in (one for one in level if one.tag in READ or one.tag in FOREIGN):
            law = _after(law, words, laws)
            common = over(common, {key: text for key, text in words.attributes.items() if key in COMMON})
        laws.append(law)
    law = _after(laws[-1], element, laws[:-1])
    if element.tag in READ:
        own = {key: text for key, text in element.attributes.items() if key not in OF_LAW} | dict(_words(law))
    else:
        own = over(defaults.classes[name].get(element.tag, {}), element.attributes)
    return law, element.with_attributes(over(common, own))


def _after(law: ActuatorLaw, element: Element, outer: Sequence[ActuatorLaw]) -> ActuatorLaw:
    """Return a law after applying an element.

    Args:
        law: The law so far.
        element: The element.
        outer: Laws of the enclosing classes, the outermost first.
    """
    if element.tag != GENERAL:
        theirs = (one for one in (law, *reversed(outer)) if one.tag in (element.tag, GENERAL))
        law = next(theirs, ActuatorLaw())
    return replace(READ.get(element.tag, _foreign)(law, element), tag=element.tag)


def _general(law: ActuatorLaw, element: Element) -> ActuatorLaw:
    words = element.attributes
    return ActuatorLaw(
        gain=_filled(element, "gainprm", law.gain),
        bias=_filled(element, "biasprm", law.bias),
        dynamics=_filled(element, "dynprm", law.dynamics),
        dyntype=words.get("dyntype", law.dyntype),
        gaintype=words.get("gaintype", law.gaintype),
        biastype=words.get("biastype", law.biastype),
        inheritrange=first_number(element, "inheritrange", law.inheritrange),
    )


def _servo(law: ActuatorLaw, element: Element) -> ActuatorLaw:
    gain, rate = first_number(element, "kp", law.gain[0]), law.bias[2]
    if "dampratio" in element.attributes:
        rate = first_number(element, "dampratio", 0.0)
    if "kv" in element.attributes:
        rate = -first_number(element, "kv", 0.0)
    inherits = 0.0 if "ctrlrange" in element.attributes else law.inheritrange
    return ActuatorLaw(
        gain=_padded(gain),
        bias=_padded(0.0, -gain, rate),
        biastype="affine",
        inheritrange=first_number(element, "inheritrange", inherits),
    )


def _position(law: ActuatorLaw, element: Element) -> ActuatorLaw:
    servo = _servo(law, element)
    lag = first_number(element, "timeconst", law.dynamics[0] if law.dyntype == "filterexact" else 0.0)
    return replace(servo, dynamics=_padded(lag), dyntype="filterexact") if lag > 0.0 else servo


def _integrated(law: ActuatorLaw, element: Element) -> ActuatorLaw:
    return replace(_servo(law, element), dyntype="integrator")


def _velocity(law: ActuatorLaw, element: Element) -> ActuatorLaw:
    gain = first_number(element, "kv", law.gain[0])
    return ActuatorLaw(gain=_padded(gain), bias=_padded(0.0, 0.0, -gain), biastype="affine")


def _motor(_law: ActuatorLaw, _element: Element) -> ActuatorLaw:
    return ActuatorLaw()


def _foreign(_law: ActuatorLaw, element: Element) -> ActuatorLaw:
    return ActuatorLaw(gaintype=element.tag)


FOREIGN = ("damper", "cylinder", "muscle", "adhesion", "dcmotor")
"""Tags whose laws are not supported; a class with such a tag has another law than supported actuators."""

READ: Mapping[str, Callable[[ActuatorLaw, Element], ActuatorLaw]] = {
    GENERAL: _general,
    "motor": _motor,
    "position": _position,
    "velocity": _velocity,
    "intvelocity": _integrated,
}
"""The effect of each tag on a law."""

OF_LAW = frozenset(
    {
        "gainprm", "biasprm", "dynprm", "dyntype", "gaintype", "biastype", "kp", "kv", "dampratio", "timeconst",
        "inheritrange",
    }
)  # fmt: skip
"""Attributes that state the law."""


def _words(law: ActuatorLaw) -> Iterator[tuple[str, str]]:
    """Iterate over the attributes by which a law's tag states it."""
    numbers: dict[str, tuple[float, ...]] = {}
    match law.tag:
        case "position" | "intvelocity":
            rate = law.bias[2]
            numbers = {"kp": law.gain[:1], "dampratio" if rate > 0.0 else "kv": (abs(rate),)}
            if law.dyntype == "filterexact":
                numbers["timeconst"] = law.dynamics[:1]
        case "velocity":
            numbers = {"kv": law.gain[:1]}
        case "general":
            numbers = {"gainprm": law.gain, "biasprm": law.bias, "dynprm": law.dynamics}
            yield from {"dyntype": law.dyntype, "gaintype": law.gaintype, "biastype": law.biastype}.items()
    if law.inheritrange:
        numbers["inheritrange"] = (law.inheritrange,)
    for name, values in numbers.items():
        yield name, " ".join(map(repr, values))


def _filled(element: Element, name: str, of_class: tuple[float, ...]) -> tuple[float, ...]:
    """Return the numbers of an attribute; missing ones are those of the class."""
    stated = up_to(element, name, NUMBERS)
    return (*stated, *of_class[len(stated) :])


def _padded(*numbers: float) -> tuple[float, ...]:
    return (*numbers, *(0.0,) * (NUMBERS - len(numbers)))
