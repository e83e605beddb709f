# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Documents that MuJoCo refuses: mistakes that would change the motion are errors, others are warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from inertia_tools.description.mjcf.refusals import Refusals, refusals
from inertia_tools.description.mjcf_bodies import REFUSES
from inertia_tools.description.types import WORLD, Description, JointType, Remark
from inertia_tools.errors import ParseError
from inertia_tools.sim.scene.notices import SceneWarning

TO_CALLER_OF_IMPORTER = 4
"""Frames between a warning and whoever calls the builder."""


def refuse_or_name(robot: Description, *, ignores_inertials: bool, can_be_read_again: bool) -> None:
    """Refuse a document with errors that change its motion; warn of others that MuJoCo refuses or ignores.

    Args:
        robot: The whole document.
        ignores_inertials: Whether `<inertial>` is ignored.
        can_be_read_again: Whether its files exist; else its words and names are not checked.

    Raises:
        ParseError: A range is ignored or descends, an equality or an actuator refers to an unknown element,
            or a moving body has no `<inertial>` and its geoms are excluded from its mass.
    """
    found = refusals(robot) if can_be_read_again else Refusals()
    wrong = [*(remark for remark in robot.remarks if remark.code == REFUSES), *found.of_motion]
    if not ignores_inertials:
        wrong += _without_inertial(robot)
    for remark in wrong:
        raise ParseError(remark.message, remark.place.file, remark.place.line)
    for remark in (*robot.remarks, *found.besides):
        if remark.level != "info":
            warnings.warn(f"{remark.place}: {remark.message}", SceneWarning, stacklevel=TO_CALLER_OF_IMPORTER)


def _without_inertial(robot: Description) -> Iterator[Remark]:
    """Return the moving bodies that have neither an `<inertial>` nor geoms with mass, with welded bodies included."""
    for joint in robot.joints.values():
        if joint.type is JointType.FIXED or joint.child == WORLD or _may_have_mass(robot, joint.child):
            continue
        link = robot.links[joint.child]
        message = (
            f"body {link.name!r} moves and requires an <inertial> element, as inertiafromgeom='false' ignores its "
            "geoms; write one, or inertiafromgeom='auto'"
        )
        yield Remark("error", REFUSES, link.name, message, link.place)


def _may_have_mass(robot: Description, body: str) -> bool:
    """Return whether a body, or one that is welded to it, states an inertial or may take mass from its geoms."""
    assert robot.mjcf is not None
    welded = [body]
    for name in welded:
        if robot.links[name].declared is not None or robot.mjcf.compiler_of(name).inertiafromgeom != "false":
            return True
        welded += [joint.child for joint in robot.child_joints[name] if joint.type is JointType.FIXED]
    return False
