# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The files from which a description was read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inertia_tools.description.geometry import Mesh
from inertia_tools.description.types import Description


def files_of(robot: Description) -> Iterator[Path]:
    """Iterate over the files of a description: its own, those that it includes, its meshes and layers.

    A file may occur several times, and may have been moved since.
    """
    if robot.document.path is not None:
        yield robot.document.path
    if robot.mjcf is not None:
        yield from map(Path, robot.mjcf.files)
    if robot.usd is not None:
        yield from (Path(layer.realPath) for layer in robot.usd.stage.GetUsedLayers() if layer.realPath)
    yield from {Path(origin.file) for origin in robot.document.origins.values()}
    for link in robot.links.values():
        if not link.place.file.startswith("<"):
            yield Path(link.place.file)
        for shape in link.shapes:
            if isinstance(shape.geometry, Mesh) and shape.geometry.path is not None:
                yield Path(shape.geometry.path)
