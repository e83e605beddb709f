# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Opening stages, and the units that they state."""

from __future__ import annotations

import re
from typing import Any

from inertia_tools.description.source import Document
from inertia_tools.description.staged import Units
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import ParseError

MAGIC = (b"#usda", b"PXR-USDC", b"PK\x03\x04")
"""How the files begin: text, binary, and a package of both."""

FAULT = re.compile(r"'(?:[^':]*[:])?[^':]*?:?(\d+):(\d+): (.*?)'$", re.MULTILINE | re.DOTALL)
"""Line, column and reason in a message of OpenUSD's parser."""


def is_usd(data: bytes) -> bool:
    """Tell whether content is that of a USD layer or package."""
    return data.startswith(MAGIC)


def open_stage(document: Document) -> Any:
    """Open the stage of a document, with what changed on disk since it was last read.

    Raises:
        MissingDependencyError: usd-core is not installed.
        ParseError: The stage cannot be opened.
    """
    lib = pxr()
    try:
        if _is_on_disk(document):
            stage = lib.Usd.Stage.Open(str(document.path))
            stage.Reload()
            return stage
        layer = lib.Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(document.data.decode("utf-8", errors="replace"))
        if document.path is not None:
            folder = document.path.resolve().parent
            layer.subLayerPaths[:] = [str(folder / path) for path in layer.subLayerPaths]
        return lib.Usd.Stage.Open(layer)
    except lib.Tf.ErrorException as error:
        raise _refusal(document, str(error)) from error


def _is_on_disk(document: Document) -> bool:
    """Tell whether a document is what its file holds; otherwise it is text, such as a layer over that file."""
    path = document.path
    return path is not None and path.is_file() and path.read_bytes() == document.data


def _refusal(document: Document, said: str) -> ParseError:
    """Find the line and the reason in what OpenUSD says."""
    found = FAULT.search(said)
    if found is None:
        reasons = re.findall(r"'([^']+)'\s*$", said, re.MULTILINE)
        return ParseError(f"OpenUSD refuses it: {reasons[-1] if reasons else said.strip()}", document.name)
    return ParseError(f"OpenUSD refuses it: {found[3].strip()}", document.name, int(found[1]))


def units_of(stage: Any) -> Units:
    """Return the units of a stage; metres, where it does not state them.

    OpenUSD's own default is the centimetre. Robots are written in metres, and so is what has no unit by the custom of
    simulators; the reader says so.
    """
    lib = pxr()
    is_stated = lib.UsdGeom.StageHasAuthoredMetersPerUnit(stage)
    return Units(
        metre=float(lib.UsdGeom.GetStageMetersPerUnit(stage)) if is_stated else 1.0,
        kilogram=float(lib.UsdPhysics.GetStageKilogramsPerUnit(stage)),
        up_axis=str(lib.UsdGeom.GetStageUpAxis(stage)),
        is_assumed=not is_stated,
    )
