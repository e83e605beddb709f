# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Fixed tendons of MJCF as transmissions: their length is a weighted sum of joint positions.

A tendon over joints that follow one another is as good as a gear on their leader. Grippers are often driven so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inertia_tools.description.joint import JointMimic
from inertia_tools.description.kinematics import led_by_first
from inertia_tools.description.mjcf.bodies import Surroundings
from inertia_tools.description.mjcf.joints import DocumentPosition
from inertia_tools.description.mjcf.values import first_number

FixedTendon = tuple[tuple[str, float], ...]
"""Names and coefficients of the joints of a tendon."""


@dataclass(frozen=True)
class Transmission:
    """The length of a joint or tendon as a function of the position of one joint, which it pulls.

    Attributes:
        joint: Name of the joint.
        ratio: Length per position, counted from the document's pose.
        position: How the document counts the length.
    """

    joint: str
    ratio: float
    position: DocumentPosition


def fixed_tendons(models: Iterable[Surroundings], copies: Mapping[str, Sequence[str]]) -> dict[str, FixedTendon]:
    """Return the fixed tendons by name, without those over joints that have several copies or none.

    Args:
        models: Context of each model, the main one first.
        copies: Names of the copies of a joint, by its name in the text.

    Raises:
        ParseError: A number cannot be read.
    """
    found = {}
    for model in models:
        for element in (one for section in model.part.root.all("tendon") for one in section.all("fixed")):
            over = [(copies.get(model.named(one, "joint"), ()), one) for one in element.all("joint")]
            if over and all(len(names) == 1 for names, _ in over):
                joints = tuple((names[0], first_number(one, "coef", 1.0)) for names, one in over)
                found[model.named(element)] = joints
    return found


def tendon_transmissions(
    tendons: Mapping[str, FixedTendon], positions: Mapping[str, DocumentPosition], mimics: Mapping[str, JointMimic]
) -> dict[str, Transmission]:
    """Return the tendons whose joints all follow one joint, as transmissions to that joint, by name.

    Args:
        tendons: Fixed tendons by name.
        positions: How the document counts the positions of each joint.
        mimics: How joints follow others, by the follower's name.
    """
    led, found = led_by_first(mimics), {}
    for name, tendon in tendons.items():
        parts = [(coefficient, led.get(joint, JointMimic(joint))) for joint, coefficient in tendon]
        leaders = {mimic.joint for _, mimic in parts}
        ratio = sum(coefficient * mimic.multiplier for coefficient, mimic in parts)
        if len(leaders) == 1 and ratio != 0.0:
            at_zero = sum(coefficient * positions[joint].ref for joint, coefficient in tendon)
            at_zero += sum(coefficient * mimic.offset for coefficient, mimic in parts)
            found[name] = Transmission(leaders.pop(), ratio, DocumentPosition(at_zero))
    return found
