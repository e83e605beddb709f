# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Input and output of an emitter: the pattern of every target format.

An emitter is a function `emit(scene, account)` that returns `Written`. It writes the content of the description, notes
properties that its format cannot hold, and raises `ConversionError` if dropping one would change the robot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inertia_tools.conversion.account import Account
from inertia_tools.conversion.extensions import Extensions
from inertia_tools.description.lump import MergedLink
from inertia_tools.description.types import Description


@dataclass(frozen=True, eq=False)
class Scene:
    """A description ready to be written.

    No link of it is the world; joints to the world have the parent `world`; a root without a joint is free unless it
    is static. Every link that needs an inertial declares a complete one.

    Attributes:
        robot: The description.
        output: The file that will be written; None for text that goes elsewhere.
        merged: Links merged into others.
        extensions: Further content of the source, for targets that understand it.
        sdf_version: The version of SDFormat to write; empty for the oldest that holds everything.
        up_axis: "X", "Y" or "Z": the upward axis.
    """

    robot: Description
    output: Path | None = None
    merged: tuple[MergedLink, ...] = ()
    extensions: Extensions = field(default_factory=Extensions)
    sdf_version: str = ""
    up_axis: str = "Z"


@dataclass(frozen=True, eq=False)
class Written:
    """A document and its further files.

    Attributes:
        data: The document.
        files: Content of further files by their path relative to the document.
    """

    data: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)


Emitter = Callable[[Scene, Account], Written]
