# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which planned repairs a file can hold: finite numbers, possible tensors, and only actual changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.types import Description, Link
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.mjcf_mass.bodies import compiled
from inertia_tools.inertia.nearest import nearest_valid_tensor, relative_change
from inertia_tools.inertia.repair import Repair, nearest_reason
from inertia_tools.inertia.write_back import are_written_alike
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array


def changeable(robot: Description, links: Iterable[str] | None = None) -> frozenset[str]:
    """Return the names of the links that may be changed: not static ones, nor in SDFormat those of another file.

    Args:
        robot: The description.
        links: Names of the only links to change; all by default.

    Raises:
        UnknownLinkError: A named link does not exist.
    """
    wanted = set(robot.links if links is None else [robot.link(name).name for name in links])
    files = {robot.document.name, *(robot.mjcf.files if robot.mjcf is not None else ())}
    is_layered = robot.usd is not None  # a layer over the stage corrects prims of any of its files
    moving = [link for link in robot.links.values() if not link.is_static]
    return frozenset(wanted & {link.name for link in moving if is_layered or link.place.file in files})


def writable(robot: Description, plan: Mapping[str, Repair]) -> tuple[dict[str, Repair], list[Finding]]:
    """Return the repairs that can be written, each with a possible tensor, and findings about links left unchanged.

    Args:
        robot: The description.
        plan: Repairs by link.
    """
    finite = {name: made_possible(repair) for name, repair in plan.items() if _is_finite(repair)}
    return finite, [_left_alone(robot.links[name]) for name in plan if name not in finite]


def changing(
    robot: Description, in_force: Description, plan: Mapping[str, Repair], faulty: Collection[str]
) -> dict[str, Repair]:
    """Return the repairs that change the written digits, and have an effect after compilation.

    Args:
        robot: The description.
        in_force: The same, with the inertials in force.
        plan: Repairs by link.
        faulty: Links whose `<inertial>` has a fault that its numbers do not show; they are always written.
    """
    return {
        name: one
        for name, one in plan.items()
        if name in faulty
        or not (_is_stated(robot.links[name], one.after) or is_masked(robot, in_force.links[name], one.after))
    }


def _is_stated(link: Link, after: Inertial) -> bool:
    """Return whether a link states these numbers itself."""
    declared = link.declared
    if declared is None or declared.auto or not declared.is_stated or declared.inertial is None:
        return False
    return are_written_alike(declared.inertial, after)


def is_masked(robot: Description, in_force: Link, after: Inertial) -> bool:
    """Return whether compiler bounds would leave a link its inertial in force if the file stated these numbers."""
    if robot.mjcf is None or in_force.inertial is None:
        return False
    made = compiled(after, robot.mjcf.compiler_of(in_force.name), in_force)
    return made is not after and are_written_alike(in_force.inertial, made)


def made_possible(repair: Repair) -> Repair:
    """Give a repair the nearest possible tensor, unless the user requested these exact numbers.

    The numbers from before a mistake, or at another mass, have the rounding errors of the declared ones.

    Args:
        repair: A repair with finite numbers.
    """
    tensor = repair.after.inertia
    if repair.is_asked or "tensor" not in repair.parts:
        return repair
    if not tensor.any():  # no body has it, and it has no nearest one
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
    message = "the corrected numbers would not be finite, so the link is unchanged; state a usual mass and origin"
    place = link.place if link.declared is None else link.declared.place
    return Finding.at(Severity.ERROR, "non-finite", link.name, message, place)
