# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a file can hold of planned repairs: finite numbers, tensors that a body can have, and none that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.types import Description, Link
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.nearest import nearest_valid_tensor, relative_change
from inertia_tools.inertia.repair import Repair, nearest_reason
from inertia_tools.inertia.write_back import size_of
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array
from inertia_tools.write.decimals import DIGITS

LAST_DIGIT = 10.0**-DIGITS
"""Numbers that differ by less than this ratio are written alike."""


def writable(robot: Description, plan: Mapping[str, Repair]) -> tuple[dict[str, Repair], list[Finding]]:
    """Return the repairs that can be written, each with a possible tensor, and findings about links left alone.

    Args:
        robot: The description.
        plan: Repairs by link.
    """
    finite = {name: made_possible(repair) for name, repair in plan.items() if _is_finite(repair)}
    return finite, [_left_alone(robot.links[name]) for name in plan if name not in finite]


def changing(robot: Description, plan: Mapping[str, Repair], faulty: Collection[str]) -> dict[str, Repair]:
    """Return the repairs without those that come to what the file states already, in the digits that are written.

    Args:
        robot: The description.
        plan: Repairs by link.
        faulty: Links whose `<inertial>` is wrong in a way that its numbers do not show; they are written all the same.
    """
    return {
        name: one for name, one in plan.items() if name in faulty or not _is_stated(robot.links[name], one.after)
    }


def _is_stated(link: Link, after: Inertial) -> bool:
    """Tell whether a link states these numbers itself."""
    declared = link.declared
    if declared is None or declared.auto or not declared.is_stated or declared.inertial is None:
        return False
    return are_written_alike(declared.inertial, after)


def are_written_alike(before: Inertial, after: Inertial) -> bool:
    """Tell whether two inertials are the same to the last digit that is written."""
    pairs = (before.mass, after.mass), (before.inertia, after.inertia)
    is_same = all(np.abs(np.subtract(new, old)).max() <= LAST_DIGIT * np.abs(new).max() for old, new in pairs)
    return is_same and bool(np.abs(after.com - before.com).max() <= LAST_DIGIT * size_of(after))


def made_possible(repair: Repair) -> Repair:
    """Give a repair the nearest tensor that a body can have, unless the user asked for these very numbers.

    The numbers before a mistake, or at another mass, are off by as much as the declared ones were rounded.

    Args:
        repair: A repair with finite numbers.
    """
    tensor = repair.after.inertia
    if repair.is_asked or "tensor" not in repair.parts:
        return repair
    if not tensor.any():  # no body has it, and none is the nearest
        return replace(repair, parts=repair.parts - {"tensor"})
    nearest = nearest_valid_tensor(tensor)
    if nearest is tensor:
        return repair
    after = Inertial(repair.after.mass, repair.after.com, nearest)
    return replace(repair, after=after, reason=f"{repair.reason}; {nearest_reason(relative_change(tensor, nearest))}")


def _is_finite(repair: Repair) -> bool:
    after = repair.after
    values: dict[str, float | Array] = {"mass": after.mass, "com": after.com, "tensor": after.inertia}
    return all(bool(np.isfinite(values[part]).all()) for part in repair.parts)


def _left_alone(link: Link) -> Finding:
    message = "the corrected numbers would not be finite, so the link stays as it is; state a usual mass and origin"
    place = link.place if link.declared is None else link.declared.place
    return Finding.at(Severity.ERROR, "non-finite", link.name, message, place)
