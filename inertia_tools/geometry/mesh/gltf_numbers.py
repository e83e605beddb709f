# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers in a glTF document: accessors into views of buffers, which are in the file, beside it, or in its text."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import numpy as np
import numpy.typing as npt

from inertia_tools.description.content import check_size

Json = dict[str, Any]
Numbers = npt.NDArray[Any]

NUMBERS: Mapping[int, str] = MappingProxyType(
    {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
)
"""Types of numbers by the code of a component."""

WIDTHS: Mapping[str, int] = MappingProxyType({"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4})
"""Numbers of an element by its type."""


class GltfNumbers:
    """Reads the accessors of a document.

    Args:
        document: The document.
        binary: The binary part of a .glb; empty for a .gltf.
        folder: Folder of the file, in which the files of its buffers are.
    """

    def __init__(self, document: Json, binary: bytes, folder: Path) -> None:
        self._document = document
        self._binary = binary
        self._folder = folder.resolve()
        self._required = frozenset(document.get("extensionsRequired", ()))
        self._buffer = lru_cache(maxsize=None)(self._read_buffer)

    def accessor(self, index: int) -> Numbers:
        """Return the elements of an accessor, one a row.

        Raises:
            ValueError, KeyError, IndexError, TypeError, OSError: The document or one of its buffers is invalid.
        """
        accessor = self._document["accessors"][index]
        number, width, count = np.dtype(NUMBERS[accessor["componentType"]]), WIDTHS[accessor["type"]], accessor["count"]
        if "bufferView" in accessor:
            values = self._in_view(accessor, number, width, count)
        else:
            check_size(count * width * number.itemsize)
            values = np.zeros((count, width), number)
        if "sparse" in accessor:
            values = self._with_exceptions(values, accessor["sparse"])
        if accessor.get("normalized") and number.kind in "iu":
            return np.maximum(values / np.iinfo(number).max, -1.0)
        return values

    def refuse_extensions(self, element: Json) -> None:
        """Refuse an element that an extension which the file requires would read otherwise.

        Raises:
            ValueError: There is one; the message names it.
        """
        needed = sorted(self._required & element.get("extensions", {}).keys())
        if needed:
            raise ValueError(f"it requires {needed[0]}, which is not supported")

    def _with_exceptions(self, values: Numbers, sparse: Json) -> Numbers:
        """Replace the elements that a sparse accessor lists."""
        indices, count = sparse["indices"], sparse["count"]
        at = self._in_view(indices, np.dtype(NUMBERS[indices["componentType"]]), 1, count)[:, 0]
        replaced = values.copy()
        replaced[at] = self._in_view(sparse["values"], values.dtype, values.shape[1], count)
        return replaced

    def _in_view(self, part: Json, number: np.dtype[Any], width: int, count: int) -> Numbers:
        """Return the elements of a part of a view, whose rows may have other data between them."""
        view = self._document["bufferViews"][part["bufferView"]]
        self.refuse_extensions(view)
        begin = view.get("byteOffset", 0)
        block = memoryview(self._buffer(view["buffer"]))[begin : begin + view["byteLength"]]
        row = view.get("byteStride") or number.itemsize * width
        return np.ndarray((count, width), number, block, part.get("byteOffset", 0), (row, number.itemsize))

    def _read_buffer(self, index: int) -> bytes:
        buffer = self._document["buffers"][index]
        uri = buffer.get("uri")
        if uri is None:
            if index or not self._binary:
                raise ValueError(f"its buffer {index} has no data")
            return self._binary
        if uri.startswith("data:"):
            head, _, data = uri.partition(",")
            return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
        path = (self._folder / unquote(uri)).resolve()
        if not path.is_relative_to(self._folder):
            raise ValueError(f"its buffer {uri!r} escapes the folder of the file")
        check_size(path.stat().st_size)
        return path.read_bytes()
