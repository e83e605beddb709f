# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writable lists of one quantity over all bodies, shapes or joints of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError


class Column(MutableSequence[Any]):
    """One quantity of all elements of a scene, as a list of fixed length.

    Reading and writing access the stored data of the scene.

    Args:
        name: Name in messages.
        count: Number of elements.
        read: Returns the value of an element.
        write: Stores the value of an element; None if it is derived from other values.
    """

    def __init__(
        self, name: str, count: int, read: Callable[[int], Any], write: Callable[[int, Any], None] | None = None
    ) -> None:
        self._name, self._count, self._read, self._write = name, count, read, write

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        places = range(self._count)[index]
        return [self._read(place) for place in places] if isinstance(places, range) else self._read(places)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._write is None:
            raise OptionError(self._name, value, "left unchanged: it is derived from other values of the scene")
        places = range(self._count)[index]
        if not isinstance(places, range):
            self._write(places, value)
            return
        values = list(value)
        if len(values) != len(places):
            raise OptionError(self._name, len(values), f"{len(places)} values, one for each element")
        for place, one in zip(places, values, strict=True):
            self._write(place, one)

    def __delitem__(self, index: Any) -> None:
        raise OptionError(self._name, index, "of fixed length; elements are added and removed by methods of the scene")

    def insert(self, index: int, value: Any) -> None:
        """Refuse an element, which the methods of the scene add.

        Raises:
            OptionError: Always.
        """
        raise OptionError(self._name, value, "of fixed length; elements are added by methods of the scene")

    def __iter__(self) -> Iterator[Any]:
        return (self._read(place) for place in range(self._count))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Iterable):
            return NotImplemented
        mine, theirs = list(self), list(other)
        return len(mine) == len(theirs) and all(
            bool(np.all(np.asarray(a) == np.asarray(b))) for a, b in zip(mine, theirs, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def copy(self) -> list[Any]:
        """Return the values as a list of their own."""
        return list(self)

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return [*self, *other]


class ColumnOf:
    """A `Column` as an attribute of a scene; assigning a list to it writes all values.

    Args:
        count: Returns the number of elements of a scene.
        read: Returns the value of one element of it.
        write: Stores one.
        doc: What the values are, with their unit.
    """

    def __init__(
        self,
        count: Callable[[Any], int],
        read: Callable[[Any, int], Any],
        write: Callable[[Any, int, Any], None] | None,
        doc: str,
    ) -> None:
        self._count, self._read, self._write = count, read, write
        self.__doc__ = doc
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, scene: Any, owner: type | None = None) -> Any:
        if scene is None:
            return self
        read, write = self._read, self._write
        setter = None if write is None else lambda place, value: write(scene, place, value)
        return Column(self._name, self._count(scene), lambda place: read(scene, place), setter)

    def __set__(self, scene: Any, values: Any) -> None:
        self.__get__(scene)[:] = values
