# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Composition of a stage: missing or circular references, payloads and sublayers, and prims that are made of others.

OpenUSD opens such a stage without the missing parts, so that a robot may lack its arms.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from inertia_tools.description.types import Remark
from inertia_tools.description.usd.lines import Lines

BROKEN = "broken-composition"

LOSSES = {
    "InvalidAssetPath": "move the file there, or correct its name",
    "InvalidSublayerPath": "move the file there, or correct its name",
    "UnresolvedPrimPath": "name a prim that the file has, or give the file a defaultPrim",
    "ArcCycle": "remove one of these references",
    "SublayerCycle": "remove the layer from its own sublayers",
}
"""Faults that leave prims out, by OpenUSD's name, and what to do about each."""

SUBLAYER = re.compile(r"(?:sublayer|[Ss]ublayer hierarchy with root layer) @+([^@]+)@")
"""The sublayer in OpenUSD's message about a fault; no prim names it."""

FILE = re.compile(r"Could not (?:open asset|load sublayer) @+([^@]+)@")
"""The file in OpenUSD's message that it cannot open, and the words before it."""


def composition_remarks(stage: Any, lines: Lines) -> Iterator[Remark]:
    """Report the missing parts of a stage, each fault once, at the prim that names it."""
    for error in stage.GetCompositionErrors():
        remedy = LOSSES.get(str(error.errorType).rpartition("_")[2])
        if remedy is not None:
            said = _said(error)
            named = SUBLAYER.search(said)
            place = lines.place_of(str(error.rootSite.path)) if named is None else lines.place_of_file(named[1])
            message = _unreadable(said) or f"{said}; its content is missing: {remedy}"
            yield Remark("error", BROKEN, "", message, place)


def _unreadable(said: str) -> str | None:
    """Return the message for a file that is there and cannot be read; OpenUSD states the reason once at most."""
    found = FILE.search(said)
    if found is None or not Path(found[1]).is_file():
        return None
    return f"{found[0]}: OpenUSD cannot read it; to see why: inertia-tools check {shlex.quote(found[1])}"


def _said(error: Any) -> str:
    """Return OpenUSD's message on one line, without a full stop."""
    try:
        words = str(error)
    except UnicodeDecodeError:
        return "a file that is referred to is not UTF-8"
    return re.sub(r"\s+", " ", words).strip().rstrip(".")


def is_made_of(prim: Any, paths: Collection[str]) -> bool:
    """Return whether a prim references, inherits or specializes one of some prims of the same stage.

    An opinion about such a prim in the root layer applies to it too.
    """
    own = (prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim).GetPrimIndex().rootNode
    stage = own.layerStack.identifier
    return any(str(node.path) in paths and node.layerStack.identifier == stage for node in _below(own))


def _below(node: Any) -> Iterator[Any]:
    for child in node.children:
        yield child
        yield from _below(child)
