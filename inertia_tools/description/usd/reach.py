# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which files a stage may be composed of.

OpenUSD opens whatever a layer names, so that is looked at before a stage is opened; and once more after, since its
search paths and the values of variables may lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inertia_tools.description.resources import readable
from inertia_tools.description.source import Document
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import ParseError


def refuse_out_of_reach(layers: Iterable[Any], document: Document) -> None:
    """Refuse layers that lead to a file which their document may not read; what is not there is reported elsewhere.

    Args:
        layers: The root layer before a stage is opened on it, None if it cannot be; or all layers of a stage.
        document: The document of the root layer. One without `allowed_roots` may read everything.

    Raises:
        ParseError: A sublayer, reference or payload, or one of a layer that it leads to, lies elsewhere.
    """
    if not document.allowed_roots:
        return
    waiting, seen = list(layers), set()
    root = None if document.path is None else document.path.resolve()
    while waiting:
        one = waiting.pop()
        if one is None or one.identifier in seen:
            continue
        seen.add(one.identifier)
        own = Path(str(one.realPath).partition("[")[0])
        if one.realPath and own.resolve() != root and readable(own, document) is None:
            raise ParseError(f"{own} lies where the document may not read", document.name)
        for name in one.GetCompositionAssetDependencies():
            file = _file_of(one, name)
            if file is None:
                continue
            if readable(file, document) is None:
                raise ParseError(f"{name} lies where the document may not read", document.name)
            waiting.append(pxr().Sdf.Layer.FindOrOpen(str(file)))


def _file_of(layer: Any, name: str) -> Path | None:
    """Return the existing file that a layer means by a name, the package for what lies in one; None without one."""
    file = Path(layer.ComputeAbsolutePath(name).partition("[")[0])
    return file if file.exists() else None
