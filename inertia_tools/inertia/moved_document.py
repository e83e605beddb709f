# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Files that a document names relative to its folder, and that a copy of it in another folder does not find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from inertia_tools.description.geometry import Mesh
from inertia_tools.description.load import read_document
from inertia_tools.description.types import Description
from inertia_tools.errors import ParseError


def lost_files(robot: Description, target: Path) -> list[str]:
    """Return the meshes that are not found if the document is stored at a place, or why it cannot be read there.

    Args:
        robot: The description. A layer over a stage finds its stage anywhere, and so it loses no file.
        target: The place.
    """
    document = robot.document
    if document.path is None or robot.usd is not None or target.resolve().parent == document.path.resolve().parent:
        return []
    try:
        moved = read_document(replace(document, name=str(target), path=target.resolve()), robot.format)
    except ParseError as error:
        return [error.reason]
    known = set(_missing(robot))
    return [name for name in dict.fromkeys(_missing(moved)) if name not in known]


def _missing(robot: Description) -> Iterator[str]:
    for link in robot.links.values():
        for shape in link.shapes:
            if isinstance(shape.geometry, Mesh) and shape.geometry.path is None and shape.geometry.inline is None:
                yield shape.geometry.uri
    yield from (remark.message for remark in robot.missing_models)
