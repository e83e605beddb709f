# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Opening stages, and reading their units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inertia_tools.description.source import Document
from inertia_tools.description.usd.crate import refuse_damaged_crates
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.reach import reached, refuse_out_of_reach
from inertia_tools.description.usd_bodies import Units
from inertia_tools.errors import ParseError

FAULT = re.compile(r"'(?:[^':]*[:])?[^':]*?:?(\d+):(\d+): (.*?)'$", re.MULTILINE | re.DOTALL)
"""Line, column and reason in a message of OpenUSD's parser."""


SMALLEST_UNIT, LARGEST_UNIT = 1e-12, 1e12
"""Units of length and mass [m, kg] out of this range are refused, as their fifth power would overflow."""

TEXT_BEGINNING = b"#usda"

UP_AXES = ("X", "Y", "Z")


def open_stage(document: Document) -> Any:
    """Open the stage of a document, including changes on disk since it was last read.

    Raises:
        MissingDependencyError: usd-core is not installed.
        ParseError: The stage cannot be opened.
    """
    with refusing(document):
        return _opened(pxr(), document)


@contextmanager
def refusing(document: Document) -> Iterator[None]:
    """Turn OpenUSD's errors about a document into a `ParseError`; any value of a crate may be corrupt.

    Raises:
        ParseError: OpenUSD refuses it.
    """
    lib = pxr()
    try:
        with lib.Tf.DiagnosticTrap() as trap:
            yield
            trap.Clear()
    except lib.Tf.ErrorException as error:
        raise _refusal(document, _said(document, error)) from error


def _opened(lib: Any, document: Document) -> Any:
    """Open a stage.

    Raises:
        ParseError: It is composed of a file that the document may not read, or of a damaged crate, or it is binary and
            not the content of a file.
    """
    if _is_on_disk(document):
        refuse_damaged_crates(document.data, document.name)
        layers = reached(lib.Sdf.Layer.FindOrOpen(str(document.path)), document)
        stage = lib.Usd.Stage.Open(str(document.path))
        stage.Reload()
        del layers
        refuse_out_of_reach(stage.GetUsedLayers(), document)
        return stage
    if not document.data.startswith(TEXT_BEGINNING):
        reason = "OpenUSD reads binary stages from files only; save it and name the file, or convert it with usdcat"
        raise ParseError(reason, document.name)
    layer = lib.Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(document.data.decode("utf-8", errors="replace"))
    if document.path is not None:
        folder = document.path.resolve().parent
        layer.subLayerPaths[:] = [str(folder / path) for path in layer.subLayerPaths]
    layers = reached(layer, document)
    stage = lib.Usd.Stage.Open(layer)
    del layers
    refuse_out_of_reach(stage.GetUsedLayers(), document)
    return stage


def _is_on_disk(document: Document) -> bool:
    """Return whether a document is the content of its file; otherwise it is text, such as a layer over that file."""
    path = document.path
    return path is not None and path.is_file() and path.read_bytes() == document.data


def _said(document: Document, error: Any) -> str:
    """Return OpenUSD's message.

    Raises:
        ParseError: The message quotes text that is not UTF-8.
    """
    try:
        return str(error)
    except UnicodeDecodeError:
        reason = "the text is not UTF-8; save it as UTF-8"
        raise ParseError(reason, document.name, _line_of_odd_byte(document.data)) from None


def _line_of_odd_byte(data: bytes) -> int | None:
    """Return the line of the first byte that is not UTF-8; None if all are."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    return None


def _refusal(document: Document, said: str) -> ParseError:
    """Return an error with the line and the reason from OpenUSD's message."""
    found = FAULT.search(said)
    if found is None:
        reasons = re.findall(r"'([^']+)'\s*$", said, re.MULTILINE)
        return ParseError(f"OpenUSD refuses it: {reasons[-1] if reasons else said.strip()}", document.name)
    return ParseError(f"OpenUSD refuses it: {found[3].strip()}", document.name, int(found[1]))


def units_of(stage: Any, name: str) -> Units:
    """Return the units of a stage; metres if it does not state them.

    OpenUSD's own default is the centimetre. Robots are written in metres, and simulators read stages without a unit as
    metres; the reader reports the assumption.

    Args:
        stage: The stage.
        name: Name of its document in messages.

    Raises:
        ParseError: A unit is not a positive number, or the up axis is not an axis.
    """
    lib = pxr()
    is_stated = lib.UsdGeom.StageHasAuthoredMetersPerUnit(stage)
    metre = float(lib.UsdGeom.GetStageMetersPerUnit(stage)) if is_stated else 1.0
    kilogram = float(lib.UsdPhysics.GetStageKilogramsPerUnit(stage))
    for word, unit in (("metersPerUnit", metre), ("kilogramsPerUnit", kilogram)):
        if not SMALLEST_UNIT <= unit <= LARGEST_UNIT:
            reason = f"{word} is {unit:g}; write a positive number, 1 for SI, {SMALLEST_UNIT:g} to {LARGEST_UNIT:g}"
            raise ParseError(reason, name)
    up_axis = str(lib.UsdGeom.GetStageUpAxis(stage))
    if up_axis not in UP_AXES:
        raise ParseError(f"upAxis is {up_axis!r}; write X, Y or Z", name)
    return Units(metre, kilogram, up_axis, is_assumed=not is_stated)
