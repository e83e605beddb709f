# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a joint's hardware, from the description."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from inertia_tools.description.types import Joint
from inertia_tools.sim.named_joints import NamedJoints


@dataclass(frozen=True)
class JointLimits:
    """Limits of a joint with one coordinate; infinite if the description states none.

    Attributes:
        lower: Minimum position [rad or m].
        upper: Maximum position [rad or m].
        velocity: Maximum speed [rad/s or m/s].
        effort: Maximum effort of its drive [N m or N].
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


def stated_limits(described: Mapping[str, Joint], joints: NamedJoints) -> Mapping[str, JointLimits]:
    """Return the limits of all joints with one coordinate, by name.

    `described` has the joints of the descriptions, by the same names.

    A limit of effort or velocity of zero or less means no limit: exporters write zero for unknown values, and a joint
    that can neither move nor hold would be a fixed one.
    """
    found = {}
    for name in joints.names:
        made, joint = joints.freedoms[name].config, described.get(name)
        stated = None if joint is None else joint.limit
        efforts = [] if stated is None else [stated.effort]
        if joint is not None and joint.drive is not None:
            efforts.append(joint.drive.effort)
        found[name] = JointLimits(
            lower=float(made.limit_lower),
            upper=float(made.limit_upper),
            velocity=_tightest([None if stated is None else stated.velocity]),
            effort=_tightest(efforts),
        )
    return found


def _tightest(bounds: list[float | None]) -> float:
    return min((float(bound) for bound in bounds if bound is not None and bound > 0.0), default=math.inf)
