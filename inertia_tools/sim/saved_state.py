# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""All that steps read and write of a simulation, kept so that it can be brought back to the bit."""

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
        owner: The entities and options that it was made of; a simulation of others cannot take it.
        arrays: What was on the device, by where it was found.
        drives: What was set of drives.
        pushes: Wrenches in force.
        gravity: Acceleration of free fall [m/s^2].
        soft_numbers: Numbers of particles that callers may change.
        step_count: Steps made.
    """

    owner: object
    arrays: Mapping[str, Any]
    drives: Mapping[str, Any]
    pushes: Pushes
    gravity: Array
    soft_numbers: Mapping[str, float]
    step_count: int


def copied_arrays(*holders: Any) -> dict[str, Any]:
    """Return copies of all arrays on the device that some objects hold, by where they were found."""
    return {path: wp.clone(array) for path, array in _arrays_in(holders)}


def put_back(arrays: Mapping[str, Any], *holders: Any) -> None:
    """Write arrays to where they were copied from; what has grown since holds nothing beyond them.

    Raises:
        SimulationError: They are of another scene.
    """
    for path, array in _arrays_in(holders):
        saved = arrays.get(path)
        if saved is None:
            array.zero_()
        elif saved.dtype is not array.dtype or saved.size > array.size:
            raise SimulationError("the saved state is of another scene")
        else:
            if saved.size < array.size:
                array.zero_()
            wp.copy(array, saved, count=saved.size)


def differ(arrays: Mapping[str, Any], *holders: Any) -> bool:
    """Tell whether arrays in some objects are others than those that were copied from there."""
    found = ((arrays.get(path), array) for path, array in _arrays_in(holders))
    return any(was is None or was.numpy().tobytes() != array.numpy().tobytes() for was, array in found)


def pushes_of(pushes: Pushes) -> Pushes:
    """Return wrenches that pass no time when those that they were copied from do."""
    return Pushes({link: copy.copy(push) for link, push in pushes.by_link.items()}, dict(pushes.acted))


def _arrays_in(holders: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Find arrays in objects of the simulation, in their structures and containers, each once."""
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
    """Return the parts of an object that may change in a step; a model and captured graphs do not.

    An object of which most is found anew in every step, or follows from the model, names those that last (`lasting`).
    """
    from inertia_tools.sim.kernels.graphs import Graphs
    from inertia_tools.sim.model.model import Model

    if isinstance(value, Model | Graphs | type):
        return []
    if hasattr(value, "lasting"):
        value = value.lasting()
    if isinstance(value, Mapping):
        return [(str(key), part) for key, part in value.items()]
    if isinstance(value, SimpleNamespace):  # of the users' attributes
        return list(vars(value).items())
    if isinstance(value, list | tuple):
        return [(str(index), part) for index, part in enumerate(value)]
    struct = getattr(value, "_cls", None)
    if struct is not None and hasattr(struct, "vars"):
        return [(name, getattr(value, name)) for name in struct.vars]
    if type(value).__module__.startswith(_PACKAGE) and hasattr(value, "__dict__"):
        return list(vars(value).items())
    return []
