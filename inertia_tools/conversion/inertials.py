# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Inertials by rule for links without a usable one.

The rule is that of `fix`: from geometry, at the stated mass if there is one; else a solid sphere of that mass; else a
thousandth of the mass of the lighter neighbour. Complete stated inertials are kept.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.types import DeclaredInertial, Description, Format, JointType, Link
from inertia_tools.inertia.compute import WATER, compute_link
from inertia_tools.inertia.nearest import nearest_valid_tensor
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.repair import (
    Repair,
    lighter_neighbours,
    mass_in_force,
    repair_from_neighbour,
    repair_link,
    usable_mass,
)
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose

PARAMS = AutoInertiaParams(may_load_warp=False)
"""Integration parameters here: without voxels, which take longer than all the rest."""

ROUNDING = 1e-13
"""Violation of the triangle inequality by rounding of eigenvalues, as a ratio of the largest moment."""


def complete_stated(robot: Description, account: Account) -> Description:
    """Complete the inertials that state only a mass, so that lumping does not lose that mass."""
    wanted = [link for link in robot.links.values() if usable_mass(link) is not None and not _has_numbers(link)]
    return _with_repairs(robot, [one for link in wanted if (one := _from_own(link)) is not None], account)


def with_inertials(robot: Description, target: Format, account: Account) -> Description:
    """Give an inertial to every link that needs one in the target and has no usable one.

    SDFormat gives 1 kg to a link without an inertial, so there every link needs one; in USD, links that would get the
    mass of their collisions; in other formats, movable links without mass in the links welded to them.
    """
    wanted = [link for link in robot.links.values() if not _is_usable(link) and _needs_one(robot, link, target)]
    own = {link.name: _from_own(link) for link in wanted}
    masses = {name: mass for name, link in robot.links.items() if (mass := mass_in_force(link)) is not None}
    masses = {name: mass for name, mass in masses.items() if name not in own}
    masses |= {name: repair.after.mass for name, repair in own.items() if repair is not None}
    near = lighter_neighbours(robot, masses) if None in own.values() else {}
    repairs = [own[link.name] or repair_from_neighbour(link, near.get(link.name), masses) for link in wanted]
    return _with_repairs(robot, repairs, account)


def made_possible(robot: Description, account: Account) -> Description:
    """Make tensors possible that are not so by rounding, as readers demand, and all those of static links.

    No correction changes the inertial of a static link, which has no effect; but readers refuse an impossible one.
    """
    links = {name: _possible(link, account) for name, link in robot.links.items()}
    return replace(robot, links=links)


def note_refused(robot: Description, account: Account) -> None:
    """Note the links whose inertial no reader of the target accepts."""
    for link in robot.links.values():
        inertial = link.inertial
        if inertial is None or _is_possible(inertial) or _is_nothing(inertial):
            continue
        message = "no body can have this inertial; correct it (--fix, or fix the source)"
        account.note(Kind.REFUSED, link.name, message, link.place)


def _possible(link: Link, account: Account) -> Link:
    inertial, declared = link.inertial, link.declared
    if inertial is None or declared is None or not inertial.is_finite() or _is_possible(inertial):
        return link
    if not (inertial.mass > 0.0 and inertial.inertia.any() and (link.is_static or inertial.is_valid(tolerance=0.01))):
        return link
    tensor = nearest_valid_tensor(inertial.inertia)
    change = float(np.linalg.norm(tensor - inertial.inertia, 2) / np.linalg.norm(inertial.inertia, 2))
    message = f"no body can have exactly this tensor; it changes by {change:.1e} to the nearest valid one"
    account.note(Kind.CHANGED, link.name, message, declared.place)
    return replace(link, declared=_stated(link, Inertial(inertial.mass, inertial.com, tensor)))


def _is_possible(inertial: Inertial) -> bool:
    return inertial.is_finite() and inertial.mass > 0.0 and inertial.is_valid(tolerance=ROUNDING)


def _is_nothing(inertial: Inertial) -> bool:
    """Return whether all of it is zero, as for frames welded to something."""
    return inertial.mass == 0.0 and not inertial.inertia.any()


def _has_numbers(link: Link) -> bool:
    """Return whether mass, centre and tensor are all stated and finite, valid or not."""
    return link.inertial is not None and link.inertial.is_finite()


def _is_usable(link: Link) -> bool:
    return _has_numbers(link) and link.inertial is not None and link.inertial.mass > 0.0


def _needs_one(robot: Description, link: Link, target: Format) -> bool:
    if target is Format.SDF or _is_moved(robot, link):
        return True
    return target is Format.USD and bool(link.collisions) and not link.is_static


def _is_moved(robot: Description, link: Link) -> bool:
    """Return whether a link is movable, and all links welded to it have no mass."""
    joint = robot.parent_joint.get(link.name)
    if link.is_static or (joint is not None and joint.type is JointType.FIXED):
        return False
    welded = [link.name]
    for name in welded:
        welded += [joint.child for joint in robot.child_joints[name] if joint.type is JointType.FIXED]
    return not any(_is_usable(robot.links[name]) for name in welded)


def _from_own(link: Link) -> Repair | None:
    """Return an inertial from the link's own properties; None if they give none."""
    computed = compute_link(link, density=WATER, params=PARAMS)
    return repair_link(link, ("missing-inertial",), computed, usable_mass(link))


def _with_repairs(robot: Description, repairs: list[Repair], account: Account) -> Description:
    """Return the description with the repairs declared, and note them."""
    links = dict(robot.links)
    for repair in repairs:
        link = links[repair.link]
        message = f"no usable inertial is stated; {repair.reason} ({repair.after.mass:.6g} kg)"
        account.note(Kind.ASSUMED, link.name, message, link.place)
        links[link.name] = replace(link, declared=_stated(link, repair.after))
    return replace(robot, links=links)


def _stated(link: Link, inertial: Inertial) -> DeclaredInertial:
    place = link.place if link.declared is None else link.declared.place
    added_mass = None if link.declared is None else link.declared.added_mass
    return DeclaredInertial(inertial.mass, Pose(inertial.com), inertial.inertia, place, added_mass=added_mass)
