# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing the automatic inertials of SDFormat into documents that request them."""

from __future__ import annotations

from dataclasses import replace

from inertia_tools.description.load import read_document
from inertia_tools.description.types import Description
from inertia_tools.geometry.mesh.batch import Progress
from inertia_tools.inertia.effective import effective
from inertia_tools.inertia.format_rules import rewritten
from inertia_tools.inertia.given import require_description
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.sdf_mass import UNRESOLVED
from inertia_tools.inertia.write_back import full_edit


def save_automatic(
    robot: Description,
    *,
    clear_auto: bool = False,
    params: AutoInertiaParams | None = None,
    progress: Progress | None = None,
) -> Description:
    """Compute the automatic inertials of an SDFormat document and write them into it.

    A mass that the file states is kept; otherwise the computed one is written. Links of static models and of included
    files stay unchanged, and so do links whose inertial cannot be computed.

    Args:
        robot: The description.
        clear_auto: Also set `auto` to false, so that the written numbers count; otherwise the next reader computes them
            again, with the same result.
        params: How shapes are integrated where the file does not say.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Returns:
        The description read from the new document, or the same one if nothing had to be written.

    Raises:
        InertiaError: A tensor is not one that a body can have.
    """
    require_description(robot)
    edits = {}
    for name, found in effective(robot, params=params, progress=progress).items():
        link = robot.links[name]
        inertial = None if found.value is None else found.value.inertial
        is_wanted = link.declared is not None and link.declared.auto and not link.is_static
        if not is_wanted or inertial is None or not inertial.is_valid():
            continue
        if any(finding.code in UNRESOLVED for finding in found.findings):
            continue
        assert link.declared is not None
        is_given = "mass" not in link.declared.defaulted
        edits[name] = replace(full_edit(inertial, keeps_mass=is_given), clear_auto=clear_auto)
    document = rewritten(robot, edits)
    return robot if document is robot.document else read_document(document, robot.format)
