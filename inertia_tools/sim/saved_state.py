# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Saved states of a simulation, which restore everything that steps read and write bit-identically."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.errors import SimulationError
from inertia_tools.sim.pushes import Pushes
from inertia_tools.spatial import Array

_PACKAGE = "inertia_tools.sim"


@dataclass(frozen=True, eq=False)
class SavedState:
    """A simulation at one instant; `Simulation.save` makes it.

    Attributes:
        owner: Entities and options of the simulation; a simulation with others cannot restore it.
        basis: Values from which the model derives others, by name; see `simulation.model_basis`.
        arrays: Copies of device arrays, by their paths in the objects.
        drives: Settings of drives.
        pushes: Active wrenches.
        gravity: Acceleration of free fall [m/s^2].
        soft_numbers: Scalar settings of soft bodies that callers may change, by name.
        step_count: Number of steps.
    """

    owner: object
    basis: Mapping[str, Array]
    arrays: Mapping[str, Any]
    drives: Mapping[str, Any]
    pushes: Pushes
    gravity: Array
    soft_numbers: Mapping[str, float]
    step_count: int


def copied_arrays(*holders: Any) -> dict[str, Any]:
    """Return copies of all device arrays in some objects, by their paths."""
    return {path: wp.clone(array) for path, array in _arrays_in(holders)}


def put_back(arrays: Mapping[str, Any], *holders: Any) -> None:
    """Write arrays back to their paths; arrays without a copy, and the ends of arrays that have grown, become zero.

    Raises:
        SimulationError: The arrays belong to another scene.
    """
    for path, array in _arrays_in(holders):
        saved = arrays.get(path)
        if saved is None:
            array.zero_()
        elif saved.dtype is not array.dtype or saved.size > array.size:
            raise SimulationError("the saved state belongs to another scene")
        else:
            if saved.size < array.size:
                array.zero_()
            wp.copy(array, saved, count=saved.size)


def differ(arrays: Mapping[str, Any], *holders: Any) -> bool:
    """Return whether arrays in some objects differ from earlier copies."""
    found = ((arrays.get(path), array) for path, array in _arrays_in(holders))
    return any(was is None or was.numpy().tobytes() != array.numpy().tobytes() for was, array in found)


def pushes_of(pushes: Pushes) -> Pushes:
    """Return a copy of wrenches whose remaining times are independent."""
    return Pushes({link: copy.copy(push) for link, push in pushes.by_link.items()}, dict(pushes.acted))


def _arrays_in(holders: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the arrays in objects of the simulation, their structures and containers, each once."""
    seen: set[int] = set()

    def search(path: str, value: Any) -> Iterator[tuple[str, Any]]:
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, wp.array):
            if value.size:
                yield path, value
            return
        for name, part in _parts_of(value):
            yield from search(f"{path}.{name}", part)

    for index, holder in enumerate(holders):
        yield from search(str(index), holder)


def _parts_of(value: Any) -> list[tuple[str, Any]]:
    """Return the parts of an object that may change in a step, without models and captured graphs.

    An object whose data is mostly recomputed in every step, or follows from the model, lists its lasting parts in
    `lasting`.
    """
    from inertia_tools.sim.kernels.graphs import Graphs
    from inertia_tools.sim.model.model import Model

    if isinstance(value, Model | Graphs | type):
        return []
    if hasattr(type(value), "lasting"):
        value = value.lasting()
    if isinstance(value, Mapping):
        return [(str(key), part) for key, part in value.items()]
    if isinstance(value, SimpleNamespace):  # attributes that users added
        return list(vars(value).items())
    if isinstance(value, list | tuple):
        return [(str(index), part) for index, part in enumerate(value)]
    struct = getattr(value, "_cls", None)
    if struct is not None and hasattr(struct, "vars"):
        return [(name, getattr(value, name)) for name in struct.vars]
    if type(value).__module__.startswith(_PACKAGE) and hasattr(value, "__dict__"):
        return list(vars(value).items())
    return []
