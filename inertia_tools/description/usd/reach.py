# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The files from which a stage may be composed.

OpenUSD opens every file that a layer names, so the files are checked before a stage is opened; and again afterwards,
since its search paths and the values of variables may lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inertia_tools.description.resources import readable
from inertia_tools.description.source import Document
from inertia_tools.description.usd.crate import refuse_damaged_file
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import ParseError


def reached(root: Any, document: Document) -> list[Any]:
    """Open all layers that a layer refers to; missing or unreadable ones are reported elsewhere.

    Args:
        root: The root layer of a document, before a stage is opened on it; None if it cannot be opened.
        document: The document. One without `allowed_roots` may read everything.

    Returns:
        The layers, which stay open as long as they are referenced.

    Raises:
        ParseError: A layer is outside the permitted folders, or is a damaged crate.
    """
    found: dict[str, Any] = {}
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if one is None or one.identifier in found:
            continue
        found[one.identifier] = one
        _refuse_elsewhere(one, document)
        for file in filter(Path.is_file, _files_of(one, document)):
            refuse_damaged_file(file)
            waiting.append(_opened(file))
    return list(found.values())


def refuse_out_of_reach(layers: Iterable[Any], document: Document) -> None:
    """Refuse the layers of a stage that refer to a file which their document may not read.

    Raises:
        ParseError: A layer, or a sublayer, reference or payload of one, is outside the permitted folders.
    """
    for one in layers:
        _refuse_elsewhere(one, document)
        _files_of(one, document)


def _refuse_elsewhere(layer: Any, document: Document) -> None:
    root = None if document.path is None else document.path.resolve()
    own = Path(str(layer.realPath).partition("[")[0])
    if layer.realPath and own.resolve() != root and _is_elsewhere(own, document):
        raise ParseError(f"{own} lies outside the allowed folders", document.name)


def _files_of(layer: Any, document: Document) -> list[Path]:
    """Return the existing files that a layer names."""
    files = []
    for name in layer.GetCompositionAssetDependencies():
        file = _file_of(layer, name)
        if file is None:
            continue
        if _is_elsewhere(file, document):
            raise ParseError(f"{name} lies outside the allowed folders", document.name)
        files.append(file)
    return files


def _is_elsewhere(file: Path, document: Document) -> bool:
    """Return whether a document may not read a file."""
    return bool(document.allowed_roots) and readable(file, document) is None


def _opened(file: Path) -> Any:
    """Return the layer of a file; None if it cannot be opened."""
    try:
        return pxr().Sdf.Layer.FindOrOpen(str(file))
    except pxr().Tf.ErrorException:
        return None


def _file_of(layer: Any, name: str) -> Path | None:
    """Return the existing file that a layer's name refers to, or the package that contains it; None without one.

    A layer's own name is empty.
    """
    if not name:
        return None
    file = Path(layer.ComputeAbsolutePath(name).partition("[")[0])
    return file if file.exists() else None
