# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing repairs into a document with the smallest edits, and reading it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.load import read_document
from inertia_tools.description.types import DeclaredInertial, Description, Link
from inertia_tools.description.urdf_parser import parse_with_urdf_parser
from inertia_tools.errors import MissingDependencyError, ParseError, WriteError
from inertia_tools.inertia.format_rules import rewritten
from inertia_tools.inertia.repair import Repair
from inertia_tools.inertia.write_back import full_edit, size_of
from inertia_tools.inertial import rotate_tensor
from inertia_tools.write.edit import InertialEdit


def repaired(robot: Description, in_force: Description, changes: Mapping[str, Repair]) -> Description:
    """Write the repairs into the document and read it again.

    Args:
        robot: The description.
        in_force: The same, with the inertials in force.
        changes: The repairs, by link.

    Raises:
        WriteError: urdf-parser-py reads the document as it was, but not the new one.
    """
    edits = {name: _edit(robot, in_force.links[name], repair) for name, repair in changes.items()}
    document = rewritten(robot, edits)
    if document is robot.document:
        return robot
    corrected = read_document(document, robot.format)
    if robot.format.traits.is_urdf:
        _ask_second_opinion(robot, corrected)
    return corrected


def _edit(robot: Description, in_force: Link, repair: Repair) -> InertialEdit:
    """Return the smallest edit that makes a repair."""
    after, declared, effective = repair.after, robot.links[in_force.name].declared, in_force.declared
    if robot.usd is not None or (declared is None and robot.mjcf is not None):
        return replace(full_edit(after, keeps_mass=False), is_as_given=repair.is_asked)
    is_auto = declared is not None and declared.auto
    is_computed = is_auto and declared is not None and "mass" in declared.defaulted
    keeps_mass = not is_computed and declared is not None and declared.mass == after.mass
    if effective is not None and ("tensor" not in repair.parts or (repair.keeps_axes and not is_auto)):
        return _partial_edit(effective, repair, keeps_mass=keeps_mass)
    return replace(full_edit(after, keeps_mass=keeps_mass), clear_auto=is_auto, is_as_given=repair.is_asked)


def _partial_edit(effective: DeclaredInertial, repair: Repair, *, keeps_mass: bool) -> InertialEdit:
    """Return the edit of a repair that keeps the axes of the declared inertial frame."""
    after, pose = repair.after, effective.pose_link_inertial
    moves = "com" in repair.parts and not np.array_equal(pose.position, after.com)
    return InertialEdit(
        rotate_tensor(pose.rotation.T, after.inertia) if "tensor" in repair.parts else None,
        None if keeps_mass else after.mass,
        after.com if moves else None,
        size_of(after),
        keeps_axes=True,
        is_as_given=repair.is_asked,
    )


def _ask_second_opinion(robot: Description, corrected: Description) -> None:
    """Read the new document with urdf-parser-py; a document that it could not read before is not checked.

    Raises:
        WriteError: It reads the document as it was, but not the new one.
    """
    try:
        parse_with_urdf_parser(corrected.document.data, corrected.document.name)
    except MissingDependencyError:
        return
    except ParseError as refusal:
        try:
            parse_with_urdf_parser(robot.document.data, robot.document.name)
        except ParseError:
            return
        raise WriteError(f"the corrected document was not written: {refusal}") from refusal
