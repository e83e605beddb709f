# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The corrected description as text to publish, in the requested format."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.conversion import Kind, Note, convert
from inertia_tools.description.types import Format
from inertia_tools.errors import ConversionError, WriteError
from inertia_tools.inertia.automatic import save_automatic
from inertia_tools.inertia.correction import Correction

WORTH_A_WARNING = (Kind.ASSUMED, Kind.REFUSED, Kind.DROPPED)


@dataclass(frozen=True, eq=False)
class CorrectedText:
    """A text to publish, and notes about its conversion.

    Attributes:
        text: The document.
        notes: Notes of a conversion; empty without one.
    """

    text: str
    notes: tuple[Note, ...] = ()


def corrected_text(correction: Correction, wanted: str) -> CorrectedText:
    """Return a corrected description in a requested format.

    A URDF only gets its corrections. In SDFormat automatic inertials also become numbers, because Gazebo's spawn
    service does not compute those of meshes.

    Args:
        correction: The correction.
        wanted: `urdf` or `sdf`.

    Raises:
        WriteError: The description cannot be converted to the format.
    """
    own = Format.URDF if correction.robot.format is Format.XACRO else correction.robot.format
    if own is Format.SDF and wanted == "sdf":
        data = save_automatic(correction.corrected, clear_auto=True).document.data
        return CorrectedText(data.decode("utf-8", errors="replace"))
    if own.value == wanted:
        return CorrectedText(correction.text)
    try:
        conversion = convert(correction, format=wanted)
        conversion.require_one_file()
    except ConversionError as error:
        remedy = f"set output_format to {own.value!r}" if own is Format.SDF else "set publish_corrected to false"
        raise WriteError(f"the description cannot be converted to {wanted.upper()}: {error}; {remedy}") from error
    return CorrectedText(conversion.text, conversion.notes)
