# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a stage names and does not hold: references, payloads and sublayers that are not there, or go in circles.

OpenUSD opens such a stage without them, so that a robot may lack its arms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from inertia_tools.description.types import Remark
from inertia_tools.description.usd.lines import Lines

BROKEN = "broken-composition"

LOSSES = {
    "InvalidAssetPath": "put the file where it is looked for, or correct its name",
    "InvalidSublayerPath": "put the file where it is looked for, or correct its name",
    "UnresolvedPrimPath": "name a prim that the file has, or give the file a defaultPrim",
    "ArcCycle": "take one of these references out",
    "SublayerCycle": "take the layer out of its own sublayers",
}
"""Faults that leave prims out, by OpenUSD's name, and what to do about each."""


def composition_remarks(stage: Any, lines: Lines) -> Iterator[Remark]:
    """Say what a stage lacks, each fault once, at the prim that names it."""
    for error in stage.GetCompositionErrors():
        remedy = LOSSES.get(str(error.errorType).rpartition("_")[2])
        if remedy is not None:
            message = f"{_said(error)}; what stands there is missing: {remedy}"
            yield Remark("error", BROKEN, "", message, lines.place_of(str(error.rootSite.path)))


def _said(error: Any) -> str:
    """Return OpenUSD's own words on one line, without a full stop."""
    try:
        words = str(error)
    except UnicodeDecodeError:
        return "a file that is referred to is not UTF-8"
    return re.sub(r"\s+", " ", words).strip().rstrip(".")
