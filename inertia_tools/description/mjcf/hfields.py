# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The height fields of MJCF: heights in the document, in an image, or in MuJoCo's own binary form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np

from inertia_tools.description.content import content_of
from inertia_tools.description.geometry import HeightGrid, Heightmap
from inertia_tools.description.mjcf.assets import resolve_asset
from inertia_tools.description.mjcf.values import parse_numbers, vector, whole
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.png import MAGIC, read_brightness
from inertia_tools.description.source import Document
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array

HEADER = 2
"""Number of integers at the start of a binary file: its rows and its columns."""

MOST_HEIGHTS = 100_000_000
"""Maximum number of heights that a document may request."""


@dataclass(frozen=True, eq=False)
class HeightField:
    """A height field as an asset.

    Attributes:
        name: Its name.
        geometry: Its heights over z = 0, if they can be read.
        half_edges: Half edges of the box whose mass MuJoCo uses for it [m].
    """

    name: str
    geometry: Heightmap
    half_edges: tuple[float, float, float]


def read_hfields(root: Element, compiler: Compiler, document: Document) -> dict[str, HeightField]:
    """Read the height fields of all `<asset>` sections by name.

    Raises:
        ParseError: One has no name, or invalid numbers.
    """
    elements = [element for section in root.all("asset") for element in section.all("hfield")]
    fields = [_read_hfield(element, compiler, document) for element in elements]
    return {field.name: field for field in fields}


def _read_hfield(element: Element, compiler: Compiler, document: Document) -> HeightField:
    file = element.attributes.get("file", "").strip()
    name = element.attributes.get("name") or PurePath(file.replace("\\", "/")).stem
    if not name:
        raise element.error("the hfield has neither name nor file; add one")
    element.attribute("size")
    x, y, top, base = vector(element, "size", (0.0,) * 4).tolist()
    if not min(x, y, top, base) > 0.0:
        raise element.error(
            "size of <hfield> holds a number that is not positive; write half x, half y, height and depth"
        )
    path = resolve_asset(file, element, compiler, document) if file else None
    heights = _read_file(path) if path is not None else None if file else _read_elevation(element)
    grid = None if heights is None else HeightGrid(top * _normalised(heights), x, y, top)
    return HeightField(name, Heightmap(file or name, grid), (x, y, 0.25 * top + 0.5 * base))


def _read_elevation(element: Element) -> Array:
    """Return the heights in the document, shape (rows, columns), from the lowest y on; zero if it states none."""
    rows, columns = whole(element, "nrow", 0), whole(element, "ncol", 0)
    if not (min(rows, columns) >= HEADER and rows * columns <= MOST_HEIGHTS):
        raise element.error(f"<hfield> has {rows} rows and {columns} columns; write two or more of each, or a file")
    try:
        numbers = parse_numbers(element.attributes.get("elevation", ""))
    except ValueError as error:
        raise element.error("elevation of <hfield> holds a value that is not a number; write digits") from error
    if numbers and len(numbers) != rows * columns:
        raise element.error(f"elevation of <hfield> has {len(numbers)} numbers; {rows * columns} are needed")
    heights = np.array(numbers or [0.0] * (rows * columns))
    return heights.reshape(rows, columns)[::-1]


def _read_file(path: Path) -> Array | None:
    """Return the heights in a file, shape (rows, columns), from the lowest y on; None if they cannot be read."""
    try:
        data = content_of(path)
        if data.startswith(MAGIC):
            return np.asarray(read_brightness(data)[::-1], dtype=np.float64)
    except (OSError, ValueError):
        return None
    counts = np.frombuffer(data, "<i4", HEADER) if len(data) >= 4 * HEADER else np.zeros(HEADER, np.int32)
    if counts.min() < HEADER or len(data) != 4 * HEADER + 4 * int(counts[0]) * int(counts[1]):
        return None
    return np.frombuffer(data, "<f4", offset=4 * HEADER).reshape(counts.tolist()).astype(np.float64)


def _normalised(heights: Array) -> Array:
    """Scale heights to the range 0 to 1; those of a level field are 0."""
    low, high = float(heights.min()), float(heights.max())
    return (heights - low) / (high - low) if high > low else np.zeros_like(heights)
