# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints whose effort limit is below the load that they carry at rest."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.diagnosis.limit_reasons import NOISE
from inertia_tools.diagnosis.reason import Reason, reason_at, score_beyond
from inertia_tools.inertia.finding import Severity
from inertia_tools.sim.settle import FORCE_TOLERANCE, SettleResult


def effort_reasons(robot: Description, rest: SettleResult) -> Iterator[Reason]:
    """Compare the efforts that hold the joints of a robot at rest with the limits of the file.

    Joints that their load presses against the end of their range are left out, since the stop carries it, and so are
    joints with springs, followers of others, and joints that no drive can move.

    Args:
        robot: The description.
        rest: A settle test at whose end the robot is at rest, with efforts.
    """
    efforts = rest.samples[-1].efforts
    for joint in (one for first in robot.joints.values() for one in first.row):
        limit, effort = _limit(joint), efforts.get(joint.name, 0.0)
        if limit is None or not limit > 0.0 or joint.stiffness > 0.0 or joint.mimic is not None:
            continue
        holds = limit + joint.friction
        position = rest.end.joint_positions.get(joint.name, 0.0)
        if abs(effort) > (1.0 + FORCE_TOLERANCE) * holds and not _is_on_a_stop(joint, position, effort):
            yield _too_weak(joint, abs(effort), holds)


def _limit(joint: Joint) -> float | None:
    """Return the largest effort of the drive of a joint [N m or N]; None for no bound."""
    of_drive = None if joint.drive is None else joint.drive.effort
    bounds = [bound for bound in (joint.limit.effort, of_drive) if bound is not None]
    return min(bounds, default=None)


def _is_on_a_stop(joint: Joint, position: float, effort: float) -> bool:
    """Return whether a joint is at the end of its range towards which its load presses, against the holding effort."""
    end = joint.limit.lower if effort > 0.0 else joint.limit.upper
    if end is None:
        return False
    return position <= end + NOISE if effort > 0.0 else position >= end - NOISE


def _too_weak(joint: Joint, effort: float, limit: float) -> Reason:
    unit = "N" if joint.type is JointType.PRISMATIC else "N m"
    message = (
        f"holding it at rest takes {effort:.3g} {unit}, and its effort limit is {limit:.3g}: under this load the "
        "joint gives way"
    )
    return reason_at(
        joint.place,
        Severity.WARNING,
        "effort-exceeds-limit",
        message,
        f"raise the effort limit to what the motor delivers, above {effort:.3g}, or start in a pose with smaller loads",
        score=score_beyond(effort, limit),
        joint=joint.name,
        value=effort,
        bound=limit,
    )
